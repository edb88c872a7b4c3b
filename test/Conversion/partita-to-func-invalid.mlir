// RUN: partita-opt --convert-partita-to-func --split-input-file --verify-diagnostics %s

partita.module @op {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{can't be compiled; expected relax-legalize-ops to replace it}}
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @rank {
  relax.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
    // expected-error @below {{can't be compiled: expected a tensor of known rank and dtype, found 'tensor<*xf32>'}}
    %0 = relax.call_tir @copy(%x) : (tensor<*xf32>) -> tensor<*xf32>
    relax.return %0 : tensor<*xf32>
  }
  tir.prim_func private @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
    tir.return
  }
}

// -----

partita.module @dtype {
  // expected-error @below {{can't be compiled: expected tensors of integers or of floats of 8 to 64 bits, shapes, numbers, objects and tuples of them, found 'tensor<4xf8E8M0FNU>'}}
  relax.func private @main(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
    relax.return %x : tensor<4xf8E8M0FNU>
  }
}

// -----

partita.module @described_dtype {
  // expected-error @below {{expected parameters and results with a dtype of the CPU, found}}
  relax.func @main(%x: tensor<4xi4>) -> tensor<4xi4> {
    relax.return %x : tensor<4xi4>
  }
}

// -----

partita.module @size {
  relax.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    // expected-error @below {{can't be compiled: expected a known size, found ?}}
    %0 = relax.call_tir @copy(%x) : (tensor<?xf32>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  tir.prim_func private @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
    tir.return
  }
}

// -----

partita.module @threads {
  tir.prim_func private @kernel(%a: memref<128xf32>, %x: f32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    // expected-error @below {{can't be compiled: expected a loop of no thread}}
    tir.for "thread_binding" %c0, %c128 : i32, i32 {
    ^bb0(%i: i32):
      tir.store %x, %a[%i] : f32, memref<128xf32>, i32
    } {thread = "threadIdx.x"}
    tir.return
  }
}

// -----

partita.module @declared {
  // expected-error @below {{expected a prim_func with a body}}
  tir.prim_func private @kernel(memref<4xf32>)
}

// -----

partita.module @first {
  // expected-note @below {{here for the first time}}
  tir.prim_func private @f(%a: memref<4xf32>) {
    tir.return
  }
}
partita.module @second {
  // expected-error @below {{expected functions of all modules to have different names, found 'partita.f' twice}}
  tir.prim_func private @f(%a: memref<4xf32>) {
    tir.return
  }
}

// -----

partita.module @parameter {
  tir.prim_func private @twice(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<4xf32>
    memref.store %0, %a[%c0] : memref<4xf32>
    tir.return
  }
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.global @twice
    // expected-error @below {{can't be compiled: expected 'twice' to write memory that was allocated in 'main', but argument 0 is a parameter; relax.call_tir_inplace writes a copy in its place}}
    %0 = relax.call_value(%f, %x) : (!relax.object, tensor<4xf32>) -> tuple<>
    relax.return %x : tensor<4xf32>
  }
}

// -----

partita.module @constant {
  tir.prim_func private @write(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %0 = arith.constant 1.0 : f32
    memref.store %0, %a[%c0] : memref<4xf32>
    tir.return
  }
  relax.func @main() -> tensor<4xf32> {
    %f = relax.global @write
    %c = relax.constant dense<0.0> : tensor<4xf32>
    // expected-error @below {{expected 'write' to write memory that was allocated in 'main', but argument 0 is a constant}}
    %0 = relax.call_value(%f, %c) : (!relax.object, tensor<4xf32>) -> tuple<>
    relax.return %c : tensor<4xf32>
  }
}

// -----

partita.module @packed {
  relax.func @main(%x: tensor<4xi4>) -> i64 attributes {is_pure = false} {
    %f = relax.extern_func "f"
    // expected-error @below {{can't be compiled: expected a packed function of tensors with a dtype of the CPU, shapes, numbers, strings, dtypes, objects and tuples of them, found 'tensor<4xi4>'}}
    %0 = relax.call_value(%f, %x) : (!relax.object, tensor<4xi4>) -> i64
    relax.return %0 : i64
  }
}

// -----

partita.module @packed_result {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %f = relax.extern_func "f"
    // expected-error @below {{can't be compiled: expected a result of a dtype of the CPU, found 'tensor<4xi4>'}}
    %0 = relax.call_value(%f, %x) : (!relax.object, tensor<4xf32>) -> tensor<4xi4>
    relax.return %x : tensor<4xf32>
  }
}

// -----

partita.module @inplace {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.extern_func "f"
    // expected-error @below {{expected 'inplace_indices' to be below 1, the number of arguments, found 1}}
    %0 = relax.call_inplace_packed(%f, %x) "relax.attrs.CallInplacePackedAttrs" {inplace_indices = array<i64: 1>} : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @prim_func_as_value {
  tir.prim_func private @one(%a: memref<4xf32>) {
    tir.return
  }
  relax.func @main() -> !relax.object {
    %f = relax.global @one
    // expected-error @below {{can't be compiled: expected an object, a string, a dtype or a relax.func of the module as a value}}
    relax.return %f : !relax.object
  }
}

// -----

partita.module @function_as_tensor {
  relax.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
  relax.func @main() -> tensor<4xf32> {
    %f = relax.global @f
    // expected-error @below {{can't be compiled: expected a value of type 'tensor<4xf32>', found a function, a string or a dtype}}
    %0 = relax.match_cast %f : !relax.object -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @wrong_cast {
  relax.func @main(%x: tensor<4xf32>) -> i64 {
    %0 = relax.match_cast %x : tensor<4xf32> -> !relax.object
    // expected-error @below {{can't be compiled: expected a value of type 'i64', found one of type 'tensor<4xf32>'}}
    %1 = relax.match_cast %0 : !relax.object -> i64
    relax.return %1 : i64
  }
}

// -----

partita.module @shape {
  relax.func @main(%s: !relax.shape<*>) -> tensor<?xi64> {
    // expected-error @below {{can't be compiled: expected a shape of known rank}}
    %0 = relax.shape_to_tensor %s : (!relax.shape<*>) -> tensor<?xi64>
    relax.return %0 : tensor<?xi64>
  }
}

// -----

partita.module @arguments {
  tir.prim_func private @one(%a: memref<4xf32>) {
    tir.return
  }
  relax.func @count(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.global @one
    // expected-error @below {{can't be compiled: expected a prim_func with 2 parameters}}
    %0 = relax.call_value(%f, %x, %x) : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> tuple<>
    relax.return %x : tensor<4xf32>
  }
}

// -----

partita.module @type {
  tir.prim_func private @one(%a: memref<4xf32>) {
    tir.return
  }
  relax.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
    %f = relax.global @one
    // expected-error @below {{can't be compiled: expected values of types ('memref<4xf32>'), found ('memref<4xi32>')}}
    %0 = relax.call_value(%f, %x) : (!relax.object, tensor<4xi32>) -> tuple<>
    relax.return %x : tensor<4xi32>
  }
}

// -----

partita.module @index {
  tir.prim_func private @one(%a: memref<4xf32>) {
    tir.return
  }
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.global @one
    %args = relax.tuple(%x) : tensor<4xf32>
    // expected-error @below {{expected 'inplace_indices' to be below 1, the number of arguments, found 7}}
    %b = relax.call_tir_inplace(%f, %args) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 7>} ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    relax.return %b : tensor<4xf32>
  }
}

// -----

partita.module @storage {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %device = relax.prim_value 0 : i64
    %dtype = relax.dtype f32
    %shape = relax.shape [4]
    // expected-error @below {{can't be compiled: expected a storage and an offset of 64 bits}}
    %a = relax.memory.alloc_tensor %dtype, %device, %shape, %dtype, %device : (!relax.object, i64, !relax.shape<[4]>, !relax.object, i64) -> tensor<4xf32>
    relax.return %a : tensor<4xf32>
  }
}

// -----

partita.module @unknown_callee {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.global @f
    // expected-error @below {{can't be compiled: expected a call of a relax.extern_func or of a function that the caller gives, found another function}}
    %0 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
}

// -----

partita.module @packed_with_attributes {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.extern_func "test.f"
    // expected-error @below {{can't be compiled: expected a packed function without attributes, found {k = 1 : i64}}}
    %0 = relax.call_pure_packed(%f, %x) "test.Attrs" {k = 1 : i64} : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @packed_without_name {
  tir.prim_func private @f(%n: i64) {
    // expected-error @below {{can't be compiled: expected the name of a packed function}}
    tir.call_intrin "tirx.tvm_call_packed"(%n) : (i64) -> ()
    tir.return
  }
}

// -----

partita.module @packed_pointer {
  tir.prim_func private @f(%x: memref<4xf32>) {
    %f = tir.string "f"
    %p = tir.call_intrin pure "tirx.buffer_data"(%x) : (memref<4xf32>) -> !tir.ptr<"global", f32>
    // expected-error @below {{can't be compiled: expected a packed function of strings, numbers and compact buffers, found '!tir.ptr<"global", f32>'}}
    tir.call_intrin "tirx.tvm_call_packed"(%f, %p) : (!tir.string, !tir.ptr<"global", f32>) -> ()
    tir.return
  }
}

// -----

partita.module @call_of_prim_func {
  tir.prim_func private @f(%x: memref<4xf32>) {
    // expected-error @below {{can't be compiled: expected an argument of type 'memref<3xf32>', found 'memref<4xf32>'}}
    tir.call @g(%x) : (memref<4xf32>) -> ()
    tir.return
  }
  tir.prim_func private @g(%x: memref<3xf32>) {
    tir.return
  }
}

// -----

partita.module @view {
  relax.func @main(%x: !relax.tensor<*, ?>) -> tensor<4xf32> {
    %s = relax.shape [4]
    %d = relax.dtype f32
    %o = relax.tuple()
    // expected-error @below {{can't be compiled: expected a tensor of known rank and dtype, found '!relax.tensor<*, ?>'}}
    %0 = relax.memory.view %x, %s, %d, %o : (!relax.tensor<*, ?>, !relax.shape<[4]>, !relax.object, tuple<>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @vector_of_unknown_length {
  tir.prim_func private @kernel(%a: memref<64xf32>, %number: f32, %c1: i32) {
    %i = tir.prim "Ramp"(%c1, %c1, %c1) : (i32, i32, i32) -> vector<[4]xi32>
    %x = tir.prim "Broadcast"(%number, %c1) : (f32, i32) -> vector<[4]xf32>
    // expected-error @below {{can't be compiled: expected vectors of a known length, found 'vector<[4]xf32>'}}
    tir.store %x, %a[%i] : vector<[4]xf32>, memref<64xf32>, vector<[4]xi32>
    tir.return
  }
}

// -----

partita.module @sizes {
  relax.func @main(%s: tensor<?xi64>) -> !relax.shape<*> {
    // expected-error @below {{can't be compiled: expected a tensor of integers with a known size}}
    %0 = relax.tensor_to_shape %s : (tensor<?xi64>) -> !relax.shape<*>
    relax.return %0 : !relax.shape<*>
  }
}

// -----

partita.module @other_elements {
  tir.prim_func private @kernel(%a: memref<4xf32>, %x: i1) {
    %c0 = arith.constant 0 : index
    %0 = tir.call_intrin pure "tirx.buffer_data"(%a) : (memref<4xf32>) -> !tir.ptr<"global", f32>
    // expected-error @below {{can't be compiled: expected the address of a buffer of bytes, as bool and vectors are not}}
    %b = tir.decl_buffer %0 : !tir.ptr<"global", f32> to memref<4xi1>
    memref.store %x, %b[%c0] : memref<4xi1>
    tir.return
  }
}

// -----

partita.module @float_size {
  tir.prim_func private @f(%a: memref<?xf32>) {
    // expected-error @below {{can't be compiled: expected a variable that is the size, a stride or the offset of a parameter}}
    %n = tir.var : f32
    tir.buffer %a shape(%n : f32) : memref<?xf32>
    tir.return
  }
}

// -----

partita.module @jump {
  tir.prim_func private @f(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    tir.for "parallel" %c0, %c4 : i32, i32 {
    ^bb0(%i: i32):
      // expected-error @below {{can't be compiled: expected it in a loop that runs one iteration after the other}}
      tir.call_intrin "tirx.break_loop"() : () -> ()
    }
    tir.return
  }
}

// -----

partita.module @extern {
  tir.prim_func private @f(%a: memref<f32>, %x: f64) {
    %name = tir.string "sinf"
    // expected-error @below {{expected a function of C's library that computes with numbers, such as sinf, found 'sinf' of type '(f64) -> f32'; call another function by tirx.call_packed}}
    %0 = tir.call_intrin "tirx.call_extern"(%name, %x) : (!tir.string, f64) -> f32
    memref.store %0, %a[] : memref<f32>
    tir.return
  }
}

// -----

partita.module @opaque_expr {
  relax.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{can't be compiled: the dialects lack TVM's 'relax.expr.Function', and keep it unchanged}}
    %0 = relax.opaque_expr "relax.expr.Function"(%x) json = dense<[1]> : tensor<1xui8> : (tensor<2xf32>) -> tensor<2xf32>
    relax.return %0 : tensor<2xf32>
  }
}

// -----

partita.module @call_op {
  relax.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @below {{can't be compiled: the dialects lack TVM's op 'relax.mine', or this form of its calls, and keep the call unchanged}}
    %0 = relax.call_op "relax.mine"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    relax.return %0 : tensor<2xf32>
  }
}

// -----

partita.module @opaque_body {
  tir.prim_func @main(%a: memref<4xf32>) {
    // expected-error @below {{can't be compiled: the dialects lack a part of this function, and keep it as TVM's JSON. 'partita-translate --import-tvm-json --strict' names the part}}
    tir.opaque_body json = dense<[1]> : tensor<1xui8>
    tir.return
  }
}

// -----

partita.module @long_type {
  // expected-error @below {{and tuples of them, found '!relax.opaque<"ir.Type", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'}}
  relax.func private @main(%x: !relax.opaque<"ir.Type", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">) {
    relax.return
  }
}

// -----

partita.module @to_gpu {
  relax.func @main(%x: tensor<2xf32>) -> !relax.tensor<[2], f32, vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}> {
    // expected-error @below {{can't be compiled: expected a device that is a CPU}}
    %0 = relax.to_vdevice %x {dst_vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}} : (tensor<2xf32>) -> !relax.tensor<[2], f32, vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}>
    relax.return %0 : !relax.tensor<[2], f32, vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}>
  }
}

// -----

partita.module {
  // expected-error@+1 {{'tir.prim_func' op can't be compiled: expected a buffer that fits into memory, found 'memref<64x4294967296x4294967296xi8>'}}
  tir.prim_func @parameter(%a: memref<64x4294967296x4294967296xi8>) {
    tir.return
  }
}

// -----

partita.module {
  tir.prim_func @buffer(%a: memref<4xi8>) {
    // expected-error@+1 {{can't be compiled: expected a buffer that fits into memory, found 'memref<4294967296x0x4294967296xi8>'}}
    %b = tir.alloc_buffer : memref<4294967296x0x4294967296xi8>
    tir.return
  }
}
