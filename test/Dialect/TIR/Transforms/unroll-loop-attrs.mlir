// RUN: partita-opt %s --tir-unroll-loop | FileCheck %s

partita.module @m {
  // The attributes that LowerBlocks makes of pragmas are removed; the others
  // keep their objects.
  // CHECK-LABEL: tir.prim_func @about_loops
  tir.prim_func @about_loops(%a: memref<8xf32>, %v: f32, %value: i32) {
    // CHECK: tir.attr "outer" = %{{.*}} : i32 {
    // CHECK-NEXT: tir.attr "middle" = %{{.*}} : i32 {
    // CHECK-NEXT: scf.for %[[I:.*]] =
    // CHECK-NEXT: tir.attr_node %[[I]] : index
    // CHECK-NEXT: tir.attr_node %[[I]] {outer = 1 : i64} : index
    // CHECK-NEXT: tir.attr "inner" = %{{.*}} : i32 {
    // CHECK-NEXT: scf.for %[[J:.*]] =
    // CHECK-NEXT: tir.attr_node %[[J]] : index
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: } {tir.kind = "unrolled"}
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    // CHECK-NEXT: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %false = arith.constant false
    %c16 = arith.constant 16 : i32
    tir.attr "outer" = %value : i32 {
      tir.attr "pragma_unroll_explicit" = %false : i1 {
        tir.attr "middle" = %value : i32 {
          scf.for %i = %c0 to %c8 step %c1 {
            tir.attr_node %i : index
            tir.attr_node %i {outer = 1 : i64} : index
            tir.attr_node %i {outer = 2 : i64} : index
            tir.attr "pragma_auto_unroll_max_step" = %c16 : i32 {
              tir.attr "inner" = %value : i32 {
                scf.for %j = %c0 to %c8 step %c1 {
                  tir.attr_node %j : index
                  tir.attr_node %j {outer = 1 : i64} : index
                  memref.store %v, %a[%j] : memref<8xf32>
                }
              }
            }
          }
        }
      }
    }
    tir.return
  }

  // An attribute of an unrolled loop loses its object; attributes inside keep
  // theirs.
  // CHECK-LABEL: tir.prim_func @about_copies
  tir.prim_func @about_copies(%a: memref<8xf32>, %v: f32, %value: i32) {
    // CHECK: tir.attr "outer" = %{{.*}} : i32 {
    // CHECK-NOT: tir.attr_node
    // CHECK: tir.attr "inner" = %{{.*}} : i32 {
    // CHECK-NEXT: tir.attr_node %c0{{.*}} : index
    // CHECK-NEXT: memref.store
    // CHECK-NOT: tir.attr_node
    // CHECK: tir.attr "inner" = %{{.*}} : i32 {
    // CHECK-NEXT: tir.attr_node %c1{{.*}} : index
    // CHECK-NEXT: memref.store
    // CHECK-NOT: tir.attr
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    tir.attr "outer" = %value : i32 {
      scf.for %i = %c0 to %c2 step %c1 {
        tir.attr_node %i : index
        tir.attr "inner" = %value : i32 {
          tir.attr_node %i : index
          memref.store %v, %a[%i] : memref<8xf32>
        }
      } {tir.kind = "unrolled"}
    }
    tir.return
  }

  // Signless numbers.
  // CHECK-LABEL: tir.prim_func @unsigned
  // CHECK-SAME: %[[N:.*]]: ui32)
  tir.prim_func @unsigned(%n: ui32) {
    // CHECK-NOT: tir.for
    // CHECK: tir.constant 4 : ui8 -> ui8
    // CHECK-NEXT: %[[FIRST:.*]] = tir.constant 250 : ui8 -> ui8
    // CHECK-NEXT: tir.prim "Cast"(%[[FIRST]])
    // CHECK: %[[LAST:.*]] = tir.constant 252 : ui8 -> ui8
    // CHECK-NEXT: tir.prim "Cast"(%[[LAST]])
    // CHECK-NOT: tir.for
    // CHECK: tir.prim "Cast"(%[[N]])
    // CHECK: %[[ONE:.*]] = tir.constant 1 : ui32 -> ui32
    // CHECK: %[[NEXT:.*]] = tir.prim "Add"(%[[N]], %[[ONE]]) : (ui32, ui32) -> ui32
    // CHECK: tir.prim "Cast"(%[[NEXT]])
    // CHECK-NOT: tir.for
    // CHECK: tir.return
    %c2_ui8 = tir.constant 2 : ui8 -> ui8
    %c250 = tir.constant 250 : ui8 -> ui8
    %c4 = tir.constant 4 : ui8 -> ui8
    tir.for "unrolled" %c250, %c4 : ui8, ui8 step %c2_ui8 : ui8 {
    ^bb0(%i: ui8):
      %0 = tir.prim "Cast"(%i) : (ui8) -> i32
      tir.evaluate %0 : i32
    }
    %c2 = tir.constant 2 : ui32 -> ui32
    tir.for "unrolled" %n, %c2 : ui32, ui32 {
    ^bb0(%i: ui32):
      %0 = tir.prim "Cast"(%i) : (ui32) -> i32
      tir.evaluate %0 : i32
    }
    tir.return
  }
}
