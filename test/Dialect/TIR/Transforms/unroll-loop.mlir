// RUN: partita-opt %s --tir-unroll-loop --sccp --split-input-file --verify-diagnostics --mlir-pass-statistics 2>%t | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}
// RUN: partita-opt %s --tir-unroll-loop --sccp --split-input-file --verify-diagnostics --pass-config='tir.UnrollLoop={auto_max_step = 4}' | FileCheck %s --check-prefixes=CHECK,STEP
// RUN: partita-opt %s --tir-unroll-loop --sccp --split-input-file --verify-diagnostics --pass-config='tir.UnrollLoop={auto_max_step = 16, auto_max_depth = 0}' | FileCheck %s --check-prefixes=CHECK,DEPTH
// RUN: partita-opt %s --tir-unroll-loop --sccp --split-input-file --verify-diagnostics --pass-config='tir.UnrollLoop={auto_max_extent = 2}' | FileCheck %s --check-prefixes=CHECK,EXTENT
// RUN: partita-opt %s --tir-unroll-loop --sccp --split-input-file --verify-diagnostics --pass-config='tir.UnrollLoop={auto_max_extent = 1}' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: partita-opt %s --tir-unroll-loop --split-input-file --verify-diagnostics --pass-config='tir.UnrollLoop={auto_max_step = 4, explicit_unroll = false}' | FileCheck %s --check-prefix=MARK

// RUN: not partita-opt %s --tir-unroll-loop --pass-config='tir.UnrollLoop={auto_max_stop = 4}' 2>&1 | FileCheck %s --check-prefix=FIELD
// FIELD: error: expected config 'tir.UnrollLoop' of type UnrollLoopConfig to have the fields {auto_max_step: int, auto_max_depth: int, auto_max_extent: int, explicit_unroll: bool, unroll_local_access: bool}, but found 'auto_max_stop' (did you mean 'auto_max_step'
// RUN: not partita-opt %s --tir-unroll-loop --pass-config='tir.UnrollLoop={explicit_unroll = 1.0}' 2>&1 | FileCheck %s --check-prefix=FIELDTYPE
// FIELDTYPE: error: expected config 'tir.UnrollLoop.explicit_unroll' to have type bool, but found float
// RUN: not partita-opt %s --tir-unroll-loop --pass-config='tir.UnrollLoop=8' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: expected config 'tir.UnrollLoop' to have type UnrollLoopConfig, but found int
// RUN: not partita-opt %s --tir-unroll-loop --pass-config='tir.UnrolLoop={}' 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: expected a registered config key, but found 'tir.UnrolLoop' (did you mean 'tir.UnrollLoop'

// The key and the pass also have TVM 0.27's names.
// RUN: not partita-opt %s --tir-unroll-loop --pass-config='tirx.UnrollLoop=8' 2>&1 | FileCheck %s --check-prefix=TVM
// TVM: error: expected config 'tirx.UnrollLoop' to have type UnrollLoopConfig, but found int

// RUN: partita-opt --list-pass-configs | FileCheck %s --check-prefix=LIST
// LIST: tir.UnrollLoop: UnrollLoopConfig = {auto_max_depth = 8 : i64, auto_max_extent = 0 : i64, auto_max_step = 0 : i64, explicit_unroll = true, unroll_local_access = false}
// LIST: auto_max_depth: int = 8

// The pass reads the run's context on worker threads, and in a Sequential.
// RUN: partita-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(partita.module(tir.prim_func(tir-unroll-loop,sccp)))' --instrument=timing --pass-config='tir.UnrollLoop={auto_max_step = 4}' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,STEP

// STATS: UnrollLoop
// STATS-NEXT: (S) 0 marked
// STATS-NEXT: (S) 7 unrolled

partita.module @m {
  // Marked loops are always unrolled.
  // CHECK-LABEL: tir.prim_func @marked
  // MARK-LABEL: tir.prim_func @marked
  tir.prim_func @marked(%a: memref<8xf32>, %v: f32) {
    // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
    // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : index
    // CHECK-NOT: scf.for
    // CHECK: memref.store %{{.*}}, %{{.*}}[%[[C2]]]
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[C5]]]
    // CHECK-NEXT: tir.return
    // MARK: scf.for
    // MARK: } {tir.kind = "unrolled"}
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    scf.for %i = %c2 to %c7 step %c3 {
      memref.store %v, %a[%i] : memref<8xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }

  // Four stores.
  // CHECK-LABEL: tir.prim_func @short
  // MARK-LABEL: tir.prim_func @short
  tir.prim_func @short(%a: memref<8xf32>, %v: f32) {
    // DEFAULT: scf.for
    // STEP-COUNT-4: memref.store
    // DEPTH-COUNT-4: memref.store
    // EXTENT: scf.for
    // ONE: scf.for
    // CHECK: tir.return
    // MARK: scf.for
    // MARK: } {tir.kind = "unrolled"}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %v, %a[%i] : memref<8xf32>
    }
    tir.return
  }

  // Two loops of two: four stores, and one level of loops that are unrolled.
  // CHECK-LABEL: tir.prim_func @nested
  // MARK-LABEL: tir.prim_func @nested
  tir.prim_func @nested(%a: memref<2x2xf32>, %v: f32) {
    // DEFAULT-COUNT-2: scf.for
    // STEP-NOT: scf.for
    // STEP-COUNT-4: memref.store
    // DEPTH: scf.for
    // DEPTH-NOT: scf.for
    // DEPTH-COUNT-2: memref.store
    // EXTENT-NOT: scf.for
    // EXTENT-COUNT-4: memref.store
    // ONE-COUNT-2: scf.for
    // CHECK: tir.return
    // MARK: scf.for
    // MARK: scf.for
    // MARK: } {tir.kind = "unrolled"}
    // MARK-NEXT: } {tir.kind = "unrolled"}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        memref.store %v, %a[%i, %j] : memref<2x2xf32>
      }
    }
    tir.return
  }

  // Loads are no steps; calls are.
  // CHECK-LABEL: tir.prim_func @calls
  // MARK-LABEL: tir.prim_func @calls
  tir.prim_func @calls(%a: memref<8xf32>) {
    // DEFAULT: scf.for
    // STEP: scf.for
    // DEPTH-NOT: scf.for
    // DEPTH-COUNT-6: func.call
    // EXTENT: scf.for
    // ONE: scf.for
    // CHECK: tir.return
    // MARK: scf.for
    // MARK-NOT: tir.kind
    // MARK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %0 = memref.load %a[%i] : memref<8xf32>
      func.call @use(%0) : (f32) -> ()
      func.call @use(%0) : (f32) -> ()
    }
    tir.return
  }
  func.func private @use(f32)

  // A loop around one that stays also stays, unless it runs once and the limit
  // on iterations is 1.
  // CHECK-LABEL: tir.prim_func @outer
  tir.prim_func @outer(%a: memref<?xf32>, %v: f32, %n: index) {
    // DEFAULT-COUNT-2: scf.for
    // STEP-COUNT-2: scf.for
    // DEPTH-COUNT-2: scf.for
    // EXTENT-COUNT-2: scf.for
    // ONE-COUNT-1: scf.for
    // ONE-NOT: scf.for
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        memref.store %v, %a[%j] : memref<?xf32>
        func.call @use(%v) : (f32) -> ()
      }
    }
    tir.return
  }

  // Loops of other kinds, and of other ops, are not for this pass.
  // CHECK-LABEL: tir.prim_func @kinds
  tir.prim_func @kinds(%a: memref<2xf32>, %v: f32) {
    // CHECK: scf.for
    // CHECK: tir.kind = "vectorized"
    // CHECK: scf.for
    // CHECK: scf.parallel
    // CHECK: scf.while
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %v, %a[%i] : memref<2xf32>
    } {tir.kind = "vectorized"}
    scf.for %i = %c0 to %c2 step %c1 {
      scf.parallel (%j) = (%c0) to (%c2) step (%c1) {
        memref.store %v, %a[%j] : memref<2xf32>
      }
    }
    scf.while : () -> () {
      %0 = memref.load %a[%c0] : memref<2xf32>
      %1 = arith.cmpf olt, %0, %v : f32
      scf.condition(%1)
    } do {
      memref.store %v, %a[%c0] : memref<2xf32>
      scf.yield
    }
    tir.return
  }

  // A loop that never runs, or stores nothing, is within every limit.
  // CHECK-LABEL: tir.prim_func @defaults
  // CHECK-SAME: (%[[A:.*]]: memref<2xf32>, %[[V:.*]]: f32)
  tir.prim_func @defaults(%a: memref<2xf32>, %v: f32) {
    // CHECK: %[[C0:.*]] = arith.constant 0 : index
    // CHECK-NEXT: %[[S:.*]] = arith.addf %[[V]], %[[V]]
    // CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[V]]
    // CHECK-NEXT: memref.store %[[T]], %[[A]][%[[C0]]]
    // CHECK-NEXT: memref.store %[[V]], %[[A]][%[[C0]]]
    // CHECK-NEXT: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %never = scf.for %i = %c2 to %c0 step %c1 iter_args(%s = %v) -> f32 {
      memref.store %v, %a[%i] : memref<2xf32>
      scf.yield %s : f32
    }
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %v) -> f32 {
      %0 = arith.addf %s, %v : f32
      scf.yield %0 : f32
    }
    scf.for %i = %c0 to %c2 step %c1 {
    }
    memref.store %sum, %a[%c0] : memref<2xf32>
    memref.store %never, %a[%c0] : memref<2xf32>
    tir.return
  }

  // Bounds may be negative, and of narrow types.
  // CHECK-LABEL: tir.prim_func @bounds
  tir.prim_func @bounds(%a: memref<2xi8>) {
    // CHECK-DAG: %[[M:.*]] = arith.constant -1 : i8
    // CHECK-DAG: %[[Z:.*]] = arith.constant 0 : i8
    // CHECK: memref.store %[[M]]
    // CHECK-NEXT: memref.store %[[Z]]
    // The step of the whole loop would not fit in an i8: it stays.
    // CHECK-NEXT: scf.for
    %i = arith.constant 0 : index
    %cm1 = arith.constant -1 : i8
    %c1 = arith.constant 1 : i8
    %c2 = arith.constant 2 : i8
    %c127 = arith.constant 127 : i8
    scf.for %k = %cm1 to %c1 step %c1 : i8 {
      memref.store %k, %a[%i] : memref<2xi8>
    } {tir.kind = "unrolled"}
    scf.for %k = %c1 to %c127 step %c127 : i8 {
      %0 = arith.addi %k, %c1 : i8
    }
    scf.for %k = %cm1 to %c127 step %c2 : i8 {
      memref.store %k, %a[%i] : memref<2xi8>
    }
    tir.return
  }

  // An inner loop with bounds from the outer loop becomes constant only after
  // the outer one is unrolled. By then it has been visited: another run would
  // unroll it.
  // CHECK-LABEL: tir.prim_func @triangle
  tir.prim_func @triangle(%a: memref<8xf32>, %v: f32) {
    // CHECK: scf.for
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c1 to %c3 step %c1 {
      scf.for %j = %c0 to %i step %c1 {
        memref.store %v, %a[%j] : memref<8xf32>
      }
    } {tir.kind = "unrolled"}
    tir.return
  }

  // CHECK: tir.prim_func private @declared
  tir.prim_func private @declared(memref<8xf32>)

  // Functions of other dialects stay as they are.
  // CHECK-LABEL: func.func @foreign
  // CHECK: scf.for
  func.func @foreign(%a: memref<8xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %v, %a[%i] : memref<8xf32>
    } {tir.kind = "unrolled"}
    return
  }
}

// -----

partita.module @invalid {
  tir.prim_func @dynamic(%a: memref<?xf32>, %v: f32, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected a loop marked 'tir.kind = "unrolled"' to have constant bounds and to unroll to at most 1048576 ops, found one that does not; remove the mark}}
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }
}

// -----

partita.module @invalid {
  tir.prim_func @huge(%a: memref<?xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 9223372036854775807 : index
    // expected-error @below {{expected a loop marked 'tir.kind = "unrolled"' to have constant bounds}}
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }
}

// -----

partita.module @invalid {
  tir.prim_func @backwards(%a: memref<?xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    // expected-error @below {{expected a loop marked 'tir.kind = "unrolled"' to have constant bounds}}
    scf.for %i = %c0 to %c8 step %c0 {
      memref.store %v, %a[%i] : memref<?xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }
}
