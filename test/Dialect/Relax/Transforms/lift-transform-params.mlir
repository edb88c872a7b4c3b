// RUN: partita-opt %s --relax-lift-transform-params --split-input-file -verify-diagnostics | FileCheck %s
// RUN: partita-opt %s --relax-lift-transform-params --pass-config=relax.lift_transform_params.consume_params=true --split-input-file -verify-diagnostics | FileCheck %s --check-prefix=CONSUME

// What depends on weights alone moves, unless stop_lift_params keeps it; what
// depends on no weight stays, and is computed in both functions.
partita.module @basic {
  relax.func @main(%x: tensor<4x4xf32>, %w1: tensor<4x4xf32>, %w2: tensor<4x4xf32>, %w3: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {num_input = 1 : i64, kept = 3 : i64} {
    %outside = relax.exp %w3 : tensor<4x4xf32>
    %y:2 = relax.dataflow -> tensor<4x4xf32>, tensor<4x4xf32> {
      %s = relax.shape [4, 4]
      %zeros = relax.zeros %s {dtype = f32} : (!relax.shape<[4, 4]>) -> tensor<4x4xf32>
      %c = relax.constant dense<2.0> : tensor<f32>
      %a = relax.multiply %w1, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
      %b = relax.add %a, %zeros : tensor<4x4xf32>
      %d = relax.matmul %x, %b : tensor<4x4xf32>
      %e = relax.add %d, %zeros : tensor<4x4xf32>
      %f = relax.builtin.stop_lift_params %w2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %g = relax.exp %f : tensor<4x4xf32>
      %h = relax.add %e, %g : tensor<4x4xf32>
      %r = relax.exp %b : tensor<4x4xf32>
      relax.output %h, %r : tensor<4x4xf32>, tensor<4x4xf32>
    }
    %z = relax.add %y#0, %outside : tensor<4x4xf32>
    relax.return %z, %y#1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  relax.func @other(%x: tensor<4x4xf32>, %w1: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %y = relax.dataflow -> tensor<4x4xf32> {
      %0 = relax.exp %w1 : tensor<4x4xf32>
      relax.output %0 : tensor<4x4xf32>
    }
    relax.return %y : tensor<4x4xf32>
  }
}

// CHECK-LABEL: partita.module @basic {
// CHECK: relax.func @main(%x: tensor<4x4xf32>, %w2: tensor<4x4xf32>, %w3: tensor<4x4xf32>, %b: tensor<4x4xf32>, %r: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {kept = 3 : i64, num_input = 1 : i64} {
// CHECK-NEXT: %outside = relax.exp %w3 : tensor<4x4xf32>
// CHECK-NEXT: %y = relax.dataflow -> tensor<4x4xf32> {
// CHECK-NEXT: %s = relax.shape [4, 4]
// CHECK-NEXT: %zeros = relax.zeros %s {dtype = f32} : (!relax.shape<[4, 4]>) -> tensor<4x4xf32>
// CHECK-NEXT: %d = relax.matmul %x, %b : tensor<4x4xf32>
// CHECK-NEXT: %e = relax.add %d, %zeros : tensor<4x4xf32>
// CHECK-NEXT: %g = relax.exp %w2 : tensor<4x4xf32>
// CHECK-NEXT: %h = relax.add %e, %g : tensor<4x4xf32>
// CHECK-NEXT: relax.output %h : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %z = relax.add %y, %outside : tensor<4x4xf32>
// CHECK-NEXT: relax.return %z, %r : tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @other(%x: tensor<4x4xf32>, %w1: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CHECK-NEXT: %y = relax.dataflow -> tensor<4x4xf32> {
// CHECK-NEXT: %0 = relax.exp %w1 : tensor<4x4xf32>
// CHECK-NEXT: relax.output %0 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @main_transform_params(%model_params: tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {global_symbol = "main_transform_params", num_input = 0 : i64} {
// CHECK-NEXT: %output_tuple = relax.dataflow -> tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>> {
// CHECK-NEXT: %s = relax.shape [4, 4]
// CHECK-NEXT: %zeros = relax.zeros %s {dtype = f32} : (!relax.shape<[4, 4]>) -> tensor<4x4xf32>
// CHECK-NEXT: %c = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %w1 = relax.tuple_get_item %model_params[0] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %a = relax.multiply %w1, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
// CHECK-NEXT: %b = relax.add %a, %zeros : tensor<4x4xf32>
// CHECK-NEXT: %r = relax.exp %b : tensor<4x4xf32>
// CHECK-NEXT: %w2 = relax.tuple_get_item %model_params[1] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %w3 = relax.tuple_get_item %model_params[2] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %output_tuple_0 = relax.tuple(%w2, %w3, %b, %r) : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: relax.output %output_tuple_0 : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: }
// CHECK-NEXT: %0 = relax.tuple_get_item %output_tuple[0] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %1 = relax.tuple_get_item %output_tuple[1] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %2 = relax.tuple_get_item %output_tuple[2] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: %3 = relax.tuple_get_item %output_tuple[3] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CHECK-NEXT: relax.return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>

// CONSUME-LABEL: partita.module @basic {
// CONSUME: relax.func @main(%x: tensor<4x4xf32>, %w2: tensor<4x4xf32>, %w3: tensor<4x4xf32>, %b: tensor<4x4xf32>, %r: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {kept = 3 : i64, num_input = 1 : i64} {
// CONSUME-NEXT: %outside = relax.exp %w3 : tensor<4x4xf32>
// CONSUME-NEXT: %y = relax.dataflow -> tensor<4x4xf32> {
// CONSUME-NEXT: %s = relax.shape [4, 4]
// CONSUME-NEXT: %zeros = relax.zeros %s {dtype = f32} : (!relax.shape<[4, 4]>) -> tensor<4x4xf32>
// CONSUME-NEXT: %d = relax.matmul %x, %b : tensor<4x4xf32>
// CONSUME-NEXT: %e = relax.add %d, %zeros : tensor<4x4xf32>
// CONSUME-NEXT: %g = relax.exp %w2 : tensor<4x4xf32>
// CONSUME-NEXT: %h = relax.add %e, %g : tensor<4x4xf32>
// CONSUME-NEXT: relax.output %h : tensor<4x4xf32>
// CONSUME-NEXT: }
// CONSUME-NEXT: %z = relax.add %y, %outside : tensor<4x4xf32>
// CONSUME-NEXT: relax.return %z, %r : tensor<4x4xf32>, tensor<4x4xf32>
// CONSUME-NEXT: }
// CONSUME: relax.func @other(%x: tensor<4x4xf32>, %w1: tensor<4x4xf32>) -> tensor<4x4xf32> {
// CONSUME-NEXT: %y = relax.dataflow -> tensor<4x4xf32> {
// CONSUME-NEXT: %0 = relax.exp %w1 : tensor<4x4xf32>
// CONSUME-NEXT: relax.output %0 : tensor<4x4xf32>
// CONSUME-NEXT: }
// CONSUME-NEXT: relax.return %y : tensor<4x4xf32>
// CONSUME-NEXT: }
// CONSUME: relax.func @main_transform_params(%model_params: tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {global_symbol = "main_transform_params", num_input = 0 : i64} {
// CONSUME-NEXT: %output_tuple = relax.dataflow -> tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>> {
// CONSUME-NEXT: %s = relax.shape [4, 4]
// CONSUME-NEXT: %zeros = relax.zeros %s {dtype = f32} : (!relax.shape<[4, 4]>) -> tensor<4x4xf32>
// CONSUME-NEXT: %c = relax.constant dense<2.000000e+00> : tensor<f32>
// CONSUME-NEXT: %w1 = relax.tuple_get_item %model_params[0] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %4 = relax.extern_func "vm.builtin.tuple_reset_item"
// CONSUME-NEXT: %5 = relax.prim_value 0 : i32
// CONSUME-NEXT: %6 = relax.call_pure_packed(%4, %model_params, %5) ty_args = [tuple<>] : (!relax.object, tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>, i32) -> tuple<>
// CONSUME-NEXT: %a = relax.multiply %w1, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
// CONSUME-NEXT: %b = relax.add %a, %zeros : tensor<4x4xf32>
// CONSUME-NEXT: %r = relax.exp %b : tensor<4x4xf32>
// CONSUME-NEXT: %w2 = relax.tuple_get_item %model_params[1] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %7 = relax.extern_func "vm.builtin.tuple_reset_item"
// CONSUME-NEXT: %8 = relax.prim_value 1 : i32
// CONSUME-NEXT: %9 = relax.call_pure_packed(%7, %model_params, %8) ty_args = [tuple<>] : (!relax.object, tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>, i32) -> tuple<>
// CONSUME-NEXT: %w3 = relax.tuple_get_item %model_params[2] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %10 = relax.extern_func "vm.builtin.tuple_reset_item"
// CONSUME-NEXT: %11 = relax.prim_value 2 : i32
// CONSUME-NEXT: %12 = relax.call_pure_packed(%10, %model_params, %11) ty_args = [tuple<>] : (!relax.object, tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>, i32) -> tuple<>
// CONSUME-NEXT: %output_tuple_0 = relax.tuple(%w2, %w3, %b, %r) : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
// CONSUME-NEXT: relax.output %output_tuple_0 : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: }
// CONSUME-NEXT: %0 = relax.tuple_get_item %output_tuple[0] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %1 = relax.tuple_get_item %output_tuple[1] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %2 = relax.tuple_get_item %output_tuple[2] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: %3 = relax.tuple_get_item %output_tuple[3] : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>>
// CONSUME-NEXT: relax.return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>

// -----

// Sizes that only weights have are passed as a shape.
partita.module @sizes {
  relax.func @main(%x: tensor<?xf32, #relax.shape<["m"]>>, %w: tensor<?xf32, #relax.shape<["n"]>>, %v: tensor<?xf32, #relax.shape<["m * n"]>>) -> tensor<?xf32, #relax.shape<["m * n"]>> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<?xf32, #relax.shape<["m * n"]>> {
      %s = relax.sum %w axis = [0] : tensor<?xf32, #relax.shape<["n"]>> -> tensor<f32>
      %sh = relax.shape ["m * n"]
      %z = relax.zeros %sh {dtype = f32} : (!relax.shape<["m * n"]>) -> tensor<?xf32, #relax.shape<["m * n"]>>
      %a = relax.add %z, %s : tensor<?xf32, #relax.shape<["m * n"]>>, tensor<f32> -> tensor<?xf32, #relax.shape<["m * n"]>>
      %b = relax.add %a, %v : tensor<?xf32, #relax.shape<["m * n"]>>
      relax.output %b : tensor<?xf32, #relax.shape<["m * n"]>>
    }
    relax.return %y : tensor<?xf32, #relax.shape<["m * n"]>>
  }
}

// CHECK-LABEL: partita.module @sizes {
// CHECK: relax.func @main(%x: tensor<?xf32, #relax.shape<["m"]>>, %vars_from_compile_time_params: !relax.shape<["n"]>, %v: tensor<?xf32, #relax.shape<["m * n"]>>, %s: tensor<f32>) -> tensor<?xf32, #relax.shape<["m * n"]>> attributes {num_input = 1 : i64} {
// CHECK-NEXT: %y = relax.dataflow -> tensor<?xf32, #relax.shape<["m * n"]>> {
// CHECK-NEXT: %sh = relax.shape ["m * n"]
// CHECK-NEXT: %z = relax.zeros %sh {dtype = f32} : (!relax.shape<["m * n"]>) -> tensor<?xf32, #relax.shape<["m * n"]>>
// CHECK-NEXT: %a = relax.add %z, %s : tensor<?xf32, #relax.shape<["m * n"]>>, tensor<f32> -> tensor<?xf32, #relax.shape<["m * n"]>>
// CHECK-NEXT: %b = relax.add %a, %v : tensor<?xf32, #relax.shape<["m * n"]>>
// CHECK-NEXT: relax.output %b : tensor<?xf32, #relax.shape<["m * n"]>>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<?xf32, #relax.shape<["m * n"]>>
// CHECK-NEXT: }
// CHECK: relax.func @main_transform_params(%model_params: tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>>) -> (!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>) attributes {global_symbol = "main_transform_params", num_input = 0 : i64} {
// CHECK-NEXT: %output_tuple = relax.dataflow -> tuple<!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>> {
// CHECK-NEXT: %w = relax.tuple_get_item %model_params[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>>
// CHECK-NEXT: %s = relax.sum %w axis = [0] : tensor<?xf32, #relax.shape<["n"]>> -> tensor<f32>
// CHECK-NEXT: %3 = relax.shape ["n"]
// CHECK-NEXT: %v = relax.tuple_get_item %model_params[1] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>>
// CHECK-NEXT: %output_tuple_0 = relax.tuple(%3, %v, %s) : !relax.shape<["n"]>, tensor<?xf32>, tensor<f32>
// CHECK-NEXT: relax.output %output_tuple_0 : tuple<!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>>
// CHECK-NEXT: }
// CHECK-NEXT: %0 = relax.tuple_get_item %output_tuple[0] : tuple<!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>>
// CHECK-NEXT: %1 = relax.tuple_get_item %output_tuple[1] : tuple<!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>>
// CHECK-NEXT: %2 = relax.tuple_get_item %output_tuple[2] : tuple<!relax.shape<["n"]>, tensor<?xf32>, tensor<f32>>
// CHECK-NEXT: relax.return %0, %1, %2 : !relax.shape<["n"]>, tensor<?xf32>, tensor<f32>

// -----

// Lifted twice: weights go through both functions.
partita.module @again {
  relax.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %w : tensor<4xf32>
      %1 = relax.add %x, %0 : tensor<4xf32>
      relax.output %1 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
  relax.func @main_transform_params(%params: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> attributes {num_input = 0 : i64} {
    %0 = relax.tuple_get_item %params[0] : tuple<tensor<4xf32>>
    %1 = relax.log %0 : tensor<4xf32>
    %2 = relax.tuple(%1) : tensor<4xf32>
    relax.return %2 : tuple<tensor<4xf32>>
  }
}

// CHECK-LABEL: partita.module @again {
// CHECK: relax.func @main(%x: tensor<4xf32>, %arg0: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
// CHECK-NEXT: %y = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.add %x, %arg0 : tensor<4xf32>
// CHECK-NEXT: relax.output %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @main_transform_params(%params: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> attributes {global_symbol = "main_transform_params", num_input = 0 : i64} {
// CHECK-NEXT: %0 = relax.tuple_get_item %params[0] : tuple<tensor<4xf32>>
// CHECK-NEXT: %1 = relax.log %0 : tensor<4xf32>
// CHECK-NEXT: %output_tuple = relax.dataflow -> tuple<tensor<4xf32>> {
// CHECK-NEXT: %2 = relax.exp %1 : tensor<4xf32>
// CHECK-NEXT: %output_tuple_0 = relax.tuple(%2) : tensor<4xf32>
// CHECK-NEXT: relax.output %output_tuple_0 : tuple<tensor<4xf32>>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %output_tuple : tuple<tensor<4xf32>>

// -----

// The results of the function before do not say their sizes.
partita.module @unsaid {
  relax.func @main(%x: tensor<4xf32>, %w: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>> {
      %0 = relax.exp %w : tensor<?xf32, #relax.shape<["n"]>>
      relax.output %0 : tensor<?xf32, #relax.shape<["n"]>>
    }
    relax.return %y : tensor<?xf32, #relax.shape<["n"]>>
  }
  relax.func @main_transform_params(%w: tensor<?xf32>) -> tuple<tensor<?xf32>> attributes {num_input = 0 : i64} {
    %t = relax.tuple(%w) : tensor<?xf32>
    relax.return %t : tuple<tensor<?xf32>>
  }
}

// CHECK-LABEL: partita.module @unsaid {
// CHECK: relax.func @main(%x: tensor<4xf32>, %arg0: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {num_input = 1 : i64} {
// CHECK-NEXT: relax.return %arg0 : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK: relax.func @main_transform_params(%w: tensor<?xf32>) -> tuple<tensor<?xf32, #relax.shape<["n"]>>> attributes {global_symbol = "main_transform_params", num_input = 0 : i64} {
// CHECK-NEXT: %t = relax.tuple(%w) : tensor<?xf32>
// CHECK-NEXT: %0 = relax.match_cast %t : tuple<tensor<?xf32>> -> tuple<tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %output_tuple = relax.dataflow -> tuple<tensor<?xf32, #relax.shape<["n"]>>> {
// CHECK-NEXT: %w_0 = relax.tuple_get_item %0[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %1 = relax.exp %w_0 : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %output_tuple_1 = relax.tuple(%1) : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.output %output_tuple_1 : tuple<tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %output_tuple : tuple<tensor<?xf32, #relax.shape<["n"]>>>

// -----

partita.module @negative {
  // expected-error@+1 {{expected num_input of @main to be a number of its 1 parameters, but found -1 : i64}}
  relax.func @main(%c: tensor<i1>) -> tensor<i1> attributes {num_input = -1 : i64} {
    relax.return %c : tensor<i1>
  }
}

// -----

partita.module @taken {
  relax.func @main(%w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 0 : i64} {
    relax.return %w : tensor<4xf32>
  }
  // expected-error@+1 {{expected a relax.func with a body to come before the new @main_transform_params, but found another function}}
  tir.prim_func @main_transform_params(%a: memref<4xf32>) {
    tir.return
  }
}
