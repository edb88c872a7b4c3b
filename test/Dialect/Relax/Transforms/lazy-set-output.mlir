// RUN: partita-opt %s --relax-lazy-set-output --split-input-file -verify-diagnostics | FileCheck %s

// Each result is given when it is known: a parameter at the start, a constant at
// the end, a value twice if it is two results.
partita.module @plain {
  relax.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f16>, tensor<4xf32>, i64, tensor<4xf32>) attributes {num_input = 1 : i64} {
    %c = relax.constant dense<1.0> : tensor<f16>
    %x = relax.exp %a : tensor<4xf32>
    %y = relax.add %x, %b : tensor<4xf32>
    %z = relax.dataflow -> tensor<4xf32> {
      %in = relax.exp %y : tensor<4xf32>
      relax.output %in : tensor<4xf32>
    }
    %0 = relax.prim_value 42 : i64
    relax.return %x, %b, %c, %x, %0, %z : tensor<4xf32>, tensor<4xf32>, tensor<f16>, tensor<4xf32>, i64, tensor<4xf32>
  }
  relax.func private @private(%a: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %a : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main(%a: tensor<4xf32>, %fset_output: !relax.callable<(i64, !relax.object) -> tuple<>, impure>, %b: tensor<4xf32>) attributes {is_pure = false, num_input = 2 : i64} {
// CHECK-NEXT: %0 = relax.prim_value 1 : i64
// CHECK-NEXT: %_void = relax.call_value(%fset_output, %0, %b) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<4xf32>) -> tuple<>
// CHECK-NEXT: %c = relax.constant dense<1.000000e+00> : tensor<f16>
// CHECK-NEXT: %x = relax.exp %a : tensor<4xf32>
// CHECK-NEXT: %1 = relax.prim_value 0 : i64
// CHECK-NEXT: %_void_0 = relax.call_value(%fset_output, %1, %x) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<4xf32>) -> tuple<>
// CHECK-NEXT: %2 = relax.prim_value 3 : i64
// CHECK-NEXT: %_void_1 = relax.call_value(%fset_output, %2, %x) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<4xf32>) -> tuple<>
// CHECK-NEXT: %y = relax.add %x, %b : tensor<4xf32>
// CHECK-NEXT: %z = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %in = relax.exp %y : tensor<4xf32>
// CHECK-NEXT: relax.output %in : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %3 = relax.prim_value 5 : i64
// CHECK-NEXT: %_void_2 = relax.call_value(%fset_output, %3, %z) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<4xf32>) -> tuple<>
// CHECK-NEXT: %4 = relax.prim_value 42 : i64
// CHECK-NEXT: %5 = relax.prim_value 2 : i64
// CHECK-NEXT: %_void_3 = relax.call_value(%fset_output, %5, %c) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<f16>) -> tuple<>
// CHECK-NEXT: %6 = relax.prim_value 4 : i64
// CHECK-NEXT: %_void_4 = relax.call_value(%fset_output, %6, %4) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, i64) -> tuple<>
// CHECK-NEXT: relax.return
// CHECK-NEXT: }
// CHECK: relax.func private @private(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: relax.return %a : tensor<4xf32>

// -----

// A tuple that is a variable is one result; without a variable, its fields are
// results.
partita.module @tuples {
  relax.func @variable(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %t = relax.tuple(%a, %a) : tensor<4xf32>, tensor<4xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    relax.return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  relax.func @fields(%a: tensor<?xf32, #relax.shape<["n"]>>) -> tuple<tensor<?xf32, #relax.shape<["n"]>>> {
    %0 = relax.exp %a : tensor<?xf32, #relax.shape<["n"]>>
    %1 = relax.tuple(%0) : tensor<?xf32, #relax.shape<["n"]>>
    relax.return %1 : tuple<tensor<?xf32, #relax.shape<["n"]>>>
  }
  relax.func @none() {
    relax.return
  }
}

// CHECK-LABEL: partita.module @tuples {
// CHECK: relax.func @variable(%a: tensor<4xf32>, %fset_output: !relax.callable<(i64, !relax.object) -> tuple<>, impure>) attributes {is_pure = false} {
// CHECK-NEXT: %t = relax.tuple(%a, %a) : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %0 = relax.prim_value 0 : i64
// CHECK-NEXT: %_void = relax.call_value(%fset_output, %0, %t) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<>
// CHECK-NEXT: relax.return
// CHECK-NEXT: }
// CHECK: relax.func @fields(%a: tensor<?xf32, #relax.shape<["n"]>>, %fset_output: !relax.callable<(i64, !relax.object) -> tuple<>, impure>) attributes {is_pure = false} {
// CHECK-NEXT: %0 = relax.exp %a : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %1 = relax.prim_value 0 : i64
// CHECK-NEXT: %_void = relax.call_value(%fset_output, %1, %0) : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<?xf32, #relax.shape<["n"]>>) -> tuple<>
// CHECK-NEXT: relax.return
// CHECK-NEXT: }
// CHECK: relax.func @none(%fset_output: !relax.callable<(i64, !relax.object) -> tuple<>, impure>) attributes {is_pure = false} {
// CHECK-NEXT: relax.return

// -----

partita.module @large {
  // expected-error@+1 {{expected num_input of @main to be a number of its 1 parameters, but found 2 : i64}}
  relax.func @main(%c: tensor<i1>) -> tensor<i1> attributes {num_input = 2 : i64} {
    relax.return %c : tensor<i1>
  }
}
