// RUN: partita-opt %s --relax-normalize-global-var --split-input-file -verify-diagnostics | FileCheck %s

// The public function gets its global_symbol as its name, wherever that stands.
partita.module @swap attributes {entry = @f1} {
  relax.func private @f() -> tensor<i32> {
    %c = relax.constant dense<1> : tensor<i32>
    relax.return %c : tensor<i32>
  }
  relax.func @f1() -> tensor<i32> attributes {global_symbol = "f", kept = 3 : i64} {
    %0 = relax.call @f() : () -> tensor<i32>
    %g = relax.global @f
    %x = relax.extern_func "use"
    %u = relax.call_pure_packed(%x, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
    relax.return %0 : tensor<i32>
  }
  tir.prim_func private @k(%a: memref<1xf32>) {
    tir.return
  }
  tir.prim_func @j(%a: memref<1xf32>) attributes {global_symbol = "k"} {
    tir.return
  }
}

// CHECK-LABEL: partita.module @swap attributes {entry = @f} {
// CHECK: relax.func private @f1() -> tensor<i32> {
// CHECK-NEXT: %c = relax.constant dense<1> : tensor<i32>
// CHECK-NEXT: relax.return %c : tensor<i32>
// CHECK-NEXT: }
// CHECK: relax.func @f() -> tensor<i32> attributes {global_symbol = "f", kept = 3 : i64} {
// CHECK-NEXT: %0 = relax.call @f1() : () -> tensor<i32>
// CHECK-NEXT: %g = relax.global @f1
// CHECK-NEXT: %x = relax.extern_func "use"
// CHECK-NEXT: %u = relax.call_pure_packed(%x, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
// CHECK-NEXT: relax.return %0 : tensor<i32>
// CHECK-NEXT: }
// CHECK: tir.prim_func private @k1(%a: memref<1xf32>) {
// CHECK-NEXT: tir.return
// CHECK-NEXT: }
// CHECK: tir.prim_func @k(%a: memref<1xf32>) attributes {global_symbol = "k"} {
// CHECK-NEXT: tir.return

// -----

// Nothing to do.
partita.module @normal {
  relax.func @f() -> tensor<i32> attributes {global_symbol = "f"}
  relax.func private @g() -> tensor<i32>
}

// CHECK-LABEL: partita.module @normal {
// CHECK: relax.func @f() -> tensor<i32> attributes {global_symbol = "f"}
// CHECK: relax.func private @g() -> tensor<i32>

// -----

partita.module @twice {
  // expected-note@+1 {{the other one}}
  relax.func @f() -> tensor<i32>
  // expected-error@+1 {{expected one function of global_symbol 'f', but found two}}
  relax.func @g() -> tensor<i32> attributes {global_symbol = "f"}
}
