// RUN: partita-opt %s --relax-expand-tuple-arguments --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-expand-tuple-arguments-inner --split-input-file | FileCheck %s --check-prefix=INNER

partita.module @nested {
  relax.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
    %0 = relax.tuple(%a, %b) : tensor<4xf32>, tensor<4xf32>
    %1 = relax.tuple(%0, %t) : tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>
    %2 = relax.tuple()
    %3 = relax.call @f(%a, %1, %2) : (tensor<4xf32>, tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>, tuple<>) -> tensor<4xf32>
    relax.return %3 : tensor<4xf32>
  }
  relax.func private @f(%x: tensor<4xf32>, %args: tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>, %none: tuple<>) -> tensor<4xf32> attributes {kept = 1 : i64} {
    %0 = relax.tuple_get_item %args[0] : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>
    %1 = relax.tuple_get_item %0[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    %2 = relax.add %x, %1 : tensor<4xf32>
    relax.return %2 : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @nested {
// CHECK: relax.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
// CHECK-NEXT: %1 = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// CHECK-NEXT: %2 = relax.call @f(%a, %a, %b, %0, %1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %2 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @f(%x: tensor<4xf32>, %args_0_0: tensor<4xf32>, %args_0_1: tensor<4xf32>, %args_1_0: tensor<4xf32>, %args_1_1: tensor<4xf32>) -> tensor<4xf32> attributes {kept = 1 : i64} {
// CHECK-NEXT: %0 = relax.add %x, %args_0_1 : tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>

// INNER-LABEL: partita.module @nested {
// INNER: relax.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
// INNER-NEXT: %0 = relax.tuple(%a, %b) : tensor<4xf32>, tensor<4xf32>
// INNER-NEXT: %1 = relax.tuple(%0, %t) : tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %2 = relax.tuple()
// INNER-NEXT: %3 = relax.tuple_get_item %1[0] : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>
// INNER-NEXT: %4 = relax.tuple_get_item %1[1] : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>
// INNER-NEXT: %5 = relax.tuple_get_item %3[0] : tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %6 = relax.tuple_get_item %3[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %7 = relax.tuple_get_item %4[0] : tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %8 = relax.tuple_get_item %4[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %9 = relax.call @f(%a, %5, %6, %7, %8) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// INNER-NEXT: relax.return %9 : tensor<4xf32>
// INNER-NEXT: }
// INNER: relax.func private @f(%x: tensor<4xf32>, %args_0_0: tensor<4xf32>, %args_0_1: tensor<4xf32>, %args_1_0: tensor<4xf32>, %args_1_1: tensor<4xf32>) -> tensor<4xf32> attributes {kept = 1 : i64} {
// INNER-NEXT: %none = relax.tuple()
// INNER-NEXT: %args_1 = relax.tuple(%args_1_0, %args_1_1) : tensor<4xf32>, tensor<4xf32>
// INNER-NEXT: %args_0 = relax.tuple(%args_0_0, %args_0_1) : tensor<4xf32>, tensor<4xf32>
// INNER-NEXT: %args = relax.tuple(%args_0, %args_1) : tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %0 = relax.tuple_get_item %args[0] : tuple<tuple<tensor<4xf32>, tensor<4xf32>>, tuple<tensor<4xf32>, tensor<4xf32>>>
// INNER-NEXT: %1 = relax.tuple_get_item %0[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// INNER-NEXT: %2 = relax.add %x, %1 : tensor<4xf32>
// INNER-NEXT: relax.return %2 : tensor<4xf32>

// -----

// Left alone: a public function, and one that is a value.
partita.module @kept {
  relax.func @main(%t: tuple<tensor<4xf32>>) -> (tensor<4xf32>, !relax.object) {
    %0 = relax.call @value(%t) : (tuple<tensor<4xf32>>) -> tensor<4xf32>
    %g = relax.global @value
    %p = relax.extern_func "use"
    %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
    relax.return %0, %u : tensor<4xf32>, !relax.object
  }
  relax.func private @value(%t: tuple<tensor<4xf32>>) -> tensor<4xf32> {
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>>
    relax.return %0 : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @kept {
// CHECK: relax.func @main(%t: tuple<tensor<4xf32>>) -> (tensor<4xf32>, !relax.object) {
// CHECK-NEXT: %0 = relax.call @value(%t) : (tuple<tensor<4xf32>>) -> tensor<4xf32>
// CHECK-NEXT: %g = relax.global @value
// CHECK-NEXT: %p = relax.extern_func "use"
// CHECK-NEXT: %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
// CHECK-NEXT: relax.return %0, %u : tensor<4xf32>, !relax.object
// CHECK-NEXT: }
// CHECK: relax.func private @value(%t: tuple<tensor<4xf32>>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
