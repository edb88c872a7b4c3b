// RUN: partita-opt --relax-dispatch-sort-scan %s | FileCheck %s
// RUN: partita-opt --relax-dispatch-sort-scan --relax-legalize-ops %s | FileCheck %s --check-prefix=LEGAL
// RUN: partita-opt --relax-legalize-ops %s | FileCheck %s --check-prefix=LEFT

// LegalizeOps leaves these ops, as TVM's does.
// LEFT: relax.sort
// LEFT: relax.cumsum

partita.module {
  // CHECK-LABEL: relax.func @main(
  // CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
  // LEGAL-LABEL: relax.func @main(
  // LEGAL-NOT: relax.nn.relu
  // LEGAL: relax.call_tir @sort
  relax.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x3xf32>,
      tensor<4x3xi32>, tensor<4x8xf32>, tensor<32xf32>) {
    // CHECK: %[[RELU:.*]] = relax.nn.relu %[[X]]
    %0 = relax.nn.relu %x : tensor<4x8xf32>
    // CHECK: relax.call_tir @sort(%[[RELU]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = relax.sort %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: relax.call_tir @argsort(%[[RELU]]) {keep} : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %2 = relax.argsort %0 {descending = true, dtype = i32, keep} : (tensor<4x8xf32>) -> tensor<4x8xi32>
    // CHECK: relax.call_tir @topk(%[[RELU]]) : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %3:2 = relax.topk %0 {k = 3 : i64, dtype = i32} : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    // CHECK: relax.call_tir @cumsum(%[[RELU]])
    %4 = relax.cumsum %0 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: relax.call_tir @cumprod(%[[RELU]]) : (tensor<4x8xf32>) -> tensor<32xf32>
    %5 = relax.cumprod %0 : (tensor<4x8xf32>) -> tensor<32xf32>
    relax.return %1, %2, %3#0, %3#1, %4, %5 : tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x3xf32>,
      tensor<4x3xi32>, tensor<4x8xf32>, tensor<32xf32>
  }

  // What says too little stays, and so does what policy keeps.
  // CHECK-LABEL: relax.func @unknown(
  // CHECK: relax.sort
  relax.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = relax.sort %x : (tensor<?xf32>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  // TVM's types of sorts and scans do not say whether the axis is there.
  // CHECK-LABEL: relax.func @outside(
  // CHECK: relax.cumsum
  // CHECK: relax.cumprod
  // CHECK: relax.cumsum
  relax.func @outside(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
    %0 = relax.cumsum %x {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.cumprod %x {axis = -2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.cumsum %y {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
    relax.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  // CHECK-LABEL: relax.func @skipped(
  // CHECK: relax.cumsum
  relax.func @skipped(%x: tensor<4xf32>) -> tensor<4xf32> attributes {SkipOptimization = true} {
    %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  // CHECK: tir.prim_func private @sort(
  // CHECK: tir.prim_func private @cumprod(
}
