// RUN: partita-opt %s --tir-loop-partition --pass-config='tir.LoopPartition={partition_const_loop = true}' | FileCheck %s
// RUN: partita-opt %s --tir-loop-partition | FileCheck %s --check-prefix=HINT
// RUN: partita-opt %s --tir-loop-partition --pass-config='tir.LoopPartition={partition_const_loop = true, no_unroll_loop_with_extent_one = true, unroll_loop_with_partition_hint_no_interval = true}' | FileCheck %s --check-prefix=LOOPS

partita.module {

// Parts of one iteration are no loops.
// CHECK-LABEL: tir.prim_func @pool
// CHECK-NOT:     scf.for
// CHECK:         arith.cmpi sgt, %c0_i32, %c0_i32 : i32
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c14_i32
// CHECK:           %[[J:.*]] = arith.addi %[[I]], %c1_i32{{.*}} overflow<nsw> : i32
// CHECK:           arith.cmpi sgt, %[[J]], %c0_i32 : i32
// CHECK:         } {tir.annotations = {x = 1 : i64}}
// CHECK-NOT:     scf.for
// CHECK-NOT:     likely
// CHECK:         tir.return
// Without the option no loop is split, but nothing is likely any more.
// HINT-LABEL:  tir.prim_func @pool
// HINT:          scf.for %{{.*}} = %c0_i32 to %c16_i32
// HINT-NOT:      likely
// LOOPS-LABEL: tir.prim_func @pool
// LOOPS:         scf.for %{{.*}} = %c0_i32 to %c1_i32
// LOOPS:         scf.for %{{.*}} = %c0_i32 to %c14_i32
// LOOPS:         scf.for %{{.*}} = %c0_i32 to %c1_i32
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
  } {tir.annotations = {x = 1 : i64}}
  tir.return
}

// The comparison is known for all inner iterations up to 7, and never from 8 on.
// With the hint any condition counts, unless it is to be ignored.
// HINT-LABEL:  tir.prim_func @hinted
// HINT-NOT:      tir.attr
// HINT:          scf.for %{{.*}} = %c0_i32 to %c7_i32
// HINT-NOT:      scf.for %{{.*}} = %c0_i32 to %c7_i32
// HINT:          arith.addi %c0_i32{{.*}}, %c7_i32{{.*}} overflow<nsw> : i32
// HINT:          scf.for %{{.*}} = %c0_i32 to %c8_i32
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

// No condition: the hint unrolls, if told so. Symbolic bounds and other sizes
// leave a loop whole.
// LOOPS-LABEL: tir.prim_func @whole
// LOOPS:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// LOOPS:         } {tir.kind = "unrolled"}
// CHECK-LABEL: tir.prim_func @whole
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK:         scf.for %{{.*}} = %c0_i32 to %{{.*}} step
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK-NOT:     scf.for
// CHECK:         tir.return
tir.prim_func @whole(%a: memref<16xf32>, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : index
  tir.attr "pragma_loop_partition_hint" = %c1 : i32 {
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      tir.attr_node %i : i32
      memref.store %v, %a[%zero] : memref<16xf32>
    }
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = arith.cmpi slt, %i, %c8 : i32
    %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
    scf.if %1 {
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
}
