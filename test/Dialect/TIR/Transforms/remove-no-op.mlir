// RUN: partita-opt %s --tir-remove-no-op | FileCheck %s
// RUN: partita-opt %s --tir-remove-no-op --tir-remove-no-op | FileCheck %s

partita.module {

// CHECK-LABEL: tir.prim_func @nothing
// CHECK-NEXT:    tir.return
tir.prim_func @nothing(%a: memref<8xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0 : index
  // Neither has an iteration.
  scf.for %i = %c8 to %c8 step %c1 : i32 {
    memref.store %n, %a[%zero] : memref<8xi32>
  }
  tir.for "parallel" %c1, %c0 : i32, i32 {
  ^bb0(%i: i32):
    memref.store %n, %a[%zero] : memref<8xi32>
  }
  // The loop goes, and then the attribute of its variable.
  tir.attr "pragma" = %c1 : i32 {
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      tir.attr_node %i : i32
      tir.evaluate %i : i32
    }
  }
  tir.attr "pragma_debug_skip_region" = %c1 : i32 {
    memref.store %n, %a[%zero] : memref<8xi32>
  } {node = 0 : i64}
  %0 = memref.load %a[%zero] : memref<8xi32>
  tir.evaluate %0 : i32
  tir.return
}

// Sizes that are not known: the loop over 0 to n - n has no iteration.
// CHECK-LABEL: tir.prim_func @symbolic
// CHECK-NOT:     scf.for
// CHECK:         tir.return
tir.prim_func @symbolic(%a: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  tir.buffer %a shape(%n : i32) : memref<?xi32>
  %0 = arith.subi %n, %n overflow<nsw> : i32
  scf.for %i = %c0 to %0 step %c1 : i32 {
    memref.store %i, %a[%zero] : memref<?xi32>
  }
  tir.return
}

// A store of the same number, by another expression of the index.
// CHECK-LABEL: tir.prim_func @same_place
// CHECK-NOT:     memref.store
// CHECK:         tir.return
tir.prim_func @same_place(%a: memref<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      %0 = arith.muli %i, %c8 overflow<nsw> : i32
      %1 = arith.addi %0, %j overflow<nsw> : i32
      %2 = arith.addi %j, %0 overflow<nsw> : i32
      %3 = arith.index_cast %1 : i32 to index
      %4 = arith.index_cast %2 : i32 to index
      %5 = memref.load %a[%3] : memref<64xi32>
      memref.store %5, %a[%4] : memref<64xi32>
    }
  }
  tir.return
}

// Something was stored in between; or the loop may stop early; or a call has
// an effect. These stay.
// CHECK-LABEL: tir.prim_func @something
// CHECK:         memref.load
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    memref.store
// CHECK:         tir.for "serial"
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      tir.break
// CHECK:         %[[V:.*]] = tir.call_intrin "tirx.effect"
// CHECK-NEXT:    tir.evaluate %[[V]]
// CHECK:         tir.assert
// CHECK-NOT:     scf.if %p
// CHECK:         %[[Q:.*]] = arith.xori
// CHECK-NEXT:    scf.if %[[Q]] {
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.return
tir.prim_func @something(%a: memref<8xi32>, %n: i32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0 : index
  %0 = memref.load %a[%zero] : memref<8xi32>
  memref.store %n, %a[%zero] : memref<8xi32>
  memref.store %0, %a[%zero] : memref<8xi32>
  tir.for "serial" %c0, %c8 : i32, i32 {
  ^bb0(%i: i32):
    tir.break
  }
  %1 = tir.call_intrin "tirx.effect"(%n) : (i32) -> i32
  tir.evaluate %1 : i32
  tir.assert %p "TypeError" ["x"]
  scf.if %p {
  } else {
    memref.store %n, %a[%zero] : memref<8xi32>
  }
  tir.return
}

// Other statements stay as they are, and so do the names of values.
// CHECK-LABEL: tir.prim_func @others
// CHECK:         tir.bind %n : i32
// CHECK:         arith.muli %c8_i32, %n : i32
// CHECK:         arith.cmpi sge, %{{.*}}, %c1_i32 : i32
// CHECK:         scf.if %{{.*}} -> (i32) {
// CHECK:         scf.if
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.alloc_buffer
// CHECK-NEXT:    tir.return
tir.prim_func @others(%a: memref<8xi32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0 : index
  %x = tir.bind %n : i32
  %0 = arith.muli %c8, %n : i32
  %1 = arith.cmpi sge, %0, %c1 : i32
  %2 = scf.if %1 -> i32 {
    scf.yield %c8 : i32
  } else {
    scf.yield %c1 : i32
  }
  scf.if %1 {
    memref.store %2, %a[%zero] : memref<8xi32>
  } else {
  }
  %b = tir.alloc_buffer : memref<4xi32>
  tir.return
}

// The branch of a condition that is known takes its place.
// CHECK-LABEL: tir.prim_func @known
// CHECK-NOT:     scf.if
// CHECK:         memref.store %c8_i32
// CHECK-NEXT:    tir.return
tir.prim_func @known(%a: memref<8xi32>) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0 : index
  %0 = scf.if %true -> i32 {
    scf.yield %c8 : i32
  } else {
    scf.yield %c1 : i32
  }
  scf.if %true {
    memref.store %0, %a[%zero] : memref<8xi32>
  } else {
    memref.store %c1, %a[%zero] : memref<8xi32>
  }
  tir.return
}

// The coordinate of a thread stays, but not its evaluation.
// CHECK-LABEL: tir.prim_func @coordinate
// CHECK:         tir.scope_id 1
// CHECK-NEXT:    tir.return
tir.prim_func @coordinate() {
  %c32 = arith.constant 32 : i32
  %0 = tir.scope_id 1 ["bx"] extents(%c32 : i32) : i32
  tir.evaluate %0 : i32
  tir.return
}
}
