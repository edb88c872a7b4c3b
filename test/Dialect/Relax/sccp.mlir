// RUN: partita-opt %s --sccp | FileCheck %s

// sccp folds to see whether a result is constant, and leaves the op as it was.

// CHECK-LABEL: relax.func @reversed
// CHECK:       %[[Y:.*]] = relax.permute_dims %{{.*}} axes = [1, 0, 2]
// CHECK-NEXT:  relax.permute_dims %[[Y]] : tensor<3x2x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:  relax.permute_dims %[[Y]] axes = [2, 0, 1] : tensor<3x2x4xf32> -> tensor<4x3x2xf32>
relax.func @reversed(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<4x3x2xf32>) {
  %0 = relax.permute_dims %x axes = [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %1 = relax.permute_dims %0 : tensor<3x2x4xf32> -> tensor<4x2x3xf32>
  %2 = relax.permute_dims %0 axes = [2, 0, 1] : tensor<3x2x4xf32> -> tensor<4x3x2xf32>
  relax.return %1, %2 : tensor<4x2x3xf32>, tensor<4x3x2xf32>
}
