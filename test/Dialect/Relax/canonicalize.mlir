// RUN: partita-opt %s --canonicalize --split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// CHECK-LABEL: relax.func @neutral
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
relax.func @neutral(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = relax.constant dense<1.0> : tensor<f32>
  %zero = relax.constant dense<0.0> : tensor<3xf32>
  %negative_zero = relax.constant dense<-0.0> : tensor<2x3xf32>
  %0 = relax.multiply %x, %one : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  %1 = relax.multiply %one, %0 : tensor<f32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = relax.divide %1, %one : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  %3 = relax.power %2, %one : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  %4 = relax.subtract %3, %zero : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %5 = relax.add %4, %negative_zero : tensor<2x3xf32>
  %6 = relax.add %negative_zero, %5 : tensor<2x3xf32>
  // CHECK-NEXT: relax.return %[[X]]
  relax.return %6 : tensor<2x3xf32>
}

// -----

// Not right for every float: -0.0 + 0.0 is 0.0, -0.0 - -0.0 is 0.0, and inf * 0
// is NaN.

// CHECK-LABEL: relax.func @not_neutral
relax.func @not_neutral(%x: tensor<3xf32>) -> tuple<tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>> {
  // CHECK-DAG: %[[ZERO:.*]] = relax.constant dense<0.0{{.*}}> : tensor<f32>
  // CHECK-DAG: %[[NEGATIVE:.*]] = relax.constant dense<-0.0{{.*}}> : tensor<f32>
  // CHECK-DAG: %[[ONE:.*]] = relax.constant dense<1.0{{.*}}> : tensor<f32>
  %zero = relax.constant dense<0.0> : tensor<f32>
  %negative_zero = relax.constant dense<-0.0> : tensor<f32>
  %one = relax.constant dense<1.0> : tensor<f32>
  // CHECK: relax.add %{{.*}}, %[[ZERO]]
  %0 = relax.add %x, %zero : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  // CHECK: relax.subtract %{{.*}}, %[[NEGATIVE]]
  %1 = relax.subtract %x, %negative_zero : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  // CHECK: relax.multiply %{{.*}}, %[[ZERO]]
  %2 = relax.multiply %x, %zero : tensor<3xf32>, tensor<f32> -> tensor<3xf32>
  // CHECK: relax.subtract %[[ZERO]], %{{.*}}
  %3 = relax.subtract %zero, %x : tensor<f32>, tensor<3xf32> -> tensor<3xf32>
  // CHECK: relax.divide %[[ONE]], %{{.*}}
  %4 = relax.divide %one, %x : tensor<f32>, tensor<3xf32> -> tensor<3xf32>
  %t = relax.tuple(%0, %1, %2, %3, %4) : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  relax.return %t : tuple<tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>>
}

// -----

// A neutral operand that changes the shape stays.

// CHECK-LABEL: relax.func @neutral_broadcast
relax.func @neutral_broadcast(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %one = relax.constant dense<1.0> : tensor<2x1xf32>
  // CHECK: %[[Y:.*]] = relax.multiply
  %0 = relax.multiply %x, %one : tensor<3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  // CHECK: relax.return %[[Y]]
  relax.return %0 : tensor<2x3xf32>
}

// -----

// A constant with different elements, or with a resource, is left alone.

// CHECK-LABEL: relax.func @not_splat
relax.func @not_splat(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = relax.constant dense_resource<ones> : tensor<2xf32>
  // CHECK: relax.multiply
  %0 = relax.multiply %x, %c : tensor<2xf32>
  // CHECK: relax.multiply
  %1 = relax.multiply %0, %r : tensor<2xf32>
  relax.return %1 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      ones: "0x040000000000803F0000803F"
    }
  }
#-}

// -----

// CHECK-LABEL: relax.func @neutral_integers
// CHECK-SAME: %[[X:.*]]: tensor<3xi8>, %[[B:.*]]: tensor<3xi1>, %[[H:.*]]: tensor<3xf16>
relax.func @neutral_integers(%x: tensor<3xi8>, %b: tensor<3xi1>, %h: tensor<3xf16>) -> (tensor<3xi8>, tensor<3xi1>, tensor<3xf16>) {
  %zero = relax.constant dense<0> : tensor<i8>
  %one = relax.constant dense<1> : tensor<3xi8>
  %true = relax.constant dense<true> : tensor<i1>
  %half_one = relax.constant dense<1.0> : tensor<f16>
  %0 = relax.add %x, %zero : tensor<3xi8>, tensor<i8> -> tensor<3xi8>
  %1 = relax.subtract %0, %zero : tensor<3xi8>, tensor<i8> -> tensor<3xi8>
  %2 = relax.multiply %1, %one : tensor<3xi8>
  // No folder knows a boolean times true.
  // CHECK: %[[B1:.*]] = relax.multiply %[[B]]
  %3 = relax.multiply %b, %true : tensor<3xi1>, tensor<i1> -> tensor<3xi1>
  %4 = relax.multiply %h, %half_one : tensor<3xf16>, tensor<f16> -> tensor<3xf16>
  // CHECK: relax.return %[[X]], %[[B1]], %[[H]]
  relax.return %2, %3, %4 : tensor<3xi8>, tensor<3xi1>, tensor<3xf16>
}

// -----

// CHECK-LABEL: relax.func @unary
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @unary(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = relax.negative %x : tensor<3xf32>
  %1 = relax.negative %0 : tensor<3xf32>
  // CHECK-NEXT: %[[RELU:.*]] = relax.nn.relu %[[X]]
  %2 = relax.nn.relu %x : tensor<3xf32>
  %3 = relax.nn.relu %2 : tensor<3xf32>
  %4 = relax.astype %x : tensor<3xf32>
  // CHECK-NEXT: relax.return %[[X]], %[[RELU]], %[[X]]
  relax.return %1, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// A cast there and back may lose precision.

// CHECK-LABEL: relax.func @astype_twice
relax.func @astype_twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-COUNT-2: relax.astype
  %0 = relax.astype %x : tensor<3xf32> -> tensor<3xf16>
  %1 = relax.astype %0 : tensor<3xf16> -> tensor<3xf32>
  relax.return %1 : tensor<3xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

// CHECK-LABEL: relax.func @permute_dims
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
relax.func @permute_dims(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  %0 = relax.permute_dims %x axes = [0, -2, 2] : tensor<2x3x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = relax.permute_dims %[[X]] axes = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = relax.permute_dims %x axes = [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %2 = relax.permute_dims %1 axes = [2, 1, 0] : tensor<3x2x4xf32> -> tensor<4x2x3xf32>
  %3 = relax.permute_dims %x : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %4 = relax.permute_dims %3 : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: relax.return %[[X]], %[[Y]], %[[X]]
  relax.return %0, %2, %4 : tensor<2x3x4xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: relax.func @permute_dims_reversed
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
relax.func @permute_dims_reversed(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = relax.permute_dims %[[X]] axes = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %0 = relax.permute_dims %x axes = [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %1 = relax.permute_dims %0 : tensor<3x2x4xf32> -> tensor<4x2x3xf32>
  %2 = relax.permute_dims %x axes = [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %3 = relax.permute_dims %2 : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: relax.return %[[Y]], %[[X]]
  relax.return %1, %3 : tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// -----

// Equal sizes do not make a transpose the identity.

// CHECK-LABEL: relax.func @square
relax.func @square(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // CHECK-NEXT: relax.permute_dims
  %0 = relax.permute_dims %x : tensor<3x3xf32>
  relax.return %0 : tensor<3x3xf32>
}

// -----

// CHECK-LABEL: relax.func @reshape
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #relax.shape<["n", 4]>>
relax.func @reshape(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>)
    -> (tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<2x?x2xf32, #relax.shape<[2, "n", 2]>>) {
  %same = relax.shape ["n", 4]
  %0 = relax.reshape %x, %same : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
  %flat = relax.shape ["n * 4"]
  // CHECK-NEXT: %[[S:.*]] = relax.shape [2, "n", 2]
  %other = relax.shape [2, "n", 2]
  %1 = relax.reshape %x, %flat : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?xf32, #relax.shape<["n * 4"]>>
  // CHECK-NEXT: %[[Y:.*]] = relax.reshape %[[X]], %[[S]]
  %2 = relax.reshape %1, %other : tensor<?xf32, #relax.shape<["n * 4"]>> -> tensor<2x?x2xf32, #relax.shape<[2, "n", 2]>>
  // CHECK-NEXT: relax.return %[[X]], %[[Y]]
  relax.return %0, %2 : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<2x?x2xf32, #relax.shape<[2, "n", 2]>>
}

// -----

// Two unknown dimensions may change places.

// CHECK-LABEL: relax.func @reshape_unknown
relax.func @reshape_unknown(%x: tensor<?x?xf32>, %s: !relax.shape<[?, ?]>) -> tensor<?x?xf32> {
  // CHECK-NEXT: relax.reshape
  %0 = relax.reshape %x, %s : tensor<?x?xf32> -> tensor<?x?xf32>
  relax.return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: relax.func @expand_squeeze
// CHECK-SAME: %[[X:.*]]: tensor<2x1x3xf32>
relax.func @expand_squeeze(%x: tensor<2x1x3xf32>) -> (tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x3xf32>) {
  %0 = relax.expand_dims %x axis = [] : tensor<2x1x3xf32>
  %1 = relax.squeeze %x axis = [] : tensor<2x1x3xf32>
  %2 = relax.expand_dims %x axis = [0, -1] : tensor<2x1x3xf32> -> tensor<1x2x1x3x1xf32>
  %3 = relax.squeeze %2 axis = [4, 0] : tensor<1x2x1x3x1xf32> -> tensor<2x1x3xf32>
  // CHECK-NEXT: %[[S:.*]] = relax.squeeze %[[X]] axis = [1]
  %4 = relax.squeeze %x axis = [1] : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %5 = relax.expand_dims %4 axis = [-2] : tensor<2x3xf32> -> tensor<2x1x3xf32>
  // CHECK-NEXT: relax.return %[[X]], %[[X]], %[[X]], %[[X]], %[[S]]
  relax.return %0, %1, %3, %5, %4 : tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x3xf32>
}

// -----

// Other axes, or no axes.

// CHECK-LABEL: relax.func @not_inverse
relax.func @not_inverse(%x: tensor<1x3xf32>) -> (tensor<3x1xf32>, tensor<3xf32>) {
  // CHECK: relax.expand_dims
  %0 = relax.expand_dims %x axis = [2] : tensor<1x3xf32> -> tensor<1x3x1xf32>
  // CHECK: relax.squeeze
  %1 = relax.squeeze %0 axis = [0] : tensor<1x3x1xf32> -> tensor<3x1xf32>
  // CHECK: relax.squeeze
  %2 = relax.squeeze %0 : tensor<1x3x1xf32> -> tensor<3xf32>
  relax.return %1, %2 : tensor<3x1xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @concat
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @concat(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<6xf32>) {
  %0 = relax.concat %x axis = 0 : tensor<3xf32> -> tensor<3xf32>
  // CHECK-NEXT: %[[Y:.*]] = relax.concat
  %1 = relax.concat %x, %x axis = 0 : tensor<3xf32>, tensor<3xf32> -> tensor<6xf32>
  // CHECK-NEXT: relax.return %[[X]], %[[Y]]
  relax.return %0, %1 : tensor<3xf32>, tensor<6xf32>
}

// -----

// A fold must not change the known part of the shape.

// CHECK-LABEL: relax.func @other_type
relax.func @other_type(%x: tensor<?xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: relax.concat
  %0 = relax.concat %x axis = 0 : tensor<?xf32> -> tensor<3xf32>
  relax.return %0 : tensor<3xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Tuples and casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: relax.func @tuples
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<f32>, %[[T:.*]]: tuple<tensor<3xf32>, tensor<f32>>
relax.func @tuples(%x: tensor<3xf32>, %y: tensor<f32>, %t: tuple<tensor<3xf32>, tensor<f32>>)
    -> (tensor<f32>, tuple<tensor<3xf32>, tensor<f32>>) {
  %0 = relax.tuple(%x, %y) : tensor<3xf32>, tensor<f32>
  %1 = relax.tuple_get_item %0[1] : tuple<tensor<3xf32>, tensor<f32>>
  %2 = relax.tuple_get_item %t[0] : tuple<tensor<3xf32>, tensor<f32>>
  %3 = relax.tuple_get_item %t[1] : tuple<tensor<3xf32>, tensor<f32>>
  %4 = relax.tuple(%2, %3) : tensor<3xf32>, tensor<f32>
  // CHECK-NEXT: relax.return %[[Y]], %[[T]]
  relax.return %1, %4 : tensor<f32>, tuple<tensor<3xf32>, tensor<f32>>
}

// -----

// Fields in another order, or not all of them, make another tuple.

// CHECK-LABEL: relax.func @other_tuples
relax.func @other_tuples(%t: tuple<tensor<f32>, tensor<f32>>) -> (tuple<tensor<f32>, tensor<f32>>, tuple<tensor<f32>>) {
  %0 = relax.tuple_get_item %t[0] : tuple<tensor<f32>, tensor<f32>>
  %1 = relax.tuple_get_item %t[1] : tuple<tensor<f32>, tensor<f32>>
  // CHECK: %[[A:.*]] = relax.tuple(
  %2 = relax.tuple(%1, %0) : tensor<f32>, tensor<f32>
  // CHECK: %[[B:.*]] = relax.tuple(
  %3 = relax.tuple(%0) : tensor<f32>
  // CHECK: relax.return %[[A]], %[[B]]
  relax.return %2, %3 : tuple<tensor<f32>, tensor<f32>>, tuple<tensor<f32>>
}

// -----

// CHECK-LABEL: relax.func @match_cast
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
relax.func @match_cast(%x: tensor<?xf32>) -> (tensor<?xf32>, !relax.shape<["n"]>) {
  %0 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32>
  // Pure and unused.
  %1 = relax.match_cast %x : tensor<?xf32> -> tensor<8xf32>
  // Unused, but it defines "n".
  // CHECK-NEXT: relax.match_cast %[[X]] : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
  %2 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
  // CHECK-NEXT: %[[S:.*]] = relax.shape ["n"]
  %3 = relax.shape ["n"]
  // CHECK-NEXT: relax.return %[[X]], %[[S]]
  relax.return %0, %3 : tensor<?xf32>, !relax.shape<["n"]>
}

// -----

//===----------------------------------------------------------------------===//
// Dataflow blocks
//===----------------------------------------------------------------------===//

// Results that are unused, used twice or from outside are removed, and so are
// the ops that made them.

// CHECK-LABEL: relax.func @results
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @results(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<3xf32> {
  // CHECK-NEXT:   %[[EXP:.*]] = relax.exp %[[X]]
  // CHECK-NEXT:   relax.output %[[EXP]] : tensor<3xf32>
  // CHECK-NEXT: }
  %0:4 = relax.dataflow -> tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> {
    %1 = relax.exp %x : tensor<3xf32>
    %2 = relax.log %x : tensor<3xf32>
    relax.output %1, %x, %2, %1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
  // CHECK-NEXT: relax.return %[[Y]], %[[X]], %[[Y]]
  relax.return %0#0, %0#1, %0#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @unused
relax.func @unused(%x: tensor<3xf32>) {
  // CHECK-NEXT: relax.return
  %0 = relax.dataflow -> tensor<3xf32> {
    %1 = relax.exp %x : tensor<3xf32>
    relax.output %1 : tensor<3xf32>
  }
  relax.return
}

// -----

// CHECK-LABEL: relax.func @nested
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @nested(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<3xf32> {
  // CHECK-NEXT:   %[[EXP:.*]] = relax.exp %[[X]]
  // CHECK-NEXT:   %[[LOG:.*]] = relax.log %[[EXP]]
  // CHECK-NEXT:   relax.output %[[LOG]]
  // CHECK-NEXT: }
  %0 = relax.dataflow -> tensor<3xf32> {
    %1 = relax.dataflow -> tensor<3xf32> {
      %2 = relax.exp %x : tensor<3xf32>
      relax.output %2 : tensor<3xf32>
    }
    %3 = relax.log %1 : tensor<3xf32>
    relax.output %3 : tensor<3xf32>
  }
  // CHECK-NEXT: relax.return %[[Y]]
  relax.return %0 : tensor<3xf32>
}

// -----

// A block that introduces a name stays.

// CHECK-LABEL: relax.func @names
relax.func @names(%x: tensor<?xf32>) -> !relax.shape<["n"]> {
  // CHECK-NEXT: relax.dataflow {
  // CHECK-NEXT:   relax.match_cast
  // CHECK-NEXT:   relax.output
  // CHECK-NEXT: }
  %0 = relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>> {
    %1 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    relax.output %1 : tensor<?xf32, #relax.shape<["n"]>>
  }
  // CHECK-NEXT: relax.shape ["n"]
  %2 = relax.shape ["n"]
  relax.return %2 : !relax.shape<["n"]>
}

// -----

// Constants move to the entry of the function, out of the block.

// CHECK-LABEL: relax.func @constants
relax.func @constants() -> tensor<3xf32> {
  // CHECK-NEXT: %[[C:.*]] = relax.constant dense<2.0{{.*}}> : tensor<3xf32>
  // CHECK-NEXT: relax.return %[[C]]
  %0 = relax.dataflow -> tensor<3xf32> {
    %1 = relax.constant dense<2.0> : tensor<3xf32>
    relax.output %1 : tensor<3xf32>
  }
  relax.return %0 : tensor<3xf32>
}

// -----

// A use of a freed value does not move later. The output of a call that writes
// is not replaced by the value that it was made of.
// CHECK-LABEL: relax.func @memory
relax.func @memory(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) attributes {is_pure = false} {
  // CHECK: %[[R:.*]] = relax.reshape %x
  // CHECK: relax.memory.kill_tensor %x
  // CHECK: relax.reshape %[[R]]
  // CHECK: %[[A:.*]] = relax.astype %y
  // CHECK: relax.call_inplace_packed(%{{.*}}, %[[A]])
  %s = relax.shape [4, 1]
  %0 = relax.reshape %x, %s : tensor<4xf32> -> tensor<4x1xf32>
  relax.memory.kill_tensor %x : tensor<4xf32>
  %t = relax.shape [2, 2]
  %1 = relax.reshape %0, %t : tensor<4x1xf32> -> tensor<2x2xf32>
  %2 = relax.astype %y : tensor<4xf32>
  %f = relax.extern_func "update"
  %3 = relax.call_inplace_packed(%f, %2) "relax.attrs.CallInplacePackedAttrs" {inplace_indices = array<i64: 0>} : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
  relax.return %1, %3 : tensor<2x2xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: relax.func @dead_code
relax.func @dead_code(%x: tensor<3xf32>) attributes {is_pure = false} {
  // CHECK-NEXT: relax.call @impure()
  // CHECK-NEXT: relax.return
  %0 = relax.exp %x : tensor<3xf32>
  %1 = relax.call @pure(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = relax.call_tir @kernel(%1) : (tensor<3xf32>) -> tensor<3xf32>
  relax.call @impure() {is_pure = false} : () -> ()
  relax.return
}
relax.func private @pure(tensor<3xf32>) -> tensor<3xf32>
relax.func private @impure() attributes {is_pure = false}
tir.prim_func private @kernel(memref<3xf32>, memref<3xf32>)
