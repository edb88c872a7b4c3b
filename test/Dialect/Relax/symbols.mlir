// RUN: partita-opt %s --pass-pipeline="builtin.module(partita.module(symbol-dce))" | FileCheck %s --check-prefix=DCE
// RUN: partita-opt %s --pass-pipeline="builtin.module(partita.module(symbol-privatize{exclude=main}))" | FileCheck %s --check-prefix=PRIVATE
// RUN: partita-opt %s --pass-pipeline="builtin.module(partita.module(symbol-privatize{exclude=main},symbol-dce))" | FileCheck %s --check-prefix=BOTH

// DCE-LABEL: partita.module @m
// PRIVATE-LABEL: partita.module @m
// BOTH-LABEL: partita.module @m
partita.module @m {
  // DCE-DAG: relax.func @main
  // PRIVATE-DAG: relax.func @main
  // BOTH-DAG: relax.func @main
  relax.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.dataflow -> tensor<3xf32> {
      %1 = relax.call @used(%x) : (tensor<3xf32>) -> tensor<3xf32>
      relax.output %1 : tensor<3xf32>
    }
    relax.return %0 : tensor<3xf32>
  }
  // DCE-DAG: relax.func private @used
  // PRIVATE-DAG: relax.func private @used
  // BOTH-DAG: relax.func private @used
  relax.func private @used(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.call_tir @used_kernel(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  // DCE-DAG: tir.prim_func private @used_kernel
  // PRIVATE-DAG: tir.prim_func private @used_kernel
  // BOTH-DAG: tir.prim_func private @used_kernel
  tir.prim_func private @used_kernel(memref<3xf32>, memref<3xf32>)

  // DCE-DAG: relax.func @public
  // PRIVATE-DAG: relax.func private @public
  relax.func @public(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.call_tir @kernel_of_public(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  // DCE-DAG: tir.prim_func @kernel_of_public
  // PRIVATE-DAG: tir.prim_func private @kernel_of_public
  tir.prim_func @kernel_of_public(%x: memref<3xf32>, %y: memref<3xf32>) {
    tir.return
  }

  // PRIVATE-DAG: relax.func private @unused
  relax.func private @unused(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.call_tir @kernel_of_unused(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  // PRIVATE-DAG: tir.prim_func private @kernel_of_unused
  tir.prim_func private @kernel_of_unused(memref<3xf32>, memref<3xf32>)

  // DCE-NOT: unused
  // BOTH-NOT: unused
  // BOTH-NOT: public
}
