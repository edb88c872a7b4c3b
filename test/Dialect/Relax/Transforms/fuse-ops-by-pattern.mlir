// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.conv2d_relu: relax.nn.relu(relax.nn.conv2d(*, *)); dnnl.conv2d: relax.nn.conv2d(*, *)"' -split-input-file | FileCheck %s
// Nothing is left to match:
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.conv2d_relu: relax.nn.relu(relax.nn.conv2d(*, *)); dnnl.conv2d: relax.nn.conv2d(*, *)"' -split-input-file > %t
// RUN: partita-opt %t --relax-fuse-ops-by-pattern='patterns="dnnl.conv2d_relu: relax.nn.relu(relax.nn.conv2d(*, *)); dnnl.conv2d: relax.nn.conv2d(*, *)"' -split-input-file | diff %t -
// A pipeline that was printed is read again:
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.conv2d: relax.nn.conv2d(*, *).attrs{groups = 1}"' --dump-pass-pipeline -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: relax-fuse-ops-by-pattern{{.*}}patterns={dnnl.conv2d: relax.nn.conv2d(*, *).attrs{groups = 1}}

partita.module @two_patterns {
  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x8xf32>, %[[W1:.*]]: tensor<3x3x3x3xf32>, %[[W2:.*]]: tensor<3x3x3x3xf32>)
  // CHECK: %[[A:.*]] = relax.call @fused_relax_nn_conv2d(%[[X]], %[[W1]])
  // CHECK: %[[B:.*]] = relax.call @fused_relax_nn_conv2d_relax_nn_relu(%[[A]], %[[W2]])
  // CHECK: relax.output %[[B]]
  // CHECK: relax.func private @fused_relax_nn_conv2d_relax_nn_relu
  // CHECK-SAME: attributes {Composite = "dnnl.conv2d_relu", Primitive = true}
  // CHECK: relax.nn.conv2d
  // CHECK: relax.nn.relu
  // CHECK: relax.func private @fused_relax_nn_conv2d(
  // CHECK-SAME: attributes {Composite = "dnnl.conv2d", Primitive = true}
  relax.func @main(%x: tensor<1x3x8x8xf32>, %w1: tensor<3x3x3x3xf32>, %w2: tensor<3x3x3x3xf32>) -> tensor<1x3x4x4xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<1x3x4x4xf32> {
      %0 = relax.nn.conv2d %x, %w1 : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      %1 = relax.nn.conv2d %0, %w2 : tensor<1x3x6x6xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x4x4xf32>
      %2 = relax.nn.relu %1 : tensor<1x3x4x4xf32>
      relax.output %2 : tensor<1x3x4x4xf32>
    }
    relax.return %y : tensor<1x3x4x4xf32>
  }
}

// -----

partita.module @shared {
  // The convolution is one call's alone; the second relu stays.
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[C:.*]]:2 = relax.call @fused_relax_nn_conv2d_relax_nn_relu
  // CHECK: %[[R:.*]] = relax.nn.relu %[[C]]#{{[01]}}
  // CHECK: relax.add %[[C]]#{{[01]}}, %[[R]]
  relax.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> {
    %y = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      %1 = relax.nn.relu %0 : tensor<1x3x6x6xf32>
      %2 = relax.nn.relu %0 : tensor<1x3x6x6xf32>
      %3 = relax.add %1, %2 : tensor<1x3x6x6xf32>
      relax.output %3 : tensor<1x3x6x6xf32>
    }
    relax.return %y : tensor<1x3x6x6xf32>
  }
}

// -----

partita.module @sizes {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.call @fused_relax_nn_conv2d_relax_nn_relu(%{{.*}}, %{{.*}}) : (tensor<?x3x8x8xf32, #relax.shape<["n", 3, 8, 8]>>, tensor<3x3x3x3xf32>) -> tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>>
  // CHECK: relax.func private @fused_relax_nn_conv2d_relax_nn_relu(%{{.*}}: tensor<?x3x8x8xf32, #relax.shape<["n", 3, 8, 8]>>
  relax.func @main(%x: tensor<?x3x8x8xf32, #relax.shape<["n", 3, 8, 8]>>, %w: tensor<3x3x3x3xf32>) -> tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>> {
    %y = relax.dataflow -> tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>> {
      %0 = relax.nn.conv2d %x, %w : tensor<?x3x8x8xf32, #relax.shape<["n", 3, 8, 8]>>, tensor<3x3x3x3xf32> -> tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>>
      %1 = relax.nn.relu %0 : tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>>
      relax.output %1 : tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>>
    }
    relax.return %y : tensor<?x3x6x6xf32, #relax.shape<["n", 3, 6, 6]>>
  }
}

// -----

partita.module @left_alone {
  // Outside of blocks, in functions that are fused, and as they are skipped.
  // CHECK-LABEL: relax.func @outside
  // CHECK-NEXT: relax.nn.conv2d
  relax.func @outside(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> {
    %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
    relax.return %0 : tensor<1x3x6x6xf32>
  }
  // CHECK-LABEL: relax.func @two_blocks
  // CHECK: relax.dataflow
  // CHECK-NEXT: relax.call @fused_relax_nn_conv2d(
  // CHECK: relax.dataflow
  // CHECK-NEXT: relax.nn.relu
  relax.func @two_blocks(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> {
    %y = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      relax.output %0 : tensor<1x3x6x6xf32>
    }
    %z = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.nn.relu %y : tensor<1x3x6x6xf32>
      relax.output %0 : tensor<1x3x6x6xf32>
    }
    relax.return %z : tensor<1x3x6x6xf32>
  }
  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.dataflow
  // CHECK-NEXT: relax.nn.conv2d
  relax.func @skipped(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> attributes {SkipOptimization = true} {
    %y = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      relax.output %0 : tensor<1x3x6x6xf32>
    }
    relax.return %y : tensor<1x3x6x6xf32>
  }
  // CHECK-LABEL: relax.func @codegen
  // CHECK: relax.dataflow
  // CHECK-NEXT: relax.nn.conv2d
  relax.func @codegen(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> attributes {Codegen = "dnnl"} {
    %y = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      relax.output %0 : tensor<1x3x6x6xf32>
    }
    relax.return %y : tensor<1x3x6x6xf32>
  }
}

// -----

partita.module @opaque {
  // An op that the dialect lacks is an argument like others.
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[A:.*]] = relax.call_op "my.op"
  // CHECK: %[[B:.*]] = relax.call @fused_relax_nn_conv2d(%[[A]], %{{.*}})
  // CHECK: relax.call_op "my.other"(%[[B]])
  relax.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>) -> tensor<1x3x6x6xf32> {
    %y = relax.dataflow -> tensor<1x3x6x6xf32> {
      %0 = relax.call_op "my.op"(%x) {is_pure = true} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
      %1 = relax.nn.conv2d %0, %w : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x6x6xf32>
      %2 = relax.call_op "my.other"(%1) {is_pure = true} : (tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
      relax.output %2 : tensor<1x3x6x6xf32>
    }
    relax.return %y : tensor<1x3x6x6xf32>
  }
}
