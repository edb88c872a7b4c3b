// RUN: partita-opt %s --relax-lazy-transform-params --split-input-file -verify-diagnostics | FileCheck %s
// RUN: not partita-opt %s '--relax-lazy-transform-params=fget-item=get fset-item="" extra-get-item-params=loader,n:i64' --split-input-file 2>/dev/null | FileCheck %s --check-prefix=GET
// RUN: not partita-opt %s '--relax-lazy-transform-params=extra-set-item-params=a:nothing' --split-input-file 2>&1 | FileCheck %s --check-prefix=EXTRA
// EXTRA: error: expected extra parameters as names, or as name:type, but found 'a:nothing'

// Fields of a tuple, and results that are a tuple.
partita.module @tuple {
  relax.func @main_transform_params(%params: tuple<tensor<4xf32>, tensor<4xf32>>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) attributes {relax.force_pure = true} {
    %c = relax.constant dense<1.0> : tensor<f32>
    %a = relax.tuple_get_item %params[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    %b = relax.tuple_get_item %params[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    %d = relax.exp %b : tensor<4xf32>
    %e = relax.dataflow -> tensor<4xf32> {
      %f = relax.add %d, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
      relax.output %f : tensor<4xf32>
    }
    %t = relax.tuple(%a, %e, %c) : tensor<4xf32>, tensor<4xf32>, tensor<f32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
    %2 = relax.tuple_get_item %t[2] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
    relax.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  relax.func @other(%params: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
    %a = relax.tuple_get_item %params[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    relax.return %a : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @tuple {
// CHECK: relax.func @main_transform_params() attributes {is_pure = false} {
// CHECK-NEXT: %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = relax.extern_func "get_item"
// CHECK-NEXT: %1 = relax.prim_value 1 : i64
// CHECK-NEXT: %gv = relax.call_value(%0, %1) ty_args = [!relax.object] : (!relax.object, i64) -> !relax.object
// CHECK-NEXT: %gv_0 = relax.match_cast %gv : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %a = relax.alias %gv_0 : tensor<4xf32>
// CHECK-NEXT: %2 = relax.extern_func "set_item"
// CHECK-NEXT: %3 = relax.prim_value 0 : i64
// CHECK-NEXT: %_ = relax.call_value(%2, %3, %a) ty_args = [!relax.object] : (!relax.object, i64, tensor<4xf32>) -> !relax.object
// CHECK-NEXT: relax.vm.kill_object %a : tensor<4xf32>
// CHECK-NEXT: %4 = relax.extern_func "get_item"
// CHECK-NEXT: %5 = relax.prim_value 0 : i64
// CHECK-NEXT: %gv_1 = relax.call_value(%4, %5) ty_args = [!relax.object] : (!relax.object, i64) -> !relax.object
// CHECK-NEXT: %gv_2 = relax.match_cast %gv_1 : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %b = relax.alias %gv_2 : tensor<4xf32>
// CHECK-NEXT: %d = relax.exp %b : tensor<4xf32>
// CHECK-NEXT: relax.vm.kill_object %b : tensor<4xf32>
// CHECK-NEXT: %f = relax.add %d, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: %6 = relax.extern_func "set_item"
// CHECK-NEXT: %7 = relax.prim_value 1 : i64
// CHECK-NEXT: %__3 = relax.call_value(%6, %7, %f) ty_args = [!relax.object] : (!relax.object, i64, tensor<4xf32>) -> !relax.object
// CHECK-NEXT: %t = relax.tuple()
// CHECK-NEXT: %8 = relax.extern_func "set_item"
// CHECK-NEXT: %9 = relax.prim_value 2 : i64
// CHECK-NEXT: %__4 = relax.call_value(%8, %9, %c) ty_args = [!relax.object] : (!relax.object, i64, tensor<f32>) -> !relax.object
// CHECK-NEXT: relax.return
// CHECK-NEXT: }
// CHECK: relax.func @other(%params: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
// CHECK-NEXT: %a = relax.tuple_get_item %params[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// CHECK-NEXT: relax.return %a : tensor<4xf32>

// GET-LABEL: partita.module @tuple {
// GET: relax.func @main_transform_params(%loader: !relax.object, %n: i64) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) attributes {is_pure = false} {
// GET-NEXT: %c = relax.constant dense<1.000000e+00> : tensor<f32>
// GET-NEXT: %0 = relax.extern_func "get"
// GET-NEXT: %1 = relax.prim_value 1 : i64
// GET-NEXT: %gv = relax.call_value(%0, %loader, %n, %1) ty_args = [!relax.object] : (!relax.object, !relax.object, i64, i64) -> !relax.object
// GET-NEXT: %gv_0 = relax.match_cast %gv : !relax.object -> tensor<4xf32>
// GET-NEXT: %a = relax.alias %gv_0 : tensor<4xf32>
// GET-NEXT: %2 = relax.extern_func "get"
// GET-NEXT: %3 = relax.prim_value 0 : i64
// GET-NEXT: %gv_1 = relax.call_value(%2, %loader, %n, %3) ty_args = [!relax.object] : (!relax.object, !relax.object, i64, i64) -> !relax.object
// GET-NEXT: %gv_2 = relax.match_cast %gv_1 : !relax.object -> tensor<4xf32>
// GET-NEXT: %b = relax.alias %gv_2 : tensor<4xf32>
// GET-NEXT: %d = relax.exp %b : tensor<4xf32>
// GET-NEXT: %f = relax.add %d, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// GET-NEXT: %t = relax.tuple(%a, %f, %c) : tensor<4xf32>, tensor<4xf32>, tensor<f32>
// GET-NEXT: %4 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
// GET-NEXT: %5 = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
// GET-NEXT: %6 = relax.tuple_get_item %t[2] : tuple<tensor<4xf32>, tensor<4xf32>, tensor<f32>>
// GET-NEXT: relax.return %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<f32>
// GET-NEXT: }
// GET: relax.func @other(%params: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
// GET-NEXT: %a = relax.tuple_get_item %params[1] : tuple<tensor<4xf32>, tensor<4xf32>>
// GET-NEXT: relax.return %a : tensor<4xf32>

// -----

// Parameters one by one, after the inputs; shapes and numbers stay parameters.
partita.module @parameters {
  relax.func @transform_params(%i: tensor<i64>, %a: tensor<?xf32, #relax.shape<["n"]>>, %b: tensor<4xf32>, %s: !relax.shape<["n"]>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) attributes {num_input = 1 : i64} {
    %0 = relax.exp %b : tensor<4xf32>
    relax.return %a, %0 : tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @parameters {
// CHECK: relax.func @transform_params(%i: tensor<i64>, %symbolic_var_holder: !relax.shape<["n"]>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) attributes {is_pure = false, num_input = 1 : i64} {
// CHECK-NEXT: %0 = relax.extern_func "get_item"
// CHECK-NEXT: %1 = relax.prim_value 1 : i64
// CHECK-NEXT: %gv = relax.call_value(%0, %1) ty_args = [!relax.object] : (!relax.object, i64) -> !relax.object
// CHECK-NEXT: %b = relax.match_cast %gv : !relax.object -> tensor<4xf32>
// CHECK-NEXT: %2 = relax.exp %b : tensor<4xf32>
// CHECK-NEXT: %3 = relax.extern_func "get_item"
// CHECK-NEXT: %4 = relax.prim_value 0 : i64
// CHECK-NEXT: %gv_0 = relax.call_value(%3, %4) ty_args = [!relax.object] : (!relax.object, i64) -> !relax.object
// CHECK-NEXT: %a = relax.match_cast %gv_0 : !relax.object -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.return %a, %2 : tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>

// GET-LABEL: partita.module @parameters {
// GET: relax.func @transform_params(%i: tensor<i64>, %loader: !relax.object, %n: i64, %symbolic_var_holder: !relax.shape<["n"]>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) attributes {is_pure = false, num_input = 1 : i64} {
// GET-NEXT: %0 = relax.extern_func "get"
// GET-NEXT: %1 = relax.prim_value 1 : i64
// GET-NEXT: %gv = relax.call_value(%0, %loader, %n, %1) ty_args = [!relax.object] : (!relax.object, !relax.object, i64, i64) -> !relax.object
// GET-NEXT: %b = relax.match_cast %gv : !relax.object -> tensor<4xf32>
// GET-NEXT: %2 = relax.exp %b : tensor<4xf32>
// GET-NEXT: %3 = relax.extern_func "get"
// GET-NEXT: %4 = relax.prim_value 0 : i64
// GET-NEXT: %gv_0 = relax.call_value(%3, %loader, %n, %4) ty_args = [!relax.object] : (!relax.object, !relax.object, i64, i64) -> !relax.object
// GET-NEXT: %a = relax.match_cast %gv_0 : !relax.object -> tensor<?xf32, #relax.shape<["n"]>>
// GET-NEXT: relax.return %a, %2 : tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>

// -----

partita.module @whole {
  relax.func @transform_params(%params: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
    // expected-error@+1 {{expected the fields of parameter 0 of @transform_params to be used one by one, but found a use of the whole tuple}}
    relax.return %params : tuple<tensor<4xf32>>
  }
}
