// RUN: partita-opt %s -allow-unregistered-dialect --tir-annotate-irregular-loop \
// RUN:     --split-input-file --verify-diagnostics | FileCheck %s
// RUN: partita-opt %s -allow-unregistered-dialect --tir-annotate-irregular-loop \
// RUN:     --tir-annotate-irregular-loop --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s

partita.module {

// The loop that a statement leaves is marked, whatever conditions are between
// them. Other annotations stay.
// CHECK-LABEL: tir.prim_func @nest
// CHECK:         tir.for "serial"
// CHECK:           tir.for "serial"
// CHECK:             tir.break
// CHECK:             tir.continue
// CHECK:           } {annotations = {irregular_loop_mark = 1 : i64, x = 2 : i64}, keep}
// CHECK-NEXT:    } {annotations = {y = 3 : i64}}
// CHECK-NEXT:    tir.for "serial"
// CHECK:           tir.call_intrin "tirx.break_loop"()
// CHECK:         } {annotations = {irregular_loop_mark = 1 : i64}}
// CHECK-NEXT:    scf.for
// CHECK:           tir.call_intrin "tirx.continue_loop"()
// CHECK:         } {tir.annotations = {irregular_loop_mark = 1 : i64}}
tir.prim_func @nest(%n: i32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tir.for "serial" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.for "serial" %c0, %n : i32, i32 {
    ^bb0(%j: i32):
      scf.if %p {
        scf.if %p {
          tir.break
        }
      } else {
        tir.continue
      }
      "test.use"(%j) : (i32) -> ()
    } {annotations = {x = 2 : i64}, keep}
  } {annotations = {y = 3 : i64}}
  tir.for "serial" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.call_intrin "tirx.break_loop"() : () -> ()
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    tir.call_intrin "tirx.continue_loop"() : () -> ()
  }
  tir.return
}

// A loop with a condition has no annotations, and neither do loops around it.
// CHECK-LABEL: tir.prim_func @while
// CHECK-NOT:     irregular_loop_mark
// CHECK:         tir.return
tir.prim_func @while(%n: i32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tir.for "parallel" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      tir.break
      scf.yield
    }
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    "test.use"(%i) ({
      "test.break"() : () -> ()
    }) : (i32) -> ()
  }
  tir.return
}

// CHECK-LABEL: tir.prim_func @declaration
tir.prim_func @declaration(%a: memref<8xf32>)

}

// -----

partita.module {
tir.prim_func @kind(%n: i32) {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{expected a loop of kind "serial" around a statement that leaves it, but found "parallel"}}
  tir.for "parallel" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.break
  }
  tir.return
}
}

// -----

partita.module {
tir.prim_func @annotation(%n: i32) {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{expected a loop without the annotation "pragma_unroll_explicit" around a statement that leaves it}}
  tir.for "serial" %c0, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.continue
  } {annotations = {pragma_unroll_explicit = true}}
  tir.return
}
}
