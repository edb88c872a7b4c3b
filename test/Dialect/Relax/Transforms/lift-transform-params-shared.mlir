// RUN: partita-opt %s '--relax-lift-transform-params=shared-transform=true' --split-input-file -verify-diagnostics | FileCheck %s
// RUN: not partita-opt %s '--relax-lift-transform-params=shared-functions=f1,none' --split-input-file 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected a relax.func 'none' with a body and the attribute num_input, as shared-functions says, but found none

// Only what all functions compute is shared; each name of a size is its own.
partita.module @shared {
  relax.func @f1(%x: tensor<4x4xf32>, %w1: tensor<4x4xf32>, %w2: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>) attributes {num_input = 1 : i64} {
    %y:2 = relax.dataflow -> tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>> {
      %t = relax.permute_dims %w1 : tensor<4x4xf32>
      %c = relax.constant dense<2.0> : tensor<f32>
      %u = relax.multiply %t, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
      %own = relax.exp %u : tensor<4x4xf32>
      %a = relax.matmul %x, %own : tensor<4x4xf32>
      %b = relax.exp %w2 : tensor<?xf32, #relax.shape<["n"]>>
      relax.output %a, %b : tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>
    }
    relax.return %y#0, %y#1 : tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>
  }
  relax.func @f2(%i: tensor<i64>, %x: tensor<4x4xf32>, %p1: tensor<4x4xf32>, %p2: tensor<?xf32, #relax.shape<["k"]>>) -> tensor<4x4xf32> attributes {num_input = 2 : i64} {
    %y = relax.dataflow -> tensor<4x4xf32> {
      %c = relax.constant dense<2.0> : tensor<f32>
      %t1 = relax.permute_dims %p1 : tensor<4x4xf32>
      %t2 = relax.permute_dims %p1 : tensor<4x4xf32>
      %u1 = relax.multiply %t1, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
      %u2 = relax.multiply %t2, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
      %a = relax.matmul %x, %u1 : tensor<4x4xf32>
      %b = relax.matmul %a, %u2 : tensor<4x4xf32>
      relax.output %b : tensor<4x4xf32>
    }
    relax.return %y : tensor<4x4xf32>
  }
}

// CHECK-LABEL: partita.module @shared {
// CHECK: relax.func @f1(%x: tensor<4x4xf32>, %w2: tensor<?xf32, #relax.shape<["n"]>>, %u: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>) attributes {num_input = 1 : i64} {
// CHECK-NEXT: %y:2 = relax.dataflow -> tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>> {
// CHECK-NEXT: %own = relax.exp %u : tensor<4x4xf32>
// CHECK-NEXT: %a = relax.matmul %x, %own : tensor<4x4xf32>
// CHECK-NEXT: %b = relax.exp %w2 : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.output %a, %b : tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y#0, %y#1 : tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK: relax.func @f2(%i: tensor<i64>, %x: tensor<4x4xf32>, %p2: tensor<?xf32, #relax.shape<["k"]>>, %u1: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {num_input = 2 : i64} {
// CHECK-NEXT: %y = relax.dataflow -> tensor<4x4xf32> {
// CHECK-NEXT: %a = relax.matmul %x, %u1 : tensor<4x4xf32>
// CHECK-NEXT: %b = relax.matmul %a, %u1 : tensor<4x4xf32>
// CHECK-NEXT: relax.output %b : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @transform_params(%model_params: tuple<tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>) attributes {global_symbol = "transform_params", num_input = 0 : i64} {
// CHECK-NEXT: %output_tuple = relax.dataflow -> tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>> {
// CHECK-NEXT: %w1 = relax.tuple_get_item %model_params[0] : tuple<tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %t = relax.permute_dims %w1 : tensor<4x4xf32>
// CHECK-NEXT: %c = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %u = relax.multiply %t, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
// CHECK-NEXT: %w2 = relax.tuple_get_item %model_params[1] : tuple<tensor<4x4xf32>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %output_tuple_0 = relax.tuple(%w2, %u) : tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>
// CHECK-NEXT: relax.output %output_tuple_0 : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>>
// CHECK-NEXT: }
// CHECK-NEXT: %0 = relax.tuple_get_item %output_tuple[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>>
// CHECK-NEXT: %1 = relax.tuple_get_item %output_tuple[1] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>>
// CHECK-NEXT: relax.return %0, %1 : tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>

// -----

partita.module @count {
  relax.func @f1(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    relax.return %w : tensor<4xf32>
  }
  // expected-error@+1 {{expected @f2 to have 1 weights, as @f1 has, but found 2}}
  relax.func @f2(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 0 : i64} {
    relax.return %w : tensor<4xf32>
  }
}

// -----

partita.module @types {
  relax.func @f1(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    relax.return %w : tensor<4xf32>
  }
  // expected-error@+1 {{expected weight 0 of @f2 to be a 'tensor<4xf32>', as in @f1, but found a 'tensor<5xf32>'}}
  relax.func @f2(%x: tensor<4xf32>, %w: tensor<5xf32>) -> tensor<5xf32> attributes {num_input = 1 : i64} {
    relax.return %w : tensor<5xf32>
  }
}

// -----

// Nothing to lift.
partita.module @empty {
}

// CHECK-LABEL: partita.module @empty {
