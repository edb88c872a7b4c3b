// RUN: partita-opt %s --tir-lower-match-buffer --split-input-file --verify-diagnostics

// One variable for two strides that are 8 and 1.
partita.module {
tir.prim_func @strides(%a: memref<8x8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    %stride = tir.var : i32
    // expected-error @below {{expected strides of the matched buffer that its part is known to have}}
    %0 = tir.match_buffer %a[%c0, %c0 : i32, i32] [%c1, %c4 : i32, i32] strides(%stride, %stride : i32, i32)
      : memref<8x8xf32> to memref<1x4xf32, strided<[?, ?]>>
  }
  tir.return
}
}

// -----

// Parameters may have any value.
partita.module {
tir.prim_func @parameters(%a: memref<8x8xf32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    // expected-error @below {{expected strides of the matched buffer that its part is known to have}}
    %0 = tir.match_buffer %a[%c0, %c0 : i32, i32] [%c1, %c4 : i32, i32] strides(%m, %n : i32, i32)
      : memref<8x8xf32> to memref<1x4xf32, strided<[?, ?]>>
  }
  tir.return
}
}

// -----

partita.module {
tir.prim_func @offset(%a: memref<8x8xf32>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    // expected-error @below {{expected an offset of the matched buffer that its part is known to have}}
    %0 = tir.match_buffer %a[%i, %c0 : i32, i32] [%c1, %c8 : i32, i32] strides(%c8, %c1 : i32, i32) offset(%c8 : i32)
      : memref<8x8xf32> to memref<1x8xf32, strided<[8, 1], offset: 8>>
  }
  tir.return
}
}

// -----

// What is known to be equal: one variable for equal strides, and an offset as an expression.
partita.module {
tir.prim_func @equal(%a: memref<8x8xf32>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    %offset = arith.muli %i, %c8 overflow<nsw> : i32
    %0 = tir.match_buffer %a[%i, %c0 : i32, i32] [%c1, %c4 : i32, i32] shape(%c1, %c4 : i32, i32) strides(%c8, %c1 : i32, i32) offset(%offset : i32)
      : memref<8x8xf32> to memref<1x4xf32, strided<[8, 1], offset: ?>>
  }
  tir.return
}
}
