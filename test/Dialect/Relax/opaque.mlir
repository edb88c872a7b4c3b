// Opaque expressions and bodies parse, print and go through bytecode unchanged,
// and no pass touches them.

// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s
// RUN: partita-opt %s --relax-dead-code-elimination --canonicalize --cse | FileCheck %s --check-prefix=PASSES

partita.module {
  // CHECK-LABEL: relax.func @main
  // PASSES-LABEL: relax.func @main
  relax.func @main(%x: tensor<4xf32>, %s: !relax.opaque<"relax.ShapeType", "{}">) -> tensor<4xf32> attributes {is_pure = false} {
    // CHECK: %[[ONE:.*]] = relax.prim_value 1 : i64
    %one = relax.prim_value 1 : i64
    // CHECK: %[[A:.*]] = relax.call_op "relax.roll"(%{{.*}}, %[[ONE]]) "relax.attrs.RollAttrs" {axis = 0 : i64} {is_pure = true} : (tensor<4xf32>, i64) -> tensor<4xf32>
    // PASSES: relax.call_op "relax.roll"
    %a = relax.call_op "relax.roll"(%x, %one) "relax.attrs.RollAttrs" {axis = 0 : i64} {is_pure = true} : (tensor<4xf32>, i64) -> tensor<4xf32>
    // An unused one stays if it can have effects.
    // CHECK: relax.call_op "relax.print"(%[[A]]) : (tensor<4xf32>) -> tuple<>
    // PASSES: relax.call_op "relax.print"
    %p = relax.call_op "relax.print"(%a) : (tensor<4xf32>) -> tuple<>
    // CHECK: relax.opaque_expr "relax.expr.If"(%[[A]]) symbols = [@f] json = dense<123> : tensor<2xui8> : (tensor<4xf32>) -> tensor<4xf32>
    // PASSES: relax.opaque_expr "relax.expr.If"
    %b = relax.opaque_expr "relax.expr.If"(%a) symbols = [@f] json = dense<123> : tensor<2xui8> : (tensor<4xf32>) -> tensor<4xf32>
    // PASSES-NOT: relax.dead
    %dead = relax.call_op "relax.dead"(%x) {is_pure = true} : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %b : tensor<4xf32>
  }

  // A function that an opaque expression calls is in use.
  // PASSES: tir.prim_func private @g
  tir.prim_func private @g(%n: i32) {
    tir.return
  }
  relax.func @calls() -> tensor<4xf32> {
    %0 = relax.opaque_expr "ir.Call"() symbols = [@g] json = dense<123> : tensor<2xui8> {is_pure = true} : () -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }

  // A function that an opaque body calls is in use.
  // CHECK-LABEL: tir.prim_func @kernel
  // PASSES-LABEL: tir.prim_func @kernel
  tir.prim_func @kernel(%a: memref<4xf32>, %h: !tir.handle) {
    // CHECK: tir.opaque_body symbols = [@f] json = dense<123> : tensor<2xui8>
    tir.opaque_body symbols = [@f] json = dense<123> : tensor<2xui8>
    tir.return
  }
  // PASSES: tir.prim_func private @f
  tir.prim_func private @f(%n: i32) {
    tir.return
  }
}
