// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s

partita.module @m {
  // CHECK:      tir.prim_func private @add(%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>) {
  // CHECK-NEXT:   linalg.add ins(%[[A]], %[[B]] : memref<8xf32>, memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
  // CHECK-NEXT:   tir.return
  // CHECK-NEXT: }
  tir.prim_func private @add(%a: memref<8xf32>, %b: memref<8xf32>,
                             %out: memref<8xf32>) {
    linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>)
               outs(%out : memref<8xf32>)
    tir.return
  }

  // CHECK: tir.prim_func private @declared(memref<?xf32>, index, i64, f32)
  tir.prim_func private @declared(memref<?xf32>, index, i64, f32)

  // CHECK: tir.prim_func @attributes(%{{.*}}: memref<8xf32> {tir.noalias = true}) attributes {op_pattern = 4 : i64, tir.is_scheduled} {
  tir.prim_func @attributes(%a: memref<8xf32> {tir.noalias = true})
      attributes {op_pattern = 4 : i64, tir.is_scheduled} {
    tir.return
  }

  // Loops and local buffers are upstream's; a prim_func is a scope for both.

  // CHECK-LABEL: tir.prim_func @loops
  tir.prim_func @loops(%a: memref<?x4xf32>, %n: index) {
    // CHECK: memref.alloca() : memref<4xf32>
    %local = memref.alloca() : memref<4xf32>
    // CHECK: affine.for %{{.*}} = 0 to %{{.*}} {
    affine.for %i = 0 to %n {
      // CHECK-NEXT: affine.load
      %0 = affine.load %a[%i, 0] : memref<?x4xf32>
      // CHECK-NEXT: affine.store
      affine.store %0, %local[0] : memref<4xf32>
    }
    tir.return
  }

  // Several blocks are fine.

  // CHECK-LABEL: tir.prim_func @branches
  tir.prim_func @branches(%c: i1, %a: memref<f32>, %v: f32) {
    cf.cond_br %c, ^store, ^end
  ^store:
    memref.store %v, %a[] : memref<f32>
    tir.return
  ^end:
    tir.return
  }
}
