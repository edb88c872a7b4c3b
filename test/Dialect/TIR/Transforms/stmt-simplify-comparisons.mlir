// RUN: partita-opt %s --tir-stmt-simplify | FileCheck %s
// RUN: partita-opt %s --tir-stmt-simplify --tir-stmt-simplify | FileCheck %s

partita.module {

// A quotient is compared by its dividend. x // 10 < 3 is x < 30, x // 10 <= 3
// is x <= 39, and x // 4 * 4 < x is 0 < x % 4.
// CHECK-LABEL: tir.prim_func @quotients
// CHECK-SAME:    (%[[X:.*]]: i32)
// CHECK:         arith.cmpi slt, %[[X]], %c30_i32 : i32
// CHECK:         arith.cmpi sle, %[[X]], %c39_i32 : i32
// CHECK:         %[[REST:.*]] = tir.prim "FloorMod"(%[[X]], %c4_i32)
// CHECK-NEXT:    arith.cmpi slt, %c0_i32, %[[REST]] : i32
tir.prim_func @quotients(%x: i32) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c10 = arith.constant 10 : i32
  %0 = arith.floordivsi %x, %c10 : i32
  %1 = arith.cmpi slt, %0, %c3 : i32
  tir.evaluate %1 : i1
  %2 = arith.cmpi sle, %0, %c3 : i32
  tir.evaluate %2 : i1
  %3 = arith.floordivsi %x, %c4 : i32
  %4 = arith.muli %3, %c4 overflow<nsw> : i32
  %5 = arith.cmpi slt, %4, %x : i32
  tir.evaluate %5 : i1
  tir.return
}

// The bound of the dividend has more than 32 bits.
// CHECK-LABEL: tir.prim_func @large
// CHECK:         arith.floordivsi
tir.prim_func @large(%x: i32) {
  %c10 = arith.constant 10 : i32
  %max = arith.constant 2147483647 : i32
  %0 = arith.floordivsi %x, %c10 : i32
  %1 = arith.cmpi slt, %0, %max : i32
  tir.evaluate %1 : i1
  tir.return
}

// x * 4 < 13 is x < 4, and 13 < x * -4 is x < -3. Where a product can wrap, and
// in an equality, it stays.
// CHECK-LABEL: tir.prim_func @factors
// CHECK-SAME:    (%[[X:.*]]: i32)
// CHECK:         %[[PRODUCT:.*]] = arith.muli %[[X]], %c4_i32 overflow<nsw> : i32
// CHECK-NEXT:    arith.cmpi slt, %[[X]], %c4_i32 : i32
// CHECK:         arith.cmpi slt, %[[X]], %c-3_i32 : i32
// CHECK:         %[[WRAPS:.*]] = arith.muli %[[X]], %c4_i32 : i32
// CHECK-NEXT:    arith.cmpi slt, %[[WRAPS]], %c13_i32 : i32
// CHECK:         arith.cmpi eq, %[[PRODUCT]], %c12_i32 : i32
tir.prim_func @factors(%x: i32) {
  %c4 = arith.constant 4 : i32
  %c-4 = arith.constant -4 : i32
  %c12 = arith.constant 12 : i32
  %c13 = arith.constant 13 : i32
  %0 = arith.muli %x, %c4 overflow<nsw> : i32
  %1 = arith.cmpi slt, %0, %c13 : i32
  tir.evaluate %1 : i1
  %2 = arith.muli %x, %c-4 overflow<nsw> : i32
  %3 = arith.cmpi slt, %c13, %2 : i32
  tir.evaluate %3 : i1
  %4 = arith.muli %x, %c4 : i32
  %5 = arith.cmpi slt, %4, %c13 : i32
  tir.evaluate %5 : i1
  %6 = arith.cmpi eq, %0, %c12 : i32
  tir.evaluate %6 : i1
  tir.return
}

// x - 10 < y is x < y + 10.
// CHECK-LABEL: tir.prim_func @moved
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         %[[SUM:.*]] = arith.addi %[[Y]], %c10_i32 overflow<nsw> : i32
// CHECK-NEXT:    arith.cmpi slt, %[[X]], %[[SUM]] : i32
tir.prim_func @moved(%x: i32, %y: i32) {
  %c10 = arith.constant 10 : i32
  %0 = arith.subi %x, %c10 overflow<nsw> : i32
  %1 = arith.cmpi slt, %0, %y : i32
  tir.evaluate %1 : i1
  tir.return
}

// The least number has no opposite.
// CHECK-LABEL: tir.prim_func @least
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         %[[SUM:.*]] = arith.addi %[[X]], %c-2147483648_i32 overflow<nsw> : i32
// CHECK-NEXT:    arith.cmpi slt, %[[SUM]], %[[Y]] : i32
tir.prim_func @least(%x: i32, %y: i32) {
  %least = arith.constant -2147483648 : i32
  %0 = arith.addi %x, %least overflow<nsw> : i32
  %1 = arith.cmpi slt, %0, %y : i32
  tir.evaluate %1 : i1
  tir.return
}

// min(x, 11) < 10 is x < 10. min(x, y) < 10 stays.
// CHECK-LABEL: tir.prim_func @extrema
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         arith.cmpi slt, %[[X]], %c10_i32 : i32
// CHECK:         %[[MIN:.*]] = arith.minsi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.cmpi slt, %[[MIN]], %c10_i32 : i32
tir.prim_func @extrema(%x: i32, %y: i32) {
  %c10 = arith.constant 10 : i32
  %c11 = arith.constant 11 : i32
  %0 = arith.minsi %x, %c11 : i32
  %1 = arith.cmpi slt, %0, %c10 : i32
  tir.evaluate %1 : i1
  %2 = arith.minsi %x, %y : i32
  %3 = arith.cmpi slt, %2, %c10 : i32
  tir.evaluate %3 : i1
  tir.return
}

// A condition from outside is known in the branch that it decides.
// CHECK-LABEL: tir.prim_func @decided
// CHECK-SAME:    (%[[A:.*]]: memref<1xi1>, %[[X:.*]]: i32)
// CHECK:         %[[LESS:.*]] = arith.cmpi slt, %[[X]], %c3_i32 : i32
// CHECK-NEXT:    scf.if %[[LESS]] {
// CHECK-NEXT:      memref.store %true, %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[LESS]], %[[A]]
tir.prim_func @decided(%a: memref<1xi1>, %x: i32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i32
  %0 = arith.cmpi slt, %x, %c3 : i32
  scf.if %0 {
    scf.if %0 {
      memref.store %0, %a[%c0] : memref<1xi1>
    }
  }
  memref.store %0, %a[%c0] : memref<1xi1>
  tir.return
}

// !(x < y && y < z) is y <= x || z <= y, and a && (b && c) is a && b && c.
// CHECK-LABEL: tir.prim_func @connectives
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32, %[[A:.*]]: i1, %[[B:.*]]: i1, %[[C:.*]]: i1)
// CHECK:         %[[LHS:.*]] = arith.cmpi sle, %[[Y]], %[[X]] : i32
// CHECK:         %[[RHS:.*]] = arith.cmpi sle, %[[Z]], %[[Y]] : i32
// CHECK:         arith.ori %[[LHS]], %[[RHS]] : i1
// CHECK:         %[[AB:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT:    arith.andi %[[AB]], %[[C]] : i1
tir.prim_func @connectives(%x: i32, %y: i32, %z: i32, %a: i1, %b: i1, %c: i1) {
  %true = arith.constant true
  %0 = arith.cmpi slt, %x, %y : i32
  %1 = arith.cmpi slt, %y, %z : i32
  %2 = arith.andi %0, %1 : i1
  %3 = arith.xori %2, %true : i1
  tir.evaluate %3 : i1
  %4 = arith.andi %b, %c : i1
  %5 = arith.andi %a, %4 : i1
  tir.evaluate %5 : i1
  tir.return
}

// A product is 0 if the other factor is. x * 4 == y * 4 stays, as in TVM.
// CHECK-LABEL: tir.prim_func @zeros
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         arith.cmpi eq, %[[X]], %c0_i32 : i32
// CHECK:         arith.cmpi ne, %[[X]], %c0_i32 : i32
// CHECK:         %[[DIFFERENCE:.*]] = arith.subi %[[X]], %[[Y]] overflow<nsw> : i32
// CHECK-NEXT:    arith.cmpi eq, %[[DIFFERENCE]], %c0_i32 : i32
// CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK:         %[[WRAPS:.*]] = arith.muli %[[X]], %c4_i32 : i32
// CHECK-NEXT:    arith.cmpi eq, %[[WRAPS]], %c0_i32 : i32
tir.prim_func @zeros(%x: i32, %y: i32) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %0 = arith.muli %x, %c4 overflow<nsw> : i32
  %1 = arith.cmpi eq, %0, %c0 : i32
  tir.evaluate %1 : i1
  %2 = arith.cmpi ne, %0, %c0 : i32
  tir.evaluate %2 : i1
  %3 = arith.muli %y, %c4 overflow<nsw> : i32
  %4 = arith.subi %0, %3 overflow<nsw> : i32
  %5 = arith.cmpi eq, %4, %c0 : i32
  tir.evaluate %5 : i1
  %6 = arith.cmpi eq, %0, %3 : i32
  tir.evaluate %6 : i1
  %7 = arith.muli %x, %c4 : i32
  %8 = arith.cmpi eq, %7, %c0 : i32
  tir.evaluate %8 : i1
  tir.return
}

// A quotient that can only be 0 or 1 is compared by its dividend, too.
// CHECK-LABEL: tir.prim_func @halves
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      arith.cmpi sle, %c640_i32, %[[I]] : i32
tir.prim_func @halves() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c640 = arith.constant 640 : i32
  %c1280 = arith.constant 1280 : i32
  scf.for %i = %c0 to %c1280 step %c1 : i32 {
    %0 = arith.floordivsi %i, %c640 : i32
    %1 = arith.cmpi sle, %c1, %0 : i32
    tir.evaluate %1 : i1
  }
  tir.return
}

// Bits, remainders and shifts have bounds. 1 << x can be negative.
// CHECK-LABEL: tir.prim_func @bounds
// CHECK-SAME:    (%[[X:.*]]: i32)
// CHECK:         tir.evaluate %true : i1
// CHECK-NEXT:    tir.evaluate %true : i1
// CHECK:           tir.evaluate %true : i1
// CHECK:         %[[SHIFTED:.*]] = arith.shli %c1_i32, %[[X]] : i32
// CHECK-NEXT:    arith.cmpi sle, %c1_i32, %[[SHIFTED]] : i32
tir.prim_func @bounds(%x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %0 = arith.andi %x, %c7 : i32
  %1 = arith.cmpi slt, %0, %c8 : i32
  tir.evaluate %1 : i1
  %2 = arith.remsi %x, %c8 : i32
  %3 = arith.cmpi slt, %2, %c8 : i32
  tir.evaluate %3 : i1
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %4 = arith.shli %c1, %i : i32
    %5 = arith.cmpi sge, %4, %c1 : i32
    tir.evaluate %5 : i1
  }
  %6 = arith.shli %c1, %x : i32
  %7 = arith.cmpi sge, %6, %c1 : i32
  tir.evaluate %7 : i1
  tir.return
}

// What is smaller than the factor of the rest does not matter: 4 * t + v < 512
// is t < 128, and 511 - 4 * t >= v is t <= 127. It matters where the number is
// no multiple, and in equations.
// CHECK-LABEL: tir.prim_func @remainders
// CHECK-SAME:    (%[[T:.*]]: i32)
// CHECK:         scf.for %[[V:.*]] =
// CHECK:           %[[SUM:.*]] = arith.addi
// CHECK-NEXT:      arith.cmpi slt, %[[T]], %c128_i32 : i32
// CHECK-NEXT:      tir.evaluate
// CHECK-NEXT:      arith.cmpi sle, %[[T]], %c127_i32 : i32
// CHECK-NEXT:      tir.evaluate
// CHECK-NEXT:      arith.cmpi slt, %[[SUM]], %c510_i32 : i32
// CHECK-NEXT:      tir.evaluate
// CHECK-NEXT:      arith.cmpi eq, %[[SUM]], %c512_i32 : i32
tir.prim_func @remainders(%t: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c510 = arith.constant 510 : i32
  %c511 = arith.constant 511 : i32
  %c512 = arith.constant 512 : i32
  scf.for %v = %c0 to %c4 step %c1 : i32 {
    %0 = arith.muli %t, %c4 overflow<nsw> : i32
    %1 = arith.addi %0, %v overflow<nsw> : i32
    %2 = arith.cmpi slt, %1, %c512 : i32
    tir.evaluate %2 : i1
    %3 = arith.subi %c511, %0 overflow<nsw> : i32
    %4 = arith.cmpi sge, %3, %v : i32
    tir.evaluate %4 : i1
    %5 = arith.cmpi slt, %1, %c510 : i32
    tir.evaluate %5 : i1
    %6 = arith.cmpi eq, %1, %c512 : i32
    tir.evaluate %6 : i1
  }
  tir.return
}
}
