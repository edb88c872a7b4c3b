// RUN: partita-opt %s --relax-remove-unused-outputs --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-remove-unused-outputs-inner --split-input-file | FileCheck %s --check-prefix=INNER

partita.module @plain {
  relax.func @main() -> (!relax.tensor<*, ?>, !relax.tensor<*, ?>) {
    %args:3 = relax.call @f() : () -> (!relax.tensor<*, ?>, !relax.tensor<*, ?>, !relax.tensor<*, ?>)
    %a = relax.alias %args#0 : !relax.tensor<*, ?>
    %b = relax.alias %args#2 : !relax.tensor<*, ?>
    %one:2 = relax.call @g(%a) : (!relax.tensor<*, ?>) -> (!relax.tensor<*, ?>, !relax.tensor<*, ?>)
    relax.return %one#1, %b : !relax.tensor<*, ?>, !relax.tensor<*, ?>
  }
  relax.func private @f() -> (tensor<16xi32>, tensor<16xi32>, tensor<32xi32>) attributes {kept = 1 : i64} {
    %0 = relax.shape [16]
    %1 = relax.zeros %0 {dtype = i32} : (!relax.shape<[16]>) -> tensor<16xi32>
    %2 = relax.ones %0 {dtype = i32} : (!relax.shape<[16]>) -> tensor<16xi32>
    %3 = relax.shape [32]
    %4 = relax.zeros %3 {dtype = i32} : (!relax.shape<[32]>) -> tensor<32xi32>
    relax.return %1, %2, %4 : tensor<16xi32>, tensor<16xi32>, tensor<32xi32>
  }
  relax.func private @g(%x: !relax.tensor<*, ?>) -> (!relax.tensor<*, ?>, !relax.tensor<*, ?>) {
    %0 = relax.exp %x : !relax.tensor<*, ?>
    relax.return %0, %x : !relax.tensor<*, ?>, !relax.tensor<*, ?>
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main() -> (!relax.tensor<*, ?>, tensor<32xi32>) {
// CHECK-NEXT: %args:2 = relax.call @f() : () -> (tensor<16xi32>, tensor<32xi32>)
// CHECK-NEXT: %a = relax.alias %args#0 : tensor<16xi32>
// CHECK-NEXT: %b = relax.alias %args#1 : tensor<32xi32>
// CHECK-NEXT: %one = relax.call @g(%a) : (tensor<16xi32>) -> !relax.tensor<*, ?>
// CHECK-NEXT: relax.return %one, %b : !relax.tensor<*, ?>, tensor<32xi32>
// CHECK-NEXT: }
// CHECK: relax.func private @f() -> (tensor<16xi32>, tensor<32xi32>) attributes {kept = 1 : i64} {
// CHECK-NEXT: %0 = relax.shape [16]
// CHECK-NEXT: %1 = relax.zeros %0 {dtype = i32} : (!relax.shape<[16]>) -> tensor<16xi32>
// CHECK-NEXT: %2 = relax.shape [32]
// CHECK-NEXT: %3 = relax.zeros %2 {dtype = i32} : (!relax.shape<[32]>) -> tensor<32xi32>
// CHECK-NEXT: relax.return %1, %3 : tensor<16xi32>, tensor<32xi32>
// CHECK-NEXT: }
// CHECK: relax.func private @g(%x: !relax.tensor<*, ?>) -> !relax.tensor<*, ?> {
// CHECK-NEXT: relax.return %x : !relax.tensor<*, ?>

// INNER-LABEL: partita.module @plain {
// INNER: relax.func @main() -> (!relax.tensor<*, ?>, tensor<32xi32>) {
// INNER-NEXT: %args:2 = relax.call @f() : () -> (tensor<16xi32>, tensor<32xi32>)
// INNER-NEXT: %a = relax.alias %args#0 : tensor<16xi32>
// INNER-NEXT: %b = relax.alias %args#1 : tensor<32xi32>
// INNER-NEXT: %one = relax.call @g(%a) : (tensor<16xi32>) -> !relax.tensor<*, ?>
// INNER-NEXT: relax.return %one, %b : !relax.tensor<*, ?>, tensor<32xi32>
// INNER-NEXT: }
// INNER: relax.func private @f() -> (tensor<16xi32>, tensor<32xi32>) attributes {kept = 1 : i64} {
// INNER-NEXT: %0 = relax.shape [16]
// INNER-NEXT: %1 = relax.zeros %0 {dtype = i32} : (!relax.shape<[16]>) -> tensor<16xi32>
// INNER-NEXT: %2 = relax.ones %0 {dtype = i32} : (!relax.shape<[16]>) -> tensor<16xi32>
// INNER-NEXT: %3 = relax.shape [32]
// INNER-NEXT: %4 = relax.zeros %3 {dtype = i32} : (!relax.shape<[32]>) -> tensor<32xi32>
// INNER-NEXT: relax.return %1, %4 : tensor<16xi32>, tensor<32xi32>
// INNER-NEXT: }
// INNER: relax.func private @g(%x: !relax.tensor<*, ?>) -> !relax.tensor<*, ?> {
// INNER-NEXT: %0 = relax.exp %x : !relax.tensor<*, ?>
// INNER-NEXT: relax.return %x : !relax.tensor<*, ?>

// -----

// Left alone: all results used in one of two calls, a public function, and a
// function that is a value.
partita.module @kept {
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, !relax.object) {
    %a:2 = relax.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %b:2 = relax.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %c:2 = relax.call @public(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %d:2 = relax.call @value(%c#0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %g = relax.global @value
    %p = relax.extern_func "use"
    %u = relax.call_pure_packed(%p, %g, %d#0) ty_args = [!relax.object] : (!relax.object, !relax.object, tensor<4xf32>) -> !relax.object
    relax.return %a#0, %b#1, %u : tensor<4xf32>, tensor<4xf32>, !relax.object
  }
  relax.func private @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0, %x : tensor<4xf32>, tensor<4xf32>
  }
  relax.func @public(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    relax.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  relax.func private @value(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    relax.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @kept {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, !relax.object) {
// CHECK-NEXT: %a:2 = relax.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %b:2 = relax.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %c:2 = relax.call @public(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %d:2 = relax.call @value(%c#0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %g = relax.global @value
// CHECK-NEXT: %p = relax.extern_func "use"
// CHECK-NEXT: %u = relax.call_pure_packed(%p, %g, %d#0) ty_args = [!relax.object] : (!relax.object, !relax.object, tensor<4xf32>) -> !relax.object
// CHECK-NEXT: relax.return %a#0, %b#1, %u : tensor<4xf32>, tensor<4xf32>, !relax.object
// CHECK-NEXT: }
// CHECK: relax.func private @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %0 = relax.exp %x : tensor<4xf32>
// CHECK-NEXT: relax.return %0, %x : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @public(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: relax.return %x, %x : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @value(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: relax.return %x, %x : tensor<4xf32>, tensor<4xf32>
