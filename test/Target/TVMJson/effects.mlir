// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: partita-translate --import-tvm-json %t.json | partita-opt --relax-dead-code-elimination --relax-eliminate-common-subexpr | FileCheck %s
// RUN: sed 's/relax.expr.SeqExpr/relax.expr.NewExpr/' %t.json | partita-translate --import-tvm-json | partita-opt --relax-dead-code-elimination | FileCheck %s --check-prefix=KEPT

// TVM takes the function for pure, but the effects in it count.
partita.module {
  // CHECK-LABEL: relax.func @forced(
  // CHECK: %[[A:.*]] = relax.call_value(%{{.*}}, %x) ty_args = [tensor<4xf32>] :
  // CHECK: relax.call_value(%{{.*}}, %x, %[[A]]) ty_args = [tuple<>] :
  // CHECK: relax.call @effect(%x) {is_pure = false}
  // CHECK: relax.call_value(%{{.*}}, %x, %[[A]]) ty_args = [tuple<>] :
  // CHECK: relax.return %[[A]]
  // KEPT-LABEL: relax.func @forced(
  // KEPT: relax.opaque_expr "relax.expr.Function"
  relax.func @forced(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "forced", relax.force_pure = true} {
    %alloc = relax.extern_func "alloc"
    %a = relax.call_value(%alloc, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    %fill = relax.extern_func "fill"
    %t0 = relax.call_value(%fill, %x, %a) ty_args = [tuple<>] : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> tuple<>
    %t1 = relax.call @effect(%x) {is_pure = false} : (tensor<4xf32>) -> tensor<4xf32>
    %t2 = relax.call_value(%fill, %x, %a) ty_args = [tuple<>] : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> tuple<>
    relax.return %a : tensor<4xf32>
  }

  // In a dataflow block of such a function, too.
  // CHECK-LABEL: relax.func @forced_block(
  // CHECK-NEXT: %[[PACKED:.*]] = relax.extern_func "packed"
  // CHECK-NEXT: %z = relax.dataflow -> tensor<4xf32> {
  // CHECK-NEXT:   relax.print
  // CHECK-NEXT:   relax.call @effect(%x) {is_pure = false}
  // CHECK-NEXT:   relax.call_value(%[[PACKED]], %x) ty_args = [tensor<4xf32>] :
  // CHECK-NEXT:   %[[Z:.*]] = relax.add %x, %x
  // CHECK-NEXT:   relax.output %[[Z]]
  relax.func @forced_block(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "forced_block", relax.force_pure = true} {
    %packed = relax.extern_func "packed"
    %z = relax.dataflow -> tensor<4xf32> {
      relax.print %x : tensor<4xf32>
      %t1 = relax.call @effect(%x) {is_pure = false} : (tensor<4xf32>) -> tensor<4xf32>
      %t2 = relax.call_value(%packed, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      %unused = relax.exp %x : tensor<4xf32>
      %z = relax.add %x, %x : tensor<4xf32>
      relax.output %z : tensor<4xf32>
    }
    relax.return %z : tensor<4xf32>
  }

  // An opaque body stays, also if the function returns nothing.
  // KEPT-LABEL: relax.func @nothing(%x: tensor<4xf32>)
  // KEPT-NEXT: relax.opaque_expr "relax.expr.Function"
  relax.func @nothing(%x: tensor<4xf32>) attributes {global_symbol = "nothing"} {
    relax.return
  }

  relax.func @effect(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "effect", is_pure = false} {
    relax.return %x : tensor<4xf32>
  }
}
