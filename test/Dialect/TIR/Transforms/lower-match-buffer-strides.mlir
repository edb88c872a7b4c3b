// RUN: partita-opt %s --tir-lower-match-buffer --verify-diagnostics

// The strides of the source have more than 64 bits: no view has them.

partita.module {
tir.prim_func @strides(%a: memref<2x9223372036854775807x4xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    %0 = tir.match_buffer %a[%c0, %c0, %c0 : i32, i32, i32][%c1, %c1, %c4 : i32, i32, i32]
      : memref<2x9223372036854775807x4xf32> to memref<4xf32>
    // expected-error @below {{expected a load, a store or the data of the matched buffer 'memref<4xf32>'}}
    tir.call_intrin "tirx.f"(%0) : (memref<4xf32>) -> ()
  }
  tir.return
}
}
