// RUN: partita-opt %s --relax-bundle-model-params --split-input-file -verify-diagnostics | FileCheck %s
// RUN: partita-opt %s '--relax-bundle-model-params=param-tuple-name=weights' --split-input-file -verify-diagnostics | FileCheck %s --check-prefix=NAME
// NAME: relax.func @main({{.*}}, %weights: tuple<

partita.module @plain {
  relax.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>) attributes {num_input = 1 : i64} {
    %r = relax.dataflow -> tensor<8xf32> {
      %0 = relax.add %a, %b : tensor<8xf32>
      %1 = relax.add %0, %b : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %r, %c : tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>
  }
  // Without num_input, without a body, and with SkipOptimization.
  relax.func @other(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
    relax.return %b : tensor<8xf32>
  }
  relax.func @declared(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {num_input = 1 : i64}
  relax.func @skipped(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {num_input = 1 : i64, SkipOptimization = true} {
    relax.return %b : tensor<8xf32>
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main(%a: tensor<8xf32>, %model_params: tuple<tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>>) -> (tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>) attributes {num_input = 1 : i64} {
// CHECK-NEXT: %r = relax.dataflow -> tensor<8xf32> {
// CHECK-NEXT: %b = relax.tuple_get_item %model_params[0] : tuple<tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %0 = relax.add %a, %b : tensor<8xf32>
// CHECK-NEXT: %b_0 = relax.tuple_get_item %model_params[0] : tuple<tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %1 = relax.add %0, %b_0 : tensor<8xf32>
// CHECK-NEXT: relax.output %1 : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %c = relax.tuple_get_item %model_params[1] : tuple<tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: relax.return %r, %c : tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK: relax.func @other(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: relax.return %b : tensor<8xf32>
// CHECK-NEXT: }
// CHECK: relax.func @declared(tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> attributes {num_input = 1 : i64}
// CHECK: relax.func @skipped(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization = true, num_input = 1 : i64} {
// CHECK-NEXT: relax.return %b : tensor<8xf32>

// -----

// A number that is a size is taken at the start, and the tuple does not say it.
partita.module @number {
  relax.func @main(%c: tensor<i1>, %n: i64 {relax.dim = "n"}, %w: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {num_input = 1 : i64} {
    %0 = relax.if %c : tensor<i1> -> tensor<?xf32, #relax.shape<["n"]>> {
      %1 = relax.add %w, %w : tensor<?xf32, #relax.shape<["n"]>>
      relax.yield %1 : tensor<?xf32, #relax.shape<["n"]>>
    } else {
      relax.yield %w : tensor<?xf32, #relax.shape<["n"]>>
    }
    relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// CHECK-LABEL: partita.module @number {
// CHECK: relax.func @main(%c: tensor<i1>, %model_params: tuple<i64, tensor<?xf32>>) -> tensor<?xf32> attributes {num_input = 1 : i64} {
// CHECK-NEXT: %n = relax.tuple_get_item %model_params[0] : tuple<i64, tensor<?xf32>>
// CHECK-NEXT: %n_0 = relax.match_cast %n {relax.dim = "n"} : i64 -> i64
// CHECK-NEXT: %0 = relax.if %c : tensor<i1> -> tensor<?xf32> {
// CHECK-NEXT: %1 = relax.tuple_get_item %model_params[1] : tuple<i64, tensor<?xf32>>
// CHECK-NEXT: %w = relax.match_cast %1 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %2 = relax.tuple_get_item %model_params[1] : tuple<i64, tensor<?xf32>>
// CHECK-NEXT: %w_1 = relax.match_cast %2 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %3 = relax.add %w, %w_1 : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.yield %3 : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = relax.tuple_get_item %model_params[1] : tuple<i64, tensor<?xf32>>
// CHECK-NEXT: %w = relax.match_cast %1 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.yield %w : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %0 : tensor<?xf32>

// -----

partita.module @negative {
  // expected-error@+1 {{expected num_input of @main to be a number of its 1 parameters, but found -1 : i64}}
  relax.func @main(%c: tensor<i1>) -> tensor<i1> attributes {num_input = -1 : i64} {
    relax.return %c : tensor<i1>
  }
}

// -----

partita.module @large {
  // expected-error@+1 {{expected num_input of @main to be a number of its 1 parameters, but found 2 : i64}}
  relax.func @main(%c: tensor<i1>) -> tensor<i1> attributes {num_input = 2 : i64} {
    relax.return %c : tensor<i1>
  }
}
