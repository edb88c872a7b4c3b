// RUN: partita-opt %s --tir-stmt-simplify | FileCheck %s
// RUN: partita-opt %s --tir-stmt-simplify --tir-stmt-simplify | FileCheck %s

partita.module {

// One of several conditions holds: x == 0 || y == 10 || z == 20 implies
// x == 0 || y == 10 || z != 30, but not the other way round.
// CHECK-LABEL: tir.prim_func @implied
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32)
// CHECK:         %[[A:.*]] = arith.cmpi eq, %[[X]], %c0_i32 : i32
// CHECK-NEXT:    %[[B:.*]] = arith.cmpi eq, %[[Y]], %c10_i32 : i32
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi eq, %[[Z]], %c20_i32 : i32
// CHECK-NEXT:    %[[AB:.*]] = arith.ori %[[A]], %[[B]] : i1
// CHECK-NEXT:    %[[ABC:.*]] = arith.ori %[[AB]], %[[C]] : i1
// CHECK-NEXT:    tir.evaluate %[[ABC]] : i1
tir.prim_func @implied(%x: i32, %y: i32, %z: i32) {
  %c0 = arith.constant 0 : i32
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %c30 = arith.constant 30 : i32
  %a = arith.cmpi eq, %x, %c0 : i32
  %b = arith.cmpi eq, %y, %c10 : i32
  %c = arith.cmpi eq, %z, %c20 : i32
  %0 = arith.ori %a, %b : i1
  %1 = arith.ori %0, %c : i1
  %a2 = arith.cmpi eq, %x, %c0 : i32
  %b2 = arith.cmpi eq, %y, %c10 : i32
  %d = arith.cmpi ne, %z, %c30 : i32
  %2 = arith.ori %a2, %b2 : i1
  %3 = arith.ori %2, %d : i1
  %4 = arith.andi %1, %3 : i1
  tir.evaluate %4 : i1
  tir.return
}

// x < 3 || 10 < x, and x == 5 can't both be. 10 < x is impossible where
// x < 8 holds.
// CHECK-LABEL: tir.prim_func @cases
// CHECK:         scf.if
// CHECK-NEXT:      tir.evaluate %false : i1
// CHECK:         scf.if
// CHECK-NEXT:      tir.evaluate %true : i1
tir.prim_func @cases(%x: i32) {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %c10 = arith.constant 10 : i32
  %a = arith.cmpi slt, %x, %c3 : i32
  %b = arith.cmpi slt, %c10, %x : i32
  %0 = arith.ori %a, %b : i1
  scf.if %0 {
    %1 = arith.cmpi eq, %x, %c5 : i32
    tir.evaluate %1 : i1
  }
  %c = arith.cmpi slt, %x, %c8 : i32
  %2 = arith.andi %0, %c : i1
  scf.if %2 {
    %3 = arith.cmpi slt, %x, %c5 : i32
    tir.evaluate %3 : i1
  }
  tir.return
}

// Where x == 1 && 6 <= y does not hold, it does not hold again.
// CHECK-LABEL: tir.prim_func @nested
// CHECK:         } else {
// CHECK-NEXT:      %[[L:.*]] = memref.load
// CHECK-NEXT:      scf.yield %[[L]] : i32
// CHECK-NEXT:    }
tir.prim_func @nested(%a: memref<i32>, %x: i32, %y: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %p = arith.cmpi eq, %x, %c1 : i32
  %q = arith.cmpi sle, %c6, %y : i32
  %both = arith.andi %p, %q : i1
  %0 = scf.if %both -> i32 {
    scf.yield %c0 : i32
  } else {
    %p2 = arith.cmpi eq, %x, %c1 : i32
    %q2 = arith.cmpi sle, %c6, %y : i32
    %again = arith.andi %p2, %q2 : i1
    %1 = scf.if %again -> i32 {
      scf.yield %c1 : i32
    } else {
      %2 = memref.load %a[] : memref<i32>
      scf.yield %2 : i32
    }
    scf.yield %1 : i32
  }
  memref.store %0, %a[] : memref<i32>
  tir.return
}

// Loads of one place in a statement have one value, also if the indices only
// are equal. A statement in between can change it.
// CHECK-LABEL: tir.prim_func @loads
// CHECK-SAME:    (%[[A:.*]]: memref<8xi32>, %[[B:.*]]: memref<8xi32>, %[[I:.*]]: i32)
// CHECK:         tir.evaluate %c3_i32 : i32
// CHECK:         %[[FIRST:.*]] = memref.load
// CHECK:         memref.store %[[FIRST]], %[[B]]
// CHECK:         %[[SECOND:.*]] = memref.load
// CHECK-NEXT:    memref.store %[[SECOND]], %[[B]]
tir.prim_func @loads(%a: memref<8xi32>, %b: memref<8xi32>, %i: i32) {
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.index_cast %i : i32 to index
  %1 = memref.load %a[%0] : memref<8xi32>
  %2 = arith.addi %1, %c3 overflow<nsw> : i32
  %3 = arith.addi %i, %c1 overflow<nsw> : i32
  %4 = arith.subi %3, %c1 overflow<nsw> : i32
  %5 = arith.index_cast %4 : i32 to index
  %6 = memref.load %a[%5] : memref<8xi32>
  %7 = arith.subi %2, %6 overflow<nsw> : i32
  tir.evaluate %7 : i32
  %8 = memref.load %a[%0] : memref<8xi32>
  memref.store %8, %b[%0] : memref<8xi32>
  %9 = memref.load %a[%0] : memref<8xi32>
  memref.store %9, %b[%5] : memref<8xi32>
  tir.return
}
}
