// RUN: partita-opt %s --sccp --split-input-file | FileCheck %s

// A constant goes through blocks, and into private functions and out again.

// CHECK-LABEL: relax.func private @callee
relax.func private @callee(%x: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: %[[C:.*]] = relax.constant dense<2.0{{.*}}> : tensor<f32>
  %0 = relax.dataflow -> tensor<f32> {
    relax.output %x : tensor<f32>
  }
  // CHECK-NEXT: relax.return %[[C]]
  relax.return %0 : tensor<f32>
}

// CHECK-LABEL: relax.func @caller
relax.func @caller() -> tensor<f32> {
  // CHECK: %[[C:.*]] = relax.constant dense<2.0{{.*}}> : tensor<f32>
  %0 = relax.constant dense<2.0> : tensor<f32>
  %1 = relax.call @callee(%0) : (tensor<f32>) -> tensor<f32>
  // CHECK: relax.return %[[C]]
  relax.return %1 : tensor<f32>
}

// -----

// A public function has other callers too.

// CHECK-LABEL: relax.func @callee
// CHECK-SAME: %[[X:.*]]: tensor<f32>
relax.func @callee(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: relax.return %[[X]]
  relax.return %x : tensor<f32>
}

relax.func @caller() -> tensor<f32> {
  %0 = relax.constant dense<2.0> : tensor<f32>
  %1 = relax.call @callee(%0) : (tensor<f32>) -> tensor<f32>
  relax.return %1 : tensor<f32>
}

// -----

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
