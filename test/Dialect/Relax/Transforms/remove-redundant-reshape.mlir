// RUN: partita-opt %s --relax-remove-redundant-reshape | FileCheck %s
// RUN: partita-opt %s --relax-remove-redundant-reshape | partita-opt - --relax-remove-redundant-reshape | FileCheck %s

partita.module {
  // Outside of dataflow blocks, TVM's rewriter cleans up whatever it finds.
  // CHECK-LABEL: relax.func @plain_bindings
  // CHECK-NEXT: %[[A:.*]] = relax.exp %x
  // CHECK-NEXT: %[[C:.*]] = relax.add %[[A]], %[[A]]
  // CHECK-NEXT: relax.return %[[C]]
  relax.func @plain_bindings(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.exp %x : tensor<4xf32>
    %2 = relax.add %0, %1 : tensor<4xf32>
    %3 = relax.negative %x : tensor<4xf32>
    relax.return %2 : tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @block_bindings
  // CHECK: relax.exp
  // CHECK-NEXT: relax.exp
  relax.func @block_bindings(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %x : tensor<4xf32>
      %1 = relax.exp %x : tensor<4xf32>
      %2 = relax.add %0, %1 : tensor<4xf32>
      relax.output %2 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }

  // Reshapes of reshapes are one, and a reshape to the same shape is none.
  // CHECK-LABEL: relax.func @chain
  relax.func @chain(%x: tensor<?x6xf32, #relax.shape<["n", 6]>>) -> (tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?xf32, #relax.shape<["n * 6"]>>) {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT: %[[S:.*]] = relax.shape ["n * 6"]
    // CHECK-NEXT: %[[R:.*]] = relax.reshape %x, %[[S]] {mark}
    // CHECK-NEXT: relax.output %[[R]]
    // CHECK: relax.return %x, %[[Y]]
    %y, %z = relax.dataflow -> tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?xf32, #relax.shape<["n * 6"]>> {
      %s = relax.shape ["n", 2, 3]
      %0 = relax.reshape %x, %s : tensor<?x6xf32, #relax.shape<["n", 6]>> -> tensor<?x2x3xf32, #relax.shape<["n", 2, 3]>>
      %t = relax.shape ["n", 6]
      %1 = relax.reshape %0, %t : tensor<?x2x3xf32, #relax.shape<["n", 2, 3]>> -> tensor<?x6xf32, #relax.shape<["n", 6]>>
      %u = relax.shape ["n * 6"]
      %2 = relax.reshape %1, %u {mark} : tensor<?x6xf32, #relax.shape<["n", 6]>> -> tensor<?xf32, #relax.shape<["n * 6"]>>
      relax.output %1, %2 : tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?xf32, #relax.shape<["n * 6"]>>
    }
    relax.return %y, %z : tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?xf32, #relax.shape<["n * 6"]>>
  }

  // Outside of a block, too. A reshape that is used stays.
  // CHECK-LABEL: relax.func @used
  relax.func @used(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<3x2xf32>, tensor<f32>) {
    // CHECK: %[[A:.*]] = relax.reshape %x, %{{.*}} -> tensor<6xf32>
    // CHECK: %[[B:.*]] = relax.reshape %x, %{{.*}} -> tensor<3x2xf32>
    // CHECK-NEXT: %[[C:.*]] = relax.sum
    // CHECK-NEXT: relax.return %[[A]], %[[B]], %[[C]]
    %s = relax.shape [6]
    %0 = relax.reshape %x, %s : tensor<2x3xf32> -> tensor<6xf32>
    %t = relax.shape [3, 2]
    %1 = relax.reshape %0, %t : tensor<6xf32> -> tensor<3x2xf32>
    %2 = relax.sum %0 : tensor<6xf32> -> tensor<f32>
    %u = relax.shape []
    %name = relax.alias %2 : tensor<f32>
    %3 = relax.reshape %name, %u : tensor<f32> -> tensor<f32>
    relax.return %0, %1, %3 : tensor<6xf32>, tensor<3x2xf32>, tensor<f32>
  }

  // Unknown sizes can differ, and a kernel keeps its ops.
  // CHECK-LABEL: relax.func @unknown
  // CHECK: relax.reshape
  // CHECK-LABEL: relax.func @kernel
  // CHECK: relax.reshape
  relax.func @unknown(%x: tensor<?xf32>, %s: !relax.shape<[?]>) -> tensor<?xf32> {
    %0 = relax.reshape %x, %s : tensor<?xf32>, !relax.shape<[?]> -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  relax.func @kernel(%x: tensor<6xf32>) -> tensor<6xf32> attributes {Primitive = 1 : i64} {
    %s = relax.shape [6]
    %0 = relax.reshape %x, %s : tensor<6xf32> -> tensor<6xf32>
    relax.return %0 : tensor<6xf32>
  }
}
