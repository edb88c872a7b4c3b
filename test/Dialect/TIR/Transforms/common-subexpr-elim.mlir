// RUN: partita-opt %s --tir-common-subexpr-elim | FileCheck %s
// RUN: partita-opt %s --tir-common-subexpr-elim --tir-common-subexpr-elim | FileCheck %s

partita.module {

// The larger expression is bound, and what comes again beside it.
// CHECK-LABEL: tir.prim_func @statements
// CHECK:         %[[XY:.*]] = arith.addi %x, %y : i32
// CHECK-NEXT:    %cse_v2 = tir.bind %[[XY]] : i32
// CHECK-NEXT:    %[[ALL:.*]] = arith.muli %cse_v2, %z : i32
// CHECK-NEXT:    %cse_v1 = tir.bind %[[ALL]] : i32
// CHECK-NEXT:    memref.store %cse_v1
// CHECK-NEXT:    memref.store %cse_v1
// CHECK-NEXT:    memref.store %cse_v2
// CHECK-NEXT:    tir.return
tir.prim_func @statements(%a: memref<3xi32>, %x: i32, %y: i32, %z: i32) {
  %c0 = arith.constant 0 : index
  %0 = arith.addi %x, %y : i32
  %1 = arith.muli %0, %z : i32
  memref.store %1, %a[%c0] : memref<3xi32>
  %2 = arith.addi %x, %y : i32
  %3 = arith.muli %2, %z : i32
  memref.store %3, %a[%c0] : memref<3xi32>
  %4 = arith.addi %x, %y : i32
  memref.store %4, %a[%c0] : memref<3xi32>
  tir.return
}

// CHECK-LABEL: tir.prim_func @inside
// CHECK:         memref.store %x
// CHECK:         arith.addi
// CHECK-NEXT:    %cse_v2 = tir.bind
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      memref.store %cse_v2
// CHECK-NEXT:    } else {
// CHECK-NEXT:      memref.store %cse_v2
// CHECK:         scf.for %i
// CHECK-NEXT:      arith.muli %i, %x
// CHECK-NEXT:      %cse_v1 = tir.bind
// CHECK-NEXT:      memref.store %cse_v1
// CHECK-NEXT:      memref.store %cse_v1
tir.prim_func @inside(%a: memref<1xi32>, %x: i32, %y: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  memref.store %x, %a[%c0] : memref<1xi32>
  scf.if %c {
    %0 = arith.addi %x, %y : i32
    memref.store %0, %a[%c0] : memref<1xi32>
  } else {
    %0 = arith.addi %x, %y : i32
    memref.store %0, %a[%c0] : memref<1xi32>
  }
  scf.for %i = %zero to %y step %one : i32 {
    %0 = arith.muli %i, %x : i32
    memref.store %0, %a[%c0] : memref<1xi32>
    %1 = arith.muli %i, %x : i32
    memref.store %1, %a[%c0] : memref<1xi32>
  }
  tir.return
}

// Reads of buffers, calls, conditions, vectors, and variables of a let.
// CHECK-LABEL: tir.prim_func @kept
// CHECK-NOT:     tir.bind
// CHECK:         tir.return
tir.prim_func @kept(%a: memref<1xi32>, %b: memref<1xi1>, %x: i32, %y: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %a[%c0] : memref<1xi32>
  %1 = arith.addi %0, %x : i32
  memref.store %1, %a[%c0] : memref<1xi32>
  %2 = memref.load %a[%c0] : memref<1xi32>
  %3 = arith.addi %2, %x : i32
  memref.store %3, %a[%c0] : memref<1xi32>
  %4 = tir.call_intrin pure "tirx.clz"(%x) : (i32) -> i32
  %5 = arith.addi %4, %y : i32
  memref.store %5, %a[%c0] : memref<1xi32>
  %6 = tir.call_intrin pure "tirx.clz"(%x) : (i32) -> i32
  %7 = arith.addi %6, %y : i32
  memref.store %7, %a[%c0] : memref<1xi32>
  %8 = arith.cmpi slt, %x, %y : i32
  memref.store %8, %b[%c0] : memref<1xi1>
  %9 = arith.cmpi slt, %x, %y : i32
  memref.store %9, %b[%c0] : memref<1xi1>
  %10 = tir.let %x : i32 to i32 {
  ^bb0(%v: i32):
    %14 = arith.muli %v, %y : i32
    %15 = arith.muli %v, %y : i32
    %16 = arith.addi %14, %15 : i32
    tir.yield %16 : i32
  }
  memref.store %10, %a[%c0] : memref<1xi32>
  // Only one branch divides.
  scf.if %c {
    scf.if %9 {
      %12 = arith.floordivsi %x, %y : i32
      memref.store %12, %a[%c0] : memref<1xi32>
    }
    scf.if %8 {
      %12 = arith.floordivsi %x, %y : i32
      memref.store %12, %a[%c0] : memref<1xi32>
    }
  }
  // Nothing divides before the assertion.
  scf.if %c {
    %12 = arith.floordivsi %y, %x : i32
    memref.store %12, %a[%c0] : memref<1xi32>
  }
  tir.assert %c "RuntimeError" ["expected a divisor"]
  %13 = arith.floordivsi %y, %x : i32
  memref.store %13, %a[%c0] : memref<1xi32>
  tir.return
}

// The sizes of parameters come before the body, and stay as they are.
// CHECK-LABEL: tir.prim_func @sizes
// CHECK:         %[[SIZE:.*]] = arith.addi %n, %c1
// CHECK-NEXT:    tir.buffer %a shape(%[[SIZE]] : i32)
// CHECK:         tir.block "one"
// CHECK:           tir.writes %a[%{{[0-9]+}} : i32]
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %n, %c1_i32
// CHECK-NEXT:      %cse_v1 = tir.bind %[[SUM]]
// CHECK-NEXT:      tir.evaluate %cse_v1
// CHECK-NEXT:      tir.evaluate %cse_v1
tir.prim_func @sizes(%a: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %n = tir.var : i32
  %0 = arith.addi %n, %c1 : i32
  tir.buffer %a shape(%0 : i32) : memref<?xi32>
  tir.block "one" [] where %true {
    %1 = arith.addi %n, %c1 : i32
    tir.writes %a[%1 : i32] [%c1 : i32] : memref<?xi32>
    %2 = arith.addi %n, %c1 : i32
    tir.evaluate %2 : i32
    %3 = arith.addi %n, %c1 : i32
    tir.evaluate %3 : i32
  }
  tir.return
}

// An offset before a loop and in its bounds, and in a value with branches.
// CHECK-LABEL: tir.prim_func @values
// CHECK:         arith.addi %x, %y
// CHECK-NEXT:    %cse_v1 = tir.bind
// CHECK-NEXT:    scf.if %c -> (i32)
// CHECK-NEXT:      scf.yield %cse_v1 : i32
// CHECK:         tir.evaluate
// CHECK:         scf.for %{{.*}} = %{{.*}} to %cse_v1
// CHECK-NOT:       tir.bind
tir.prim_func @values(%a: memref<1xi32>, %x: i32, %y: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = scf.if %c -> i32 {
    %2 = arith.addi %x, %y : i32
    scf.yield %2 : i32
  } else {
    scf.yield %x : i32
  }
  tir.evaluate %0 : i32
  %1 = arith.addi %x, %y : i32
  scf.for %i = %zero to %1 step %one : i32 {
    tir.evaluate %i : i32
  }
  tir.return
}

// TVM has the number of iterations in place of the end.
// CHECK-LABEL: tir.prim_func @ends
// CHECK-NOT:     tir.bind
// CHECK:         tir.return
tir.prim_func @ends(%n: i64) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %0 = arith.addi %n, %two : i64
  scf.for %i = %n to %0 step %one : i64 {
    tir.evaluate %i : i64
  }
  %1 = arith.addi %n, %two : i64
  scf.for %i = %n to %1 step %one : i64 {
    tir.evaluate %i : i64
  }
  tir.return
}

// CHECK-LABEL: tir.prim_func @blocks
// CHECK-NOT:     tir.bind
// CHECK:         tir.return
// CHECK-LABEL: tir.prim_func private @declared
tir.prim_func @blocks(%x: i32, %y: i32, %c: i1) {
  cf.cond_br %c, ^one, ^end
^one:
  %0 = arith.addi %x, %y : i32
  tir.evaluate %0 : i32
  cf.br ^end
^gone:
  %1 = arith.addi %x, %y : i32
  tir.evaluate %1 : i32
  scf.execute_region {
    cf.br ^two
  ^two:
    tir.evaluate %1 : i32
    scf.yield
  }
  cf.br ^end
^end:
  %2 = arith.addi %x, %y : i32
  tir.evaluate %2 : i32
  tir.return
}
tir.prim_func private @declared(%x: i32)

// CHECK-LABEL: tir.prim_func @region
// CHECK:         scf.execute_region
// CHECK-NOT:       tir.bind
// CHECK:           scf.yield
// CHECK:         %cse_v1 = tir.bind
// CHECK-NEXT:    tir.evaluate %cse_v1
// CHECK-NEXT:    tir.evaluate %cse_v1
tir.prim_func @region(%x: i32, %y: i32) {
  scf.execute_region {
    %0 = arith.addi %x, %y : i32
    tir.evaluate %0 : i32
    cf.br ^two
  ^two:
    tir.evaluate %0 : i32
    scf.yield
  }
  %1 = arith.addi %x, %y : i32
  tir.evaluate %1 : i32
  %2 = arith.addi %x, %y : i32
  tir.evaluate %2 : i32
  tir.return
}
}
