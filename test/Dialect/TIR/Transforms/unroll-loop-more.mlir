// RUN: partita-opt %s --tir-unroll-loop --canonicalize | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: partita-opt %s --tir-unroll-loop --canonicalize --pass-config='tirx.UnrollLoop={unroll_local_access = true, auto_max_depth = 0}' | FileCheck %s --check-prefixes=CHECK,LOCAL

partita.module @m {
  // Bounds that differ by a constant.
  // CHECK-LABEL: tir.prim_func @symbolic
  // CHECK-SAME: %[[A:[^:]*]]: memref<?xf32>, %[[V:[^:]*]]: f32, %[[N:.*]]: index)
  tir.prim_func @symbolic(%a: memref<?xf32>, %v: f32, %n: index) {
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
    // CHECK-NOT: scf.for
    // CHECK: memref.store %[[V]], %[[A]][%[[N]]]
    // CHECK: %[[N1:.*]] = arith.addi %[[N]], %[[C1]]
    // CHECK: memref.store %[[V]], %[[A]][%[[N1]]]
    // CHECK-NEXT: tir.return
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %m = arith.addi %n, %c2 : index
    scf.for %i = %n to %m step %c1 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }

  // The sums of the bounds differ by a constant.
  // CHECK-LABEL: tir.prim_func @sums
  tir.prim_func @sums(%a: memref<?xf32>, %v: f32, %n: index, %k: index) {
    // CHECK-NOT: scf.for
    // CHECK-COUNT-3: memref.store
    // CHECK-NOT: memref.store
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %n3 = arith.addi %n, %c3 : index
    %three = arith.subi %n3, %n : index
    scf.for %i = %c0 to %three step %c1 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    // 2 + (k - n) to k - (n + 1): nothing.
    %kn = arith.subi %k, %n : index
    %first = arith.addi %c2, %kn : index
    %n1 = arith.addi %n, %c1 : index
    %last = arith.subi %k, %n1 : index
    scf.for %i = %first to %last step %c1 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }

  // The outer loop's variable indexes registers, the inner loop's does not.
  // CHECK-LABEL: tir.prim_func @local
  tir.prim_func @local(%a: memref<64xf32>, %l: memref<64xf32, "local">) {
    // DEFAULT-COUNT-2: scf.for
    // LOCAL-COUNT-4: scf.for
    // CHECK-NOT: scf.for
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %k = arith.addi %i, %c3 : index
      scf.for %j = %c0 to %c3 step %c1 {
        %v = memref.load %a[%j] : memref<64xf32>
        memref.store %v, %l[%k] : memref<64xf32, "local">
      }
    }
    tir.return
  }

  // Pragmas hold in the op that has them.
  // CHECK-LABEL: tir.prim_func @pragmas
  tir.prim_func @pragmas(%a: memref<64xf32>, %v: f32) {
    // CHECK: scf.for
    // CHECK-COUNT-3: memref.store
    // CHECK-NOT: memref.store
    // CHECK: }
    // CHECK-NOT: pragma
    // CHECK: scf.for
    // CHECK: } {tir.kind = "unrolled"}
    // CHECK: scf.for
    // CHECK-NOT: unrolled
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        memref.store %v, %a[%j] : memref<64xf32>
      }
    } {pragma_auto_unroll_max_step = 8 : i64}
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %v, %a[%i] : memref<64xf32>
    } {pragma_auto_unroll_max_step = 8 : i64, pragma_unroll_explicit = 0 : i64}
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %v, %a[%i] : memref<64xf32>
    }
    tir.return
  }

  // In a body from TVM, they are ops.
  // CHECK-LABEL: tir.prim_func @pragma_ops
  tir.prim_func @pragma_ops(%a: memref<64xf32>, %v: f32) {
    // CHECK-NOT: tir.attr
    // CHECK-NOT: scf.for
    // CHECK-COUNT-4: memref.store
    // CHECK-NEXT: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : i32
    tir.attr "pragma_auto_unroll_max_step" = %c8 : i32 {
      scf.for %i = %c0 to %c4 step %c1 {
        memref.store %v, %a[%i] : memref<64xf32>
      }
    } {node = 0 : i64}
    tir.return
  }

  // As in TVM, a part of another statement is no step, and a statement without
  // effect is not repeated.
  // CHECK-LABEL: tir.prim_func @parts
  tir.prim_func @parts(%a: memref<16xf32>) {
    // CHECK-NOT: scf.for
    // CHECK-COUNT-16: tir.call @part
    // CHECK-NOT: tir.evaluate
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %c16_i32 = arith.constant 16 : i32
    tir.attr "pragma_auto_unroll_max_step" = %c16_i32 : i32 {
      scf.for %i = %c0 to %c16 step %c1 {
        %v = tir.call @part() : () -> f32
        memref.store %v, %a[%i] : memref<16xf32>
      }
      scf.for %i = %c0 to %c16 step %c1 {
        tir.evaluate %zero : i32
      }
    } {node = 0 : i64}
    tir.return
  }
  tir.prim_func private @part() {
    tir.return
  }
}
