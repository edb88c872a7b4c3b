// Functions in functions, and functions as values.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | partita-opt -o /dev/null
// RUN: partita-opt %s --relax-dead-code-elimination | FileCheck %s --check-prefix=DCE
// RUN: partita-opt %s --relax-eliminate-common-subexpr | FileCheck %s --check-prefix=CSE
// RUN: partita-opt %s --relax-fold-constant | FileCheck %s --check-prefix=FOLD
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=1 | FileCheck %s --check-prefix=FLOW
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=1 --relax-to-non-dataflow | FileCheck %s --check-prefix=NOFLOW
// RUN: partita-opt %s --relax-canonicalize-bindings | FileCheck %s --check-prefix=CANON
// RUN: partita-opt %s --inline | FileCheck %s --check-prefix=INLINE

partita.module @m {
  // CHECK-LABEL: relax.func @closure
  // DCE-LABEL: relax.func @closure
  // CSE-LABEL: relax.func @closure
  // FOLD-LABEL: relax.func @closure
  // FLOW-LABEL: relax.func @closure
  // NOFLOW-LABEL: relax.func @closure
  relax.func @closure(%x: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: %[[A:.*]] = relax.exp
    %a = relax.exp %x : tensor<4xf32>
    // CHECK-NEXT: %[[F:.*]] = relax.local_func %[[SELF:.*]](%[[Z:.*]]) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> attributes {Composite = "mine"} {
    // CHECK-NEXT:   relax.constant
    // CHECK-NEXT:   relax.add
    // CHECK-NEXT:   relax.add %[[Z]], %[[A]]
    // CHECK:        relax.call_value(%[[SELF]], %{{.*}}) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    // CHECK:        relax.yield
    // CHECK-NEXT: }
    // DCE: relax.local_func
    // DCE-NOT: relax.log
    // DCE: relax.yield
    // DCE-NOT: relax.local_func
    // DCE: relax.return
    // CSE: relax.local_func
    // CSE: relax.add %z, %a
    // CSE-NEXT: relax.multiply %[[S:.*]], %[[S]]
    // FOLD: relax.constant dense<2.0
    // FOLD: relax.local_func
    // FOLD-NOT: relax.constant
    // FOLD: relax.return
    // FLOW: relax.dataflow -> tensor<4xf32> {
    // FLOW-NEXT:   %[[A:.*]] = relax.exp
    // FLOW-NEXT:   relax.local_func
    // FLOW:          relax.dataflow -> tensor<4xf32> {
    // FLOW:            relax.add %{{.*}}, %[[A]]
    // FLOW:          relax.yield
    // FLOW:        relax.output
    // NOFLOW-NOT: relax.dataflow
    %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> attributes {Composite = "mine"} {
      %one = relax.constant dense<1.0> : tensor<4xf32>
      %two = relax.add %one, %one : tensor<4xf32>
      %s = relax.add %z, %a : tensor<4xf32>
      %t = relax.add %z, %a : tensor<4xf32>
      %p = relax.multiply %s, %t : tensor<4xf32>
      %q = relax.multiply %p, %two : tensor<4xf32>
      %dead = relax.log %s : tensor<4xf32>
      %r = relax.call_value(%self, %q) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.yield %r : tensor<4xf32>
    }
    %unused = relax.local_func %again(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      relax.yield %z : tensor<4xf32>
    }
    %b = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %b : tensor<4xf32>
  }

  // An impure function can be made where it can't be called. Parameters
  // introduce names.
  // CHECK-LABEL: relax.func @names
  // CANON-LABEL: relax.func @names
  relax.func @names(%x: tensor<?xf32, #relax.shape<["n"]>>, %k: tensor<4xf32>) -> !relax.callable<(tensor<?xf32, #relax.shape<["m"]>>) -> tuple<>, impure> {
    // CANON: relax.local_func %{{.*}}(%{{.*}}) : !relax.callable<(tensor<?xf32, #relax.shape<["m"]>>) -> tuple<>, impure> {
    // CANON-NEXT: relax.exp %{{.*}} : tensor<4xf32>
    // CANON-NEXT: relax.log %{{.*}} : tensor<?xf32, #relax.shape<["m"]>>
    // CHECK: relax.call @impure({{.*}}) {is_pure = false}
    %f = relax.local_func %self(%y) : !relax.callable<(tensor<?xf32, #relax.shape<["m"]>>) -> tuple<>, impure> {
      %c = relax.match_cast %k : tensor<4xf32> -> tensor<?xf32, #relax.shape<["four"]>>
      %e = relax.exp %c : tensor<?xf32, #relax.shape<["four"]>>
      %l = relax.log %y : tensor<?xf32, #relax.shape<["m"]>>
      relax.call @impure(%k) {is_pure = false} : (tensor<4xf32>) -> ()
      %t = relax.tuple()
      relax.yield %t : tuple<>
    }
    relax.return %f : !relax.callable<(tensor<?xf32, #relax.shape<["m"]>>) -> tuple<>, impure>
  }

  relax.func private @impure(%x: tensor<4xf32>) attributes {is_pure = false} {
    relax.return
  }

  // CHECK-LABEL: relax.func @values(%{{.*}}: !relax.callable<(*) -> !relax.object, impure>)
  relax.func @values(%g: !relax.callable<(*) -> !relax.object, impure>) -> !relax.object {
    // CHECK-NEXT: relax.global @closure : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
    // CHECK-NEXT: relax.extern_func "runtime.TVMTensorCreateView" {derive = "tvm.relax.type.infer_view_ty", is_pure = true}
    %0 = relax.global @closure : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
    %1 = relax.extern_func "runtime.TVMTensorCreateView" {derive = "tvm.relax.type.infer_view_ty", is_pure = true}
    relax.return %1 : !relax.object
  }

  // The names that a function introduces may differ from the caller's.
  // INLINE-LABEL: relax.func @calls
  // INLINE: relax.local_func
  // INLINE: relax.call @makes_named
  relax.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @makes(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.call @makes_named(%0) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }

  relax.func private @makes(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.local_func %self(%y) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
      relax.yield %y : tensor<4xf32>
    }
    %0 = relax.call_value(%f, %x) : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }

  relax.func private @makes_named(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.local_func %self(%y) : !relax.callable<(tensor<?xf32, #relax.shape<["n"]>>) -> tensor<4xf32>> {
      relax.yield %x : tensor<4xf32>
    }
    %0 = relax.call_value(%f, %x) : (!relax.callable<(tensor<?xf32, #relax.shape<["n"]>>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @types
  // CHECK-SAME: !relax.tensor<[], f32, shape = ?>
  // CHECK-SAME: !relax.shape<[], ?>
  // CHECK-SAME: !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>
  relax.func @types(%x: !relax.tensor<[], f32, shape = ?>, %s: !relax.shape<[], ?>, %d: !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>, %b: !relax.tensor<[], i1, shape = ?>, %sizes: tuple<i64>, %v: tensor<?xf32>) -> tensor<?xf32> {
    // CHECK: relax.exp %{{.*}} : !relax.tensor<[], f32, shape = ?>
    // CHECK: relax.add %{{.*}}, %{{.*}} : !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>, tensor<4xf32> -> !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>
    // CHECK: relax.if %{{.*}} : !relax.tensor<[], i1, shape = ?> -> tensor<f32> {
    %0 = relax.exp %x : !relax.tensor<[], f32, shape = ?>
    %cst = relax.constant dense<1.0> : tensor<4xf32>
    %1 = relax.add %d, %cst : !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>, tensor<4xf32> -> !relax.tensor<[4], f32, vdevice = {memory_scope = "global"}>
    %2 = relax.zeros %s {dtype = f32} : (!relax.shape<[], ?>) -> !relax.tensor<[], f32, shape = ?>
    %scalar = relax.constant dense<1.0> : tensor<f32>
    %3 = relax.if %b : !relax.tensor<[], i1, shape = ?> -> tensor<f32> {
      relax.yield %scalar : tensor<f32>
    } else {
      relax.yield %scalar : tensor<f32>
    }
    // A number is a dimension by its name.
    // CHECK: relax.match_cast %{{.*}} {relax.dim = "size"} : i64 -> i64
    %first = relax.tuple_get_item %sizes[0] : tuple<i64>
    %size = relax.match_cast %first {relax.dim = "size"} : i64 -> i64
    %4 = relax.exp %v : tensor<?xf32> -> tensor<?xf32, #relax.shape<["size"]>>
    %5 = relax.match_cast %4 : tensor<?xf32, #relax.shape<["size"]>> -> tensor<?xf32>
    relax.return %5 : tensor<?xf32>
  }
}
