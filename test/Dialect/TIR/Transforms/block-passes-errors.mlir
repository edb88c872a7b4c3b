// RUN: partita-opt %s --tir-lower-opaque-block --split-input-file --verify-diagnostics
// RUN: not partita-opt %s --tir-convert-blocks-to-opaque --split-input-file 2>&1 | FileCheck %s

partita.module {
tir.prim_func @iterators(%i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  // expected-error @below {{expected a block without iterators, found 1; run tir.ConvertBlocksToOpaque first}}
  tir.block "block" ["spatial"] (%i : i32) from(%c0 : i32) extent(%c4 : i32) where %true {
  ^bb0(%vi: i32):
  }
  tir.return
}
}

// -----

partita.module {
tir.prim_func @init(%a: memref<f32>, %v: f32) {
  %true = arith.constant true
  tir.block "block" [] where %true {
    // expected-error @below {{expected a block without it; run tir.LowerInitBlock first}}
    tir.init {
      memref.store %v, %a[] : memref<f32>
    }
  }
  tir.return
}
}

// -----

partita.module {
tir.prim_func @match(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    // expected-error @below {{expected a block without it; run tir.LowerMatchBuffer first}}
    %m = tir.match_buffer %a[%c0 : i32][%c4 : i32] : memref<8xf32> to memref<4xf32>
  }
  tir.return
}
}

// -----

partita.module {
tir.prim_func @init_of_iterators(%a: memref<f32>, %v: f32, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  // CHECK: error: expected a block without it; run tir.LowerInitBlock first
  // expected-error @below {{expected a block without iterators, found 1}}
  tir.block "block" ["spatial"] (%i : i32) from(%c0 : i32) extent(%c4 : i32) where %true {
  ^bb0(%vi: i32):
    tir.init {
      memref.store %v, %a[] : memref<f32>
    }
  }
  tir.return
}
}
