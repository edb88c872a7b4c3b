// RUN: partita-opt --pass-pipeline='builtin.module(func.func(linalg-reorder-loops))' --split-input-file %s | FileCheck %s

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @product(
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]]
// CHECK-SAME: iterator_types = ["parallel", "reduction", "parallel"]
func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// CHECK-DAG: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d3, d2 + d4, d6 * 2 + d5)>
// CHECK-LABEL: func.func @convolution(
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "parallel"]
func.func @convolution(%x: memref<1x4x8x8xf32>, %w: memref<2x4x3x3xf32>, %y: memref<1x2x6x3xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>}
    ins(%x, %w : memref<1x4x8x8xf32>, memref<2x4x3x3xf32>) outs(%y : memref<1x2x6x3xf32>)
  return
}

// -----

// The rows of the result are not rows of an operand; a sum of rows; no sum.

// CHECK-LABEL: func.func @stays(
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: linalg.reduce
// CHECK: linalg.add
func.func @stays(%a: memref<4x5xf32>, %b: memref<6x5xf32>, %c: memref<4x6xf32>, %r: memref<4xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<4x5xf32>, memref<6x5xf32>) outs(%c : memref<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.reduce ins(%a : memref<4x5xf32>) outs(%r : memref<4xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = arith.addf %z, %x : f32
      linalg.yield %0 : f32
    }
  linalg.add ins(%c, %c : memref<4x6xf32>, memref<4x6xf32>) outs(%c : memref<4x6xf32>)
  return
}
