// RUN: partita-opt %s --relax-gradient="func-name=main require-grads=2,0 target-index=1" | FileCheck %s
// RUN: partita-opt %s --relax-gradient="func-name=named require-grads=square,0,sum,x" 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not partita-opt %s --relax-gradient="func-name=named require-grads=z" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not partita-opt %s --relax-gradient="func-name=named require-grads=twice" 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not partita-opt %s --relax-gradient="func-name=named require-grads=x,1" 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not partita-opt %s --relax-gradient="func-name=named require-grads=number" 2>&1 | FileCheck %s --check-prefix=INTEGER
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
// TWICE: expected each value in 'require-grads' once, found another 0
// NONE: expected one variable 'z' for 'require-grads', found 0
// SEVERAL: expected one variable 'twice' for 'require-grads', found 2
// AGAIN: expected each value in 'require-grads' once, found another 1
// INTEGER: expected variable 'number' to be a tensor of floats, found 'tensor<3xi64>'
// FLOAT: expected parameter 1 to be a tensor of floats, found 'tensor<2xi64>'
// TARGET: expected 'target-index' to be below 2, the number of results, found
// NAME: expected a 'relax.func' @other with a body in the module, found none
// KERNEL: expected a 'relax.func' @kernel with a body in the module, found none
// TAKEN: expected no function @taken_adjoint in the module, found one

// CHECK: relax.func @main_adjoint
// CHECK-SAME: -> (tuple<tensor<3xf32>, tensor<f32>>, tuple<tensor<3xf32>, tensor<3xf32>>)
// CHECK: %b_adjoint_out{{.*}} = relax.alias
// CHECK: %a_adjoint_out{{.*}} = relax.alias

// A value that the result does not need has a gradient of zeros.
// NAMED: relax.func @named_adjoint(%w: tensor<3xf32>, %x: tensor<3xf32>)
// NAMED-SAME: -> (tensor<f32>, tuple<tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>>)
// NAMED: %[[ONE:.*]] = relax.ones
// NAMED: %square_adjoint = relax.broadcast_to %[[ONE]]
// NAMED: %x_adjoint = relax.multiply %square_adjoint, %x
// NAMED: %[[SQUARE:.*]] = relax.alias %square_adjoint
// NAMED: %w_adjoint = relax.zeros
// NAMED: %[[W:.*]] = relax.alias %w_adjoint
// NAMED: %[[SUM:.*]] = relax.alias %[[ONE]]
// NAMED: %[[X:.*]] = relax.alias %x_adjoint
// NAMED: relax.output %{{.*}}, %[[SQUARE]], %[[W]], %[[SUM]], %[[X]]
// NAMED: relax.tuple(%square_adjoint_out, %w_adjoint_out, %sum_adjoint_out, %x_adjoint_out)
partita.module @m {
  relax.func @named(%w: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<f32> {
    %sum = relax.dataflow -> tensor<f32> {
      %twice = relax.exp %x : tensor<3xf32>
      %number = relax.astype %twice {dtype = i64} : tensor<3xf32> -> tensor<3xi64>
      %square = relax.multiply %x, %x : tensor<3xf32>
      %0 = relax.sum %square : tensor<3xf32> -> tensor<f32>
      %1 = relax.exp %x : tensor<3xf32> loc("twice")
      relax.output %0 : tensor<f32>
    }
    relax.return %sum : tensor<f32>
  }
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
