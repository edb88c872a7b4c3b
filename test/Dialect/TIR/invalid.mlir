// RUN: partita-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'tir.prim_func' op expected no results, found 1; write to a memref parameter behind the inputs instead}}
tir.prim_func private @results(memref<8xf32>) -> f32

// -----

// expected-error @below {{'tir.prim_func' op expected parameters that are memrefs, integers, indices, floats or handles, found 'tensor<8xf32>' at position 1}}
tir.prim_func private @tensor(memref<8xf32>, tensor<8xf32>)

// -----

tir.prim_func @operands(%x: f32) {
  // expected-error @below {{'tir.return' op requires zero operands}}
  "tir.return"(%x) : (f32) -> ()
}

// -----

func.func @parent() {
  // expected-error @below {{'tir.return' op expects parent op 'tir.prim_func'}}
  tir.return
}

// -----

tir.prim_func @terminator() {
  // expected-error @below {{'func.return' op expects parent op 'func.func'}}
  func.return
}

// -----

tir.prim_func @unterminated(%x: memref<f32>) {
  // expected-error @below {{block with no terminator}}
  %0 = memref.load %x[] : memref<f32>
}

// -----

// expected-error @below {{'tir.prim_func' op entry block must have 1 arguments to match function signature}}
"tir.prim_func"() <{function_type = (f32) -> (), sym_name = "arguments"}> ({
  "tir.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'tir.prim_func' op requires attribute 'function_type'}}
"tir.prim_func"() <{sym_name = "f"}> ({
  "tir.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'tir.prim_func' op requires attribute 'sym_name'}}
"tir.prim_func"() <{function_type = () -> ()}> ({
  "tir.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'tir.prim_func' op attribute 'function_type' failed to satisfy constraint: type attribute of function type}}
"tir.prim_func"() <{function_type = i32, sym_name = "f"}> ({
  "tir.return"() : () -> ()
}) : () -> ()

// -----

func.func private @outside() -> memref<f32>
%0 = func.call @outside() : () -> memref<f32>
// expected-note @below {{required by region isolation constraints}}
tir.prim_func @isolated(%x: f32) {
  // expected-error @below {{'memref.store' op using value defined outside the region}}
  memref.store %x, %0[] : memref<f32>
  tir.return
}
