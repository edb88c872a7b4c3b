// RUN: partita-opt %s --split-input-file --relax-legalize-ops | FileCheck %s

// CHECK-LABEL: partita.module @boxes
// CHECK: relax.call_tir @get_valid_counts(%{{.*}}) : (tensor<2x7x6xf32>) -> (tensor<2xi32>, tensor<2x7x6xf32>, tensor<2x7xi32>)
// CHECK: relax.call_tir @non_max_suppression(
// CHECK: relax.call_tir @median(
// CHECK: relax.call_tir @non_max_suppression1(
// CHECK: relax.call_tir @all_class_non_max_suppression(
partita.module @boxes {
  relax.func @main(%x: tensor<2x7x6xf32>, %counts: tensor<2xi32>, %indices: tensor<2x7xi32>, %boxes: tensor<2x7x4xf32>, %scores: tensor<2x3x7xf32>, %most: tensor<i64>, %limit: tensor<f32>) -> tensor<2x7xi32> {
    %0:3 = relax.vision.get_valid_counts %x : (tensor<2x7x6xf32>) -> (tensor<2xi32>, tensor<2x7x6xf32>, tensor<2x7xi32>)
    %1:2 = relax.vision.non_max_suppression %x, %counts, %indices : (tensor<2x7x6xf32>, tensor<2xi32>, tensor<2x7xi32>) -> (tensor<2x7xi32>, tensor<2x1xi32>)
    %2:2 = relax.median %x {axis = array<i64: 1>} : (tensor<2x7x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xi64>)
    %3:3 = relax.vision.non_max_suppression %x, %counts, %indices {soft_nms_sigma = 5.000000e-01 : f64} : (tensor<2x7x6xf32>, tensor<2xi32>, tensor<2x7xi32>) -> (tensor<2x7x6xf32>, tensor<2x7xi32>, tensor<2x1xi32>)
    %4:2 = relax.vision.all_class_non_max_suppression %boxes, %scores, %most, %limit, %limit : (tensor<2x7x4xf32>, tensor<2x3x7xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> (tensor<42x3xi64>, tensor<1xi64>)
    relax.return %1#0 : tensor<2x7xi32>
  }
}

// -----

// A median of no elements stays, as in TVM.

// CHECK-LABEL: partita.module @stay
// CHECK: relax.median
// CHECK-NOT: tir.prim_func
partita.module @stay {
  relax.func @main(%empty: tensor<2x0xf32>) -> tensor<2xf32> {
    %2:2 = relax.median %empty {axis = array<i64: 1>} : (tensor<2x0xf32>) -> (tensor<2xf32>, tensor<2xi64>)
    relax.return %2#0 : tensor<2xf32>
  }
}

// -----

// One kernel computes the sizes of the slice, which get names for the ops after
// it.

// CHECK-LABEL: partita.module @slices
// CHECK: %[[SIZES:.*]] = relax.call_tir @shape_func(%{{.*}}) : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
// CHECK: relax.call_pure_packed(%{{.*}}, %[[SIZES]])
// CHECK: relax.match_cast %{{.*}} -> !relax.shape<["x", "x_1"]>
// CHECK: relax.call_tir @dynamic_strided_slice({{.*}}) -> tensor<?x?xf32, #relax.shape<["x", "x_1"]>>
// CHECK: relax.call_tir @tir_exp({{.*}}) : (tensor<?x?xf32, #relax.shape<["x", "x_1"]>>)
partita.module @slices {
  relax.func @main(%x: tensor<2x3xf32>, %b: tensor<2xi64>, %e: tensor<2xi64>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
    %0 = relax.dynamic_strided_slice %x, %b, %e, %s : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %1 = relax.exp %0 : tensor<?x?xf32>
    relax.return %1 : tensor<?x?xf32>
  }
}
