// RUN: partita-opt %s --tir-lower-init-block | FileCheck %s --check-prefix=INIT
// RUN: partita-opt %s --tir-lower-init-block --tir-convert-blocks-to-opaque | FileCheck %s --check-prefix=OPAQUE
// RUN: partita-opt %s --tir-lower-match-buffer | FileCheck %s --check-prefix=MATCH

// lower-blocks.mlir has the whole way down, block-passes-errors.mlir the errors.

partita.module {

// The condition is about the iterators.
// INIT-LABEL: tir.prim_func @sum
// INIT:       tir.block "sum" ["spatial", "reduce"]
// INIT-NEXT:  ^bb0(%[[VI:.*]]: i32, %[[VJ:.*]]: i32):
// INIT:         %[[FIRST:.*]] = arith.cmpi eq, %[[VJ]], %c0_i32 : i32
// INIT-NEXT:    scf.if %[[FIRST]] {
// INIT-NEXT:      memref.store %cst
// INIT-NEXT:    }
// INIT-NOT:     tir.init

// Regions use the bindings, too. Annotations stay.
// OPAQUE-LABEL: tir.prim_func @sum
// OPAQUE:       scf.for %[[I:.*]] = %c0_i32 to
// OPAQUE:         scf.for %[[J:.*]] = %c0_i32 to
// OPAQUE:           tir.block "sum" [] where %[[P:.*]] {
// OPAQUE:             tir.reads %{{.*}}[%[[I]], %[[J]] : i32, i32]
// OPAQUE:             arith.cmpi eq, %[[J]], %c0_i32 : i32
// OPAQUE:           } {annotations = {other = 1 : i64}}
tir.prim_func @sum(%a: memref<8x4xf32>, %b: memref<8xf32>, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %cst = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c4 step %c1 : i32 {
      tir.block "sum" ["spatial", "reduce"] (%i, %j : i32, i32)
          from(%c0, %c0 : i32, i32) extent(%c8, %c4 : i32, i32) where %p {
      ^bb0(%vi: i32, %vj: i32):
        tir.reads %a[%vi, %vj : i32, i32][%c1, %c1 : i32, i32] : memref<8x4xf32>
        %0 = arith.index_cast %vi : i32 to index
        %1 = arith.index_cast %vj : i32 to index
        tir.init {
          memref.store %cst, %b[%0] : memref<8xf32>
        }
        %2 = memref.load %a[%0, %1] : memref<8x4xf32>
        memref.store %2, %b[%0] : memref<8xf32>
      } {annotations = {other = 1 : i64}}
    }
  }
  tir.return
}

// An inner block matches a part of a part. Regions declare the source.
// MATCH-LABEL: tir.prim_func @parts
// MATCH-SAME:    (%[[A:.*]]: memref<64x64xf32>, %[[I:.*]]: i32
// MATCH-NOT:   tir.match_buffer
// MATCH:       tir.block "inner"
// MATCH:         tir.writes %[[A]][%{{.*}}, %{{.*}} : i32, i32] [%c1_i32, %c4_i32 : i32, i32] : memref<64x64xf32>
// MATCH:         memref.store %{{.*}}, %[[A]][%{{.*}}, %{{.*}}] : memref<64x64xf32>
// A block without matched buffers stays as it is.
// MATCH:       tir.block "other" [] where %true {
// MATCH-NEXT:    tir.reads %[[A]][%c0_i32, %c0_i32 : i32, i32] [%c1_i32, %c1_i32 : i32, i32]
tir.prim_func @parts(%a: memref<64x64xf32>, %i: i32, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %true = arith.constant true
  %0 = arith.index_cast %i : i32 to index
  tir.block "outer" [] where %true {
    %o = tir.var : i32
    %m = tir.match_buffer %a[%c16, %c16 : i32, i32][%c16, %c16 : i32, i32]
        offset(%o : i32) : memref<64x64xf32> to memref<16x16xf32, strided<[64, 1], offset: ?>>
    tir.block "inner" [] where %true {
      tir.writes %m[%i, %c4 : i32, i32][%c1, %c4 : i32, i32] : memref<16x16xf32, strided<[64, 1], offset: ?>>
      %o1 = tir.var : i32
      %n = tir.match_buffer %m[%i, %c4 : i32, i32][%c1, %c4 : i32, i32]
          offset(%o1 : i32) : memref<16x16xf32, strided<[64, 1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
      memref.store %v, %n[%0] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  tir.block "other" [] where %true {
    tir.reads %a[%c0, %c0 : i32, i32][%c1, %c1 : i32, i32] : memref<64x64xf32>
  }
  tir.return
}
}
