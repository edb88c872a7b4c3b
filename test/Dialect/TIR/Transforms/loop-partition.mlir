// RUN: partita-opt %s --tir-loop-partition --pass-config='tir.LoopPartition={partition_const_loop = true}' | FileCheck %s
// RUN: partita-opt %s --tir-loop-partition | FileCheck %s --check-prefix=HINT
// RUN: partita-opt %s --tir-loop-partition --pass-config='tir.LoopPartition={partition_const_loop = true, no_unroll_loop_with_extent_one = true, unroll_loop_with_partition_hint_no_interval = true}' | FileCheck %s --check-prefix=LOOPS

partita.module {

// In a part, the conditions that are the same for all its iterations are
// constants. Each part counts from 0. Parts of one iteration are no loops.
// CHECK-LABEL: tir.prim_func @pool
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : i32
// CHECK-NOT:     scf.for
// CHECK:         %[[P:.*]] = arith.cmpi sgt, %{{c0_i32.*}}, %[[C0]] : i32
// CHECK-NEXT:    scf.if %[[P]] {
// CHECK:           %[[Q:.*]] = arith.cmpi slt, %{{c0_i32.*}}, %c15_i32 : i32
// CHECK-NEXT:      scf.if %[[Q]] {
// CHECK:         scf.for %[[I:.*]] = %{{c0_i32.*}} to %c14_i32 step
// CHECK-NEXT:      %[[J:.*]] = arith.addi %[[I]], %{{.*}} overflow<nsw> : i32
// CHECK-NEXT:      %[[T:.*]] = arith.constant true
// CHECK-NEXT:      scf.if %[[T]] {
// CHECK-NEXT:        %[[U:.*]] = arith.constant true
// CHECK-NEXT:        scf.if %[[U]] {
// CHECK-NEXT:          %[[K:.*]] = arith.index_cast %[[J]] : i32 to index
// CHECK-NEXT:          memref.store %{{.*}}, %{{.*}}[%[[K]]] : memref<16xf32>
// CHECK-NOT:     scf.for
// CHECK-NOT:     likely
// CHECK:         tir.return
// Without the option no loop is split, but nothing is likely any more.
// HINT-LABEL:  tir.prim_func @pool
// HINT:          scf.for %{{.*}} = %c0_i32 to %c16_i32
// HINT:            arith.cmpi
// HINT:              arith.cmpi
// HINT-NOT:      likely
// LOOPS-LABEL: tir.prim_func @pool
// LOOPS:         scf.for %{{.*}} = %{{c0_i32.*}} to %{{c1_i32.*}} step
// LOOPS:         scf.for %{{.*}} = %{{c0_i32.*}} to %{{c14_i32.*}} step
// LOOPS:         scf.for %{{.*}} = %{{c0_i32.*}} to %{{c1_i32.*}} step
tir.prim_func @pool(%a: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %0 = arith.cmpi sgt, %i, %c0 : i32
    %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
    scf.if %1 {
      %2 = arith.cmpi slt, %i, %c15 : i32
      %3 = tir.call_intrin pure "prim.likely"(%2) : (i1) -> i1
      scf.if %3 {
        %4 = arith.index_cast %i : i32 to index
        memref.store %v, %a[%4] : memref<16xf32>
      }
    }
  }
  tir.return
}

// As in TVM, a part of one iteration with annotations is a loop. Other
// conditions stay.
// CHECK-LABEL: tir.prim_func @annotated
// CHECK:         scf.for %{{.*}} = %{{c0_i32.*}} to %{{c1_i32.*}} step
// CHECK:           %[[T:.*]] = arith.constant true
// CHECK-NEXT:      scf.if %[[T]] {
// CHECK:           arith.cmpi ne
// CHECK:         } {tir.annotations = {x = 1 : i64}}
// CHECK:         scf.for %{{.*}} = %{{c0_i32.*}} to %{{c15_i32.*}} step
// CHECK:           %[[F:.*]] = arith.constant false
// CHECK-NEXT:      scf.if %[[F]] {
// CHECK:           arith.cmpi ne
// CHECK:         } {tir.annotations = {x = 1 : i64}}
tir.prim_func @annotated(%a: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %0 = arith.cmpi sgt, %c1, %i : i32
    %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
    scf.if %1 {
      memref.store %v, %a[%zero] : memref<16xf32>
    }
    %2 = arith.cmpi ne, %i, %c7 : i32
    scf.if %2 {
      memref.store %v, %a[%zero] : memref<16xf32>
    }
  } {tir.annotations = {x = 1 : i64}}
  tir.return
}

// The comparison is true for all inner iterations up to 6, and false from 8 on.
// With the hint any condition counts, unless it is to be ignored.
// HINT-LABEL:  tir.prim_func @hinted
// HINT-NOT:      tir.attr
// HINT:          scf.for %{{.*}} = %{{c0_i32.*}} to %c7_i32
// HINT-NEXT:       scf.for
// HINT-NEXT:         %[[T:.*]] = arith.constant true
// HINT-NEXT:         scf.if %[[T]]
// HINT:            arith.cmpi eq
// HINT:          %[[I:.*]] = arith.addi %{{c0_i32.*}}, %c7_i32{{.*}} overflow<nsw> : i32
// HINT-NEXT:     scf.for %[[J:.*]] = %c0_i32 to %c4_i32
// HINT-NEXT:       %[[M:.*]] = arith.muli %[[I]], %c4_i32 overflow<nsw> : i32
// HINT-NEXT:       %[[S:.*]] = arith.addi %[[M]], %[[J]] overflow<nsw> : i32
// HINT-NEXT:       arith.cmpi slt, %[[S]], %c30_i32 : i32
// HINT:          scf.for %{{.*}} = %{{c0_i32.*}} to %c8_i32
// HINT-NEXT:       arith.addi
// HINT-NEXT:       arith.addi
// HINT-NEXT:       scf.for
// HINT-NEXT:         %[[F:.*]] = arith.constant false
// HINT-NEXT:         scf.if %[[F]]
// HINT:            arith.cmpi eq
// HINT:          tir.return
tir.prim_func @hinted(%a: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %c30 = arith.constant 30 : i32
  %zero = arith.constant 0 : index
  tir.attr "pragma_loop_partition_hint" = %c1 : i32 {
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      tir.attr_node %i : i32
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        %0 = arith.muli %i, %c4 overflow<nsw> : i32
        %1 = arith.addi %0, %j overflow<nsw> : i32
        %2 = arith.cmpi slt, %1, %c30 : i32
        scf.if %2 {
          memref.store %v, %a[%zero] : memref<64xf32>
        }
      }
      %3 = arith.cmpi eq, %i, %c3 : i32
      %4 = tir.call_intrin pure "tirx.ignore_loop_partition"(%3) : (i1) -> i1
      scf.if %4 {
        memref.store %v, %a[%zero] : memref<64xf32>
      }
    }
  }
  tir.return
}

// These stay whole: a loop without conditions, and a loop whose parts could run
// other iterations. If `n` is negative, a part from `n` on would.
// LOOPS-LABEL: tir.prim_func @whole
// LOOPS:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// LOOPS-NOT:     } {tir.kind = "unrolled"}
// LOOPS-LABEL: tir.prim_func @symbolic
// CHECK-LABEL: tir.prim_func @whole
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK-NOT:     scf.for
// CHECK:         tir.return
tir.prim_func @whole(%a: memref<16xf32>, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : index
  tir.attr "pragma_loop_partition_hint" = %c1 : i32 {
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      tir.attr_node %i : i32
      memref.store %v, %a[%zero] : memref<16xf32>
    }
  }
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    %0 = arith.cmpi slt, %i, %n : i32
    %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
    scf.if %1 {
      memref.store %v, %a[%zero] : memref<16xf32>
    }
  }
  tir.return
}

// Bounds can depend on values that are not known. Whatever is split, is split
// without the option.
// HINT-LABEL:  tir.prim_func @symbolic
// HINT:          %[[M:.*]] = arith.minsi %{{c8_i32.*}}, %n : i32
// HINT:          scf.for %{{.*}} = %{{c0_i32.*}} to %[[M]] step
// HINT-NEXT:       %[[T:.*]] = arith.constant true
// HINT-NEXT:       scf.if %[[T]]
// HINT:          %[[R:.*]] = arith.subi %n, %{{c8_i32.*}} overflow<nsw> : i32
// HINT:          scf.for %[[I:.*]] = %{{c0_i32.*}} to %[[R]] step
// HINT-NEXT:       %[[S:.*]] = arith.addi %[[I]], %[[M]] overflow<nsw> : i32
// HINT-NEXT:       arith.cmpi slt, %[[S]], %c8_i32 : i32
// The size of a buffer is not negative. A variable of an outer loop is a value
// like others, a variable of an inner loop can have any of its values.
// HINT:          scf.for %[[I:.*]] = %c0_i32 to %c8_i32
// HINT:            %[[P:.*]] = arith.muli %[[I]], %{{c4_i32.*}} overflow<nsw> : i32
// HINT-NEXT:       %[[Q:.*]] = arith.subi %{{c29_i32.*}}, %[[P]] overflow<nsw> : i32
// HINT:            %[[M:.*]] = arith.minsi %[[Q]], %c4_i32 : i32
// HINT:            scf.for %{{.*}} = %{{c0_i32.*}} to %[[M]] step
// HINT-NEXT:         scf.for
// HINT-NEXT:           %[[T:.*]] = arith.constant true
// HINT:            scf.for %[[J:.*]] = %{{c0_i32.*}} to %{{.*}} step
// HINT-NEXT:         %[[S:.*]] = arith.addi %[[J]], %[[M]] overflow<nsw> : i32
// HINT:                arith.cmpi slt
tir.prim_func @symbolic(%a: memref<16xf32>, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c30 = arith.constant 30 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = arith.cmpi slt, %i, %c8 : i32
    %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
    scf.if %1 {
      memref.store %v, %a[%zero] : memref<16xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tir.attr "pragma_loop_partition_hint" = %c1 : i32 {
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        tir.attr_node %j : i32
        scf.for %k = %c0 to %c2 step %c1 : i32 {
          %0 = arith.muli %i, %c4 overflow<nsw> : i32
          %1 = arith.addi %0, %j overflow<nsw> : i32
          %2 = arith.addi %1, %k overflow<nsw> : i32
          %3 = arith.cmpi slt, %2, %c30 : i32
          scf.if %3 {
            memref.store %v, %a[%zero] : memref<16xf32>
          }
        }
      }
    }
  }
  tir.return
}

// Equations and quotients have intervals, too. TVM takes the last condition
// first. Conditions hidden from the pass, in inner loops whose bounds depend on
// the loop, or computed from memory, count for nothing.
// CHECK-LABEL: tir.prim_func @kinds
// CHECK:         scf.for %[[I:.*]] = %{{c0_i32.*}} to %{{c5_i32.*}} step
// CHECK-NEXT:      arith.floordivsi %[[I]]
// CHECK:           arith.cmpi eq, %[[I]], %c5_i32 : i32
// CHECK:           scf.for
// CHECK-NEXT:        arith.cmpi slt, %[[I]], %c3_i32 : i32
// CHECK:           arith.cmpi slt, %[[I]]
// CHECK:         %[[F:.*]] = arith.addi %{{c0_i32.*}}, %c5_i32{{.*}} overflow<nsw> : i32
// CHECK:         arith.floordivsi %[[F]]
// CHECK:         %[[T:.*]] = arith.constant true
// CHECK-NEXT:    scf.if %[[T]]
// CHECK:         scf.for %[[I:.*]] = %{{c0_i32.*}} to %{{c3_i32.*}} step
// CHECK:           %[[S:.*]] = arith.addi %[[I]], %{{c6_i32.*}} overflow<nsw> : i32
// CHECK-NEXT:      %[[T:.*]] = arith.constant true
// CHECK-NEXT:      scf.if %[[T]]
// CHECK:           arith.cmpi eq, %[[S]], %c5_i32 : i32
// CHECK:         tir.return
// LOOPS-LABEL: tir.prim_func @kinds
tir.prim_func @kinds(%a: memref<16xf32>, %v: f32, %b: memref<16xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %c9 = arith.constant 9 : i32
  %c10 = arith.constant 10 : i32
  %zero = arith.constant 0 : index
  tir.attr "pragma_loop_partition_hint" = %c1 : i32 {
    scf.for %i = %c0 to %c10 step %c1 : i32 {
      tir.attr_node %i : i32
      %0 = arith.floordivsi %i, %c3 : i32
      %1 = arith.cmpi eq, %0, %c2 : i32
      scf.if %1 {
        memref.store %v, %a[%zero] : memref<16xf32>
      }
      %2 = arith.cmpi eq, %i, %c5 : i32
      scf.if %2 {
        memref.store %v, %a[%zero] : memref<16xf32>
      }
      scf.for %j = %c0 to %i step %c1 : i32 {
        %3 = arith.cmpi slt, %i, %c3 : i32
        scf.if %3 {
          memref.store %v, %a[%zero] : memref<16xf32>
        }
      }
      %4 = memref.load %b[%zero] : memref<16xi32>
      %5 = arith.cmpi slt, %i, %4 : i32
      scf.if %5 {
        memref.store %v, %a[%zero] : memref<16xf32>
      }
    }
  }
  tir.return
}

// A vectorized or unrolled loop stays whole if its parts would run a number of
// times that is not known: their passes could not take them.
// CHECK-LABEL: tir.prim_func @lanes
// CHECK:         scf.for %{{.*}} = %c1_i32 to %c5_i32
// CHECK-NEXT:      scf.for %{{.*}} = %c0_i32{{.*}} to %c6_i32
// CHECK:           } {tir.kind = "vectorized"}
// CHECK:           scf.for %{{.*}} = %c0_i32{{.*}} to %c5_i32
// CHECK:           } {tir.kind = "vectorized"}
// CHECK-NOT:       scf.for
// CHECK:         tir.return
tir.prim_func @lanes(%a: memref<6xf32>, %v: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %zero = arith.constant 0 : index
  scf.for %i = %c1 to %c5 step %c1 : i32 {
    scf.for %j = %c0 to %c6 step %c1 : i32 {
      %0 = arith.cmpi slt, %j, %i : i32
      %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
      scf.if %1 {
        memref.store %v, %a[%zero] : memref<6xf32>
      }
    } {tir.kind = "vectorized"}
    scf.for %j = %c0 to %c6 step %c1 : i32 {
      %0 = arith.cmpi slt, %j, %c5 : i32
      %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
      scf.if %1 {
        memref.store %v, %a[%zero] : memref<6xf32>
      }
    } {tir.kind = "vectorized"}
  }
  tir.return
}
}
