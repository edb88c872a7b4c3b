// RUN: partita-opt %s --tir-stmt-simplify --allow-unregistered-dialect | FileCheck %s
// RUN: partita-opt %s --tir-stmt-simplify --tir-stmt-simplify --allow-unregistered-dialect | FileCheck %s

partita.module {

// CHECK-LABEL: tir.prim_func @split
// CHECK-SAME:    (%[[A:.*]]: memref<32xi32>)
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c8_i32
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0_i32 to %c4_i32
// CHECK-NEXT:        %[[J0:.*]] = arith.index_cast %[[J]] : i32 to index
// CHECK-NEXT:        memref.store %[[I]], %[[A]][%[[J0]]]
// (i * 4 + j) // 4 is i, and its remainder is j.
tir.prim_func @split(%a: memref<32xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c4 step %c1 : i32 {
      %0 = arith.muli %i, %c4 overflow<nsw> : i32
      %1 = arith.addi %0, %j overflow<nsw> : i32
      %2 = arith.floordivsi %1, %c4 : i32
      %3 = tir.prim "FloorMod"(%1, %c4) : (i32, i32) -> i32
      %4 = arith.index_cast %3 : i32 to index
      memref.store %2, %a[%4] : memref<32xi32>
    }
  }
  tir.return
}

// Arithmetic that may wrap around stays, and so do types that are no indices.
// CHECK-LABEL: tir.prim_func @wraps
// CHECK:         arith.muli %{{.*}}, %c4_i32 : i32
// CHECK-NEXT:    arith.floordivsi
// CHECK:         arith.muli %{{.*}}, %c4_i8 overflow<nsw> : i8
// CHECK-NEXT:    arith.floordivsi
tir.prim_func @wraps(%n: i32, %m: i8) {
  %c4 = arith.constant 4 : i32
  %c4_i8 = arith.constant 4 : i8
  %0 = arith.muli %n, %c4 : i32
  %1 = arith.floordivsi %0, %c4 : i32
  tir.evaluate %1 : i32
  %2 = arith.muli %m, %c4_i8 overflow<nsw> : i8
  %3 = arith.floordivsi %2, %c4_i8 : i8
  tir.evaluate %3 : i8
  tir.return
}

// The variable of a loop whose bound becomes a number is this number.
// CHECK-LABEL: tir.prim_func @bound
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c1_i32
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0_i32 to %c8_i32
// CHECK:             tir.evaluate %[[J]] : i32
tir.prim_func @bound() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %n = arith.subi %c8, %c8 overflow<nsw> : i32
  %m = arith.addi %n, %c1 overflow<nsw> : i32
  scf.for %i = %c0 to %m step %c1 : i32 {
    %0 = arith.addi %i, %c8 overflow<nsw> : i32
    scf.for %j = %i to %0 step %c1 : i32 {
      %1 = arith.xori %i, %j : i32
      tir.evaluate %1 : i32
    }
  }
  tir.return
}

// The cast of an index to i32 can cut it.
// CHECK-LABEL: tir.prim_func @cut
// CHECK-COUNT-2: arith.index_cast %{{.*}} : index to i32
// CHECK-NEXT:    arith.cmpi
tir.prim_func @cut(%x: i64, %y: i64) {
  %0 = arith.index_cast %x : i64 to index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 4294967296 : index
  %1 = arith.addi %0, %c1 : index
  %2 = arith.index_cast %0 : index to i32
  %3 = arith.index_cast %1 : index to i32
  %4 = arith.cmpi slt, %2, %3 : i32
  tir.evaluate %4 : i1
  tir.return
}

// The order of TVM's terms: the larger factor, then the larger divisor. What is
// subtracted comes last, behind a number that is added.
// CHECK-LABEL: tir.prim_func @term_order
// CHECK-SAME:    (%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32)
// b + a * 16 is a * 16 + b.
// CHECK:         %[[A16:.*]] = arith.muli %[[A]], %c16_i32{{.*}}
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[A16]], %[[B]]
// CHECK-NEXT:    tir.evaluate %[[S]]
// b + a // 4 is a // 4 + b.
// CHECK:         %[[D:.*]] = arith.floordivsi %[[A]], %c4_i32
// CHECK:         %[[S:.*]] = arith.addi %[[D]], %[[B]]
// CHECK-NEXT:    tir.evaluate %[[S]]
// (a + b) * 16 is a * 16 + b * 16.
// CHECK:         %[[A16:.*]] = arith.muli %[[A]], %c16_i32{{.*}}
// CHECK:         %[[B16:.*]] = arith.muli %[[B]], %c16_i32{{.*}}
// CHECK:         %[[S:.*]] = arith.addi %[[A16]], %[[B16]]
// CHECK-NEXT:    tir.evaluate %[[S]]
// b - a + 3 is b + 3 - a.
// CHECK:         %[[N:.*]] = arith.addi %[[B]], %c3_i32
// CHECK:         %[[S:.*]] = arith.subi %[[N]], %[[A]]
// CHECK-NEXT:    tir.evaluate %[[S]]
// a + -4 is a - 4.
// CHECK:         %[[S:.*]] = arith.subi %[[A]], %c4_i32
// CHECK-NEXT:    tir.evaluate %[[S]]
// These have their order: 4 - a - c * 4, and a * 4 + b + c.
// CHECK:         %[[S:.*]] = arith.subi %c4_i32, %[[A]]
// CHECK-NEXT:    %[[C4:.*]] = arith.muli %[[C]], %c4_i32
// CHECK-NEXT:    %[[T:.*]] = arith.subi %[[S]], %[[C4]]
// CHECK-NEXT:    tir.evaluate %[[T]]
// CHECK-NEXT:    %[[A4:.*]] = arith.muli %[[A]], %c4_i32
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[A4]], %[[B]]
// CHECK-NEXT:    %[[T:.*]] = arith.addi %[[S]], %[[C]]
// CHECK-NEXT:    tir.evaluate %[[T]]
tir.prim_func @term_order(%a: i32, %b: i32, %c: i32) {
  %cm4 = arith.constant -4 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %0 = arith.muli %a, %c16 overflow<nsw> : i32
  %1 = arith.addi %b, %0 overflow<nsw> : i32
  tir.evaluate %1 : i32
  %2 = arith.floordivsi %a, %c4 : i32
  %3 = arith.addi %b, %2 overflow<nsw> : i32
  tir.evaluate %3 : i32
  %4 = arith.addi %a, %b overflow<nsw> : i32
  %5 = arith.muli %4, %c16 overflow<nsw> : i32
  tir.evaluate %5 : i32
  %6 = arith.subi %b, %a overflow<nsw> : i32
  %7 = arith.addi %6, %c3 overflow<nsw> : i32
  tir.evaluate %7 : i32
  %8 = arith.addi %a, %cm4 overflow<nsw> : i32
  tir.evaluate %8 : i32
  %9 = arith.subi %c4, %a overflow<nsw> : i32
  %10 = arith.muli %c, %c4 overflow<nsw> : i32
  %11 = arith.subi %9, %10 overflow<nsw> : i32
  tir.evaluate %11 : i32
  %12 = arith.muli %a, %c4 overflow<nsw> : i32
  %13 = arith.addi %12, %b overflow<nsw> : i32
  %14 = arith.addi %13, %c overflow<nsw> : i32
  tir.evaluate %14 : i32
  tir.return
}

// A number is a condition where it is not 0; conversions to the same type go.
// CHECK-LABEL: tir.prim_func @prims
// CHECK-NOT:     tir.prim
// CHECK-NOT:     scf.if
// CHECK:         tir.evaluate %{{.*}} : f32
// CHECK-NEXT:    tir.return
tir.prim_func @prims(%v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tir.prim "NE"(%c1, %c0) {tir.implied} : (i32, i32) -> i1
  scf.if %0 {
    %1 = tir.prim "Cast"(%v) : (f32) -> f32
    tir.evaluate %1 : f32
  }
  tir.return
}

// i * (b * c) + j * c + k is (i * b + j) * c + k, as in TVM.
// CHECK-LABEL: tir.prim_func @symbolic
// CHECK-SAME:    (%[[I:.*]]: i64, %[[J:.*]]: i64, %[[K:.*]]: i64, %[[B:.*]]: i64, %[[C:.*]]: i64)
// CHECK:         %[[ROW:.*]] = arith.muli %[[I]], %[[B]] overflow<nsw>
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[ROW]], %[[J]] overflow<nsw>
// CHECK-NEXT:    %[[PART:.*]] = arith.muli %[[SUM]], %[[C]] overflow<nsw>
// CHECK-NEXT:    %[[PLACE:.*]] = arith.addi %[[PART]], %[[K]] overflow<nsw>
// CHECK-NEXT:    tir.evaluate %[[PLACE]]
// A product that can overflow stays.
// CHECK:         %[[P:.*]] = arith.muli %[[B]], %[[C]] : i64
// CHECK-NEXT:    arith.muli %[[I]], %[[P]] overflow<nsw> : i64
tir.prim_func @symbolic(%i: i64, %j: i64, %k: i64, %b: i64, %c: i64) {
  %0 = arith.muli %b, %c overflow<nsw> : i64
  %1 = arith.muli %i, %0 overflow<nsw> : i64
  %2 = arith.muli %j, %c overflow<nsw> : i64
  %3 = arith.addi %1, %2 overflow<nsw> : i64
  %4 = arith.addi %3, %k overflow<nsw> : i64
  tir.evaluate %4 : i64
  %5 = arith.muli %b, %c : i64
  %6 = arith.muli %i, %5 overflow<nsw> : i64
  tir.evaluate %6 : i64
  tir.return
}

// Both sides of a product of variables are expressions.
// CHECK-LABEL: tir.prim_func @sides
// CHECK-SAME:    (%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32)
// CHECK:         %[[S:.*]] = arith.muli %[[A]], %[[C]] overflow<nsw>
// CHECK-NEXT:    tir.evaluate %[[S]]
tir.prim_func @sides(%a: i32, %b: i32, %c: i32) {
  %0 = arith.addi %a, %b overflow<nsw> : i32
  %1 = arith.subi %0, %b overflow<nsw> : i32
  %2 = arith.addi %c, %b overflow<nsw> : i32
  %3 = arith.subi %2, %b overflow<nsw> : i32
  %4 = arith.muli %1, %3 overflow<nsw> : i32
  tir.evaluate %4 : i32
  tir.return
}

// What can't be written in TVM's order stays: a sum that may wrap, below a
// remainder or of products, and numbers whose opposites have no place.
// CHECK-LABEL: tir.prim_func @stays
// CHECK:         arith.addi %{{.*}}, %c9_i32 : i32
// CHECK-NEXT:    tir.prim "FloorMod"
// CHECK:         arith.addi %{{.*}}, %c-35184372088832_i64
// CHECK:         arith.addi %{{.*}}, %c-2147483648_i32
// CHECK:         %[[X:.*]] = arith.muli
// CHECK-NEXT:    %[[Y:.*]] = arith.muli
// CHECK-NEXT:    arith.addi %[[X]], %[[Y]] : i32
tir.prim_func @stays(%a: i32, %b: i32, %c: i32, %d: i64) {
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  %large = arith.constant -35184372088832 : i64
  %least = arith.constant -2147483648 : i32
  %0 = arith.addi %c, %c9 : i32
  %1 = tir.prim "FloorMod"(%0, %c8) : (i32, i32) -> i32
  tir.evaluate %1 : i32
  %2 = arith.addi %d, %large overflow<nsw> : i64
  tir.evaluate %2 : i64
  %3 = arith.addi %a, %least overflow<nsw> : i32
  tir.evaluate %3 : i32
  %4 = arith.muli %a, %c overflow<nsw> : i32
  %5 = arith.muli %b, %c overflow<nsw> : i32
  %6 = arith.addi %4, %5 : i32
  tir.evaluate %6 : i32
  tir.return
}

// A bound that holds in each iteration goes; another one stays.
// CHECK-LABEL: tir.prim_func @bounds
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c8_i32
// CHECK-NEXT:      memref.store %[[I]], %{{.*}}[%c0]
// CHECK-NEXT:      %[[P:.*]] = arith.cmpi slt, %[[I]], %c7_i32 : i32
// CHECK-NEXT:      scf.if %[[P]] {
// CHECK-NEXT:        memref.store %c1_i32
// CHECK-NEXT:      }
tir.prim_func @bounds(%a: memref<8xi32>) {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %0 = arith.addi %i, %c1 overflow<nsw> : i32
    %1 = arith.cmpi sle, %0, %c8 : i32
    scf.if %1 {
      memref.store %i, %a[%zero] : memref<8xi32>
    } else {
      memref.store %c8, %a[%zero] : memref<8xi32>
    }
    %2 = arith.cmpi slt, %0, %c8 : i32
    scf.if %2 {
      memref.store %c1, %a[%zero] : memref<8xi32>
    }
  }
  tir.return
}

// Conditions say something in their branches, together with other ones, and
// the reverse in the others. i < j and j < k give i + 1 < k.
// CHECK-LABEL: tir.prim_func @conditions
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %true
// CHECK-NEXT:    } else {
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      arith.cmpi slt
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK:         arith.cmpi eq, %[[I:.*]], %[[J:.*]] : i32
// CHECK:         scf.if
// CHECK-NEXT:      tir.call_intrin
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.store %false
tir.prim_func @conditions(%a: memref<1xi1>, %i: i32, %j: i32, %k: i32) {
  %zero = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %0 = arith.cmpi slt, %i, %j : i32
  %1 = arith.cmpi slt, %j, %k : i32
  %2 = arith.andi %0, %1 : i1
  scf.if %2 {
    %3 = arith.addi %i, %c1 overflow<nsw> : i32
    %4 = arith.cmpi slt, %3, %k : i32
    memref.store %4, %a[%zero] : memref<1xi1>
  } else {
    %3 = arith.addi %i, %c1 overflow<nsw> : i32
    %4 = arith.cmpi slt, %3, %k : i32
    memref.store %4, %a[%zero] : memref<1xi1>
  }
  %5 = arith.cmpi eq, %i, %j : i32
  scf.if %5 {
    tir.call_intrin "test.effect"() : () -> ()
  } else {
    %6 = arith.cmpi eq, %j, %i : i32
    memref.store %6, %a[%zero] : memref<1xi1>
  }
  tir.return
}

// The caller's buffers have sizes that are not negative.
// CHECK-LABEL: tir.prim_func @sizes
// CHECK-NOT:     arith.minsi
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c0]
tir.prim_func @sizes(%a: memref<?xi64>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %0 = arith.muli %n, %c32 overflow<nsw> : i64
  tir.buffer %a shape(%0 : i64) : memref<?xi64>
  %1 = arith.minsi %c0, %n : i64
  %2 = arith.index_cast %1 : i64 to index
  memref.store %n, %a[%2] : memref<?xi64>
  tir.return
}

// A size that is computed keeps what it says: n is at least 1 here.
// CHECK-LABEL: tir.prim_func @computed_size
// CHECK:         arith.subi %{{.*}}, %c1_i64 overflow<nsw> : i64
// CHECK-NOT:     arith.minsi
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c1]
tir.prim_func @computed_size(%a: memref<?xf32>, %v: f32) {
  %n = tir.var : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c32 = arith.constant 32 : i64
  %0 = arith.muli %n, %c32 overflow<nsw> : i64
  %1 = arith.addi %0, %c1 overflow<nsw> : i64
  %2 = arith.subi %1, %c2 overflow<nsw> : i64
  tir.buffer %a shape(%2 : i64) : memref<?xf32>
  %3 = arith.minsi %n, %c1 : i64
  %4 = arith.index_cast %3 : i64 to index
  memref.store %v, %a[%4] : memref<?xf32>
  tir.return
}

// Threads and strided loops, too, but no blocks. The loop of one iteration
// stays.
// CHECK-LABEL: tir.prim_func @ranges
// CHECK:         tir.for "thread_binding" %c0_i32, %c1_i32
// CHECK-NEXT:    ^bb0(%{{.*}}: i32):
// CHECK-NEXT:      tir.call_intrin "test.use"(%c0_i32) : (i32) -> ()
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %{{.*}} step %c4_i32
// CHECK-NEXT:      tir.call_intrin "test.use"(%c0_i32) : (i32) -> ()
// CHECK:         tir.block
// CHECK-NEXT:    ^bb0(%[[VI:.*]]: i32):
// CHECK-NEXT:      %[[POSITIVE:.*]] = arith.cmpi slt, %c0_i32, %[[VI]] : i32
// CHECK-NEXT:      tir.call_intrin "test.use"(%[[POSITIVE]]) : (i1) -> ()
tir.prim_func @ranges(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.for "thread_binding" %c0, %c1 : i32, i32 {
  ^bb0(%i: i32):
    tir.call_intrin "test.use"(%i) : (i32) -> ()
  } {thread = "threadIdx.x"}
  scf.for %i = %c0 to %n step %c4 : i32 {
    %0 = tir.prim "FloorMod"(%i, %c4) : (i32, i32) -> i32
    tir.call_intrin "test.use"(%0) : (i32) -> ()
  }
  tir.block "block" ["spatial"] (%n : i32) from(%c1 : i32) extent(%c4 : i32) where %true {
  ^bb0(%vi: i32):
    %0 = arith.cmpi sgt, %vi, %c0 : i32
    tir.call_intrin "test.use"(%0) : (i1) -> ()
  }
  tir.return
}

// A loop that counts downwards says nothing about its variable.
// CHECK-LABEL: tir.prim_func @downwards
// CHECK:         tir.for "serial"
// CHECK:           arith.cmpi sle, %c0_i32, %{{.*}} : i32
tir.prim_func @downwards() {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %minus = arith.constant -1 : i32
  tir.for "serial" %c0, %c4 : i32, i32 step %minus : i32 {
  ^bb0(%i: i32):
    %0 = arith.cmpi sge, %i, %c0 : i32
    tir.call_intrin "test.use"(%0) : (i1) -> ()
  }
  tir.return
}

// A sum of sums has no parentheses, and neither has a product of a sum. The
// smaller side of a comparison is on the left.
// CHECK-LABEL: tir.prim_func @order
// CHECK-SAME:    (%[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i32, %[[X:.*]]: f32)
// CHECK:         %[[SUM:.*]] = arith.addi %[[A]], %[[B]] overflow<nsw> : i32
// CHECK:         arith.addi %[[SUM]], %[[C]] overflow<nsw> : i32
// CHECK:         %[[B4:.*]] = arith.muli %[[B]], %c4_i32
// CHECK:         %[[C4:.*]] = arith.muli %[[C]], %c4_i32
// CHECK:         %[[SUM:.*]] = arith.addi %[[B4]], %[[C4]] overflow<nsw> : i32
// CHECK:         arith.addi %[[SUM]], %[[A]] overflow<nsw> : i32
// CHECK:         arith.cmpi slt, %[[B]], %[[A]] : i32
// CHECK:         arith.cmpi ule, %[[B]], %[[A]] : i32
// CHECK:         arith.cmpf olt, %{{.*}}, %[[X]] : f32
// CHECK:         arith.cmpf ugt, %[[X]], %{{.*}} : f32
tir.prim_func @order(%a: i32, %b: i32, %c: i32, %x: f32) {
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1.0 : f32
  %0 = arith.addi %b, %c overflow<nsw> : i32
  %1 = arith.addi %a, %0 overflow<nsw> : i32
  tir.call_intrin "test.use"(%1) : (i32) -> ()
  %2 = arith.muli %0, %c4 overflow<nsw> : i32
  %3 = arith.addi %a, %2 overflow<nsw> : i32
  tir.call_intrin "test.use"(%3) : (i32) -> ()
  %4 = arith.cmpi sgt, %a, %b : i32
  tir.call_intrin "test.use"(%4) : (i1) -> ()
  %5 = arith.cmpi uge, %a, %b : i32
  tir.call_intrin "test.use"(%5) : (i1) -> ()
  %6 = arith.cmpf ogt, %x, %one : f32
  tir.call_intrin "test.use"(%6) : (i1) -> ()
  %7 = arith.cmpf ugt, %x, %one : f32
  tir.call_intrin "test.use"(%7) : (i1) -> ()
  tir.return
}

// Loops that may be left keep their statements; unknown ops are values.
// CHECK-LABEL: tir.prim_func @unknown
// CHECK:         %[[X:.*]] = "test.op"(%{{.*}}) : (i32) -> i32
// CHECK-NEXT:    "test.use"(%[[X]]) : (i32) -> ()
tir.prim_func @unknown(%n: i32) {
  %c1 = arith.constant 1 : i32
  %0 = "test.op"(%n) : (i32) -> i32
  %1 = arith.addi %0, %c1 overflow<nsw> : i32
  %2 = arith.subi %1, %c1 overflow<nsw> : i32
  "test.use"(%2) : (i32) -> ()
  tir.return
}
// A comparison becomes as tight as what is known allows; TVM keeps `a < 1`.
// CHECK-LABEL: tir.prim_func @tight
// CHECK:         scf.if
// CHECK-NEXT:      %[[A:.*]] = arith.cmpi eq, %j, %i : i32
// CHECK-NEXT:      "test.use"(%[[A]])
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi slt, %i, %j : i32
// CHECK-NEXT:      "test.use"(%[[B]])
// CHECK:         %[[N:.*]] = arith.cmpi ne, %i, %j : i32
// CHECK-NEXT:    scf.if %[[N]] {
// CHECK-NEXT:      %[[A:.*]] = arith.cmpi slt, %i, %j : i32
// CHECK-NEXT:      "test.use"(%[[A]])
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi slt, %j, %i : i32
// CHECK-NEXT:      "test.use"(%[[B]])
// CHECK:         scf.for %[[K:.*]] = %c0_i32 to %c8_i32
// CHECK-NEXT:      %[[A:.*]] = arith.cmpi eq, %[[K]], %c0_i32 : i32
// CHECK-NEXT:      "test.use"(%[[A]])
// CHECK-NEXT:      %[[B:.*]] = arith.cmpi eq, %[[K]], %c7_i32 : i32
// CHECK-NEXT:      "test.use"(%[[B]])
// CHECK-NEXT:      %[[C:.*]] = arith.cmpi slt, %[[K]], %c7_i32 : i32
// CHECK-NEXT:      "test.use"(%[[C]])
// CHECK-NEXT:      %[[D:.*]] = arith.cmpi slt, %[[K]], %c1_i32 : i32
// CHECK-NEXT:      "test.use"(%[[D]])
tir.prim_func @tight(%i: i32, %j: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %0 = arith.cmpi sle, %i, %j : i32
  scf.if %0 {
    %1 = arith.cmpi sge, %i, %j : i32
    "test.use"(%1) : (i1) -> ()
    %2 = arith.cmpi ne, %i, %j : i32
    "test.use"(%2) : (i1) -> ()
  }
  %3 = arith.cmpi ne, %i, %j : i32
  scf.if %3 {
    %4 = arith.cmpi sle, %i, %j : i32
    "test.use"(%4) : (i1) -> ()
    %5 = arith.cmpi sge, %i, %j : i32
    "test.use"(%5) : (i1) -> ()
  }
  scf.for %k = %c0 to %c8 step %c1 : i32 {
    %6 = arith.cmpi sle, %k, %c0 : i32
    "test.use"(%6) : (i1) -> ()
    %7 = arith.cmpi sge, %k, %c7 : i32
    "test.use"(%7) : (i1) -> ()
    %8 = arith.cmpi ne, %k, %c7 : i32
    "test.use"(%8) : (i1) -> ()
    %9 = arith.cmpi slt, %k, %c1 : i32
    "test.use"(%9) : (i1) -> ()
  }
  tir.return
}

// A number that is alone on its side stays there. In a sum it comes last, and in
// a remainder it is from 0 to below the divisor.
// CHECK-LABEL: tir.prim_func @numbers
// CHECK:         %[[A:.*]] = arith.cmpi slt, %i, %c1_i32 : i32
// CHECK-NEXT:    "test.use"(%[[A]])
// CHECK-NEXT:    %[[S:.*]] = arith.subi %i, %j overflow<nsw> : i32
// CHECK-NEXT:    %[[B:.*]] = arith.cmpi slt, %[[S]], %c1_i32 : i32
// CHECK-NEXT:    "test.use"(%[[B]])
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi sle, %i, %j : i32
// CHECK-NEXT:    "test.use"(%[[C]])
// CHECK-NEXT:    %[[S:.*]] = arith.addi %i, %c1_i32 overflow<nsw> : i32
// CHECK-NEXT:    %[[R:.*]] = tir.prim "FloorMod"(%[[S]], %c2_i32)
// CHECK-NEXT:    "test.use"(%[[R]])
// CHECK-NEXT:    %[[S:.*]] = arith.addi %i, %j overflow<nsw> : i32
// CHECK-NEXT:    %[[T:.*]] = arith.addi %[[S]], %c3_i32 overflow<nsw> : i32
// CHECK-NEXT:    "test.use"(%[[T]])
tir.prim_func @numbers(%i: i32, %j: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.addi %i, %c1 overflow<nsw> : i32
  %1 = arith.cmpi slt, %0, %c2 : i32
  "test.use"(%1) : (i1) -> ()
  %2 = arith.subi %i, %j overflow<nsw> : i32
  %3 = arith.cmpi slt, %2, %c1 : i32
  "test.use"(%3) : (i1) -> ()
  %4 = arith.addi %j, %c1 overflow<nsw> : i32
  %5 = arith.cmpi slt, %i, %4 : i32
  "test.use"(%5) : (i1) -> ()
  %6 = arith.subi %i, %c1 overflow<nsw> : i32
  %7 = tir.prim "FloorMod"(%6, %c2) : (i32, i32) -> i32
  "test.use"(%7) : (i32) -> ()
  %8 = arith.addi %i, %c3 overflow<nsw> : i32
  %9 = arith.addi %8, %j overflow<nsw> : i32
  "test.use"(%9) : (i32) -> ()
  tir.return
}

// Loops without statements stay, and so do names that nothing uses. Expressions
// take the place of their names, except for numbers in memory and calls with
// effects.
// CHECK-LABEL: tir.prim_func @statements
// CHECK:         scf.for
// CHECK-NEXT:      tir.evaluate %c0_i32{{.*}} : i32
// CHECK-NEXT:    }
// CHECK:         scf.if %p {
// CHECK-NEXT:      scf.if %q {
// CHECK-NEXT:        "test.use"(%i)
// CHECK:         %[[S:.*]] = arith.addi %i, %c1_i32 overflow<nsw> : i32
// CHECK-NEXT:    tir.bind %[[S]] : i32
// CHECK-NEXT:    "test.use"(%[[S]])
// CHECK-NEXT:    %[[L:.*]] = memref.load
// CHECK-NEXT:    %[[M:.*]] = tir.bind %[[L]] : i32
// CHECK-NEXT:    "test.use"(%[[M]])
// CHECK-NEXT:    %[[C:.*]] = tir.call_intrin "test.call"
// CHECK-NEXT:    %[[D:.*]] = tir.bind %[[C]] : i32
// CHECK-NEXT:    %[[E:.*]] = arith.addi %[[D]], %c1_i32 overflow<nsw> : i32
// CHECK-NEXT:    "test.use"(%[[E]])
// CHECK-NOT:     tir.evaluate
// CHECK:         tir.return
tir.prim_func @statements(%a: memref<4xi32>, %i: i32, %p: i1, %q: i1) {
  %zero = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    %0 = arith.cmpi slt, %k, %c0 : i32
    scf.if %0 {
      memref.store %i, %a[%zero] : memref<4xi32>
    }
    %1 = memref.load %a[%zero] : memref<4xi32>
    memref.store %1, %a[%zero] : memref<4xi32>
  }
  scf.if %p {
    scf.if %q {
      "test.use"(%i) : (i32) -> ()
    }
  }
  %2 = arith.addi %i, %c1 overflow<nsw> : i32
  %3 = tir.bind %2 : i32
  "test.use"(%3) : (i32) -> ()
  %4 = memref.load %a[%zero] : memref<4xi32>
  %5 = tir.bind %4 : i32
  "test.use"(%5) : (i32) -> ()
  %6 = tir.call_intrin "test.call"(%i) : (i32) -> i32
  %7 = tir.bind %6 : i32
  %8 = arith.addi %7, %c1 overflow<nsw> : i32
  "test.use"(%8) : (i32) -> ()
  tir.return
}

// A buffer without uses stays, and so do the place of a number in front and the
// type of an index.
// CHECK-LABEL: tir.prim_func @keeps
// CHECK-SAME:      (%[[A:[a-z]+]]: memref<4xf32>, %[[X:.*]]: f32, %[[N:.*]]: i32)
// CHECK:         tir.alloc_buffer : memref<4xf32, "local">
// CHECK:         tir.decl_buffer
// CHECK:         arith.mulf %{{cst.*}}, %[[X]] : f32
// CHECK:         arith.maxsi %c3_i32, %[[N]] : i32
// CHECK:         arith.addi %[[N]], %c3_i32 overflow<nsw> : i32
// CHECK:         %[[INDEX:.*]] = arith.index_cast %c3_i32{{.*}} : i32 to index
// CHECK:         memref.store %[[X]], %[[A]][%[[INDEX]]] : memref<4xf32>
tir.prim_func @keeps(%a: memref<4xf32>, %x: f32, %n: i32) {
  %half = arith.constant 0.5 : f32
  %c3 = arith.constant 3 : i32
  %b = tir.alloc_buffer : memref<4xf32, "local">
  %data = tir.call_intrin "tirx.buffer_data"(%a) : (memref<4xf32>) -> !tir.ptr<"global", f32>
  %c = tir.decl_buffer %data : !tir.ptr<"global", f32> to memref<2xf32>
  %0 = arith.mulf %half, %x : f32
  tir.call_intrin "test.use"(%0) : (f32) -> ()
  %1 = arith.maxsi %c3, %n : i32
  tir.call_intrin "test.use"(%1) : (i32) -> ()
  %2 = arith.addi %c3, %n overflow<nsw> : i32
  tir.call_intrin "test.use"(%2) : (i32) -> ()
  %3 = arith.index_cast %c3 : i32 to index
  memref.store %x, %a[%3] : memref<4xf32>
  // An attribute of the program does not tell the pass to erase its op.
  // CHECK: tir.evaluate %[[N]] : i32
  tir.evaluate %n {tir.keep} : i32
  tir.return
}

// i * 3 // 2 is i if i is below 2, and i * 7 // 2 is i * 3.
// CHECK-LABEL: tir.prim_func @halves
// CHECK-SAME:    (%[[X:.*]]: i32)
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           tir.evaluate %[[I]] : i32
// CHECK:           %[[THRICE:.*]] = arith.muli %[[I]], %c3_i32 overflow<nsw> : i32
// CHECK:           tir.evaluate %[[THRICE]] : i32
// CHECK:           arith.floordivsi
tir.prim_func @halves(%x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c7 = arith.constant 7 : i32
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %0 = arith.muli %i, %c3 overflow<nsw> : i32
    %1 = arith.floordivsi %0, %c2 : i32
    tir.evaluate %1 : i32
    %2 = arith.muli %i, %c7 overflow<nsw> : i32
    %3 = arith.floordivsi %2, %c2 : i32
    tir.evaluate %3 : i32
    %4 = arith.muli %x, %c3 overflow<nsw> : i32
    %5 = arith.floordivsi %4, %c2 : i32
    tir.evaluate %5 : i32
  }
  tir.return
}

// (i * 16 + j) % 48 is i % 3 * 16 + j if j is below 16.
// CHECK-LABEL: tir.prim_func @tiles
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             %[[REST:.*]] = tir.prim "FloorMod"(%[[I]], %c3_i32)
// CHECK-NEXT:        %[[FIRST:.*]] = arith.muli %[[REST]], %c16_i32 overflow<nsw> : i32
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[FIRST]], %[[J]] overflow<nsw> : i32
// CHECK-NEXT:        tir.evaluate %[[SUM]] : i32
// CHECK:             %[[ODD:.*]] = tir.prim "FloorMod"(%{{.*}}, %c24_i32)
// CHECK-NEXT:        tir.evaluate %[[ODD]] : i32
tir.prim_func @tiles(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c48 = arith.constant 48 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %c16 step %c1 : i32 {
      %0 = arith.muli %i, %c16 overflow<nsw> : i32
      %1 = arith.addi %0, %j overflow<nsw> : i32
      %2 = tir.prim "FloorMod"(%1, %c48) : (i32, i32) -> i32
      tir.evaluate %2 : i32
      %3 = tir.prim "FloorMod"(%1, %c24) : (i32, i32) -> i32
      tir.evaluate %3 : i32
    }
  }
  tir.return
}

// Products and sizes that are named. A remainder of a sum stays.
// CHECK-LABEL: tir.prim_func @named
// CHECK-SAME:      (%[[I:.*]]: i64, %[[J:.*]]: i64, %[[H:.*]]: i64)
// CHECK:         %[[E:.*]] = arith.muli %[[I]], %[[H]] overflow<nsw> : i64
// CHECK-NEXT:    %[[F:.*]] = arith.addi %[[E]], %[[J]] overflow<nsw> : i64
// CHECK-NEXT:    %[[Q:.*]] = arith.floordivsi %[[J]], %[[H]]
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[I]], %[[Q]] overflow<nsw> : i64
// CHECK-NEXT:    tir.evaluate %[[S]] : i64
// CHECK-NEXT:    tir.evaluate %c0_i64 : i64
// CHECK-NEXT:    %[[A:.*]] = arith.addi %[[I]], %c1_i64 overflow<nsw> : i64
// CHECK-NEXT:    %[[B:.*]] = arith.muli %[[A]], %[[H]] overflow<nsw> : i64
// CHECK-NEXT:    tir.evaluate %[[B]] : i64
// CHECK-NEXT:    %[[C:.*]] = arith.subi %c1_i64, %[[I]] overflow<nsw> : i64
// CHECK-NEXT:    %[[D:.*]] = arith.muli %[[C]], %[[H]] overflow<nsw> : i64
// CHECK-NEXT:    tir.evaluate %[[D]] : i64
// CHECK-NEXT:    %[[G:.*]] = tir.prim "FloorMod"(%[[F]], %[[H]])
// CHECK-NEXT:    tir.evaluate %[[G]] : i64
// CHECK-NEXT:    %[[W:.*]] = arith.addi %[[E]], %[[J]] : i64
// CHECK-NEXT:    %[[X:.*]] = arith.floordivsi %[[W]], %[[H]] : i64
// CHECK-NEXT:    tir.evaluate %[[X]] : i64
tir.prim_func @named(%i: i64, %j: i64, %h: i64) {
  %0 = arith.muli %i, %h overflow<nsw> : i64
  %1 = arith.addi %0, %j overflow<nsw> : i64
  %2 = arith.floordivsi %1, %h : i64
  tir.evaluate %2 : i64
  %3 = tir.prim "FloorMod"(%0, %h) : (i64, i64) -> i64
  tir.evaluate %3 : i64
  %4 = arith.addi %0, %h overflow<nsw> : i64
  tir.evaluate %4 : i64
  %5 = arith.subi %h, %0 overflow<nsw> : i64
  tir.evaluate %5 : i64
  %6 = tir.prim "FloorMod"(%1, %h) : (i64, i64) -> i64
  tir.evaluate %6 : i64
  // A sum that may wrap around is not divided.
  %7 = arith.addi %0, %j : i64
  %8 = arith.floordivsi %7, %h : i64
  tir.evaluate %8 : i64
  tir.return
}

// A remainder of another type stays. Attributes of the program's ops with the
// names that the pass uses do no harm.
// CHECK-LABEL: tir.prim_func @strangers
// CHECK-SAME:      (%[[A:[a-z]+]]: memref<4xf32>, %[[X:.*]]: f32, %[[N:.*]]: i32, %[[I:.*]]: index)
// CHECK-NEXT:    %[[MOD:.*]] = tir.prim "FloorMod"(%[[N]], %[[N]]) : (i32, i32) -> i64
// CHECK-NEXT:    tir.evaluate %[[MOD]] : i64
// CHECK-NEXT:    tir.evaluate %[[X]] : f32
// CHECK-NEXT:    memref.store %[[X]], %[[A]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:    memref.store %[[X]], %[[A]][%[[I]]] : memref<4xf32>
// CHECK-NEXT:    tir.return
tir.prim_func @strangers(%a: memref<4xf32>, %x: f32, %n: i32, %i: index) {
  %0 = tir.prim "FloorMod"(%n, %n) : (i32, i32) -> i64
  tir.evaluate %0 : i64
  tir.evaluate %x {tir.keep} : f32
  memref.store %x, %a[%i] {tir.number_first} : memref<4xf32>
  memref.store %x, %a[%i] {tir.index_types = [1, i32]} : memref<4xf32>
  tir.return {tir.number_first}
}

// A product of products stands without parentheses, unless it has very many
// factors.
// CHECK-LABEL: tir.prim_func @factors
// CHECK-SAME:      (%[[X:.*]]: i64, %[[Y:.*]]: i64, %[[Z:.*]]: i64, %[[W:.*]]: i64)
// CHECK-NEXT:    %[[A:.*]] = arith.muli %[[X]], %[[Y]] overflow<nsw> : i64
// CHECK-NEXT:    %[[B:.*]] = arith.muli %[[A]], %[[Z]] overflow<nsw> : i64
// CHECK-NEXT:    %[[C:.*]] = arith.muli %[[B]], %[[W]] overflow<nsw> : i64
// CHECK-NEXT:    tir.evaluate %[[C]] : i64
// CHECK-NEXT:    %[[P2:.*]] = arith.muli %[[X]], %[[X]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P4:.*]] = arith.muli %[[P2]], %[[P2]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P8:.*]] = arith.muli %[[P4]], %[[P4]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P16:.*]] = arith.muli %[[P8]], %[[P8]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P32:.*]] = arith.muli %[[P16]], %[[P16]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P64:.*]] = arith.muli %[[P32]], %[[P32]] overflow<nsw> : i64
// CHECK-NEXT:    %[[P128:.*]] = arith.muli %[[P64]], %[[P64]] overflow<nsw> : i64
// CHECK-NEXT:    tir.evaluate %[[P128]] : i64
tir.prim_func @factors(%x: i64, %y: i64, %z: i64, %w: i64) {
  %0 = arith.muli %z, %w overflow<nsw> : i64
  %1 = arith.muli %y, %0 overflow<nsw> : i64
  %2 = arith.muli %x, %1 overflow<nsw> : i64
  tir.evaluate %2 : i64
  %p2 = arith.muli %x, %x overflow<nsw> : i64
  %p4 = arith.muli %p2, %p2 overflow<nsw> : i64
  %p8 = arith.muli %p4, %p4 overflow<nsw> : i64
  %p16 = arith.muli %p8, %p8 overflow<nsw> : i64
  %p32 = arith.muli %p16, %p16 overflow<nsw> : i64
  %p64 = arith.muli %p32, %p32 overflow<nsw> : i64
  %p128 = arith.muli %p64, %p64 overflow<nsw> : i64
  tir.evaluate %p128 : i64
  tir.return
}

// The indices of two loops of variable extents that were fused into one.
// CHECK-LABEL: tir.prim_func @fused(
// CHECK-SAME:      %[[I:.*]]: i64, %[[N:.*]]: i64, %[[M:.*]]: i64)
// CHECK-NEXT:    %[[Q:.*]] = arith.floordivsi %[[I]], %[[M]] : i64
// CHECK-NEXT:    tir.evaluate %[[I]] : i64
// CHECK-NEXT:    tir.evaluate %[[Q]] : i64
// CHECK-NEXT:    tir.return
tir.prim_func @fused(%i: i64, %n: i64, %m: i64) {
  %p = arith.muli %n, %m overflow<nsw> : i64
  %q = arith.floordivsi %i, %p : i64
  %again = arith.muli %n, %m overflow<nsw> : i64
  %r = tir.prim "FloorMod"(%i, %again) : (i64, i64) -> i64
  %a = arith.muli %q, %n overflow<nsw> : i64
  %b = arith.floordivsi %r, %m : i64
  %c = arith.addi %b, %a overflow<nsw> : i64
  %d = arith.muli %c, %m overflow<nsw> : i64
  %e = tir.prim "FloorMod"(%i, %m) : (i64, i64) -> i64
  %s = arith.addi %d, %e overflow<nsw> : i64
  tir.evaluate %s : i64
  tir.evaluate %c : i64
  tir.return
}

// Other factors, other dividends, and sums that can overflow stay.
// CHECK-LABEL: tir.prim_func @not_fused(
// CHECK-COUNT-4: arith.addi
tir.prim_func @not_fused(%i: i64, %j: i64, %n: i64, %m: i64) {
  %p = arith.muli %n, %m overflow<nsw> : i64
  %q = arith.floordivsi %i, %p : i64
  %r = tir.prim "FloorMod"(%i, %p) : (i64, i64) -> i64
  %a = arith.muli %q, %n overflow<nsw> : i64
  %b = arith.floordivsi %r, %n : i64
  %c = arith.addi %a, %b overflow<nsw> : i64
  tir.evaluate %c : i64
  %s = tir.prim "FloorMod"(%j, %p) : (i64, i64) -> i64
  %d = arith.floordivsi %s, %m : i64
  %e = arith.addi %a, %d overflow<nsw> : i64
  tir.evaluate %e : i64
  %f = arith.floordivsi %r, %m : i64
  %g = arith.addi %a, %f : i64
  tir.evaluate %g : i64
  %h = arith.remsi %i, %m : i64
  %k = arith.floordivsi %i, %m : i64
  %l = arith.muli %k, %m overflow<nsw> : i64
  %o = arith.addi %l, %h overflow<nsw> : i64
  tir.evaluate %o : i64
  tir.return
}
}
