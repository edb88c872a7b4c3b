// RUN: partita-opt %s --tir-unroll-loop --canonicalize | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: partita-opt %s --tir-unroll-loop --canonicalize --pass-config='tirx.UnrollLoop={auto_max_extent = 1}' | FileCheck %s --check-prefixes=CHECK,ONCE
// RUN: partita-opt %s --tir-unroll-loop --canonicalize --pass-config='tirx.UnrollLoop={unroll_local_access = true}' | FileCheck %s --check-prefixes=CHECK,LOCAL
// RUN: partita-opt %s --tir-unroll-loop --canonicalize --pass-config='tirx.UnrollLoop={unroll_local_access = true, explicit_unroll = false}' | FileCheck %s --check-prefix=MARKED

partita.module @m {
  // A single thread makes no loop.
  // CHECK-LABEL: tir.prim_func @one_thread
  tir.prim_func @one_thread(%a: memref<64xf32>, %v: f32, %n: index) {
    // DEFAULT: tir.for "thread_binding"
    // LOCAL: tir.for "thread_binding"
    // ONCE-NOT: tir.for
    // ONCE: scf.for
    // ONCE-NEXT: memref.store
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tir.for "thread_binding" %c0, %c1 : index, index {
    ^bb0(%t: index):
      scf.for %i = %t to %n step %c1 {
        memref.store %v, %a[%i] : memref<64xf32>
      }
    } {thread = "blockIdx.x"}
    tir.return
  }

  // Registers are indexed by constants. `warp` and scopes with tags count,
  // `shared` does not.
  // CHECK-LABEL: tir.prim_func @registers
  // MARKED-LABEL: tir.prim_func @registers
  tir.prim_func @registers(%l: memref<4xf32, "local.fragment">,
                           %w: memref<4xf32, "warp">,
                           %s: memref<4xf32, "shared">, %v: f32) {
    // DEFAULT-COUNT-3: for
    // DEFAULT: memref.store {{.*}}"shared">
    // LOCAL-COUNT-4: memref.store {{.*}}"local.fragment">
    // LOCAL-COUNT-4: memref.store {{.*}}"warp">
    // LOCAL: tir.for
    // LOCAL: memref.store {{.*}}"shared">
    // CHECK: tir.return
    // MARKED: memref.store {{.*}}"local.fragment">
    // MARKED-NEXT: {tir.kind = "unrolled"}
    // MARKED-NEXT: tir.for "unrolled"
    // MARKED: tir.for "thread_binding"
    // MARKED: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %v, %l[%i] : memref<4xf32, "local.fragment">
    } {tir.kind = "vectorized"}
    tir.for "thread_binding" %c0, %c4 : index, index {
    ^bb0(%i: index):
      memref.store %v, %w[%i] : memref<4xf32, "warp">
    } {thread = "threadIdx.x"}
    tir.for "thread_binding" %c0, %c4 : index, index {
    ^bb0(%i: index):
      memref.store %v, %s[%i] : memref<4xf32, "shared">
    } {thread = "threadIdx.x"}
    tir.return
  }

  // A loop that is left early stays; a loop inside it that is not is unrolled.
  // CHECK-LABEL: tir.prim_func @jump
  tir.prim_func @jump(%a: memref<64xf32>, %v: f32, %b: i1) {
    // CHECK: tir.for "unrolled"
    // CHECK-NEXT: ^bb0
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: tir.break
    // CHECK: tir.return
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    tir.for "unrolled" %c0, %c2 : index, index {
    ^bb0(%i: index):
      tir.for "unrolled" %c1, %c2 : index, index {
      ^bb0(%j: index):
        memref.store %v, %a[%j] : memref<64xf32>
      }
      scf.if %b {
        tir.break
      }
    }
    tir.return
  }
}
