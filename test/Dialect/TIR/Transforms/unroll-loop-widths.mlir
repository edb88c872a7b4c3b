// Loops over integers of any width, with signed and unsigned bounds.

// RUN: sh %S/Inputs/each_width.sh %s %t

// Nobody means to unroll a loop whose bounds do not fit in 64 bits.
// DEFINE: %{opt} = partita-opt -O3 --pass-config='tir.UnrollLoop={auto_max_extent = 8}'
// RUN: sed 's/COMPARE//' %S/Inputs/wide-bounds.mlir | %{opt} | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/COMPARE/unsigned /' %S/Inputs/wide-bounds.mlir | %{opt} | FileCheck %s --check-prefix=WIDE
// WIDE-COUNT-3: scf.for

// CHECK-LABEL: tir.prim_func @f
// CHECK-NOT: scf.for
// CHECK-COUNT-2: memref.store
// CHECK-NOT: memref.store
partita.module @m {
  tir.prim_func @f(%m: memref<8xf32>, %v: f32, %i: index) {
    %lower = arith.constant 0 : INT
    %upper = arith.constant 2 : INT
    %step = arith.constant 1 : INT
    scf.for COMPARE%k = %lower to %upper step %step : INT {
      memref.store %v, %m[%i] : memref<8xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }
}
