// RUN: partita-opt %s --relax-reorder-permute-dims-after-concat | FileCheck %s
// RUN: partita-opt %s --relax-reorder-permute-dims-after-concat -O0 | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-reorder-permute-dims-after-concat --relax-reorder-permute-dims-after-concat | FileCheck %s

// OFF-NOT: relax.concat %a

partita.module @m {
  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: attributes {num_input = 1 : i64}
  // CHECK-NEXT: %[[C:.*]] = relax.concat %a, %b axis = 0 : tensor<?x3xf32, #relax.shape<["n", 3]>>, tensor<2x3xf32> -> tensor<?x3xf32, #relax.shape<["n + 2", 3]>>
  // CHECK-NEXT: %y = relax.permute_dims %[[C]] {mark} : {{.*}} -> tensor<3x?xf32, #relax.shape<[3, "n + 2"]>>
  // CHECK-NEXT: relax.return %y
  relax.func @main(%a: tensor<?x3xf32, #relax.shape<["n", 3]>>, %b: tensor<2x3xf32>) -> tensor<3x?xf32, #relax.shape<[3, "n + 2"]>> attributes {num_input = 1 : i64} {
    %0 = relax.permute_dims %a : tensor<?x3xf32, #relax.shape<["n", 3]>> -> tensor<3x?xf32, #relax.shape<[3, "n"]>>
    %1 = relax.permute_dims %b axes = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %y = relax.concat %0, %1 axis = -1 {mark} : tensor<3x?xf32, #relax.shape<[3, "n"]>>, tensor<3x2xf32> -> tensor<3x?xf32, #relax.shape<[3, "n + 2"]>>
    relax.return %y : tensor<3x?xf32, #relax.shape<[3, "n + 2"]>>
  }

  // A tuple with a variable, in a block; what else uses a transposed tensor
  // keeps it.
  // CHECK-LABEL: relax.func @tuple
  // CHECK: %[[A:.*]] = relax.permute_dims %a axes = [2, 0, 1]
  // CHECK: %[[C:.*]] = relax.concat %a, %a, %a axis = 2 : tensor<2x3x4xf32>
  // CHECK: %y = relax.permute_dims %[[C]] axes = [2, 0, 1]
  // CHECK: relax.output
  relax.func @tuple(%a: tensor<2x3x4xf32>) -> (tensor<12x2x3xf32>, tensor<4x2x3xf32>) {
    %0:2 = relax.dataflow -> tensor<12x2x3xf32>, tensor<4x2x3xf32> {
      %1 = relax.permute_dims %a axes = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
      %t = relax.tuple(%1, %1, %1) : tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>
      %y = relax.concat %t axis = 0 : tuple<tensor<4x2x3xf32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>> -> tensor<12x2x3xf32>
      relax.output %y, %1 : tensor<12x2x3xf32>, tensor<4x2x3xf32>
    }
    relax.return %0#0, %0#1 : tensor<12x2x3xf32>, tensor<4x2x3xf32>
  }

  // Other axes, one tensor, an unknown rank, and no transposition.
  // CHECK-LABEL: relax.func @stays
  // CHECK-COUNT-3: relax.permute_dims
  // CHECK-COUNT-3: relax.concat
  // CHECK-NOT: relax.permute_dims
  // CHECK: relax.return
  relax.func @stays(%a: tensor<3x3xf32>, %u: tensor<*xf32>) -> (tensor<6x3xf32>, tensor<3x3xf32>, tensor<*xf32>) {
    %0 = relax.permute_dims %a : tensor<3x3xf32>
    %1 = relax.permute_dims %a axes = [0, 1] : tensor<3x3xf32>
    %2 = relax.permute_dims %u : tensor<*xf32>
    %x = relax.concat %0, %1 axis = 0 : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<6x3xf32>
    %y = relax.concat %0 axis = 0 : tensor<3x3xf32> -> tensor<3x3xf32>
    %z = relax.concat %2, %2 axis = 0 : tensor<*xf32>, tensor<*xf32> -> tensor<*xf32>
    relax.return %x, %y, %z : tensor<6x3xf32>, tensor<3x3xf32>, tensor<*xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
