// RUN: partita-opt --pass-pipeline='builtin.module(func.func(convert-memref-copy-to-linalg))' %s | FileCheck %s

// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[A:.*]]: memref<4x4xf32>, %[[B:.*]]: memref<4x4xf32, strided<[8, 1], offset: 2>>, %[[C:.*]]: memref<4x4xf32>)
// CHECK-NEXT: linalg.generic
// CHECK-SAME: ins(%[[A]] : memref<4x4xf32>) outs(%[[B]] : memref<4x4xf32, strided<[8, 1], offset: 2>>)
// CHECK: memref.copy %[[A]], %[[C]]
func.func @copies(%a: memref<4x4xf32>, %b: memref<4x4xf32, strided<[8, 1], offset: 2>>,
                  %c: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1], offset: 2>>
  memref.copy %a, %c : memref<4x4xf32> to memref<4x4xf32>
  return
}
