// RUN: partita-opt %s --tir-vectorize-loop | FileCheck %s
// RUN: partita-opt %s --tir-vectorize-loop=enable-vectorize=false | FileCheck %s --check-prefix=SERIAL

// SERIAL-NOT: vectorized
// SERIAL-NOT: vector<

partita.module {

// CHECK-LABEL: tir.prim_func @add
// CHECK-SAME:    (%[[A:.*]]: memref<4x25xf32>, %[[X:.*]]: f32)
// CHECK:         scf.for %[[O:.*]] = %c0_i32 to %c4_i32
// CHECK-NOT:       scf.for
// CHECK:           %[[BASE:.*]] = arith.muli %[[O]], %c4_i32 overflow<nsw> : i32
// CHECK:           %[[R:.*]] = tir.prim "Ramp"(%[[BASE]], %c1_i32{{.*}}, %c4_i32{{.*}}) : (i32, i32, i32) -> vector<4xi32>
// CHECK-NEXT:      %[[L:.*]] = tir.load %[[A]][%[[O]], %[[R]]] : memref<4x25xf32>, i32, vector<4xi32> -> vector<4xf32>
// CHECK:           %[[B:.*]] = tir.prim "Broadcast"(%[[X]], %{{.*}}) : (f32, i32) -> vector<4xf32>
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[L]], %[[B]] : vector<4xf32>
// CHECK:           tir.store %[[S]], %[[A]][%[[O]], %{{.*}}] : vector<4xf32>, memref<4x25xf32>, i32, vector<4xi32>
tir.prim_func @add(%a: memref<4x25xf32>, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %o = %c0 to %c4 step %c1 : i32 {
    %k = arith.index_cast %o : i32 to index
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %0 = arith.muli %o, %c4 overflow<nsw> : i32
      %1 = arith.addi %0, %i overflow<nsw> : i32
      %2 = arith.index_cast %1 : i32 to index
      %3 = memref.load %a[%k, %2] : memref<4x25xf32>
      %4 = arith.addf %3, %x : f32
      memref.store %4, %a[%k, %2] : memref<4x25xf32>
    } {tir.kind = "vectorized"}
  }
  tir.return
}

// A condition about the variable: its statement has a loop of its own.
// CHECK-LABEL: tir.prim_func @condition
// CHECK:         tir.store %{{.*}} : vector<4xf32>, memref<25xf32>, vector<4xi32>
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c4_i32{{.*}}
// CHECK-NEXT:      %[[P:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : i32
// CHECK-NEXT:      scf.if %[[P]] {
// CHECK-NEXT:        memref.store
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    tir.return
tir.prim_func @condition(%a: memref<25xf32>, %b: memref<25xf32>, %x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    memref.store %x, %a[%0] : memref<25xf32>
    %1 = arith.cmpi slt, %i, %n : i32
    scf.if %1 {
      memref.store %x, %b[%zero] : memref<25xf32>
    }
  } {tir.kind = "vectorized"}
  tir.return
}

// What is read is overwritten before a statement of its own could read it; and
// a sum in one place: the loops become serial.
// CHECK-LABEL: tir.prim_func @dependent
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c4_i32 step %c1_i32 : i32 {
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c4_i32 step %c1_i32 : i32 {
// CHECK-NOT:     vector
// CHECK:         tir.return
tir.prim_func @dependent(%a: memref<25xf32>, %x: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = memref.load %a[%0] : memref<25xf32>
    memref.store %x, %a[%0] : memref<25xf32>
    %2 = arith.cmpi slt, %i, %n : i32
    scf.if %2 {
      memref.store %1, %a[%zero] : memref<25xf32>
    }
  } {tir.kind = "vectorized"}
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = memref.load %a[%zero] : memref<25xf32>
    %1 = arith.addf %0, %x : f32
    memref.store %1, %a[%zero] : memref<25xf32>
  } {tir.kind = "vectorized"}
  tir.return
}

// Branches of a condition that is the same for all; a call that vectors have.
// CHECK-LABEL: tir.prim_func @expressions
// CHECK:         %[[V:.*]] = scf.if %{{.*}} -> (vector<4xf32>) {
// CHECK:           tir.call_intrin pure "tirx.exp"(%{{.*}}) : (vector<4xf32>) -> vector<4xf32>
// CHECK:         } else {
// CHECK:           tir.prim "Broadcast"
// CHECK:         }
// CHECK:         tir.call_intrin pure "tirx.reinterpret"(%{{.*}}) : (vector<4xi32>) -> vector<4xf32>
// CHECK:         tir.store
tir.prim_func @expressions(%a: memref<25xf32>, %x: f32, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = scf.if %p -> (f32) {
      %2 = memref.load %a[%0] : memref<25xf32>
      %3 = tir.call_intrin pure "tirx.exp"(%2) : (f32) -> f32
      scf.yield %3 : f32
    } else {
      scf.yield %x : f32
    }
    %4 = tir.call_intrin pure "tirx.reinterpret"(%i) : (i32) -> f32
    %5 = arith.addf %1, %4 : f32
    memref.store %5, %a[%0] : memref<25xf32>
  } {tir.kind = "vectorized"}
  tir.return
}

// Of the calls that vectors have, scalable ones have reinterpret alone.
// CHECK-LABEL: tir.prim_func @scalable_calls
// CHECK:         tir.call_intrin pure "tirx.reinterpret"(%{{.*}}) : (vector<[4]xi32>) -> vector<[4]xf32>
// CHECK:         tir.store
// CHECK:         scf.for
// CHECK:           tir.call_intrin pure "tirx.exp"(%{{.*}}) : (f32) -> f32
tir.prim_func @scalable_calls(%a: memref<25xi32>, %b: memref<25xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %vscale = tir.call_intrin pure "prim.vscale"() : () -> i32
  %lanes = arith.muli %vscale, %c4 overflow<nsw> : i32
  scf.for %i = %c0 to %lanes step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = memref.load %a[%0] : memref<25xi32>
    %2 = tir.call_intrin pure "tirx.reinterpret"(%1) : (i32) -> f32
    memref.store %2, %b[%0] : memref<25xf32>
    %3 = memref.load %b[%0] : memref<25xf32>
    %4 = tir.call_intrin pure "tirx.exp"(%3) : (f32) -> f32
    memref.store %4, %b[%0] : memref<25xf32>
  } {tir.kind = "vectorized"}
  tir.return
}

// Scalable vectors; and a single iteration.
// CHECK-LABEL: tir.prim_func @lanes
// CHECK:         tir.store %{{.*}} : vector<[4]xf32>, memref<25xf32>, vector<[4]xi32>
// CHECK:         memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<25xf32>
// CHECK-NEXT:    tir.return
tir.prim_func @lanes(%a: memref<25xf32>, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = tir.call_intrin pure "prim.vscale"() : () -> i32
  %1 = arith.muli %0, %c4 overflow<nsw> : i32
  scf.for %i = %c0 to %1 step %c1 : i32 {
    %2 = arith.index_cast %i : i32 to index
    memref.store %x, %a[%2] : memref<25xf32>
  } {tir.kind = "vectorized"}
  tir.for "vectorized" %c4, %c1 : i32, i32 {
  ^bb0(%i: i32):
    %2 = arith.index_cast %i : i32 to index
    memref.store %x, %a[%2] : memref<25xf32>
  }
  tir.return
}

// Other loops stay.
// CHECK-LABEL: tir.prim_func @others
// CHECK:         scf.for
// CHECK-NEXT:      arith.index_cast
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    } {tir.kind = "parallel"}
tir.prim_func @others(%a: memref<25xf32>, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    memref.store %x, %a[%0] : memref<25xf32>
  } {tir.kind = "parallel"}
  tir.return
}

// Sums of indices are sums of i64. What else is computed of an index has no vector.
// CHECK-LABEL: tir.prim_func @index_arithmetic
// CHECK:         %[[R:.*]] = tir.prim "Ramp"(%{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, i32) -> vector<4xi64>
// CHECK:         tir.store %{{.*}}, %{{.*}}[%[[R]]] : vector<4xf32>, memref<25xf32>, vector<4xi64>
// CHECK:         scf.for
// CHECK:           arith.minsi %{{.*}}, %{{.*}} : index
// CHECK:           memref.store
// CHECK:         tir.return
tir.prim_func @index_arithmetic(%a: memref<25xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c12 = arith.constant 12 : index
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.addi %0, %c12 overflow<nsw> : index
    memref.store %x, %a[%1] : memref<25xf32>
    %2 = arith.minsi %0, %n : index
    memref.store %x, %a[%2] : memref<25xf32>
  } {tir.kind = "vectorized"}
  tir.return
}

}
