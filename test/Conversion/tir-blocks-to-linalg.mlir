// RUN: partita-opt --pass-pipeline='builtin.module(partita.module(tir.prim_func(convert-tir-blocks-to-linalg,canonicalize)))' --split-input-file %s | FileCheck %s

// A sum of products whose indices are sums of loops; the first value fills.

// CHECK: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d1 + d2)>
// CHECK: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: tir.prim_func @conv(
// CHECK-SAME: %[[XS:.*]]: memref<10xf32>, %[[WS:.*]]: memref<4x3xf32>, %[[YS:.*]]: memref<4x8xf32>)
// CHECK: linalg.fill ins(%cst : f32) outs(%[[YS]] : memref<4x8xf32>)
// CHECK-NEXT: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[XS]], %[[WS]] : memref<10xf32>, memref<4x3xf32>) outs(%[[YS]] : memref<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT:   %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT:   %[[S:.*]] = arith.addf %[[SUM]], %[[P]]
// CHECK-NEXT:   linalg.yield %[[S]]
// CHECK-NOT: scf.for
partita.module {
  tir.prim_func @conv(%x: memref<10xf32>, %w: memref<4x3xf32>, %y: memref<4x8xf32>) attributes {tirx.noalias = true} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %c4 step %c1 : i64 {
      scf.for %j = %c0 to %c8 step %c1 : i64 {
        scf.for %k = %c0 to %c3 step %c1 : i64 {
          tir.block "conv" ["spatial", "spatial", "reduce"] (%i, %j, %k : i64, i64, i64)
              from(%c0, %c0, %c0 : i64, i64, i64) extent(%c4, %c8, %c3 : i64, i64, i64) where %true {
          ^bb0(%vi: i64, %vj: i64, %vk: i64):
            %0 = arith.index_cast %vi : i64 to index
            %1 = arith.index_cast %vj : i64 to index
            %2 = arith.index_cast %vk : i64 to index
            tir.init {
              memref.store %zero, %y[%0, %1] : memref<4x8xf32>
            }
            %3 = arith.addi %vj, %vk : i64
            %4 = arith.index_cast %3 : i64 to index
            %5 = memref.load %y[%0, %1] : memref<4x8xf32>
            %6 = memref.load %x[%4] : memref<10xf32>
            %7 = memref.load %w[%0, %2] : memref<4x3xf32>
            %8 = arith.mulf %6, %7 : f32
            %9 = arith.addf %5, %8 : f32
            memref.store %9, %y[%0, %1] : memref<4x8xf32>
          }
        }
      }
    }
    tir.return
  }
}

// -----

// The value of an iterator, and loops in another order than the iterators.

// CHECK: #[[MAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: tir.prim_func @number(
// CHECK: linalg.generic {indexing_maps = [#[[MAP]]], iterator_types = ["parallel", "parallel"]} outs(
// CHECK:   %[[I:.*]] = linalg.index 1
// CHECK:   %[[J:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:   %[[F:.*]] = arith.sitofp %[[J]]
// CHECK:   linalg.yield %[[F]]
partita.module {
  tir.prim_func @number(%y: memref<4x8xf32>) attributes {tirx.noalias = true} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c4 = arith.constant 4 : i64
    %c8 = arith.constant 8 : i64
    scf.for %j = %c0 to %c8 step %c1 : i64 {
      scf.for %i = %c0 to %c4 step %c1 : i64 {
        tir.block "number" ["spatial", "spatial"] (%i, %j : i64, i64)
            from(%c0, %c0 : i64, i64) extent(%c4, %c8 : i64, i64) where %true {
        ^bb0(%vi: i64, %vj: i64):
          %0 = arith.index_cast %vi : i64 to index
          %1 = arith.index_cast %vj : i64 to index
          %2 = arith.sitofp %vi : i64 to f32
          memref.store %2, %y[%0, %1] : memref<4x8xf32>
        }
      }
    }
    tir.return
  }
}

// -----

// Buffers that may be the same; a part of a buffer; a result that is read
// elsewhere; a condition; a sum that begins at nothing known; an index that is
// read.

// CHECK-LABEL: tir.prim_func @alias(
// CHECK: tir.block
// CHECK-NOT: linalg
// CHECK-LABEL: tir.prim_func @stays(
// CHECK-COUNT-5: tir.block
// CHECK-NOT: linalg
partita.module {
  tir.prim_func @alias(%x: memref<8xf32>, %y: memref<8xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "copy" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = memref.load %x[%0] : memref<8xf32>
        memref.store %1, %y[%0] : memref<8xf32>
      }
    }
    tir.return
  }
  tir.prim_func @stays(%x: memref<9xf32>, %y: memref<8xf32>, %at: memref<8xi64>, %c: i1) attributes {tirx.noalias = true} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c7 = arith.constant 7 : i64
    %c8 = arith.constant 8 : i64
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "part" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = memref.load %x[%0] : memref<9xf32>
        memref.store %1, %y[%0] : memref<8xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "reversed" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = arith.subi %c7, %vi : i64
        %2 = arith.index_cast %1 : i64 to index
        %3 = memref.load %y[%2] : memref<8xf32>
        memref.store %3, %y[%0] : memref<8xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "condition" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %c {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = memref.load %y[%0] : memref<8xf32>
        memref.store %1, %y[%0] : memref<8xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "last" ["reduce"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = arith.index_cast %c0 : i64 to index
        %2 = memref.load %y[%0] : memref<8xf32>
        memref.store %2, %x[%1] : memref<9xf32>
      }
    }
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "take" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = memref.load %at[%0] : memref<8xi64>
        %2 = arith.index_cast %1 : i64 to index
        %3 = memref.load %x[%2] : memref<9xf32>
        memref.store %3, %y[%0] : memref<8xf32>
      }
    }
    tir.return
  }
}

// -----

// An index is a result, too. The variable of a loop is no index of the block.

// CHECK-LABEL: tir.prim_func private @indices(
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[N:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: linalg.yield %[[N]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: tir.block "outside"
// CHECK: memref.store %[[J]]
partita.module {
  tir.prim_func private @indices(%x: memref<8xi64>, %y: memref<8xi64>)
      attributes {tirx.noalias = true} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    %true = arith.constant true
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      tir.block "iota" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        memref.store %vi, %x[%0] : memref<8xi64>
      }
    }
    scf.for %j = %c0 to %c8 step %c1 : i64 {
      tir.block "outside" ["spatial"] (%j : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
      ^bb0(%vj: i64):
        %0 = arith.index_cast %vj : i64 to index
        memref.store %j, %y[%0] : memref<8xi64>
      }
    }
    tir.return
  }
}
