// RUN: partita-opt %s --tir-stmt-simplify | FileCheck %s
// RUN: partita-opt %s --tir-stmt-simplify --tir-stmt-simplify | FileCheck %s

partita.module {

// min(x, y - z) + z is min(z + x, y). max(x, y) + z stays.
// CHECK-LABEL: tir.prim_func @moved
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32)
// CHECK:         %[[SUM:.*]] = arith.addi %[[Z]], %[[X]] overflow<nsw> : i32
// CHECK-NEXT:    %[[MIN:.*]] = arith.minsi %[[SUM]], %[[Y]] : i32
// CHECK-NEXT:    tir.evaluate %[[MIN]] : i32
// CHECK-NEXT:    %[[MAX:.*]] = arith.maxsi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    %[[STAYS:.*]] = arith.addi %[[MAX]], %[[Z]] overflow<nsw> : i32
// CHECK-NEXT:    tir.evaluate %[[STAYS]] : i32
tir.prim_func @moved(%x: i32, %y: i32, %z: i32) {
  %0 = arith.subi %y, %z overflow<nsw> : i32
  %1 = arith.minsi %x, %0 : i32
  %2 = arith.addi %1, %z overflow<nsw> : i32
  tir.evaluate %2 : i32
  %3 = arith.maxsi %x, %y : i32
  %4 = arith.addi %3, %z overflow<nsw> : i32
  tir.evaluate %4 : i32
  tir.return
}

// max(x + y, x + z) is max(y, z) + x, unless a sum can wrap. max(x * 3, 9) is
// max(x, 3) * 3, and max(x // 4, y // 4) is max(x, y) // 4.
// CHECK-LABEL: tir.prim_func @common
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32)
// CHECK:         %[[MAX:.*]] = arith.maxsi %[[Y]], %[[Z]] : i32
// CHECK-NEXT:    arith.addi %[[MAX]], %[[X]] overflow<nsw> : i32
// CHECK:         %[[A:.*]] = arith.addi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    %[[B:.*]] = arith.addi %[[X]], %[[Z]] : i32
// CHECK-NEXT:    arith.maxsi %[[A]], %[[B]] : i32
// CHECK:         %[[FACTOR:.*]] = arith.maxsi %[[X]], %c3_i32 : i32
// CHECK-NEXT:    arith.muli %[[FACTOR]], %c3_i32 overflow<nsw> : i32
// CHECK:         %[[DIVIDEND:.*]] = arith.maxsi %[[X]], %[[Y]] : i32
// CHECK-NEXT:    arith.floordivsi %[[DIVIDEND]], %c4_i32 : i32
tir.prim_func @common(%x: i32, %y: i32, %z: i32) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c9 = arith.constant 9 : i32
  %0 = arith.addi %x, %y overflow<nsw> : i32
  %1 = arith.addi %x, %z overflow<nsw> : i32
  %2 = arith.maxsi %0, %1 : i32
  tir.evaluate %2 : i32
  %3 = arith.addi %x, %y : i32
  %4 = arith.addi %x, %z : i32
  %5 = arith.maxsi %3, %4 : i32
  tir.evaluate %5 : i32
  %6 = arith.muli %x, %c3 overflow<nsw> : i32
  %7 = arith.maxsi %6, %c9 : i32
  tir.evaluate %7 : i32
  %8 = arith.floordivsi %x, %c4 : i32
  %9 = arith.floordivsi %y, %c4 : i32
  %10 = arith.maxsi %8, %9 : i32
  tir.evaluate %10 : i32
  tir.return
}

// max(max(x, 1), 10) is max(x, 10), max(min(x, y), min(x, z)) is
// min(max(y, z), x), and min(x, y) + max(x, y) is x + y.
// CHECK-LABEL: tir.prim_func @nested
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32)
// CHECK:         arith.maxsi %[[X]], %c10_i32 : i32
// CHECK:         %[[MAX:.*]] = arith.maxsi %[[Y]], %[[Z]] : i32
// CHECK-NEXT:    arith.minsi %[[MAX]], %[[X]] : i32
// CHECK:         %[[SUM:.*]] = arith.addi %[[X]], %[[Y]] overflow<nsw> : i32
// CHECK-NEXT:    tir.evaluate %[[SUM]] : i32
tir.prim_func @nested(%x: i32, %y: i32, %z: i32) {
  %c1 = arith.constant 1 : i32
  %c10 = arith.constant 10 : i32
  %0 = arith.maxsi %x, %c1 : i32
  %1 = arith.maxsi %0, %c10 : i32
  tir.evaluate %1 : i32
  %2 = arith.minsi %x, %y : i32
  %3 = arith.minsi %x, %z : i32
  %4 = arith.maxsi %2, %3 : i32
  tir.evaluate %4 : i32
  %5 = arith.maxsi %x, %y : i32
  %6 = arith.addi %2, %5 overflow<nsw> : i32
  tir.evaluate %6 : i32
  tir.return
}

// x - x // 3 * 3 is x % 3, x // 2 // 3 is x // 6, (x * 4 + y) // 2 is
// x * 2 + y // 2, and (x * 4 + 4 - 1) // 4 is x.
// CHECK-LABEL: tir.prim_func @quotients
// CHECK-SAME:    (%[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK:         tir.prim "FloorMod"(%[[X]], %c3_i32)
// CHECK:         arith.floordivsi %[[X]], %c6_i32 : i32
// CHECK:         %[[TWICE:.*]] = arith.muli %[[X]], %c2_i32 overflow<nsw> : i32
// CHECK-NEXT:    %[[HALF:.*]] = arith.floordivsi %[[Y]], %c2_i32 : i32
// CHECK-NEXT:    arith.addi %[[TWICE]], %[[HALF]] overflow<nsw> : i32
// CHECK:         tir.evaluate %[[X]] : i32
tir.prim_func @quotients(%x: i32, %y: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %0 = arith.floordivsi %x, %c3 : i32
  %1 = arith.muli %0, %c3 overflow<nsw> : i32
  %2 = arith.subi %x, %1 overflow<nsw> : i32
  tir.evaluate %2 : i32
  %3 = arith.floordivsi %x, %c2 : i32
  %4 = arith.floordivsi %3, %c3 : i32
  tir.evaluate %4 : i32
  %5 = arith.muli %x, %c4 overflow<nsw> : i32
  %6 = arith.addi %5, %y overflow<nsw> : i32
  %7 = arith.floordivsi %6, %c2 : i32
  tir.evaluate %7 : i32
  %8 = arith.addi %5, %c4 overflow<nsw> : i32
  %9 = arith.subi %8, %c1 overflow<nsw> : i32
  %10 = arith.floordivsi %9, %c4 : i32
  tir.evaluate %10 : i32
  tir.return
}

// A number of a dtype without arithmetic is the condition that it is.
// CHECK-LABEL: tir.prim_func @casts
// CHECK:         tir.evaluate %true : i1
// CHECK-NEXT:    tir.evaluate %false : i1
// CHECK:         tir.prim "Cast"
tir.prim_func @casts(%x: i32) {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %0 = tir.prim "Cast"(%c1) : (i32) -> i1
  tir.evaluate %0 : i1
  %1 = tir.prim "Cast"(%zero) : (f32) -> i1
  tir.evaluate %1 : i1
  %2 = tir.prim "Cast"(%x) : (i32) -> i1
  tir.evaluate %2 : i1
  tir.return
}

// The number of elements that a window of three has inside of 35 x 35 is at
// least 1: each factor is. A product that can wrap is not known.
// CHECK-LABEL: tir.prim_func @window
// CHECK:         arith.minsi
// CHECK:         %[[PRODUCT:.*]] = arith.muli %{{.*}}, %{{.*}} overflow<nsw> : i32
// CHECK-NEXT:    tir.evaluate %[[PRODUCT]] : i32
// CHECK-NEXT:    %[[WRAPS:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    %[[MAX:.*]] = arith.maxsi %[[WRAPS]], %c1_i32
// CHECK-NEXT:    tir.evaluate %[[MAX]] : i32
tir.prim_func @window() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c34 = arith.constant 34 : i32
  %c35 = arith.constant 35 : i32
  scf.for %i = %c0 to %c35 step %c1 : i32 {
    scf.for %j = %c0 to %c35 step %c1 : i32 {
      %0 = arith.subi %c34, %i overflow<nsw> : i32
      %1 = arith.minsi %0, %c1 : i32
      %2 = arith.addi %1, %c2 overflow<nsw> : i32
      %3 = arith.subi %c1, %i overflow<nsw> : i32
      %4 = arith.maxsi %3, %c0 : i32
      %h = arith.subi %2, %4 overflow<nsw> : i32
      %5 = arith.subi %c34, %j overflow<nsw> : i32
      %6 = arith.minsi %5, %c1 : i32
      %7 = arith.addi %6, %c2 overflow<nsw> : i32
      %8 = arith.subi %c1, %j overflow<nsw> : i32
      %9 = arith.maxsi %8, %c0 : i32
      %w = arith.subi %7, %9 overflow<nsw> : i32
      %10 = arith.muli %h, %w overflow<nsw> : i32
      %11 = arith.maxsi %10, %c1 : i32
      tir.evaluate %11 : i32
      %12 = arith.muli %h, %w : i32
      %13 = arith.maxsi %12, %c1 : i32
      tir.evaluate %13 : i32
    }
  }
  tir.return
}
}
