// The pass cache: a function's result depends on the globals that it names, and
// on those that these name. MLIR folds a load from a constant memref.global.

// DEFINE: %{run} = partita-opt --pass-cache=%t.cache --pass-pipeline='builtin.module(func.func(canonicalize))'
// RUN: rm -rf %t.cache
// RUN: sed 's/dense<1>/dense<2>/' %s > %t.2.mlir
// RUN: sed 's/value = 1/value = 2/' %s > %t.other.mlir
// RUN: %{run} < %s | FileCheck %s -DVALUE=1
// RUN: ls %t.cache/llvmcache-* | count 1
// RUN: %{run} < %t.2.mlir | FileCheck %s -DVALUE=2
// RUN: ls %t.cache/llvmcache-* | count 2
// RUN: %{run} < %s | FileCheck %s -DVALUE=1
// RUN: ls %t.cache/llvmcache-* | count 2

// Globals that no function names play no part.
// RUN: %{run} < %t.other.mlir | FileCheck %s -DVALUE=1
// RUN: ls %t.cache/llvmcache-* | count 2

// CHECK:      func.func @load
// CHECK-NEXT: constant [[VALUE]] : i32
module {
  memref.global "private" constant @g : memref<1xi32> = dense<1>
  memref.global "private" @unused : memref<1xi32> {test.value = 1}
  func.func @load() -> i32 {
    %0 = memref.get_global @g : memref<1xi32>
    %1 = affine.load %0[0] : memref<1xi32>
    return %1 : i32
  }
}
