// RUN: partita-opt %s --split-input-file --relax-rewrite-dataflow-reshape | FileCheck %s
// RUN: partita-opt %s --split-input-file --relax-rewrite-dataflow-reshape --relax-rewrite-dataflow-reshape | FileCheck %s

partita.module @m {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.dataflow
  // CHECK-NEXT: %[[S:.*]] = relax.shape [2, 4, 3]
  // CHECK-NEXT: %a = relax.reshape %x, %[[S]] {mark} : tensor<8x3xf32> -> tensor<2x4x3xf32>
  // CHECK: %b = relax.reshape %a
  // CHECK: %c = relax.reshape %b
  // CHECK: %d = relax.call_tir @transpose
  // CHECK: %e = relax.call_tir @slice
  // CHECK: %f = relax.call_tir @convert
  // CHECK: %g = relax.call_tir @declared
  // CHECK: %h = relax.call_tir @opaque
  // CHECK: %i = relax.call_tir @two
  // CHECK: %j = relax.call_tir @twice
  // The block gives it.
  // CHECK: relax.call_tir @reshape
  // CHECK: relax.output
  relax.func @main(%x: tensor<8x3xf32>) -> (tensor<2x4x3xf32>, tensor<24xf32>) {
    %0:2 = relax.dataflow -> tensor<2x4x3xf32>, tensor<24xf32> {
      %a = relax.call_tir @reshape(%x) {mark} : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
      %b = relax.call_tir @views(%a) : (tensor<2x4x3xf32>) -> tensor<24xf32>
      %c = relax.call_tir @unit(%b) : (tensor<24xf32>) -> tensor<1x24xf32>
      %d = relax.call_tir @transpose(%x) : (tensor<8x3xf32>) -> tensor<3x8xf32>
      %e = relax.call_tir @slice(%x) : (tensor<8x3xf32>) -> tensor<4x3xf32>
      %f = relax.call_tir @convert(%x) : (tensor<8x3xf32>) -> tensor<8x3xf16>
      %g = relax.call_tir @declared(%x) : (tensor<8x3xf32>) -> tensor<24xf32>
      %h = relax.call_tir @opaque(%x) : (tensor<8x3xf32>) -> tensor<24xf32>
      %i = relax.call_tir @two(%x, %x) : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<24xf32>
      %j = relax.call_tir @twice(%x) : (tensor<8x3xf32>) -> tensor<24xf32>
      %k = relax.call_tir @reshape(%x) : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
      relax.output %k, %j : tensor<2x4x3xf32>, tensor<24xf32>
    }
    // CHECK: relax.call_tir @reshape
    %1 = relax.call_tir @reshape(%x) : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
    relax.return %1, %0#1 : tensor<2x4x3xf32>, tensor<24xf32>
  }

  // CHECK-LABEL: relax.func @symbolic
  // CHECK: relax.reshape %x, %{{.*}} : tensor<?x4xf32, #relax.shape<["n", 4]>>
  // CHECK: relax.reshape
  // CHECK: relax.call_tir @rows
  relax.func @symbolic(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<?xf32>) -> tensor<2xf32> {
    %0 = relax.dataflow -> tensor<2xf32> {
      %n = relax.dim ["n"] : i64
      %a = relax.call_tir @flat(%n, %x) : (i64, tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?xf32, #relax.shape<["n * 4"]>>
      %b = relax.call_tir @rows(%a) : (tensor<?xf32, #relax.shape<["n * 4"]>>) -> tensor<?x2x2xf32, #relax.shape<["n", 2, 2]>>
      // The numbers of elements are not known to be the same.
      %q = relax.call_tir @rows(%y) : (tensor<?xf32>) -> tensor<?x2x2xf32, #relax.shape<["n", 2, 2]>>
      %r = relax.call_tir @last(%a) : (tensor<?xf32, #relax.shape<["n * 4"]>>) -> tensor<2xf32>
      relax.output %r : tensor<2xf32>
    }
    relax.return %0 : tensor<2xf32>
  }

  // CHECK-LABEL: relax.func @skipped
  // CHECK-NOT: relax.reshape
  relax.func @skipped(%x: tensor<8x3xf32>) -> tensor<8x3xf32> attributes {SkipOptimization = true} {
    %0 = relax.dataflow -> tensor<8x3xf32> {
      %a = relax.call_tir @reshape(%x) {mark} : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
      relax.output %x : tensor<8x3xf32>
    }
    relax.return %0 : tensor<8x3xf32>
  }

  // Bodies of TVM. The indices say where the element is in row-major order.
  tir.prim_func private @reshape(%x: memref<8x3xf32>, %y: memref<2x4x3xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c12 = arith.constant 12 : i64
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %c2 step %c1 : i64 {
        tir.for "parallel" %c0, %c4 : i64, i64 {
        ^bb0(%j: i64):
          scf.for %k = %c0 to %c3 step %c1 : i64 {
            tir.block "T_reshape" ["spatial", "spatial", "spatial"](%i, %j, %k : i64, i64, i64) from(%c0, %c0, %c0 : i64, i64, i64) extent(%c2, %c4, %c3 : i64, i64, i64) where %true {
            ^bb0(%a: i64, %b: i64, %c: i64):
              %0 = arith.muli %a, %c12 : i64
              %1 = arith.muli %c3, %b : i64
              %2 = arith.addi %0, %1 : i64
              %3 = arith.addi %2, %c : i64
              %4 = arith.floordivsi %3, %c3 : i64
              %5 = tir.prim "FloorMod"(%3, %c3) : (i64, i64) -> i64
              %6 = arith.index_cast %4 : i64 to index
              %7 = arith.index_cast %5 : i64 to index
              %8 = arith.index_cast %a : i64 to index
              %9 = arith.index_cast %b : i64 to index
              %10 = arith.index_cast %c : i64 to index
              %11 = memref.load %x[%6, %7] : memref<8x3xf32>
              memref.store %11, %y[%8, %9, %10] : memref<2x4x3xf32>
            }
          }
        }
      }
    }
    tir.return
  }
  // Only the fourth of the elements: the places are others.
  tir.prim_func private @slice(%x: memref<8x3xf32>, %y: memref<4x3xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    tir.block "slice" ["spatial", "spatial"](%c0, %c0 : i64, i64) from(%c0, %c0 : i64, i64) extent(%c4, %c3 : i64, i64) where %true {
    ^bb0(%a: i64, %b: i64):
      %0 = arith.muli %a, %c2 : i64
      %1 = arith.index_cast %0 : i64 to index
      %2 = arith.index_cast %a : i64 to index
      %3 = arith.index_cast %b : i64 to index
      %4 = memref.load %x[%1, %3] : memref<8x3xf32>
      memref.store %4, %y[%2, %3] : memref<4x3xf32>
    }
    tir.return
  }
  // More than a copy.
  tir.prim_func private @convert(%x: memref<8x3xf32>, %y: memref<8x3xf16>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c3 = arith.constant 3 : i64
    %c8 = arith.constant 8 : i64
    tir.block "convert" ["spatial", "spatial"](%c0, %c0 : i64, i64) from(%c0, %c0 : i64, i64) extent(%c8, %c3 : i64, i64) where %true {
    ^bb0(%a: i64, %b: i64):
      %0 = arith.index_cast %a : i64 to index
      %1 = arith.index_cast %b : i64 to index
      %2 = memref.load %x[%0, %1] : memref<8x3xf32>
      %3 = arith.truncf %2 : f32 to f16
      memref.store %3, %y[%0, %1] : memref<8x3xf16>
    }
    tir.return
  }
  // Two blocks.
  tir.prim_func private @twice(%x: memref<8x3xf32>, %y: memref<24xf32>) {
    %true = arith.constant true
    tir.block "one" [] where %true {
    }
    tir.block "two" [] where %true {
    }
    tir.return
  }
  // Dynamic sizes, from TVM.
  tir.prim_func private @rows(%x: memref<?xf32>, %y: memref<?x2x2xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %n = tir.var : i64
    %n4 = arith.muli %n, %c4 : i64
    tir.buffer %x shape(%n4 : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %y shape(%n, %c2, %c2 : i64, i64, i64) {index_type = i64} : memref<?x2x2xf32>
    tir.block "rows" ["spatial"](%c0 : i64) from(%c0 : i64) extent(%n4 : i64) where %true {
    ^bb0(%a: i64):
      %0 = arith.floordivsi %a, %c4 : i64
      %1 = tir.prim "FloorMod"(%a, %c4) : (i64, i64) -> i64
      %2 = arith.floordivsi %1, %c2 : i64
      %3 = tir.prim "FloorMod"(%a, %c2) : (i64, i64) -> i64
      %4 = arith.index_cast %a : i64 to index
      %5 = arith.index_cast %0 : i64 to index
      %6 = arith.index_cast %2 : i64 to index
      %7 = arith.index_cast %3 : i64 to index
      %8 = memref.load %x[%4] : memref<?xf32>
      memref.store %8, %y[%5, %6, %7] : memref<?x2x2xf32>
    }
    tir.return
  }
  tir.prim_func private @last(%x: memref<?xf32>, %y: memref<2xf32>)
  tir.prim_func private @declared(%x: memref<8x3xf32>, %y: memref<24xf32>)
  tir.prim_func private @opaque(%x: memref<8x3xf32>, %y: memref<24xf32>) {
    tir.opaque_body json = dense<123> : tensor<2xui8>
    tir.return
  }

  // Bodies of LegalizeOps.
  tir.prim_func private @views(%A: memref<2x4x3xf32>, %out: memref<24xf32>) {
    %0 = bufferization.to_tensor %A restrict : memref<2x4x3xf32> to tensor<2x4x3xf32>
    %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x4x3xf32> into tensor<8x3xf32>
    %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<24xf32>, memref<24xf32>) -> ()
    tir.return
  }
  tir.prim_func private @unit(%A: memref<24xf32>, %out: memref<1x24xf32>) {
    %0 = bufferization.to_tensor %A restrict : memref<24xf32> to tensor<24xf32>
    %1 = tensor.empty() : tensor<1x24xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<24xf32>) outs(%1 : tensor<1x24xf32>) {
    ^bb0(%in: f32, %o: f32):
      linalg.yield %in : f32
    } -> tensor<1x24xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<1x24xf32>, memref<1x24xf32>) -> ()
    tir.return
  }
  tir.prim_func private @transpose(%A: memref<8x3xf32>, %out: memref<3x8xf32>) {
    %0 = bufferization.to_tensor %A restrict : memref<8x3xf32> to tensor<8x3xf32>
    %1 = tensor.empty() : tensor<3x8xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x3xf32>) outs(%1 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %o: f32):
      linalg.yield %in : f32
    } -> tensor<3x8xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<3x8xf32>, memref<3x8xf32>) -> ()
    tir.return
  }
  tir.prim_func private @two(%A: memref<8x3xf32>, %B: memref<8x3xf32>, %out: memref<24xf32>) {
    %0 = bufferization.to_tensor %A restrict : memref<8x3xf32> to tensor<8x3xf32>
    %1 = bufferization.to_tensor %B restrict : memref<8x3xf32> to tensor<8x3xf32>
    %2 = arith.addf %0, %1 : tensor<8x3xf32>
    %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<24xf32>, memref<24xf32>) -> ()
    tir.return
  }
  tir.prim_func private @flat(%n: i64, %B: memref<?x4xf32>, %out: memref<?xf32>) {
    %0 = bufferization.to_tensor %B restrict : memref<?x4xf32> to tensor<?x4xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
    bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
    tir.return
  }
}

// -----

// 3 and 4 do not divide each other: the digits of the place of an element are
// no digits of the iterators.
partita.module @radix {
  // CHECK-LABEL: relax.func @digits
  // CHECK: relax.reshape %x
  // CHECK: relax.call_tir @other_last
  relax.func @digits(%x: tensor<1x2x3x4xf32>) -> tensor<8x3xf32> {
    %0 = relax.dataflow -> tensor<8x3xf32> {
      %a = relax.call_tir @reshape(%x) : (tensor<1x2x3x4xf32>) -> tensor<8x3xf32>
      %b = relax.call_tir @other_last(%x) : (tensor<1x2x3x4xf32>) -> tensor<8x3xf32>
      %c = relax.add %a, %b : tensor<8x3xf32>
      relax.output %c : tensor<8x3xf32>
    }
    relax.return %0 : tensor<8x3xf32>
  }

  tir.prim_func private @reshape(%x: memref<1x2x3x4xf32>, %y: memref<8x3xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %c12 = arith.constant 12 : i64
    %c24 = arith.constant 24 : i64
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %c8 step %c1 : i64 {
        scf.for %j = %c0 to %c3 step %c1 : i64 {
          tir.block "T_reshape" ["spatial", "spatial"](%i, %j : i64, i64) from(%c0, %c0 : i64, i64) extent(%c8, %c3 : i64, i64) where %true {
          ^bb0(%a: i64, %b: i64):
            %0 = arith.muli %a, %c3 : i64
            %1 = arith.addi %0, %b : i64
            %2 = arith.floordivsi %1, %c24 : i64
            %3 = tir.prim "FloorMod"(%1, %c24) : (i64, i64) -> i64
            %4 = arith.floordivsi %3, %c12 : i64
            %5 = tir.prim "FloorMod"(%1, %c12) : (i64, i64) -> i64
            %6 = arith.floordivsi %5, %c4 : i64
            %7 = tir.prim "FloorMod"(%1, %c4) : (i64, i64) -> i64
            %8 = arith.index_cast %2 : i64 to index
            %9 = arith.index_cast %4 : i64 to index
            %10 = arith.index_cast %6 : i64 to index
            %11 = arith.index_cast %7 : i64 to index
            %12 = arith.index_cast %a : i64 to index
            %13 = arith.index_cast %b : i64 to index
            %14 = memref.load %x[%8, %9, %10, %11] : memref<1x2x3x4xf32>
            memref.store %14, %y[%12, %13] : memref<8x3xf32>
          }
        }
      }
    }
    tir.return
  }
  tir.prim_func private @other_last(%x: memref<1x2x3x4xf32>, %y: memref<8x3xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %c12 = arith.constant 12 : i64
    %c24 = arith.constant 24 : i64
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %c8 step %c1 : i64 {
        scf.for %j = %c0 to %c3 step %c1 : i64 {
          tir.block "T_reshape" ["spatial", "spatial"](%i, %j : i64, i64) from(%c0, %c0 : i64, i64) extent(%c8, %c3 : i64, i64) where %true {
          ^bb0(%a: i64, %b: i64):
            %0 = arith.muli %a, %c3 : i64
            %1 = arith.addi %0, %b : i64
            %2 = arith.floordivsi %1, %c24 : i64
            %3 = tir.prim "FloorMod"(%1, %c24) : (i64, i64) -> i64
            %4 = arith.floordivsi %3, %c12 : i64
            %5 = tir.prim "FloorMod"(%1, %c12) : (i64, i64) -> i64
            %6 = arith.floordivsi %5, %c4 : i64
            %7 = tir.prim "FloorMod"(%a, %c4) : (i64, i64) -> i64
            %8 = arith.index_cast %2 : i64 to index
            %9 = arith.index_cast %4 : i64 to index
            %10 = arith.index_cast %6 : i64 to index
            %11 = arith.index_cast %7 : i64 to index
            %12 = arith.index_cast %a : i64 to index
            %13 = arith.index_cast %b : i64 to index
            %14 = memref.load %x[%8, %9, %10, %11] : memref<1x2x3x4xf32>
            memref.store %14, %y[%12, %13] : memref<8x3xf32>
          }
        }
      }
    }
    tir.return
  }
}
