// Names for values, branches, and functions as values.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s
// RUN: partita-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: partita-opt %s --relax-dead-code-elimination | FileCheck %s --check-prefix=DCE
// RUN: partita-opt %s --inline | FileCheck %s --check-prefix=INLINE

partita.module @m {
  // CHECK-LABEL: relax.func @alias
  // FOLD-LABEL: relax.func @alias
  // FOLD-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @alias(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: relax.alias %{{.*}} : tensor<8xf32>
    // FOLD-NEXT: relax.return %[[X]]
    %0 = relax.alias %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @branches
  // DCE-LABEL: relax.func @branches
  // INLINE-LABEL: relax.func @branches
  relax.func @branches(%b: tensor<i1>, %x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32> {
    // CHECK: %[[Y:.*]] = relax.if %{{.*}} : tensor<i1> -> tensor<?xf32> {
    // CHECK-NEXT:   %[[E:.*]] = relax.exp
    // CHECK:        relax.yield %[[E]] : tensor<?xf32, #relax.shape<["n"]>>
    // CHECK-NEXT: } else {
    // CHECK:        %[[C:.*]] = relax.call @callee
    // CHECK-NEXT:   relax.yield %[[C]] : tensor<?xf32>
    // CHECK-NEXT: }
    // DCE:      relax.if
    // DCE-NEXT:   relax.exp
    // DCE-NEXT:   relax.yield
    // DCE-NOT: relax.if
    // DCE: relax.return
    // INLINE:      } else {
    // INLINE:        relax.if
    // INLINE-NOT: relax.call
    %y = relax.if %b : tensor<i1> -> tensor<?xf32> {
      %0 = relax.exp %x : tensor<?xf32, #relax.shape<["n"]>>
      %1 = relax.log %0 : tensor<?xf32, #relax.shape<["n"]>>
      relax.yield %0 : tensor<?xf32, #relax.shape<["n"]>>
    } else {
      %2 = relax.match_cast %x : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
      %3 = relax.call @callee(%b, %2) : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
      relax.yield %3 : tensor<?xf32>
    }
    // Nobody uses it, and it has no effects.
    %z = relax.if %b : tensor<i1> -> tensor<i1> {
      relax.yield %b : tensor<i1>
    } else {
      relax.yield %b : tensor<i1>
    }
    relax.return %y : tensor<?xf32>
  }

  relax.func private @callee(%b: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
    %y = relax.if %b : tensor<i1> -> tensor<?xf32> {
      relax.yield %x : tensor<?xf32>
    } else {
      %0 = relax.exp %x : tensor<?xf32>
      relax.yield %0 : tensor<?xf32>
    }
    relax.return %y : tensor<?xf32>
  }

  // There is no control flow in a dataflow block.
  // INLINE-LABEL: relax.func @in_dataflow
  relax.func @in_dataflow(%b: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
    // INLINE: relax.call @callee
    %y = relax.dataflow -> tensor<?xf32> {
      %0 = relax.call @callee(%b, %x) : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
      relax.output %0 : tensor<?xf32>
    }
    relax.return %y : tensor<?xf32>
  }

  // CHECK-LABEL: relax.func @values
  // DCE-LABEL: relax.func @values
  relax.func @values(%x: tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false} {
    // CHECK-NEXT: relax.string "global"
    // CHECK-NEXT: relax.dtype f32
    // CHECK-NEXT: %[[F:.*]] = relax.extern_func "test.add" {note = "mine"}
    // CHECK-NEXT: relax.extern_func "typed" : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>>
    // CHECK-NEXT: relax.global @kept
    // DCE: relax.extern_func "test.add"
    // DCE-NEXT: relax.global @kept
    %s = relax.string "global"
    %d = relax.dtype f32
    %f = relax.extern_func "test.add" {note = "mine"}
    %typed = relax.extern_func "typed" : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>>
    %g = relax.global @kept
    // CHECK-NEXT: %{{.*}} = relax.call_value(%[[F]], %{{.*}}) ty_args = [tensor<8xf32>] : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    // DCE-NEXT: relax.call_value
    %0 = relax.call_value(%f, %x) ty_args = [tensor<8xf32>] : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    %t = relax.tuple(%x) : tensor<8xf32>
    // CHECK: relax.call_dps_packed(%[[F]], %{{.*}}) : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    // CHECK: relax.call_tir_inplace(%{{.*}}, %{{.*}}) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = [0]} : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    // DCE-NOT: relax.call_dps_packed
    // DCE: relax.call_tir_inplace
    %1 = relax.call_dps_packed(%f, %t) : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    %2 = relax.call_tir_inplace(%g, %t) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = [0]} : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    relax.return %2 : tensor<8xf32>
  }

  // DCE: tir.prim_func private @kept
  tir.prim_func private @kept(%x: memref<8xf32>) {
    tir.return
  }
}
