// RUN: partita-opt --relax-dispatch-sampling %s | FileCheck %s

// Numbers of another dtype than the probabilities stay, and so does a function
// that no pass optimizes.

// CHECK-LABEL: relax.func @main
// CHECK: relax.call_tir @get_sample_index(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> tensor<3x1xi32>
// CHECK: relax.multinomial_from_uniform
// CHECK-LABEL: relax.func @skipped
// CHECK: relax.multinomial_from_uniform
// CHECK: tir.prim_func private @get_sample_index(
// CHECK-NOT: tir.prim_func
partita.module {
  relax.func @main(%p: tensor<2x4xf32>, %u: tensor<3x1xf32>, %v: tensor<3x1xf64>, %i: tensor<3x1xi64>) -> tensor<3x1xi32> {
    %0 = relax.multinomial_from_uniform %p, %u, %i {dtype = i32} : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> tensor<3x1xi32>
    %1 = relax.multinomial_from_uniform %p, %v, %i {dtype = i64} : (tensor<2x4xf32>, tensor<3x1xf64>, tensor<3x1xi64>) -> tensor<3x1xi64>
    relax.return %0 : tensor<3x1xi32>
  }
  relax.func @skipped(%p: tensor<2x4xf32>, %u: tensor<3x1xf32>, %i: tensor<3x1xi64>) -> tensor<3x1xi64> attributes {SkipOptimization = true} {
    %0 = relax.multinomial_from_uniform %p, %u, %i {dtype = i64} : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> tensor<3x1xi64>
    relax.return %0 : tensor<3x1xi64>
  }
}
