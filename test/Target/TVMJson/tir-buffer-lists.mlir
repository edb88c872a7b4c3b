// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: partita-translate --import-tvm-json --strict %t.json | FileCheck %s
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: sed 's/"other"/"layout_free_placeholders"/' %s > %t.mlir
// RUN: not partita-translate --export-tvm-json %t.mlir 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: partita-opt %s --tir-lower-match-buffer --tir-convert-blocks-to-opaque --tir-lower-opaque-block | FileCheck --check-prefix=LOWERED %s
// RUN: partita-opt %s --tir-lower-match-buffer --tir-flatten-buffer | FileCheck --check-prefix=FLAT %s

// Annotations of a block that are lists of buffers are with the parts of the
// buffers that the block reads. TVM's batch_matmul and dense have them.

// JSON: "layout_free_placeholders"

// CHECK: tir.block "product"
// CHECK-DAG: tir.reads %a[{{.*}}] [{{.*}}] {annotations = ["layout_free_placeholders", "more"]} : memref<8xf32>
// CHECK-DAG: tir.reads %b[{{.*}}] [{{.*}}] {annotations = ["layout_free_placeholders"]} : memref<8xf32>
// CHECK: } {annotations = {other = 1 : i64}}

// TWICE: expected one annotation "layout_free_placeholders", found another one in 'tir.reads'

// LOWERED-NOT: tir.reads

// A part of another buffer, and a flat buffer, have the keys, too.
// FLAT: tir.prim_func @parts
// FLAT: tir.reads %{{.*}} {annotations = ["layout_free_placeholders"]} : memref<8xf32>
// FLAT: tir.reads %{{.*}} {annotations = ["layout_free_placeholders"]} : memref<8xf32>
partita.module {
  tir.prim_func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      tir.block "product" ["spatial"](%i : i32) from(%c0 : i32) extent(%c8 : i32) where %true {
      ^bb0(%v: i32):
        %0 = arith.index_cast %v : i32 to index
        tir.reads %a[%v : i32] [%c1 : i32] {annotations = ["layout_free_placeholders", "more"]} : memref<8xf32>
        tir.reads %b[%v : i32] [%c1 : i32] {annotations = ["layout_free_placeholders"]} : memref<8xf32>
        tir.writes %c[%v : i32] [%c1 : i32] : memref<8xf32>
        %1 = memref.load %a[%0] : memref<8xf32>
        %2 = memref.load %b[%0] : memref<8xf32>
        %3 = arith.mulf %1, %2 : f32
        memref.store %3, %c[%0] : memref<8xf32>
      } {annotations = {"other" = 1 : i64}}
    }
    tir.return
  }

  tir.prim_func @parts(%a: memref<2x4xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    tir.block "flat" [] where %true {
      %part = tir.match_buffer %a[%c1, %c0 : i32, i32] [%c1, %c4 : i32, i32] : memref<2x4xf32> to memref<4xf32>
      tir.reads %a[%c0, %c0 : i32, i32] [%c1, %c4 : i32, i32] {annotations = ["layout_free_placeholders"]} : memref<2x4xf32>
      tir.block "part" [] where %true {
        tir.reads %part[%c0 : i32] [%c4 : i32] {annotations = ["layout_free_placeholders"]} : memref<4xf32>
      }
    }
    tir.return
  }
}
