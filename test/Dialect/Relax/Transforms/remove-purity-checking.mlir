// RUN: partita-opt %s --relax-remove-purity-checking --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-remove-purity-checking --relax-remove-purity-checking --split-input-file | FileCheck %s

partita.module @pure {
  relax.func @main(%x: tensor<4xf32>, %c: !relax.object) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    %f = relax.extern_func "f"
    %0 = relax.call_pure_packed(%f, %x) ty_args = [tensor<4xf32>] {tag = 1 : i64} : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.call_inplace_packed(%f, %0) "relax.attrs.CallInplacePackedAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    %t = relax.tuple(%1) : tensor<4xf32>
    %2 = relax.invoke_pure_closure(%c, %t) ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    %l = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      %3 = relax.call_pure_packed(%f, %z) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      relax.yield %3 : tensor<4xf32>
    }
    %4 = relax.call_value(%l, %2) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    %5 = relax.call_dps_packed(%f, %4) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %5 : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @pure {
// CHECK: relax.func @main(%x: tensor<4xf32>, %c: !relax.object) -> tensor<4xf32> attributes {num_input = 1 : i64, relax.force_pure = true} {
// CHECK-NEXT: %f = relax.extern_func "f"
// CHECK-NEXT: %0 = relax.call_value(%f, %x) ty_args = [tensor<4xf32>] {tag = 1 : i64} : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = relax.call_value(%f, %0) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %t = relax.tuple(%1) : tensor<4xf32>
// CHECK-NEXT: %2 = relax.invoke_closure(%c, %t) ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
// CHECK-NEXT: %l = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> attributes {relax.force_pure = true} {
// CHECK-NEXT: %5 = relax.call_value(%f, %z) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.yield %5 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %3 = relax.call_value(%l, %2) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %4 = relax.call_dps_packed(%f, %3) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %4 : tensor<4xf32>

// -----

// A dataflow block of an impure function has pure calls only.
partita.module @impure {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %f = relax.extern_func "f"
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.call_pure_packed(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      relax.output %0 : tensor<4xf32>
    }
    %1 = relax.call_pure_packed(%f, %y) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
  relax.func @declared(%x: tensor<4xf32>) -> tensor<4xf32>
}

// CHECK-LABEL: partita.module @impure {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
// CHECK-NEXT: %f = relax.extern_func "f"
// CHECK-NEXT: %y = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %1 = relax.call_pure_packed(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %0 = relax.call_value(%f, %y) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @declared(tensor<4xf32>) -> tensor<4xf32>
