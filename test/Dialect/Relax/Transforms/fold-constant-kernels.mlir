// FoldConstant runs the kernels that LegalizeOps makes. TVM's pipelines fold
// after they have legalized.

// RUN: partita-opt %s --relax-legalize-ops --relax-fold-constant \
// RUN:   --verify-diagnostics | FileCheck %s

partita.module {
  // The weight is transposed and scaled once. Other kernels stay as they are.
  // CHECK-LABEL: relax.func @main
  // CHECK-DAG: %[[W:.*]] = relax.constant dense<{{\[}}[2.000000e+00, 6.000000e+00], [4.000000e+00, 8.000000e+00]]>
  // CHECK: relax.call_tir @matmul(%x, %[[W]])
  // CHECK-NEXT: relax.output
  relax.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %y = relax.dataflow -> tensor<3x2xf32> {
      %t = relax.permute_dims %w : tensor<2x2xf32>
      %s = relax.multiply %t, %two : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
      %m = relax.matmul %x, %s : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
      relax.output %m : tensor<3x2xf32>
    }
    relax.return %y : tensor<3x2xf32>
  }

  // A sum, padding and a block's result, used after the block.
  // CHECK-LABEL: relax.func @chain
  // CHECK: %[[C:.*]] = relax.constant dense<[0.000000e+00, 3.000000e+00, 7.000000e+00, 0.000000e+00]>
  // CHECK: relax.return %[[C]]
  relax.func @chain() -> tensor<4xf32> {
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %s = relax.dataflow -> tensor<2xf32> {
      %0 = relax.sum %w axis = [1] : tensor<2x2xf32> -> tensor<2xf32>
      relax.output %0 : tensor<2xf32>
    }
    %p = relax.nn.pad %s {pad_width = array<i64: 1, 1>} : (tensor<2xf32>) -> tensor<4xf32>
    relax.return %p : tensor<4xf32>
  }

  // A kernel that can't become blocks is left alone, without a message.
  // CHECK-LABEL: relax.func @strided
  // CHECK: relax.call_tir @strided_kernel
  relax.func @strided() -> tensor<2xf32> {
    %w = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.call_tir @strided_kernel(%w) : (tensor<2xf32>) -> tensor<2xf32>
    relax.return %0 : tensor<2xf32>
  }
  tir.prim_func private @strided_kernel(%a: memref<2xf32, strided<[2]>>, %out: memref<2xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<2xf32, strided<[2]>> to tensor<2xf32>
    bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<2xf32>, memref<2xf32>) -> ()
    tir.return
  }
  // A kernel that was folded stays, too, as it was.
  // CHECK: tir.prim_func private @transpose
  // CHECK: linalg.generic
  // CHECK: tir.prim_func private @matmul
  // CHECK: linalg.matmul
}
