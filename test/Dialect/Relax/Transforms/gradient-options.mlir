// RUN: partita-opt %s --relax-gradient="func-name=main require-grads=2,0 target-index=1" | FileCheck %s
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=1 require-grads=3" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=1 require-grads=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=1 require-grads=0,0" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=1 require-grads=1" 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=2" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not partita-opt %s --relax-gradient="func-name=main target-index=-1" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not partita-opt %s --relax-gradient="func-name=other" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not partita-opt %s --relax-gradient="func-name=kernel" 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not partita-opt %s --relax-gradient="func-name=taken" 2>&1 | FileCheck %s --check-prefix=TAKEN

// RANGE: expected 'require-grads' to be below 3, the number of parameters, found 3
// NEGATIVE: expected 'require-grads' to be below 3, the number of parameters, found -1
// TWICE: expected each position in 'require-grads' once, found another 0
// FLOAT: expected parameter 1 to be a tensor of floats, found 'tensor<2xi64>'
// TARGET: expected 'target-index' to be below 2, the number of results, found
// NAME: expected a 'relax.func' @other with a body in the module, found none
// KERNEL: expected a 'relax.func' @kernel with a body in the module, found none
// TAKEN: expected no function @taken_adjoint in the module, found one

// CHECK: relax.func @main_adjoint
// CHECK-SAME: -> (tuple<tensor<3xf32>, tensor<f32>>, tuple<tensor<3xf32>, tensor<3xf32>>)
// CHECK: %b_adjoint_out{{.*}} = relax.alias
// CHECK: %a_adjoint_out{{.*}} = relax.alias
partita.module @m {
  relax.func @main(%a: tensor<3xf32>, %i: tensor<2xi64>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %r:2 = relax.dataflow -> tensor<3xf32>, tensor<f32> {
      %0 = relax.multiply %a, %b : tensor<3xf32>
      %1 = relax.sum %0 : tensor<3xf32> -> tensor<f32>
      relax.output %0, %1 : tensor<3xf32>, tensor<f32>
    }
    relax.return %r#0, %r#1 : tensor<3xf32>, tensor<f32>
  }
  relax.func @taken(%a: tensor<f32>) -> tensor<f32> {
    relax.return %a : tensor<f32>
  }
  relax.func @taken_adjoint(%a: tensor<f32>) -> tensor<f32> {
    relax.return %a : tensor<f32>
  }
  tir.prim_func @kernel(%a: memref<8xf32>)
}
