// RUN: partita-opt %s --relax-lazy-get-input --split-input-file -verify-diagnostics | FileCheck %s

// Each weight is got before its first use, in each branch and each block.
partita.module @plain {
  relax.func @main(%a: tensor<4xf32>, %c: tensor<i1>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {num_input = 1 : i64} {
    %0 = relax.dataflow -> tensor<4xf32> {
      %1 = relax.add %a, %b : tensor<4xf32>
      relax.output %1 : tensor<4xf32>
    }
    %2 = relax.if %c : tensor<i1> -> tensor<4xf32> {
      relax.yield %b : tensor<4xf32>
    } else {
      %3 = relax.add %b, %b : tensor<4xf32>
      relax.yield %3 : tensor<4xf32>
    }
    relax.return %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
  relax.func private @private(%a: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %a : tensor<4xf32>
  }
  relax.func @declared(%a: tensor<4xf32>) -> tensor<4xf32>
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main(%a: tensor<4xf32>, %fget_param: !relax.callable<(i64, !relax.object) -> !relax.object>) -> (tensor<4xf32>, tensor<4xf32>) attributes {num_input = 2 : i64} {
// CHECK-NEXT: %0 = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %4 = relax.prim_value 1 : i64
// CHECK-NEXT: %5 = relax.string "b"
// CHECK-NEXT: %b_untyped = relax.call_value(%fget_param, %4, %5) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %b = relax.match_cast %b_untyped : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %6 = relax.add %a, %b : tensor<4xf32>
// CHECK-NEXT: relax.output %6 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %1 = relax.prim_value 0 : i64
// CHECK-NEXT: %2 = relax.string "c"
// CHECK-NEXT: %c_untyped = relax.call_value(%fget_param, %1, %2) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %c = relax.match_cast %c_untyped : !relax.object -> tensor<i1>
// CHECK-NEXT: %3 = relax.if %c : tensor<i1> -> tensor<4xf32> {
// CHECK-NEXT: %4 = relax.prim_value 1 : i64
// CHECK-NEXT: %5 = relax.string "b"
// CHECK-NEXT: %b_untyped = relax.call_value(%fget_param, %4, %5) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %b = relax.match_cast %b_untyped : !relax.object -> tensor<4xf32>
// CHECK-NEXT: relax.yield %b : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %4 = relax.prim_value 1 : i64
// CHECK-NEXT: %5 = relax.string "b"
// CHECK-NEXT: %b_untyped = relax.call_value(%fget_param, %4, %5) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %b = relax.match_cast %b_untyped : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %6 = relax.add %b, %b : tensor<4xf32>
// CHECK-NEXT: relax.yield %6 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %0, %3 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @private(%a: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: relax.return %a : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @declared(tensor<4xf32>) -> tensor<4xf32>

// -----

// Sizes: of weights that nothing else uses, of numbers, and in results.
partita.module @sizes {
  relax.func @main(%a: tensor<?x?xf32, #relax.shape<["m", "n"]>>, %k: i64 {relax.dim = "k"}) -> (tensor<?x?xf32, #relax.shape<["m", "k"]>>, i64) {
    %s = relax.shape ["m", "k"]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<["m", "k"]>) -> tensor<?x?xf32, #relax.shape<["m", "k"]>>
    relax.return %z, %k : tensor<?x?xf32, #relax.shape<["m", "k"]>>, i64
  }
}

// CHECK-LABEL: partita.module @sizes {
// CHECK: relax.func @main(%fget_param: !relax.callable<(i64, !relax.object) -> !relax.object>) -> (tensor<?x?xf32>, i64) attributes {num_input = 1 : i64} {
// CHECK-NEXT: %0 = relax.prim_value 0 : i64
// CHECK-NEXT: %1 = relax.string "a"
// CHECK-NEXT: %a_untyped = relax.call_value(%fget_param, %0, %1) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %a = relax.match_cast %a_untyped : !relax.object -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
// CHECK-NEXT: %2 = relax.prim_value 1 : i64
// CHECK-NEXT: %3 = relax.string "k"
// CHECK-NEXT: %k_untyped = relax.call_value(%fget_param, %2, %3) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %k = relax.match_cast %k_untyped : !relax.object -> i64
// CHECK-NEXT: %k_0 = relax.match_cast %k {relax.dim = "k"} : i64 -> i64
// CHECK-NEXT: %s = relax.shape ["m", "k"]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<["m", "k"]>) -> tensor<?x?xf32, #relax.shape<["m", "k"]>>
// CHECK-NEXT: %4 = relax.match_cast %z : tensor<?x?xf32, #relax.shape<["m", "k"]>> -> tensor<?x?xf32>
// CHECK-NEXT: relax.return %4, %k_0 : tensor<?x?xf32>, i64

// -----

// A function in the function gets weights from around it.
partita.module @local {
  relax.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      %0 = relax.add %z, %a : tensor<4xf32>
      relax.yield %0 : tensor<4xf32>
    }
    %1 = relax.call_value(%f, %a) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @local {
// CHECK: relax.func @main(%fget_param: !relax.callable<(i64, !relax.object) -> !relax.object>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
// CHECK-NEXT: %0 = relax.prim_value 0 : i64
// CHECK-NEXT: %1 = relax.string "a"
// CHECK-NEXT: %a_untyped = relax.call_value(%fget_param, %0, %1) {is_pure = true} : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object) -> !relax.object
// CHECK-NEXT: %a = relax.match_cast %a_untyped : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
// CHECK-NEXT: %3 = relax.add %z, %a : tensor<4xf32>
// CHECK-NEXT: relax.yield %3 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %2 = relax.call_value(%f, %a) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %2 : tensor<4xf32>

// -----

partita.module @large {
  // expected-error@+1 {{expected num_input of @main to be a number of its 1 parameters, but found 2 : i64}}
  relax.func @main(%c: tensor<i1>) -> tensor<i1> attributes {num_input = 2 : i64} {
    relax.return %c : tensor<i1>
  }
}
