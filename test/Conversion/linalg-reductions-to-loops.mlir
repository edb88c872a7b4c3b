// RUN: partita-opt --pass-pipeline='builtin.module(func.func(convert-linalg-reductions-to-loops,canonicalize,cse))' --split-input-file %s | FileCheck %s

// Four rows of 16 columns; the four columns that are left.

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:.*]]: memref<4x?xf32>, %[[B:.*]]: memref<?x20xf32>, %[[C:.*]]: memref<4x20xf32>)
// CHECK: %[[N:.*]] = memref.dim %[[A]]
// CHECK: %[[R0:.*]] = vector.load %[[C]][%c0, %c0] : memref<4x20xf32>, vector<16xf32>
// CHECK: %[[R3:.*]] = vector.load %[[C]][%c3, %c0] : memref<4x20xf32>, vector<16xf32>
// CHECK: %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[S0:.*]] = %[[R0]], {{.*}} = %[[R3]])
// CHECK:   %[[X:.*]] = memref.load %[[A]][%c0, %[[K]]] : memref<4x?xf32>
// CHECK:   %[[XS:.*]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// CHECK:   %[[Y:.*]] = vector.load %[[B]][%[[K]], %c0] : memref<?x20xf32>, vector<16xf32>
// CHECK:   %[[M:.*]] = arith.mulf %[[XS]], %[[Y]] : vector<16xf32>
// CHECK:   arith.addf %[[S0]], %[[M]] : vector<16xf32>
// CHECK: vector.store %[[SUMS]]#0, %[[C]][%c0, %c0]
// CHECK: vector.load %[[C]][%c0, %c16] : memref<4x20xf32>, vector<4xf32>
func.func @product(%a: memref<4x?xf32>, %b: memref<?x20xf32>, %c: memref<4x20xf32>) {
  linalg.matmul ins(%a, %b : memref<4x?xf32>, memref<?x20xf32>) outs(%c : memref<4x20xf32>)
  return
}

// -----

// With unknown sizes, each step goes as far as it can.

// CHECK-LABEL: func.func @unknown(
// CHECK: arith.remui %{{.*}}, %c16
// CHECK: scf.parallel {{.*}} step (%c16)
// CHECK: scf.parallel {{.*}} step (%c6)
// CHECK: scf.parallel {{.*}} step (%c2)
// CHECK: scf.parallel {{.*}} step (%c8)
// CHECK: scf.parallel {{.*}} step (%c4)
// CHECK: memref.store
func.func @unknown(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// Four channels at the same time. A convolution with stride 2 gathers its rows.

// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[X:.*]]: memref<1x4x8x17xf32>, %[[W:.*]]: memref<4x4x3x3xf32>
// CHECK: scf.for %{{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}})
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.from_elements
// CHECK: memref.load %[[W]]
func.func @convolution(%x: memref<1x4x8x17xf32>, %w: memref<4x4x3x3xf32>, %y: memref<1x4x6x8xf32>) {
  linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>}
    ins(%x, %w : memref<1x4x8x17xf32>, memref<4x4x3x3xf32>) outs(%y : memref<1x4x6x8xf32>)
  return
}

// -----

// The rows of the result are not rows of an operand; a sum of rows; no sum.

// CHECK-LABEL: func.func @stays(
// CHECK: linalg.generic
// CHECK: linalg.reduce
// CHECK: linalg.add
// CHECK-NOT: vector
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

// -----

// The result is an input, too: in whole, or in part.

// CHECK-LABEL: func.func @in_place(
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK-NOT: vector
func.func @in_place(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  %part = memref.subview %b[4, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 32>>
  %rows = memref.subview %a[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  linalg.matmul ins(%rows, %b : memref<4x8xf32, strided<[8, 1]>>, memref<8x8xf32>)
    outs(%part : memref<4x8xf32, strided<[8, 1], offset: 32>>)
  return
}

// -----

// The result has no dimension of a parallel loop, or one of a reduction.

// CHECK-LABEL: func.func @odd_results(
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-NOT: vector
func.func @odd_results(%a: memref<4x5x8xf32>, %c: memref<8xf32>, %d: memref<5x8xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>],
    iterator_types = ["parallel", "reduction", "parallel"]
  } ins(%a : memref<4x5x8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %z: f32):
    %0 = arith.addf %z, %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j, k)>],
    iterator_types = ["reduction", "parallel", "reduction"]
  } ins(%a : memref<4x5x8xf32>) outs(%d : memref<5x8xf32>) {
  ^bb0(%x: f32, %z: f32):
    %0 = arith.addf %z, %x : f32
    linalg.yield %0 : f32
  }
  return
}
