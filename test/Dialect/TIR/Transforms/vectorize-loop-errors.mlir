// RUN: partita-opt %s --tir-vectorize-loop --split-input-file --verify-diagnostics

partita.module {
tir.prim_func @symbolic(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{expected a vectorized loop to have step 1 and a constant number of iterations from 1 to 65536, or a multiple of vscale, found one that has not}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {tir.kind = "vectorized"}
  tir.return
}
}

// -----

partita.module {
tir.prim_func @huge() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %n = arith.constant 2147483647 : i32
  // expected-error @below {{expected a vectorized loop}}
  tir.for "vectorized" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
  }
  tir.return
}
}
