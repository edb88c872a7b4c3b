// RUN: partita-opt %s --relax-fold-batchnorm-to-conv2d --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-fold-batchnorm-to-conv2d=skip-training=true --split-input-file | FileCheck %s --check-prefix=SKIP
// RUN: partita-opt %s --relax-fold-batchnorm-to-conv2d --relax-fold-constant --split-input-file | FileCheck %s --check-prefix=FOLDED
// RUN: partita-opt %s --relax-fold-batchnorm-to-conv2d --split-input-file --mlir-pass-statistics 2>&1 | %if asserts %{ FileCheck %s --check-prefix=STATS %} %else %{ cat %}

// STATS: FoldBatchnormToConv2D
// STATS-NEXT: (S) 3 folded

// (variance + 2) of 4 and 16, gamma 8: scale 4 and 2. With beta 1 and 2, mean 3
// and -1 the bias is 1 - 3 * 4 and 2 + 1 * 2.
partita.module @values {
  // Outside of dataflow blocks, TVM's rewriter cleans up whatever it finds.
  // CHECK-LABEL: relax.func @plain_bindings
  // CHECK-NEXT: %[[A:.*]] = relax.exp %x
  // CHECK-NEXT: %[[C:.*]] = relax.add %[[A]], %[[A]]
  // CHECK-NEXT: relax.return %[[C]]
  relax.func @plain_bindings(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.exp %x : tensor<4xf32>
    %2 = relax.add %0, %1 : tensor<4xf32>
    %3 = relax.negative %x : tensor<4xf32>
    relax.return %2 : tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @block_bindings
  // CHECK: relax.exp
  // CHECK-NEXT: relax.exp
  relax.func @block_bindings(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %x : tensor<4xf32>
      %1 = relax.exp %x : tensor<4xf32>
      %2 = relax.add %0, %1 : tensor<4xf32>
      relax.output %2 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @basic
  // SKIP-LABEL: relax.func @basic
  // SKIP-NOT: relax.nn.batch_norm
  // CHECK-SAME: (%[[X:.*]]: tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>)
  // FOLDED-LABEL: relax.func @basic
  relax.func @basic(%x: tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>) -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>> {
    // CHECK: %[[W:.*]] = relax.constant {{.*}} : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[GAMMA:.*]] = relax.constant dense<8.000000e+00>
    // CHECK-NEXT: %[[BETA:.*]] = relax.constant dense<[1.000000e+00, 2.000000e+00]>
    // CHECK-NEXT: %[[MEAN:.*]] = relax.constant dense<[3.000000e+00, -1.000000e+00]>
    // CHECK-NEXT: %[[VAR:.*]] = relax.constant dense<[2.000000e+00, 1.400000e+01]>
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT: %[[EPS:.*]] = relax.prim_value 2.000000e+00 : f32
    // CHECK-NEXT: %[[V:.*]] = relax.add %[[VAR]], %[[EPS]] : tensor<2xf32>, f32 -> tensor<2xf32>
    // CHECK-NEXT: %[[D:.*]] = relax.sqrt %[[V]] : tensor<2xf32>
    // CHECK-NEXT: %[[S:.*]] = relax.divide %[[GAMMA]], %[[D]] : tensor<2xf32>
    // CHECK-NEXT: %[[SHAPE:.*]] = relax.shape [2, 1, 1, 1]
    // CHECK-NEXT: %[[R:.*]] = relax.reshape %[[S]], %[[SHAPE]] : tensor<2xf32> -> tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[NW:.*]] = relax.multiply %[[W]], %[[R]] : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %[[X]], %[[NW]]
    // CHECK-NEXT: %[[M:.*]] = relax.multiply %[[MEAN]], %[[S]] : tensor<2xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.subtract %[[BETA]], %[[M]] : tensor<2xf32>
    // CHECK-NEXT: %[[SHAPE2:.*]] = relax.shape [1, 2, 1, 1]
    // CHECK-NEXT: %[[B2:.*]] = relax.reshape %[[B]], %[[SHAPE2]] : tensor<2xf32> -> tensor<1x2x1x1xf32>
    // CHECK-NEXT: %[[ADD:.*]] = relax.add %[[CONV]], %[[B2]]
    // CHECK-NEXT: relax.output %[[ADD]]
    // FOLDED: %[[W:.*]] = relax.constant dense<{{\[\[\[\[}}4.000000e+01]]], {{\[\[\[}}6.000000e+01]]]]> : tensor<2x1x1x1xf32>
    // FOLDED-NEXT: %[[B:.*]] = relax.constant dense<{{\[\[\[\[}}-1.100000e+01]], {{\[\[}}4.000000e+00]]]]> : tensor<1x2x1x1xf32>
    // FOLDED-NEXT: dataflow
    // FOLDED-NEXT: %[[CONV:.*]] = relax.nn.conv2d %{{.*}}, %[[W]]
    // FOLDED-NEXT: relax.add %[[CONV]], %[[B]]
    // FOLDED-NEXT: output
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %gamma = relax.constant dense<8.0> : tensor<2xf32>
    %beta = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %mean = relax.constant dense<[3.0, -1.0]> : tensor<2xf32>
    %var = relax.constant dense<[2.0, 14.0]> : tensor<2xf32>
    %y = relax.dataflow -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>> {
      %0 = relax.nn.conv2d %x, %w : tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>, tensor<2x1x1x1xf32> -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
      %1, %m, %v = relax.nn.batch_norm %0, %gamma, %beta, %mean, %var axis = 1 epsilon = 2.0 training = false : (tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>, tensor<2xf32>, tensor<2xf32>)
      relax.output %1 : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
    }
    relax.return %y : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
  }

  // As in TVM, where training is the default, it makes no difference; unused
  // names do not count.
  // CHECK-LABEL: relax.func @training
  // SKIP-LABEL: relax.func @training
  // SKIP: relax.nn.conv2d
  // SKIP-NOT: relax.add
  // SKIP: relax.nn.batch_norm
  relax.func @training(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
    // CHECK-NOT: relax.nn.batch_norm
    // CHECK: %[[CONV:.*]] = relax.nn.conv2d
    // CHECK: %[[ADD:.*]] = relax.add %[[CONV]]
    // CHECK-NEXT: relax.return %[[ADD]]
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    %mean = relax.alias %m : tensor<2xf32>
    %result = relax.alias %1 : tensor<1x2x4x4xf32>
    %mean2 = relax.alias %mean : tensor<2xf32>
    relax.return %result : tensor<1x2x4x4xf32>
  }

  // Constants after the convolution, which is outside the block; one constant
  // has two users.
  // CHECK-LABEL: relax.func @order
  relax.func @order(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) {
    // CHECK-NOT: conv2d
    // CHECK: relax.dataflow
    // CHECK: relax.divide
    // CHECK: relax.nn.conv2d
    // CHECK-NOT: relax.nn.batch_norm
    // CHECK: relax.return
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %y = relax.dataflow -> tensor<1x2x4x4xf32> {
      %c = relax.constant dense<8.0> : tensor<2xf32>
      %1, %m, %v = relax.nn.batch_norm %0, %c, %c, %c, %c axis = -3 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
      relax.output %1 : tensor<1x2x4x4xf32>
    }
    relax.return %y, %w : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>
  }
}

// -----

partita.module @variants {
  // In every layout the scale goes to the O of the weight, and the bias to the
  // C of the result; also with groups.
  // FOLDED-LABEL: relax.func @layouts
  relax.func @layouts(%x: tensor<1x4x4x2xf16>) -> tensor<4x4x2x1xf16> {
    // FOLDED-NEXT: %[[W:.*]] = relax.constant dense<{{\[\[\[\[}}4.000000e+01, 6.000000e+01]]]]> : tensor<1x1x1x2xf16>
    // FOLDED-NEXT: %[[CONV:.*]] = relax.nn.conv2d %{{.*}}, %[[W]] groups = 2 data_layout = "NHWC" kernel_layout = "HWIO" out_layout = "HWCN"
    // FOLDED-NEXT: %[[B:.*]] = relax.constant dense<{{\[\[\[\[}}-1.100000e+01], [4.000000e+00]]]]> : tensor<1x1x2x1xf16>
    // FOLDED-NEXT: %[[R:.*]] = relax.add %[[CONV]], %[[B]]
    // FOLDED-NEXT: relax.return %[[R]]
    %w = relax.constant dense<[[[[10.0, 30.0]]]]> : tensor<1x1x1x2xf16>
    %gamma = relax.constant dense<8.0> : tensor<2xf16>
    %beta = relax.constant dense<[1.0, 2.0]> : tensor<2xf16>
    %mean = relax.constant dense<[3.0, -1.0]> : tensor<2xf16>
    %var = relax.constant dense<[2.0, 14.0]> : tensor<2xf16>
    %0 = relax.nn.conv2d %x, %w groups = 2 data_layout = "NHWC" kernel_layout = "HWIO" out_layout = "HWCN" : tensor<1x4x4x2xf16>, tensor<1x1x1x2xf16> -> tensor<4x4x2x1xf16>
    %1, %m, %v = relax.nn.batch_norm %0, %gamma, %beta, %mean, %var axis = 2 epsilon = 2.0 training = false : (tensor<4x4x2x1xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> (tensor<4x4x2x1xf16>, tensor<2xf16>, tensor<2xf16>)
    relax.return %1 : tensor<4x4x2x1xf16>
  }

  // Without scale gamma does not matter, without center beta does not.
  // FOLDED-LABEL: relax.func @no_scale
  relax.func @no_scale(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
    // FOLDED: relax.constant dense<{{\[\[\[\[}}5.000000e+00]]], {{\[\[\[}}7.500000e+00]]]]> : tensor<2x1x1x1xf32>
    // FOLDED-NEXT: relax.nn.conv2d
    // FOLDED-NEXT: relax.constant dense<{{\[\[\[\[}}-5.000000e-01]], {{\[\[}}2.250000e+00]]]]> : tensor<1x2x1x1xf32>
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %gamma = relax.constant dense<8.0> : tensor<2xf32>
    %beta = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %mean = relax.constant dense<[3.0, -1.0]> : tensor<2xf32>
    %var = relax.constant dense<[2.0, 14.0]> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %gamma, %beta, %mean, %var axis = 1 epsilon = 2.0 scale = false training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1 : tensor<1x2x4x4xf32>
  }

  // FOLDED-LABEL: relax.func @no_center
  relax.func @no_center(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
    // FOLDED: relax.constant dense<{{\[\[\[\[}}4.000000e+01]]], {{\[\[\[}}6.000000e+01]]]]> : tensor<2x1x1x1xf32>
    // FOLDED-NEXT: relax.nn.conv2d
    // FOLDED-NEXT: relax.constant dense<{{\[\[\[\[}}-1.200000e+01]], {{\[\[}}2.000000e+00]]]]> : tensor<1x2x1x1xf32>
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %gamma = relax.constant dense<8.0> : tensor<2xf32>
    %mean = relax.constant dense<[3.0, -1.0]> : tensor<2xf32>
    %var = relax.constant dense<[2.0, 14.0]> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %gamma, %gamma, %mean, %var axis = 1 epsilon = 2.0 center = false training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1 : tensor<1x2x4x4xf32>
  }
}

// -----

// CHECK-LABEL: partita.module @untouched
// CHECK-NOT: relax.sqrt
partita.module @untouched {
  relax.func @conv_is_used(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %0, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }

  relax.func @statistics_are_used(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1, %v : tensor<1x2x4x4xf32>, tensor<2xf32>
  }

  relax.func @not_constant(%x: tensor<1x1x4x4xf32>, %w: tensor<2x1x1x1xf32>, %p: tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
    %cw = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1:3 = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    %2 = relax.nn.conv2d %x, %cw : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %3:3 = relax.nn.batch_norm %2, %c, %p, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    %4 = relax.nn.conv2d %x, %cw : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %n = relax.negative %c : tensor<2xf32>
    %5:3 = relax.nn.batch_norm %4, %c, %c, %c, %n axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1#0, %3#0, %5#0 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }

  // The axis is not the channels'.
  relax.func @other_axis(%x: tensor<1x1x2x4xf32>) -> tensor<1x2x2x4xf32> {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x2x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x2x4xf32>
    %1:3 = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 2 training = false : (tensor<1x2x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x2x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1#0 : tensor<1x2x2x4xf32>
  }

  // The weight's type cannot hold the parameters' values.
  relax.func @other_type(%x: tensor<1x1x4x4xf16>) -> tensor<1x2x4x4xf32> {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf16>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w out_dtype = f32 : tensor<1x1x4x4xf16>, tensor<2x1x1x1xf16> -> tensor<1x2x4x4xf32>
    %1:3 = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1#0 : tensor<1x2x4x4xf32>
  }

  // Types with an unknown number of channels, or with different ones.
  relax.func @unknown_channels(%x: tensor<1x1x4x4xf32>) -> (tensor<1x?x4x4xf32>, tensor<1x2x?x4xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<3xf32>
    %d = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x?x4x4xf32>
    %1:3 = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x?x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x?x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %2 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %3:3 = relax.nn.batch_norm %2, %d, %d, %d, %d axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x?x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1#0, %3#0 : tensor<1x?x4x4xf32>, tensor<1x2x?x4xf32>
  }

  relax.func @no_conv2d(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0:3 = relax.nn.batch_norm %x, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %0#0 : tensor<1x2x4x4xf32>
  }

  relax.func @kernel(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> attributes {Primitive = true} {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1:3 = relax.nn.batch_norm %0, %c, %c, %c, %c axis = 1 training = false : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %1#0 : tensor<1x2x4x4xf32>
  }

  relax.func private @declared(tensor<2xf32>) -> tensor<2xf32>

  // As in TVM, other names and unused ops are removed, but no ops with effects.
  // CHECK-LABEL: relax.func @unused
  relax.func @unused(%x: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT:   %[[B:.*]] = relax.abs %x
    // CHECK-NEXT:   relax.output %[[B]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.call_op "relax.print"
    // CHECK-NEXT: relax.return %[[Y]]
    %y = relax.dataflow -> tensor<2xf32> {
      %0 = relax.exp %x : tensor<2xf32>
      %1 = relax.alias %x : tensor<2xf32>
      %2 = relax.abs %1 : tensor<2xf32>
      relax.output %2 : tensor<2xf32>
    }
    %3 = relax.exp %y : tensor<2xf32>
    %4 = relax.alias %3 : tensor<2xf32>
    %5 = relax.alias %y : tensor<2xf32>
    %6 = relax.call_op "relax.print"(%y) : (tensor<2xf32>) -> tuple<>
    relax.return %5 : tensor<2xf32>
  }
}
