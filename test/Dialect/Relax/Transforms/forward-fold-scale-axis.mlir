// RUN: partita-opt %s --relax-forward-fold-scale-axis -O3 --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-forward-fold-scale-axis -O2 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-forward-fold-scale-axis --relax-fold-constant --split-input-file | FileCheck %s --check-prefix=FOLDED
// RUN: partita-opt %s --relax-forward-fold-scale-axis --split-input-file --mlir-pass-statistics 2>&1 | %if asserts %{ FileCheck %s --check-prefix=STATS %} %else %{ cat %}
// RUN: %python %S/Inputs/scale_axis.py partita-opt 0 --relax-forward-fold-scale-axis | FileCheck %s --check-prefix=NUMPY
// RUN: %python %S/Inputs/scale_axis.py partita-opt 1 --relax-forward-fold-scale-axis --relax-fold-constant | FileCheck %s --check-prefix=NUMPY

// STATS: ForwardFoldScaleAxis
// STATS-NEXT: (S) 7 folded

// NUMPY: 300 functions agree
// NUMPY-NEXT: {{[0-9]{3} of [0-9]+}} scales folded

partita.module @layouts {
  // OFF: relax.multiply
  // OFF-NEXT: relax.nn.conv2d
  // CHECK-LABEL: relax.func @nchw
  // CHECK-SAME: (%[[X:.*]]: tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>)
  // FOLDED-LABEL: relax.func @nchw
  relax.func @nchw(%x: tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>) -> tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>> {
    // CHECK-NEXT: %[[W:.*]] = relax.constant {{.*}} : tensor<1x2x1x1xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<{{\[\[\[}}-2.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<2x1x1xf32>
    // CHECK-NEXT: %[[NW:.*]] = relax.multiply %[[W]], %[[C]] : tensor<1x2x1x1xf32>, tensor<2x1x1xf32> -> tensor<1x2x1x1xf32>
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %[[X]], %[[NW]] :
    // CHECK-NEXT: relax.output %[[CONV]]
    // FOLDED-NEXT: %[[W:.*]] = relax.constant dense<{{\[\[\[\[}}-2.000000e+01]], {{\[\[}}1.200000e+02]]]]>
    // FOLDED-NEXT: dataflow
    // FOLDED-NEXT: relax.nn.conv2d %{{.*}}, %[[W]]
    // FOLDED-NEXT: output
    %w = relax.constant dense<[[[[10.0]], [[30.0]]]]> : tensor<1x2x1x1xf32>
    %y = relax.dataflow -> tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>> {
      %c = relax.constant dense<[[[[-2.0]], [[4.0]]]]> : tensor<1x2x1x1xf32>
      %0 = relax.multiply %x, %c : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>, tensor<1x2x1x1xf32> -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
      %1 = relax.nn.conv2d %0, %w : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>, tensor<1x2x1x1xf32> -> tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>
      relax.output %1 : tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>
    }
    relax.return %y : tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>
  }

  // A depthwise convolution has the same channels as outputs and inputs.
  // CHECK-LABEL: relax.func @depthwise
  // CHECK: %[[C:.*]] = relax.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf16>
  // CHECK-NEXT: %[[NW:.*]] = relax.multiply %{{.*}}, %[[C]] : tensor<1x1x2x1xf16>, tensor<2x1xf16> -> tensor<1x1x2x1xf16>
  // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %{{.*}}, %[[NW]] groups = 2
  // CHECK-NEXT: relax.return %[[CONV]]
  relax.func @depthwise(%x: tensor<1x4x4x2xf16>) -> tensor<1x4x4x2xf16> {
    %w = relax.constant dense<[[[[10.0], [30.0]]]]> : tensor<1x1x2x1xf16>
    %c = relax.constant dense<[2.0, 4.0]> : tensor<2xf16>
    %0 = relax.multiply %c, %x : tensor<2xf16>, tensor<1x4x4x2xf16> -> tensor<1x4x4x2xf16>
    %1 = relax.nn.conv2d %0, %w groups = 2 data_layout = "NHWC" kernel_layout = "HWOI" : tensor<1x4x4x2xf16>, tensor<1x1x2x1xf16> -> tensor<1x4x4x2xf16>
    relax.return %1 : tensor<1x4x4x2xf16>
  }

  // One number goes into groups of any size.
  // CHECK-LABEL: relax.func @groups
  // CHECK: %[[C:.*]] = relax.constant dense<2.000000e+00> : tensor<f64>
  // CHECK-NEXT: %[[NW:.*]] = relax.multiply %{{.*}}, %[[C]]
  // CHECK-NEXT: relax.nn.conv2d %{{.*}}, %[[NW]] groups = 2
  // CHECK-NEXT: relax.return
  relax.func @groups(%x: tensor<1x4x4x4xf64>) -> tensor<1x2x4x4xf64> {
    %w = relax.constant dense<1.0> : tensor<2x2x1x1xf64>
    %c = relax.constant dense<2.0> : tensor<1x4x1x1xf64>
    %0 = relax.multiply %x, %c : tensor<1x4x4x4xf64>, tensor<1x4x1x1xf64> -> tensor<1x4x4x4xf64>
    %1 = relax.nn.conv2d %0, %w groups = 2 : tensor<1x4x4x4xf64>, tensor<2x2x1x1xf64> -> tensor<1x2x4x4xf64>
    relax.return %1 : tensor<1x2x4x4xf64>
  }

  // All uses are scaled: rows of matrices, which may be transposed, and a vector.
  // CHECK-LABEL: relax.func @rows
  // FOLDED-LABEL: relax.func @rows
  relax.func @rows(%x: tensor<?x2xbf16>) -> (tensor<?x3xbf16>, tensor<?xbf16>) {
    // CHECK-NOT: relax.multiply %{{.*}} : tensor<?x
    // FOLDED-NEXT: %[[W:.*]] = relax.constant dense<{{\[}}[1.000000e+00, 3.000000e+00, 5.000000e+00], [4.000000e+00, 8.000000e+00, 1.200000e+01]]>
    // FOLDED-NEXT: relax.matmul %{{.*}}, %[[W]]
    // FOLDED-NEXT: %[[V:.*]] = relax.constant dense<[1.000000e+00, 4.000000e+00]>
    // FOLDED-NEXT: relax.matmul %{{.*}}, %[[V]]
    // FOLDED-NEXT: relax.return
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
    %v = relax.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    %c = relax.constant dense_resource<c> : tensor<2xbf16>
    %t = relax.permute_dims %w : tensor<3x2xbf16> -> tensor<2x3xbf16>
    %0 = relax.multiply %x, %c : tensor<?x2xbf16>, tensor<2xbf16> -> tensor<?x2xbf16>
    %1 = relax.matmul %0, %t : tensor<?x2xbf16>, tensor<2x3xbf16> -> tensor<?x3xbf16>
    %2 = relax.matmul %0, %v : tensor<?x2xbf16>, tensor<2xbf16> -> tensor<?xbf16>
    relax.return %1, %2 : tensor<?x3xbf16>, tensor<?xbf16>
  }

  // CHECK-LABEL: relax.func @twice
  // CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
  // CHECK-NOT: tensor<4x2xf32>, tensor<f32>
  // CHECK: %[[R:.*]] = relax.nn.relu %[[X]]
  // CHECK: relax.matmul %[[R]]
  // FOLDED-LABEL: relax.func @twice
  // FOLDED: dense<8.000000e+00> : tensor<2x2xf32>
  relax.func @twice(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %d = relax.constant dense<4.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.nn.relu %0 : tensor<4x2xf32>
    %2 = relax.multiply %1, %d : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %3 = relax.matmul %2, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %3 : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @negative
  // CHECK-NOT: tensor<4x2xf32>, tensor<f32>
  // CHECK: relax.return
  relax.func @negative(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<-2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      // 1 and 2.
      c: "0x02000000803F0040"
    }
  }
#-}

// -----

// STATS: ForwardFoldScaleAxis
// STATS-NEXT: (S) 4 folded

partita.module @through {
  // The channels have another place behind the pooling.
  // CHECK-LABEL: relax.func @relu_pool
  // CHECK-SAME: (%[[X:.*]]: tensor<1x2x4x4xf32>)
  // CHECK: %[[R:.*]] = relax.nn.relu %[[X]]
  // CHECK-NEXT: %[[P:.*]] = relax.nn.max_pool2d %[[R]]
  // CHECK-NEXT: %[[C:.*]] = relax.constant dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32>
  // CHECK-NEXT: %[[W:.*]] = relax.multiply %{{.*}}, %[[C]]
  // CHECK-NEXT: relax.matmul %[[P]], %[[W]]
  // CHECK-NEXT: relax.return
  relax.func @relu_pool(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x3xf32> {
    %w = relax.constant dense<1.0> : tensor<2x3xf32>
    %c = relax.constant dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>
    %0 = relax.multiply %x, %c : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
    %1 = relax.nn.relu %0 : tensor<1x2x4x4xf32>
    %2 = relax.nn.max_pool2d %1 pool_size = [2, 2] strides = [2, 2] out_layout = "NHWC" : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
    %3 = relax.matmul %2, %w : tensor<1x2x2x2xf32>, tensor<2x3xf32> -> tensor<1x2x2x3xf32>
    relax.return %3 : tensor<1x2x2x3xf32>
  }

  // Equal scales of both sides are one; they may be written differently.
  // CHECK-LABEL: relax.func @sum
  // CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>, %[[Y:.*]]: tensor<4x2xf32>)
  // CHECK-NOT: tensor<4x2xf32>, tensor<2xf32>
  // CHECK: %[[S:.*]] = relax.add %[[X]], %[[Y]]
  // CHECK-NEXT: %[[T:.*]] = relax.add %[[S]], %[[X]]
  // CHECK: relax.matmul %[[T]]
  // CHECK-NEXT: relax.return
  relax.func @sum(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[-1.0, 2.0]> : tensor<2xf32>
    %d = relax.constant dense<[[-1.0, 2.0]]> : tensor<1x2xf32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %y, %d : tensor<4x2xf32>, tensor<1x2xf32> -> tensor<4x2xf32>
    %2 = relax.add %0, %1 : tensor<4x2xf32>
    %3 = relax.add %2, %0 : tensor<4x2xf32>
    %4 = relax.matmul %3, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %4 : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @branches
  // CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
  // CHECK: %[[R:.*]] = relax.nn.relu %[[X]]
  // CHECK-NEXT: %[[S:.*]] = relax.add %[[X]], %[[R]]
  // CHECK: relax.matmul %[[S]]
  // CHECK-NEXT: relax.return
  relax.func @branches(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.nn.relu %0 : tensor<4x2xf32>
    %2 = relax.add %0, %1 : tensor<4x2xf32>
    %3 = relax.matmul %2, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %3 : tensor<4x2xf32>
  }
}

// -----

// STATS: ForwardFoldScaleAxis
// STATS-NEXT: (S) 0 folded

// CHECK-LABEL: partita.module @untouched
partita.module @untouched {
  // CHECK-LABEL: relax.func @negative_relu
  // CHECK: relax.multiply %x
  relax.func @negative_relu(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, -1.0]> : tensor<2xf32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %1 = relax.nn.relu %0 : tensor<4x2xf32>
    %2 = relax.matmul %1, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %2 : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @zero_pool
  // CHECK: relax.multiply %x
  relax.func @zero_pool(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x4x4xf32> {
    %w = relax.constant dense<1.0> : tensor<1x2x1x1xf32>
    %c = relax.constant dense<[[[2.0]], [[0.0]]]> : tensor<2x1x1xf32>
    %0 = relax.multiply %x, %c : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
    %1 = relax.nn.max_pool2d %0 pool_size = [3, 3] padding = [1, 1, 1, 1] : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
    %2 = relax.nn.conv2d %1, %w : tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32> -> tensor<1x1x4x4xf32>
    relax.return %2 : tensor<1x1x4x4xf32>
  }

  // CHECK-LABEL: relax.func @not_finite
  // CHECK: relax.multiply %x
  relax.func @not_finite(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, 0x7FC00000]> : tensor<2xf32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }

  // 300 * 300 is no f16.
  // CHECK-LABEL: relax.func @overflow
  // CHECK: relax.multiply %x
  relax.func @overflow(%x: tensor<4x2xf16>) -> tensor<4x2xf16> {
    %w = relax.constant dense<-300.0> : tensor<2x2xf16>
    %c = relax.constant dense<300.0> : tensor<f16>
    %0 = relax.multiply %x, %c : tensor<4x2xf16>, tensor<f16> -> tensor<4x2xf16>
    %1 = relax.matmul %0, %w : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>
    relax.return %1 : tensor<4x2xf16>
  }

  // The scaled value has another user, directly or behind a relu.
  // CHECK-LABEL: relax.func @other_use
  // CHECK: relax.multiply %x
  // CHECK: relax.multiply %x
  relax.func @other_use(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %d = relax.constant dense<3.0> : tensor<f32>
    %2 = relax.multiply %x, %d : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %3 = relax.nn.relu %2 : tensor<4x2xf32>
    %4 = relax.matmul %3, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %0, %1, %3, %4 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @functions
  // CHECK: relax.multiply %x
  // CHECK-NEXT: relax.exp
  // CHECK: relax.multiply %x
  // CHECK-NEXT: relax.nn.softmax
  relax.func @functions(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.exp %0 : tensor<4x2xf32>
    %2 = relax.matmul %1, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %3 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %4 = relax.nn.softmax %3 : tensor<4x2xf32>
    %5 = relax.matmul %4, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %2, %5 : tensor<4x2xf32>, tensor<4x2xf32>
  }

  // A bias, another scale, a value that is not scaled; a row that is added.
  // CHECK-LABEL: relax.func @other_side
  // CHECK-COUNT-5: relax.multiply %{{[xyz]}},
  relax.func @other_side(%x: tensor<4x2xf32>, %y: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %d = relax.constant dense<3.0> : tensor<f32>
    %b = relax.constant dense<1.0> : tensor<2xf32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.add %0, %b : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %2 = relax.matmul %1, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %3 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %4 = relax.multiply %x, %d : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %5 = relax.add %3, %4 : tensor<4x2xf32>
    %6 = relax.matmul %5, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %7 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %8 = relax.add %x, %7 : tensor<4x2xf32>
    %9 = relax.matmul %8, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %10 = relax.multiply %y, %c : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
    %11 = relax.add %x, %10 : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %12 = relax.matmul %11, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %2, %6, %9, %12 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }

  // The same factors along other dimensions.
  // CHECK-LABEL: relax.func @other_axes
  // CHECK-COUNT-2: relax.multiply %x
  relax.func @other_axes(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %d = relax.constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
    %0 = relax.multiply %x, %c : tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
    %1 = relax.multiply %x, %d : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x2xf32>
    %2 = relax.add %0, %1 : tensor<2x2xf32>
    %3 = relax.matmul %2, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    relax.return %3 : tensor<2x2xf32>
  }

  // The scale; the weight; the right side of a product; the weight of a
  // convolution; nothing.
  // CHECK-LABEL: relax.func @not_constant
  // CHECK-COUNT-5: relax.multiply %{{[xyz]}},
  relax.func @not_constant(%x: tensor<2x2xf32>, %y: tensor<2xf32>, %z: tensor<1x2x1x1xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1x1x1xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %d = relax.constant dense<1.0> : tensor<1x2x1x1xf32>
    %0 = relax.multiply %x, %y : tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
    %1 = relax.matmul %0, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %2 = relax.multiply %x, %c : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
    %3 = relax.matmul %2, %x : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %4 = relax.multiply %x, %c : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
    %5 = relax.matmul %w, %4 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %6 = relax.multiply %z, %c : tensor<1x2x1x1xf32>, tensor<f32> -> tensor<1x2x1x1xf32>
    %7 = relax.nn.conv2d %d, %6 : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32> -> tensor<1x1x1x1xf32>
    %8 = relax.multiply %x, %c : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
    relax.return %1, %3, %5, %7 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x1x1x1xf32>
  }

  // The rows of data, a spatial dimension, two dimensions.
  // CHECK-LABEL: relax.func @other_axis
  // CHECK-COUNT-3: relax.multiply %{{[xyz]}},
  relax.func @other_axis(%x: tensor<2x2xf32>, %y: tensor<1x2x2x2xf32>) -> (tensor<2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %k = relax.constant dense<1.0> : tensor<1x2x1x1xf32>
    %c = relax.constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
    %d = relax.constant dense<[[[2.0, 3.0]], [[4.0, 5.0]]]> : tensor<2x1x2xf32>
    %0 = relax.multiply %x, %c : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x2xf32>
    %1 = relax.matmul %0, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %2 = relax.multiply %y, %c : tensor<1x2x2x2xf32>, tensor<2x1xf32> -> tensor<1x2x2x2xf32>
    %3 = relax.nn.conv2d %2, %k : tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32> -> tensor<1x1x2x2xf32>
    %4 = relax.multiply %y, %d : tensor<1x2x2x2xf32>, tensor<2x1x2xf32> -> tensor<1x2x2x2xf32>
    %5 = relax.nn.conv2d %4, %k : tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32> -> tensor<1x1x2x2xf32>
    relax.return %1, %3, %5 : tensor<2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
  }

  // Groups of two channels, and channels of two outputs.
  // CHECK-LABEL: relax.func @groups
  // CHECK-COUNT-2: relax.multiply %{{[xyz]}},
  relax.func @groups(%x: tensor<1x4x2x2xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x8x2x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<4x2x1x1xf32>
    %v = relax.constant dense<1.0> : tensor<8x1x1x1xf32>
    %c = relax.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
    %0 = relax.multiply %x, %c : tensor<1x4x2x2xf32>, tensor<4x1x1xf32> -> tensor<1x4x2x2xf32>
    %1 = relax.nn.conv2d %0, %w groups = 2 : tensor<1x4x2x2xf32>, tensor<4x2x1x1xf32> -> tensor<1x4x2x2xf32>
    %2 = relax.multiply %x, %c : tensor<1x4x2x2xf32>, tensor<4x1x1xf32> -> tensor<1x4x2x2xf32>
    %3 = relax.nn.conv2d %2, %v groups = 4 : tensor<1x4x2x2xf32>, tensor<8x1x1x1xf32> -> tensor<1x8x2x2xf32>
    relax.return %1, %3 : tensor<1x4x2x2xf32>, tensor<1x8x2x2xf32>
  }

  // The scale makes the data larger, or its dimension is not known.
  // CHECK-LABEL: relax.func @other_shape
  // CHECK-COUNT-2: relax.multiply %{{[xyz]}},
  relax.func @other_shape(%x: tensor<2x1xf32>, %y: tensor<2x?xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %0 = relax.multiply %x, %c : tensor<2x1xf32>, tensor<2xf32> -> tensor<2x2xf32>
    %1 = relax.matmul %0, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %2 = relax.multiply %y, %c : tensor<2x?xf32>, tensor<2xf32> -> tensor<2x?xf32>
    %3 = relax.matmul %2, %w : tensor<2x?xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    relax.return %1, %3 : tensor<2x2xf32>, tensor<2x2xf32>
  }

  // Weights of another type; integers.
  // CHECK-LABEL: relax.func @other_type
  // CHECK-COUNT-2: relax.multiply %{{[xyz]}},
  relax.func @other_type(%x: tensor<4x2xf32>, %y: tensor<4x2xi32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf16>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w out_dtype = f32 : tensor<4x2xf32>, tensor<2x2xf16> -> tensor<4x2xf32>
    %v = relax.constant dense<1> : tensor<2x2xi32>
    %d = relax.constant dense<2> : tensor<i32>
    %2 = relax.multiply %y, %d : tensor<4x2xi32>, tensor<i32> -> tensor<4x2xi32>
    %3 = relax.matmul %2, %v : tensor<4x2xi32>, tensor<2x2xi32> -> tensor<4x2xi32>
    relax.return %1, %3 : tensor<4x2xf32>, tensor<4x2xi32>
  }

  // CHECK-LABEL: relax.func @kernel
  // CHECK: relax.multiply %x
  relax.func @kernel(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {Primitive = 1 : i64} {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }

  relax.func private @declared(tensor<2xf32>) -> tensor<2xf32>
}

// -----

partita.module @skip_optimization {
  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.multiply %x
  relax.func @skipped(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {SkipOptimization} {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }
}
