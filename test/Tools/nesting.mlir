// Passes named by flag are nested where their ops are, with and without a
// PassContext.
//
// RUN: partita-opt %s --relax-convert-to-dataflow --tir-unroll-loop --relax-dead-code-elimination | FileCheck %s
// RUN: partita-opt %s --relax-convert-to-dataflow --tir-unroll-loop --relax-dead-code-elimination -O2 | FileCheck %s
// RUN: partita-opt %s --relax-convert-to-dataflow --tir-unroll-loop --relax-dead-code-elimination --instrument=timing 2>/dev/null | FileCheck %s
// RUN: partita-opt %s --pass-pipeline='builtin.module(partita.module(relax.func(relax-convert-to-dataflow),tir.prim_func(tir-unroll-loop),relax-dead-code-elimination))' | FileCheck %s
// RUN: partita-opt --relax-convert-to-dataflow --tir-unroll-loop --relax-dead-code-elimination --explain | FileCheck %s --check-prefix=EXPLAIN

// EXPLAIN: pipeline: builtin.module(partita.module(relax.func(relax-convert-to-dataflow)),partita.module(tir.prim_func(tir-unroll-loop)),partita.module(relax-dead-code-elimination{{.*}}))

// CHECK-LABEL: partita.module @first
partita.module @first {
  // CHECK: relax.func @f
  // CHECK-NEXT: relax.dataflow
  relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }
  // CHECK: tir.prim_func @k
  // CHECK-NOT: scf.for
  // CHECK: tir.return
  tir.prim_func @k(%a: memref<2xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %v, %a[%i] : memref<2xf32>
    } {tir.kind = "unrolled"}
    tir.return
  }
  // CHECK-NOT: @dead
  relax.func private @dead() {
    relax.return
  }
}

// CHECK-LABEL: partita.module @second
partita.module @second {
  // CHECK: relax.func @f
  // CHECK-NEXT: relax.dataflow
  relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }
}
