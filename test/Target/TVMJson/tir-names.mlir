// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s
// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json --mlir-print-debuginfo | partita-translate --export-tvm-json | partita-translate --import-tvm-json | FileCheck %s

// Names in the text are the names of TVM's variables.
partita.module {
  // CHECK-LABEL: tir.prim_func private @scale(%arg: memref<8xf32>, %n: i32)
  tir.prim_func @scale(%arg: memref<8xf32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    // CHECK: scf.for %row =
    scf.for %row = %c0 to %c8 step %c1 : i32 {
      // CHECK: %twice = tir.bind
      %twice = tir.bind %row : i32
      // CHECK: tir.for "serial"
      // CHECK-NEXT: ^bb0(%column: i32):
      tir.for "serial" %c0, %c8 : i32, i32 {
      ^bb0(%column: i32):
        %0 = arith.index_cast %twice : i32 to index
        %1 = memref.load %arg[%0] : memref<8xf32>
        %2 = arith.index_cast %column : i32 to index
        memref.store %1, %arg[%2] : memref<8xf32>
        tir.break
      }
    }
    tir.return
  }
}
