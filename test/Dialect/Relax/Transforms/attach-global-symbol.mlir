// RUN: partita-opt %s --relax-attach-global-symbol --split-input-file -verify-diagnostics | FileCheck %s

partita.module @plain {
  relax.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call_tir @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func @other() -> tensor<4xf32> attributes {global_symbol = "first"}
  tir.prim_func private @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {tirx.noalias = true} {
    tir.return
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "f"} {
// CHECK-NEXT: %0 = relax.call_tir @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @other() -> tensor<4xf32> attributes {global_symbol = "other"}
// CHECK: tir.prim_func @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {global_symbol = "k", tirx.noalias = true} {
// CHECK-NEXT: tir.return

// -----

// A prefix is for the names of prim_funcs.
partita.module @prefix attributes {system_lib_prefix = "lib_"} {
  relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call_tir @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  tir.prim_func private @k(%a: memref<4xf32>, %b: memref<4xf32>) {
    tir.return
  }
}

// CHECK-LABEL: partita.module @prefix attributes {system_lib_prefix = "lib_"} {
// CHECK: relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.call_tir @lib_k(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: tir.prim_func @lib_k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {global_symbol = "lib_k"} {
// CHECK-NEXT: tir.return

// -----

partita.module @taken attributes {system_lib_prefix = "lib_"} {
  // expected-note@+1 {{the other one}}
  relax.func @lib_k() -> tensor<4xf32>
  // expected-error@+1 {{expected one function @lib_k, but found two}}
  tir.prim_func private @k(%a: memref<4xf32>) {
    tir.return
  }
}
