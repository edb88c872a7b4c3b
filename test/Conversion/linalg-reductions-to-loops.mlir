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

// What is left of a row is one vector, however many columns these are.

// CHECK-LABEL: func.func @rest(
// CHECK: vector.load %{{.*}} : memref<2x29xf32>, vector<16xf32>
// CHECK: vector.load %{{.*}} : memref<2x29xf32>, vector<13xf32>
// CHECK: vector.store %{{.*}} : memref<2x29xf32>, vector<13xf32>
// CHECK-NOT: vector.load
// CHECK-NOT: memref.store
// CHECK: return
func.func @rest(%a: memref<2x3xf32>, %b: memref<3x29xf32>, %c: memref<2x29xf32>) {
  linalg.matmul ins(%a, %b : memref<2x3xf32>, memref<3x29xf32>) outs(%c : memref<2x29xf32>)
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

// Terms that lie side by side: five sums of one element each, and four.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: memref<9x?xf32>, %[[R:.*]]: memref<9xf32>)
// CHECK: %[[N:.*]] = memref.dim %[[A]]
// CHECK: %[[R0:.*]] = memref.load %[[R]][%c0]
// CHECK: %[[R4:.*]] = memref.load %[[R]][%c4]
// CHECK: %[[SUMS:.*]]:5 = scf.for %[[K:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[S0:.*]] = %[[R0]], {{.*}}, %[[S4:.*]] = %[[R4]])
// CHECK:   %[[X0:.*]] = memref.load %[[A]][%c0, %[[K]]]
// CHECK:   %[[T0:.*]] = arith.addf %[[S0]], %[[X0]] : f32
// CHECK:   %[[X4:.*]] = memref.load %[[A]][%c4, %[[K]]]
// CHECK:   %[[T4:.*]] = arith.addf %[[S4]], %[[X4]] : f32
// CHECK:   scf.yield %[[T0]], {{.*}}, %[[T4]]
// CHECK: memref.store %[[SUMS]]#0, %[[R]][%c0]
// CHECK: memref.store %[[SUMS]]#4, %[[R]][%c4]
// CHECK: memref.load %[[R]][%c8]
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
func.func @rows(%a: memref<9x?xf32>, %r: memref<9xf32>) {
  linalg.reduce ins(%a : memref<9x?xf32>) outs(%r : memref<9xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = arith.addf %z, %x : f32
      linalg.yield %0 : f32
    }
  return
}

// -----

// Rows of the result that are not rows of an operand: six elements of one.

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME: %[[A:.*]]: memref<4x5xf32>, %[[B:.*]]: memref<6x5xf32>, %[[C:.*]]: memref<4x6xf32>)
// CHECK: scf.parallel (%[[I:.*]]) = (%c0) to (%c4) step (%c1)
// CHECK: scf.for %[[K:.*]] = %c0 to %c5 step %c1 iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}}, {{.*}}, {{.*}})
// CHECK:   memref.load %[[A]][%[[I]], %[[K]]]
// CHECK:   memref.load %[[B]][%c0, %[[K]]]
// CHECK:   memref.load %[[B]][%c5, %[[K]]]
func.func @transposed(%a: memref<4x5xf32>, %b: memref<6x5xf32>, %c: memref<4x6xf32>) {
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
  return
}

// -----

// A maximum: the vectors of eight columns, and the columns that are left.

// CHECK-LABEL: func.func @maximum(
// CHECK-SAME: %[[A:.*]]: memref<4x20xf32>, %[[R:.*]]: memref<4xf32>)
// CHECK: %[[R0:.*]] = memref.load %[[R]][%c0]
// CHECK: %[[V0:.*]] = vector.broadcast %[[R0]] : f32 to vector<8xf32>
// CHECK: %[[MAX:.*]]:4 = scf.for %[[J:.*]] = %c0 to %c16 step %c8 iter_args(%[[M0:[a-z0-9]+]] = %[[V0]],
// CHECK:   %[[X0:.*]] = vector.load %[[A]][%c0, %[[J]]] : memref<4x20xf32>, vector<8xf32>
// CHECK:   arith.maximumf %[[M0]], %[[X0]] : vector<8xf32>
// CHECK: vector.reduction <maximumf>, %[[MAX]]#0 : vector<8xf32> into f32
// CHECK: scf.for %{{.*}} = %c16 to %c20 step %c1
// CHECK:   arith.maximumf {{.*}} : f32
// CHECK: memref.store
func.func @maximum(%a: memref<4x20xf32>, %r: memref<4xf32>) {
  linalg.reduce ins(%a : memref<4x20xf32>) outs(%r : memref<4xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = arith.maximumf %z, %x : f32
      linalg.yield %0 : f32
    }
  return
}

// -----

// Vectors of exp, whose elements are added in their order.

// CHECK-LABEL: func.func @exponentials(
// CHECK-SAME: %[[A:.*]]: memref<4x?xf64>, %[[R:.*]]: memref<4xf64>)
// CHECK: %[[END:.*]] = arith.subi
// CHECK: scf.for %[[J:.*]] = %c0 to %[[END]] step %c4 iter_args(%[[S0:[a-z0-9]+]] = {{.*}}
// CHECK:   %[[X0:.*]] = vector.load %[[A]][%c0, %[[J]]] : memref<4x?xf64>, vector<4xf64>
// CHECK:   %[[E0:.*]] = math.exp %[[X0]] : vector<4xf64>
// CHECK:   vector.reduction <add>, %[[E0]], %[[S0]] : vector<4xf64> into f64
// CHECK: scf.for
// CHECK:   math.exp {{.*}} : f64
func.func @exponentials(%a: memref<4x?xf64>, %r: memref<4xf64>) {
  linalg.reduce ins(%a : memref<4x?xf64>) outs(%r : memref<4xf64>) dimensions = [1]
    (%x: f64, %z: f64) {
      %0 = math.exp %x : f64
      %1 = arith.addf %z, %0 : f64
      linalg.yield %1 : f64
    }
  return
}

// -----

// No vectors: of products, LLVM makes fused multiply-adds; a maximum that is
// changed; terms that lie in different rows.

// CHECK-LABEL: func.func @no_vectors(
// CHECK-COUNT-3: scf.for
// CHECK-NOT: vector
func.func @no_vectors(%a: memref<4x20xf32>, %t: memref<20x4xf32>, %r: memref<4xf32>) {
  linalg.reduce ins(%a : memref<4x20xf32>) outs(%r : memref<4xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = math.exp %x : f32
      %1 = arith.mulf %0, %0 : f32
      %2 = arith.addf %z, %1 : f32
      linalg.yield %2 : f32
    }
  linalg.reduce ins(%a : memref<4x20xf32>) outs(%r : memref<4xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = arith.maximumf %x, %z : f32
      %1 = math.absf %0 : f32
      linalg.yield %1 : f32
    }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %t : memref<4x20xf32>, memref<20x4xf32>) outs(%r : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.subf %x, %y : f32
    %1 = arith.maximumf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Two results, and where the terms are; an unknown number of rows.

// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %[[A:.*]]: memref<?x7xf32>, %[[M:.*]]: memref<?xf32>, %[[P:.*]]: memref<?xindex>)
// CHECK: arith.remui %{{.*}}, %c8
// CHECK: scf.parallel (%[[I:.*]]) = {{.*}} step (%c8)
// CHECK:   memref.load %[[M]][%[[I]]]
// CHECK:   memref.load %[[P]][%[[I]]]
// CHECK:   %[[I1:.*]] = arith.addi %[[I]], %c1
// CHECK:   scf.for %[[J:.*]] = %c0 to %c7
// CHECK:     arith.muli %[[I]], %[[J]]
// CHECK:     arith.muli %[[I1]], %[[J]]
// CHECK: scf.parallel {{.*}} step (%c2)
// CHECK: scf.parallel {{.*}} step (%c1)
func.func @positions(%a: memref<?x7xf32>, %m: memref<?xf32>, %p: memref<?xindex>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a : memref<?x7xf32>) outs(%m, %p : memref<?xf32>, memref<?xindex>) {
  ^bb0(%x: f32, %best: f32, %at: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.muli %i, %j : index
    %1 = arith.cmpf ogt, %x, %best : f32
    %2 = arith.select %1, %x, %best : f32
    %3 = arith.select %1, %0, %at : index
    linalg.yield %2, %3 : f32, index
  }
  return
}

// -----

// Nothing to add up; one sum; a look at other memory.

// CHECK-LABEL: func.func @stays(
// CHECK: linalg.add
// CHECK: linalg.reduce
// CHECK: linalg.reduce
// CHECK: linalg.generic
// CHECK-NOT: scf
func.func @stays(%a: memref<4x5xf32>, %c: memref<4x5xf32>, %r: memref<f32>, %one: memref<1xf32>,
                 %p: memref<4x5xindex>, %s: memref<4xf32>) {
  linalg.add ins(%a, %c : memref<4x5xf32>, memref<4x5xf32>) outs(%c : memref<4x5xf32>)
  linalg.reduce ins(%a : memref<4x5xf32>) outs(%r : memref<f32>) dimensions = [0, 1]
    (%x: f32, %z: f32) {
      %0 = arith.addf %z, %x : f32
      linalg.yield %0 : f32
    }
  %row = memref.subview %a[0, 0] [1, 5] [1, 1] : memref<4x5xf32> to memref<1x5xf32, strided<[5, 1]>>
  linalg.reduce ins(%row : memref<1x5xf32, strided<[5, 1]>>) outs(%one : memref<1xf32>) dimensions = [1]
    (%x: f32, %z: f32) {
      %0 = arith.addf %z, %x : f32
      linalg.yield %0 : f32
    }
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%p : memref<4x5xindex>) outs(%s : memref<4xf32>) {
  ^bb0(%at: index, %z: f32):
    %0 = memref.load %s[%at] : memref<4xf32>
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
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

// -----

// Rows of 512 bytes lie in few places of a cache. Blocks of 16 columns are
// copied together: a block of each matrix of the batch comes first.

// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[A:.*]]: memref<2x24x64xf32>, %[[B:.*]]: memref<2x64x128xf32>
// CHECK: %[[BLOCKS:.*]] = memref.expand_shape %[[B]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 64, 8, 16]
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<8x2x64x16xf32>
// CHECK: linalg.transpose ins(%[[BLOCKS]] : {{.*}}) outs(%[[COPY]] : {{.*}}) permutation = [2, 0, 1, 3]
// CHECK: scf.parallel (%[[N:[a-z0-9]+]], %[[J:[a-z0-9]+]], %{{.*}}) = {{.*}} step (%c1, %c16, %c6)
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK:   %[[BLOCK:.*]] = arith.divui %[[J]], %c16
// CHECK:   vector.load %[[COPY]][%[[BLOCK]], %[[N]], %[[K]], %c0]
// CHECK: memref.dealloc %[[COPY]]
func.func @packed(%a: memref<2x24x64xf32>, %b: memref<2x64x128xf32>, %c: memref<2x24x128xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<2x24x64xf32>, memref<2x64x128xf32>)
                      outs(%c : memref<2x24x128xf32>)
  return
}

// -----

// Other rows, and few of them, are read where they are.

// CHECK-LABEL: func.func @not_packed(
// CHECK-NOT: memref.alloc
func.func @not_packed(%a: memref<24x64xf32>, %b: memref<64x144xf32>, %c: memref<24x144xf32>,
                      %d: memref<23x64xf32>, %e: memref<64x128xf32>, %f: memref<23x128xf32>,
                      %g: memref<24x63xf32>, %h: memref<63x128xf32>, %i: memref<24x128xf32>) {
  linalg.matmul ins(%a, %b : memref<24x64xf32>, memref<64x144xf32>) outs(%c : memref<24x144xf32>)
  linalg.matmul ins(%d, %e : memref<23x64xf32>, memref<64x128xf32>) outs(%f : memref<23x128xf32>)
  linalg.matmul ins(%g, %h : memref<24x63xf32>, memref<63x128xf32>) outs(%i : memref<24x128xf32>)
  return
}

// Indices are added up one by one.

// CHECK-LABEL: func.func @indices(
// CHECK-NOT: vector<
// CHECK: arith.addi %{{.*}}, %{{.*}} : index
func.func @indices(%a: memref<8x16xindex>, %b: memref<16x512xindex>, %c: memref<8x512xindex>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                     affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%a, %b : memref<8x16xindex>, memref<16x512xindex>) outs(%c : memref<8x512xindex>) {
  ^bb0(%x: index, %y: index, %z: index):
    %0 = arith.muli %x, %y : index
    %1 = arith.addi %0, %z : index
    linalg.yield %1 : index
  }
  return
}
