// RUN: partita-opt %s --cse --split-input-file | FileCheck %s

// CHECK-LABEL: relax.func @equal_ops
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<3xf32>
relax.func @equal_ops(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NEXT: %[[A:.*]] = relax.add %[[X]], %[[Y]]
  %0 = relax.add %x, %y : tensor<3xf32>
  %1 = relax.add %x, %y : tensor<3xf32>
  // Commutative.
  %2 = relax.add %y, %x : tensor<3xf32>
  // CHECK-NEXT: relax.return %[[A]], %[[A]], %[[A]]
  relax.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @different_ops
relax.func @different_ops(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK-COUNT-2: relax.subtract
  %0 = relax.subtract %x, %y : tensor<3xf32>
  %1 = relax.subtract %y, %x : tensor<3xf32>
  // CHECK-COUNT-3: relax.nn.softmax
  %2 = relax.nn.softmax %x : tensor<3xf32>
  // The same axis, but another attribute.
  %3 = relax.nn.softmax %x axis = 0 : tensor<3xf32>
  %4 = relax.nn.softmax %x {note} : tensor<3xf32>
  relax.return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @values
// CHECK-SAME: %[[X:[^:]*]]:
relax.func @values(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> (tensor<4x?xf32, #relax.shape<[4, "n"]>>, tensor<4x?xf32, #relax.shape<[4, "n"]>>, tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: %[[S:.*]] = relax.shape [4, "n"]
  %0 = relax.shape [4, "n"]
  %1 = relax.shape [4, "n"]
  // CHECK-NEXT: %[[Y:.*]] = relax.reshape %[[X]], %[[S]]
  %2 = relax.reshape %x, %0 : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<4x?xf32, #relax.shape<[4, "n"]>>
  %3 = relax.reshape %x, %1 : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<4x?xf32, #relax.shape<[4, "n"]>>
  // CHECK-NEXT: %[[C:.*]] = relax.constant
  %4 = relax.constant dense<1.0> : tensor<f32>
  %5 = relax.constant dense<1.0> : tensor<f32>
  // CHECK-NEXT: relax.return %[[Y]], %[[Y]], %[[C]], %[[C]]
  relax.return %2, %3, %4, %5 : tensor<4x?xf32, #relax.shape<[4, "n"]>>, tensor<4x?xf32, #relax.shape<[4, "n"]>>, tensor<f32>, tensor<f32>
}

// -----

// A value outside a block is available in it, but not the other way round.

// CHECK-LABEL: relax.func @blocks
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @blocks(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NEXT: %[[EXP:.*]] = relax.exp %[[X]]
  %0 = relax.exp %x : tensor<3xf32>
  // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
  %1 = relax.dataflow -> tensor<3xf32> {
    // CHECK-NEXT: %[[LOG:.*]] = relax.log %[[EXP]]
    %2 = relax.exp %x : tensor<3xf32>
    %3 = relax.log %0 : tensor<3xf32>
    %4 = relax.log %2 : tensor<3xf32>
    // CHECK-NEXT: %[[ADD:.*]] = relax.add %[[LOG]], %[[LOG]]
    %5 = relax.add %3, %4 : tensor<3xf32>
    // CHECK-NEXT: relax.output %[[ADD]]
    relax.output %5 : tensor<3xf32>
  }
  // CHECK: relax.log %[[EXP]]
  %6 = relax.log %0 : tensor<3xf32>
  relax.return %1, %6 : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @equal_blocks
relax.func @equal_blocks(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
  %0 = relax.dataflow -> tensor<3xf32> {
    %1 = relax.exp %x : tensor<3xf32>
    relax.output %1 : tensor<3xf32>
  }
  // CHECK-NOT: relax.dataflow
  %2 = relax.dataflow -> tensor<3xf32> {
    %3 = relax.exp %x : tensor<3xf32>
    relax.output %3 : tensor<3xf32>
  }
  // CHECK: relax.return %[[Y]], %[[Y]]
  relax.return %0, %2 : tensor<3xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: relax.func @calls
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
relax.func @calls(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {is_pure = false} {
  // CHECK-NEXT: %[[A:.*]] = relax.call @pure(%[[X]])
  %0 = relax.call @pure(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = relax.call @pure(%x) : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %[[B:.*]] = relax.call_tir @kernel(%[[A]])
  %2 = relax.call_tir @kernel(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %3 = relax.call_tir @kernel(%1) : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: %[[C:.*]] = relax.call @impure
  %4 = relax.call @impure() {is_pure = false} : () -> tensor<3xf32>
  // CHECK-NEXT: %[[D:.*]] = relax.call @impure
  %5 = relax.call @impure() {is_pure = false} : () -> tensor<3xf32>
  // CHECK-NEXT: relax.return %[[B]], %[[B]], %[[C]], %[[D]]
  relax.return %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
relax.func private @pure(tensor<3xf32>) -> tensor<3xf32>
relax.func private @impure() -> tensor<3xf32> attributes {is_pure = false}
tir.prim_func private @kernel(memref<3xf32>, memref<3xf32>)
