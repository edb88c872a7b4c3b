// RUN: partita-opt %s --split-input-file | FileCheck %s
// RUN: partita-opt %s --split-input-file | partita-opt --split-input-file | FileCheck %s
// RUN: partita-opt %s --split-input-file --mlir-print-debuginfo | partita-opt --split-input-file | FileCheck %s
// RUN: partita-translate --export-tvm-json %S/../../Target/TVMJson/tir-names.mlir | partita-translate --import-tvm-json --mlir-print-debuginfo | partita-opt --mlir-print-debuginfo | partita-opt | FileCheck %s --check-prefix=LOCS

// LOCS: tir.prim_func private @scale(%arg: memref<8xf32>, %n: i32)
// LOCS: scf.for %row =
// LOCS: ^bb0(%column: i32):

// Parameters, variables of loops and blocks, buffers and bound values keep
// their names, also several on one line; names that the printer makes up are
// not kept.
partita.module {
  // CHECK-LABEL: tir.prim_func @scale(%A: memref<8xf32>, %factor: f32, %arg0: i32)
  tir.prim_func @scale(%A: memref<8xf32>, %factor: f32, %arg7: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %true = arith.constant true
    %zero = arith.constant 0 : i32
    // CHECK: %buffer = tir.alloc_buffer
    %buffer = tir.alloc_buffer : memref<8xf32>
    // CHECK: %twice = tir.bind %arg0 : i32
    %twice = tir.bind %arg7 : i32
    // CHECK: scf.for %i = {{.*}} {
    // CHECK-NEXT: scf.for %i2 = {{.*}} {
    scf.for %i = %c0 to %c8 step %c1 { scf.for %i2 = %c0 to %c8 step %c1 {
      // CHECK: memref.load %A[%i]
      %0 = memref.load %A[%i] : memref<8xf32>
      memref.store %0, %buffer[%i2] : memref<8xf32>
    } }
    // CHECK: scf.for %i =
    scf.for %i = %c0 to %c8 step %c1 {
      // CHECK: tir.block "B"
      // CHECK-NEXT: ^bb0(%vi: i32, %vj: i32):
      tir.block "B" ["spatial", "spatial"](%arg7, %twice : i32, i32) from(%zero, %zero : i32, i32) extent(%arg7, %arg7 : i32, i32) where %true {
      ^bb0(%vi: i32,
           %vj: i32):
        %1 = arith.addi %vi, %vj : i32
        tir.evaluate %1 : i32
      }
    }
    tir.return
  }
}

// -----

partita.module {
  // Names are found in the parsed text, wherever it starts.
  // CHECK-LABEL: tir.prim_func @second(%B: memref<8xf32>)
  tir.prim_func @second(%B: memref<8xf32>) {
    tir.return
  }
}
