// RUN: partita-opt %s --relax-lambda-lift --split-input-file -verify-diagnostics | FileCheck %s
// What a call says by default is no attribute of it, so that it equals one that was read.
// RUN: partita-opt %s --relax-lambda-lift --split-input-file -verify-diagnostics --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// GENERIC: "relax.call"(%{{.*}}) <{callee = @main_f}> :

// A function that uses nothing around it, and one that calls itself.
partita.module @plain {
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %f = relax.local_func %f_self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> attributes {tag = 7 : i64} {
      %c = relax.constant dense<1.0> : tensor<f32>
      %0 = relax.add %z, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
      relax.yield %0 : tensor<4xf32>
    }
    %two = relax.constant dense<2.0> : tensor<4xf32>
    %loop = relax.local_func %self(%n) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      %0 = relax.add %n, %two : tensor<4xf32>
      %1 = relax.call_value(%self, %0) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.yield %1 : tensor<4xf32>
    }
    %a = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    %b = relax.call_value(%loop, %a) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %two = relax.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %a = relax.call @main_f(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %b = relax.call @main_loop(%a) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %a, %b : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @main_f(%z: tensor<4xf32>) -> tensor<4xf32> attributes {tag = 7 : i64} {
// CHECK-NEXT: %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %0 = relax.add %z, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @main_loop(%n: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %two = relax.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %0 = relax.add %n, %two : tensor<4xf32>
// CHECK-NEXT: %1 = relax.call @main_loop(%0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %1 : tensor<4xf32>

// -----

// Closures: one that calls itself, one that has a side effect, and one that
// another function returns.
partita.module @closures {
  relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %loop = relax.local_func %self(%n) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      %0 = relax.add %n, %x : tensor<4xf32>
      %1 = relax.call_value(%self, %0) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.yield %1 : tensor<4xf32>
    }
    %print = relax.local_func %print_self() : !relax.callable<() -> tuple<>, impure> {
      relax.print %x : tensor<4xf32>
      %0 = relax.tuple()
      relax.yield %0 : tuple<>
    }
    %outer = relax.local_func %outer_self(%c) : !relax.callable<(tensor<4xf32>) -> !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>> {
      %inner = relax.local_func %inner_self(%d) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
        %s = relax.add %c, %d : tensor<4xf32>
        relax.yield %s : tensor<4xf32>
      }
      relax.yield %inner : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
    }
    %a = relax.call_value(%loop, %y) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    %other = relax.alias %print : !relax.callable<() -> tuple<>, impure>
    %void = relax.call_value(%other) : (!relax.callable<() -> tuple<>, impure>) -> tuple<>
    %made = relax.call_value(%outer, %a) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>>, tensor<4xf32>) -> !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
    %b = relax.call_value(%made, %y) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %b : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @closures {
// CHECK: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
// CHECK-NEXT: %0 = relax.global @main_loop
// CHECK-NEXT: %1 = relax.tuple(%x) : tensor<4xf32>
// CHECK-NEXT: %loop = relax.make_closure(%0, %1) : (!relax.object, tuple<tensor<4xf32>>) -> !relax.object
// CHECK-NEXT: %2 = relax.global @main_print
// CHECK-NEXT: %3 = relax.tuple(%x) : tensor<4xf32>
// CHECK-NEXT: %print = relax.make_closure(%2, %3) : (!relax.object, tuple<tensor<4xf32>>) -> !relax.object
// CHECK-NEXT: %4 = relax.tuple(%y) : tensor<4xf32>
// CHECK-NEXT: %a = relax.invoke_pure_closure(%loop, %4) ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
// CHECK-NEXT: %other = relax.alias %print : !relax.object
// CHECK-NEXT: %5 = relax.tuple()
// CHECK-NEXT: %void = relax.invoke_closure(%other, %5) ty_args = [tuple<>] : (!relax.object, tuple<>) -> tuple<>
// CHECK-NEXT: %made = relax.call @main_outer(%a) : (tensor<4xf32>) -> !relax.object
// CHECK-NEXT: %6 = relax.tuple(%y) : tensor<4xf32>
// CHECK-NEXT: %b = relax.invoke_pure_closure(%made, %6) ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %b : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @main_loop(%n: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.add %n, %x : tensor<4xf32>
// CHECK-NEXT: %1 = relax.call @main_loop(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @main_print(%x: tensor<4xf32>) attributes {is_pure = false} {
// CHECK-NEXT: relax.print %x : tensor<4xf32>
// CHECK-NEXT: relax.return
// CHECK-NEXT: }
// CHECK: relax.func private @main_inner(%d: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %s = relax.add %c, %d : tensor<4xf32>
// CHECK-NEXT: relax.return %s : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @main_outer(%c: tensor<4xf32>) -> !relax.object {
// CHECK-NEXT: %0 = relax.global @main_inner
// CHECK-NEXT: %1 = relax.tuple(%c) : tensor<4xf32>
// CHECK-NEXT: %inner = relax.make_closure(%0, %1) : (!relax.object, tuple<tensor<4xf32>>) -> !relax.object
// CHECK-NEXT: relax.return %inner : !relax.object

// -----

// Sizes that no parameter has, a name that is taken, a result that is a tuple,
// and functions as values.
partita.module @values {
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>, !relax.object) {
    %f = relax.local_func %f_self() : !relax.callable<() -> tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>> {
      %s = relax.shape ["n"]
      %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
      %t = relax.tuple(%z, %z) : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>
      relax.yield %t : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
    }
    %g = relax.local_func %g_self(%p) : !relax.callable<(tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>> {
      %t = relax.tuple(%p, %p) : tensor<2xf32>, tensor<2xf32>
      relax.yield %t : tuple<tensor<2xf32>, tensor<2xf32>>
    }
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %r = relax.call_value(%g, %c) {is_pure = true} : (!relax.callable<(tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>>, tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
    %first = relax.tuple_get_item %r[0] : tuple<tensor<2xf32>, tensor<2xf32>>
    %packed = relax.extern_func "use"
    %used = relax.call_pure_packed(%packed, %g, %first, %r) ty_args = [!relax.object] : (!relax.object, !relax.callable<(tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>>, tensor<2xf32>, tuple<tensor<2xf32>, tensor<2xf32>>) -> !relax.object
    %q = relax.call_value(%f) {is_pure = true} : (!relax.callable<() -> tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>>) -> tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
    %q0 = relax.tuple_get_item %q[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
    %q1 = relax.tuple_get_item %q[1] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
    relax.return %q0, %q1, %used : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>, !relax.object
  }
  relax.func @main_f() -> tensor<2xf32>
}

// CHECK-LABEL: partita.module @values {
// CHECK: relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>, !relax.object) {
// CHECK-NEXT: %0 = relax.shape ["n"]
// CHECK-NEXT: %1 = relax.global @main_f_0
// CHECK-NEXT: %2 = relax.tuple(%0) : !relax.shape<["n"]>
// CHECK-NEXT: %f = relax.make_closure(%1, %2) : (!relax.object, tuple<!relax.shape<["n"]>>) -> !relax.object
// CHECK-NEXT: %3 = relax.global @main_g : !relax.callable<(tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>>
// CHECK-NEXT: %c = relax.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %r:2 = relax.call @main_g(%c) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: %4 = relax.tuple(%r#0, %r#1) : tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT: %first = relax.alias %r#0 : tensor<2xf32>
// CHECK-NEXT: %packed = relax.extern_func "use"
// CHECK-NEXT: %used = relax.call_pure_packed(%packed, %3, %first, %4) ty_args = [!relax.object] : (!relax.object, !relax.callable<(tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>>, tensor<2xf32>, tuple<tensor<2xf32>, tensor<2xf32>>) -> !relax.object
// CHECK-NEXT: %5 = relax.tuple()
// CHECK-NEXT: %q = relax.invoke_pure_closure(%f, %5) ty_args = [tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>] : (!relax.object, tuple<>) -> tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %q0 = relax.tuple_get_item %q[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %q1 = relax.tuple_get_item %q[1] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: relax.return %q0, %q1, %used : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>, !relax.object
// CHECK-NEXT: }
// CHECK: relax.func @main_f() -> tensor<2xf32>
// CHECK: relax.func private @main_f_0(%arg0: !relax.shape<["n"]>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>) {
// CHECK-NEXT: %s = relax.shape ["n"]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %t = relax.tuple(%z, %z) : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: %0 = relax.tuple_get_item %t[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: %1 = relax.tuple_get_item %t[1] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>>
// CHECK-NEXT: relax.return %0, %1 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK: relax.func private @main_g(%p: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
// CHECK-NEXT: %t = relax.tuple(%p, %p) : tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT: %0 = relax.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
// CHECK-NEXT: %1 = relax.tuple_get_item %t[1] : tuple<tensor<2xf32>, tensor<2xf32>>
// CHECK-NEXT: relax.return %0, %1 : tensor<2xf32>, tensor<2xf32>

// -----

partita.module @taken {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{expected a global_symbol that is no other function's, but found "other"}}
    %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> attributes {global_symbol = "other"} {
      relax.yield %z : tensor<4xf32>
    }
    %a = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %a : tensor<4xf32>
  }
  relax.func @other() -> tensor<2xf32>
}

// -----

// Functions with SkipOptimization stay.
partita.module @skipped {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {SkipOptimization = true} {
    %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      relax.yield %z : tensor<4xf32>
    }
    %a = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %a : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @skipped {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {SkipOptimization = true} {
// CHECK-NEXT: %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
// CHECK-NEXT: relax.yield %z : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %a = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %a : tensor<4xf32>
