// TVM's documents have other names for two passes.

// RUN: partita-opt %s --relax-simplify-inference > %t.simplified
// RUN: partita-opt %s --relax-decompose-ops-for-inference | diff %t.simplified -
// RUN: FileCheck %s < %t.simplified
// RUN: partita-opt %s --pass-pipeline='builtin.module(relax-simplify-inference)' --disabled-pass=SimplifyInference | FileCheck %s --check-prefix=KEPT
// RUN: partita-opt %s --relax-to-a-normal-form -opt-level=1 > %t.normal
// RUN: partita-opt %s --relax-normalize -opt-level=1 | diff %t.normal -
// RUN: FileCheck %s --check-prefix=KEPT < %t.normal

partita.module {
  // CHECK-LABEL: relax.func @main
  // CHECK-NOT: relax.nn.batch_norm
  // CHECK: relax.sqrt
  // KEPT: relax.nn.batch_norm
  relax.func @main(%x: tensor<2x4xf32>, %p: tensor<4xf32>) -> tensor<2x4xf32> {
    %0, %m, %v = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 1
      : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
    relax.return %0 : tensor<2x4xf32>
  }
}
