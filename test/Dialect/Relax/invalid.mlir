// RUN: partita-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Shapes as encodings, types and values
//===----------------------------------------------------------------------===//

// expected-error @below {{expected 1 dimensions, as many as the tensor has, found 2}}
relax.func private @f(tensor<?xf32, #relax.shape<["n", 16]>>)

// -----

// expected-error @below {{expected the tensor's dimension 1, 16, found 8}}
relax.func private @f(tensor<?x16xf32, #relax.shape<["n", 8]>>)

// -----

// expected-error @below {{expected the tensor's dimension 0, 8, found "n"}}
relax.func private @f(tensor<8xf32, #relax.shape<["n"]>>)

// -----

// expected-error @below {{expected the tensor's dimension 0, ?, found 8; a named dimension is '?' in the tensor}}
relax.func private @f(tensor<?xf32, #relax.shape<[8]>>)

// -----

// expected-error @below {{expected at least one named dimension, found none; leave out the encoding}}
relax.func private @f(tensor<?x16xf32, #relax.shape<[?, 16]>>)

// -----

// expected-error @below {{expected names of dimensions, found an empty one at position 1}}
relax.func private @f(tensor<?x?xf32, #relax.shape<["n", ""]>>)

// -----

// expected-error @below {{expected names of dimensions, found an empty one at position 0}}
relax.func private @f(!relax.shape<[""]>)

// -----

// expected-error @below {{expected a size of at least 0, found -1}}
relax.func private @f(!relax.shape<[-1]>)

// -----

// expected-error @below {{expected a size of at least 0, found -1 at position 1}}
relax.func private @f(!relax.tensor<["n", -1], ?>)

// -----

// expected-error @below {{expected the tensor's dimension 1, ?, found -1}}
relax.func private @f(tensor<?x?xf32, #relax.shape<["n", -1]>>)

// -----

relax.func @f() {
  // expected-error @below {{'relax.dim' op expected a size of at least 0, found -1}}
  %0 = relax.dim [-1] : i64
  relax.return
}

// -----

// expected-error @below {{expected a dimension: a size, a name in quotes or '?'}}
relax.func private @f(!relax.shape<[n]>)

// -----

// expected-error @below {{integer value too large}}
relax.func private @f(!relax.shape<[9223372036854775808]>)

// -----

relax.func @f() {
  // expected-error @below {{expected names of dimensions, found an empty one at position 0}}
  %0 = relax.shape [""]
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{expected sizes and names, found an unknown dimension at position 1}}
  %0 = relax.shape [1, ?]
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.shape' op requires attribute 'dims'}}
  %0 = "relax.shape"() : () -> !relax.shape<[1]>
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.shape' op inferred type(s) '!relax.shape<[1]>' are incompatible with return type(s) of operation '!relax.shape<[2]>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.shape"() {dims = #relax.shape<[1]>} : () -> !relax.shape<[2]>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Names of dimensions in functions
//===----------------------------------------------------------------------===//

// expected-error @below {{'relax.func' op expected dimension "n" of 'tensor<?xf32, #relax.shape<["n"]>>' to be a name that a parameter introduces, found none; introduce it with relax.match_cast}}
relax.func private @f() -> tensor<?xf32, #relax.shape<["n"]>>

// -----

relax.func @f() {
  // expected-error @below {{'relax.shape' op expected dimension "n" of '!relax.shape<["n"]>' to be a name that a parameter introduces}}
  %0 = relax.shape ["n"]
  relax.return
}

// -----

relax.func @late(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.shape' op expected dimension "n" of '!relax.shape<["n"]>' to be a name}}
  %0 = relax.shape ["n"]
  %1 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
  relax.return
}

// -----

relax.func @nested(%x: tensor<?xf32>) {
  relax.dataflow {
    // expected-error @below {{'relax.shape' op expected dimension "n" of '!relax.shape<["n"]>' to be a name}}
    %0 = relax.shape ["n"]
    relax.output
  }
  relax.return
}

// -----

relax.func @in_tuple(%x: tensor<?xf32>) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op expected dimension "n" of 'tuple<tensor<?xf32, #relax.shape<["n"]>>>' to be a name}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<?xf32> to tuple<tensor<?xf32, #relax.shape<["n"]>>>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'relax.return' op expected 1 operands, as many as 'relax.func' has results, found 0}}
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @below {{'relax.return' op expected operand 0 to have type 'tensor<4xf32>', as the result of 'relax.func', found 'tensor<8xf32>'}}
  relax.return %x : tensor<8xf32>
}

// -----

func.func @f() {
  // expected-error @below {{'relax.return' op expects parent op 'relax.func'}}
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'func.return' op expects parent op 'func.func'}}
  func.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{block with no terminator}}
  %0 = relax.exp %x : tensor<8xf32>
}

// -----

// expected-error @below {{'relax.func' op region #0 ('body') failed to verify constraint: region with at most 1 blocks}}
relax.func @f() {
  relax.return
^other:
  relax.return
}

// -----

// expected-error @below {{'relax.func' op entry block must have 1 arguments to match function signature}}
"relax.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  "relax.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{'relax.func' op requires attribute 'function_type'}}
"relax.func"() <{sym_name = "f"}> ({
}) : () -> ()

// -----

// expected-error @below {{expected 'is_pure' to be true or false, found 1 : i64}}
relax.func private @f() attributes {is_pure = 1 : i64}

// -----

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected a 'relax.func' of name @g, found none}}
  relax.call @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

// expected-note @below {{defined here}}
tir.prim_func private @g(memref<8xf32>)
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected a 'relax.func' of name @g, found 'tir.prim_func'}}
  relax.call @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<8xf32>, tensor<8xf32>)
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected 2 arguments for @g, found 1}}
  relax.call @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<8xf32>) -> tensor<8xf32>
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected 1 results of @g, found 0}}
  relax.call @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<4xf32>)
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected argument 0 of @g to have type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  relax.call @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<8xf32>)
relax.func @unknown_for_known(%x: tensor<?xf32>) {
  // expected-error @below {{expected argument 0 of @g to have type 'tensor<8xf32>', found 'tensor<?xf32>'}}
  relax.call @g(%x) : (tensor<?xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>)
relax.func @one_name_two_sizes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected argument 1 of @g to have type 'tensor<?xf32, #relax.shape<["n"]>>', found 'tensor<4xf32>'}}
  relax.call @g(%x, %y) : (tensor<8xf32>, tensor<4xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>)
relax.func @one_name_that_both_have(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<4xf32>) {
  // expected-error @below {{expected argument 1 of @g to have type 'tensor<?xf32, #relax.shape<["n"]>>', found 'tensor<4xf32>'}}
  relax.call @g(%x, %y) : (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) -> ()
  relax.return
}

// -----

relax.func private @g(tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
relax.func @result_of_name(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call' op expected result 0 of @g to have type 'tensor<8xf32>', found 'tensor<4xf32>'}}
  %0 = relax.call @g(%x) : (tensor<8xf32>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func private @g() attributes {is_pure = false}
relax.func @f() {
  // expected-error @below {{'relax.call' op expected 'is_pure = false', since @g is not pure}}
  relax.call @g() : () -> ()
  relax.return
}

// -----

relax.func private @g() attributes {is_pure = false}
relax.func @f() {
  // expected-error @below {{'relax.call' op expected a pure call in a pure function, found 'is_pure = false'; say so of @f too}}
  relax.call @g() {is_pure = false} : () -> ()
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected a 'tir.prim_func' of name @g, found none}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

// expected-note @below {{defined here}}
relax.func private @g(tensor<8xf32>) -> tensor<8xf32>
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected a 'tir.prim_func' of name @g, found 'relax.func'}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(memref<8xf32>)
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected as many operands and results as @g has parameters, 1, found 1 and 1}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(memref<8xf32>)
relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected at least one result, found none}}
  relax.call_tir @g(%x) : (tensor<8xf32>) -> ()
  relax.return
}

// -----

tir.prim_func private @g(memref<4xf32>, memref<8xf32>)
relax.func @size(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected operand 0 to fit parameter 0 of @g, 'memref<4xf32>', found 'tensor<8xf32>'}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(memref<8xf32>, memref<8xf16>)
relax.func @element_type(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected result 0 to fit parameter 1 of @g, 'memref<8xf16>', found 'tensor<8xf32>'}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(memref<8x1xf32>, memref<8xf32>)
relax.func @rank(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.call_tir' op expected operand 0 to fit parameter 0 of @g, 'memref<8x1xf32>', found 'tensor<8xf32>'}}
  %0 = relax.call_tir @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(i32, memref<8xf32>)
relax.func @scalar(%x: i64) {
  // expected-error @below {{'relax.call_tir' op expected operand 0 to fit parameter 0 of @g, 'i32', found 'i64'}}
  %0 = relax.call_tir @g(%x) : (i64) -> tensor<8xf32>
  relax.return
}

// -----

tir.prim_func private @g(memref<8xf32>, memref<8xf32>)
relax.func @other_size(%x: tensor<?xf32>, %y: tensor<9xf32>) {
  // As in TVM, an unknown size can be any.
  %0 = relax.call_tir @g(%x) : (tensor<?xf32>) -> tensor<8xf32>
  // expected-error @below {{'relax.call_tir' op expected operand 0 to fit parameter 0 of @g, 'memref<8xf32>', found 'tensor<9xf32>'}}
  %1 = relax.call_tir @g(%y) : (tensor<9xf32>) -> tensor<8xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Dataflow blocks
//===----------------------------------------------------------------------===//

func.func private @effect()
relax.func @f() {
  relax.dataflow {
    // expected-error @below {{'func.call' op expected an op without side effects in a 'relax.dataflow'; move it out of the block}}
    func.call @effect() : () -> ()
    relax.output
  }
  relax.return
}

// -----

relax.func private @effect() attributes {is_pure = false}
relax.func @f() attributes {is_pure = false} {
  relax.dataflow {
    relax.dataflow {
      // expected-error @below {{'relax.call' op expected an op without side effects in a 'relax.dataflow'; move it out of the block}}
      relax.call @effect() {is_pure = false} : () -> ()
      relax.output
    }
    relax.output
  }
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  relax.dataflow {
    // expected-error @below {{'relax.output' op expected 0 operands, as many as 'relax.dataflow' has results, found 1}}
    relax.output %x : tensor<8xf32>
  }
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  %0 = relax.dataflow -> tensor<4xf32> {
    // expected-error @below {{'relax.output' op expected operand 0 to have type 'tensor<4xf32>', as the result of 'relax.dataflow', found 'tensor<8xf32>'}}
    relax.output %x : tensor<8xf32>
  }
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  relax.dataflow {
    %0 = relax.exp %x : tensor<8xf32>
    relax.output
  }
  // expected-error @below {{use of undeclared SSA value name}}
  %1 = relax.exp %0 : tensor<8xf32>
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.output' op expects parent op 'relax.dataflow'}}
  relax.output
}

// -----

relax.func @f() {
  relax.dataflow {
    // expected-error @below {{'relax.return' op expects parent op 'relax.func'}}
    relax.return
  }
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.dataflow' op expects a non-empty block}}
  relax.dataflow {
  }
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.dataflow' op region #0 ('bodyRegion') failed to verify constraint: region with 1 blocks}}
  "relax.dataflow"() ({
  }) : () -> ()
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.dataflow' op region should have no arguments}}
  "relax.dataflow"() ({
  ^bb0(%x: i32):
    relax.output
  }) : () -> ()
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Values that are no results of computations
//===----------------------------------------------------------------------===//

relax.func @f() {
  // expected-error @below {{'relax.constant' op result #0 must be ranked tensor of}}
  %0 = relax.constant dense<1.0> : vector<8xf32>
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "relax.constant"() {value = dense<1.0> : tensor<8xf32>} : () -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.constant' op attribute 'value' failed to satisfy constraint: constant vector/tensor attribute}}
  %0 = "relax.constant"() {value = 1 : i64} : () -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%t: tuple<tensor<8xf32>>) {
  // expected-error @below {{expected an index below 1, found 1}}
  %0 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>>
  relax.return
}

// -----

relax.func @f(%t: tuple<tensor<8xf32>>) {
  // expected-error @below {{expected an index below 1, found -1}}
  %0 = relax.tuple_get_item %t[-1] : tuple<tensor<8xf32>>
  relax.return
}

// -----

relax.func @f(%t: tuple<tensor<8xf32>>) {
  // expected-error @below {{'relax.tuple_get_item' op requires attribute 'index'}}
  %0 = "relax.tuple_get_item"(%t) : (tuple<tensor<8xf32>>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%t: tensor<8xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tuple, but found 'tensor<8xf32>'}}
  %0 = relax.tuple_get_item %t[0] : tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.tuple' op inferred type(s) 'tuple<tensor<8xf32>>' are incompatible with return type(s) of operation 'tuple<tensor<4xf32>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.tuple"(%x) : (tensor<8xf32>) -> tuple<tensor<4xf32>>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.match_cast' op expected a type that 'tensor<8xf32>' can turn out to have, found 'tensor<4xf32>'}}
  %0 = relax.match_cast %x : tensor<8xf32> -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.match_cast' op expected a type that 'tensor<?xf32>' can turn out to have, found 'tensor<?x?xf32>'}}
  %0 = relax.match_cast %x : tensor<?xf32> -> tensor<?x?xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{'relax.match_cast' op expected a type that 'tensor<*xf32>' can turn out to have, found 'tensor<?xf16>'}}
  %0 = relax.match_cast %x : tensor<*xf32> -> tensor<?xf16>
  relax.return
}

// -----

relax.func @f(%b: tensor<i1>, %x: tensor<?xf32>) {
  // expected-error @below {{along control flow edge from Operation relax.yield to parent: successor operand type #0 'tensor<?xf32>' should match successor input type #0 'tensor<8xf32>'}}
  %0 = relax.if %b : tensor<i1> -> tensor<8xf32> {
    // expected-note @below {{region branch point}}
    relax.yield %x : tensor<?xf32>
  } else {
    relax.yield %x : tensor<?xf32>
  }
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{'relax.global' op expected a function of name @g, found none}}
  %0 = relax.global @g
  relax.return
}

// -----

// expected-error @below {{'relax.func' op expected 'relax.dim' to be the name of a dimension that is a number, found "n" of argument 0, which has type 'tensor<8xf32>'}}
relax.func @f(%x: tensor<8xf32> {relax.dim = "n"}) {
  relax.return
}

// -----

// expected-error @below {{expected a map of indices without symbols, with positive divisors, and without other products than by numbers, found affine_map<(d0, d1) -> (d0 ceildiv 4, d1)>}}
relax.func @f() attributes {map = #relax.index_map<(d0, d1) -> (d0 ceildiv 4, d1), i64>} {
  relax.return
}

// -----

// expected-error @below {{expected a map of indices without symbols, with positive divisors, and without other products than by numbers, found affine_map<(d0)[s0] -> (d0 + s0)>}}
relax.func @f() attributes {map = #relax.index_map<(d0)[s0] -> (d0 + s0), i64>} {
  relax.return
}
