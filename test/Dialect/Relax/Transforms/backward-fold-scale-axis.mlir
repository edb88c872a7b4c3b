// RUN: partita-opt %s --relax-backward-fold-scale-axis -O3 --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-backward-fold-scale-axis -O2 --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-backward-fold-scale-axis --relax-fold-constant --split-input-file | FileCheck %s --check-prefix=FOLDED
// RUN: partita-opt %s --relax-backward-fold-scale-axis --split-input-file --mlir-pass-statistics 2>&1 | %if asserts %{ FileCheck %s --check-prefix=STATS %} %else %{ cat %}
// RUN: %python %S/Inputs/scale_axis.py partita-opt 0 --relax-backward-fold-scale-axis | FileCheck %s --check-prefix=NUMPY
// RUN: %python %S/Inputs/scale_axis.py partita-opt 1 --relax-backward-fold-scale-axis --relax-fold-constant | FileCheck %s --check-prefix=NUMPY

// STATS: BackwardFoldScaleAxis
// STATS-NEXT: (S) 5 folded

// NUMPY: 300 functions agree
// NUMPY-NEXT: {{[0-9]{3} of [0-9]+}} scales folded

// The weight is scaled by an op, whose result is the same in every layout.
partita.module @layouts {
  // OFF: relax.nn.conv2d
  // OFF-NEXT: relax.multiply
  // CHECK-LABEL: relax.func @nchw
  // CHECK-SAME: (%[[X:.*]]: tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>)
  // FOLDED-LABEL: relax.func @nchw
  relax.func @nchw(%x: tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>) -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>> {
    // CHECK-NEXT: %[[W:.*]] = relax.constant {{.*}} : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<{{\[\[\[\[}}-2.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[NW:.*]] = relax.multiply %[[W]], %[[C]] : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %[[X]], %[[NW]] :
    // CHECK-NEXT: relax.output %[[CONV]]
    // FOLDED-NEXT: %[[W:.*]] = relax.constant dense<{{\[\[\[\[}}-2.000000e+01]]], {{\[\[\[}}1.200000e+02]]]]>
    // FOLDED-NEXT: dataflow
    // FOLDED-NEXT: relax.nn.conv2d %{{.*}}, %[[W]]
    // FOLDED-NEXT: output
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %y = relax.dataflow -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>> {
      %c = relax.constant dense<[[[[-2.0]], [[4.0]]]]> : tensor<1x2x1x1xf32>
      %0 = relax.nn.conv2d %x, %w : tensor<?x1x4x4xf32, #relax.shape<["n", 1, 4, 4]>>, tensor<2x1x1x1xf32> -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
      %1 = relax.multiply %0, %c : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>, tensor<1x2x1x1xf32> -> tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
      relax.output %1 : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
    }
    relax.return %y : tensor<?x2x4x4xf32, #relax.shape<["n", 2, 4, 4]>>
  }

  // In groups; the constant on the left, and used elsewhere.
  // CHECK-LABEL: relax.func @nhwc
  // FOLDED-LABEL: relax.func @nhwc
  relax.func @nhwc(%x: tensor<1x4x4x2xf16>) -> (tensor<1x4x4x2xf16>, tensor<2xf16>) {
    // CHECK: %[[W:.*]] = relax.constant
    // CHECK-NEXT: %[[OLD:.*]] = relax.constant
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf16>
    // CHECK-NEXT: %[[NW:.*]] = relax.multiply %[[W]], %[[C]] : tensor<1x1x1x2xf16>, tensor<2xf16> -> tensor<1x1x1x2xf16>
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %{{.*}}, %[[NW]] groups = 2
    // CHECK-NEXT: relax.return %[[CONV]], %[[OLD]]
    // FOLDED: relax.constant dense<{{\[\[\[\[}}2.000000e+01, 1.200000e+02]]]]>
    %w = relax.constant dense<[[[[10.0, 30.0]]]]> : tensor<1x1x1x2xf16>
    %c = relax.constant dense<[2.0, 4.0]> : tensor<2xf16>
    %0 = relax.nn.conv2d %x, %w groups = 2 data_layout = "NHWC" kernel_layout = "HWIO" : tensor<1x4x4x2xf16>, tensor<1x1x1x2xf16> -> tensor<1x4x4x2xf16>
    %1 = relax.multiply %c, %0 : tensor<2xf16>, tensor<1x4x4x2xf16> -> tensor<1x4x4x2xf16>
    relax.return %1, %c : tensor<1x4x4x2xf16>, tensor<2xf16>
  }

  // A splat is one number, whatever its shape.
  // CHECK-LABEL: relax.func @scalars
  relax.func @scalars(%x: tensor<1x1x2x2xf64>) -> tensor<1x2x2x2xf64> {
    // CHECK: %[[C:.*]] = relax.constant dense<2.000000e+00> : tensor<f64>
    // CHECK-NEXT: %[[W1:.*]] = relax.multiply %{{.*}}, %[[C]]
    // CHECK-NEXT: %[[D:.*]] = relax.constant dense<-4.000000e+00> : tensor<f64>
    // CHECK-NEXT: %[[W2:.*]] = relax.multiply %[[W1]], %[[D]]
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %{{.*}}, %[[W2]]
    // CHECK-NEXT: relax.return %[[CONV]]
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf64>
    %c = relax.constant dense<2.0> : tensor<1x1x1x1xf64>
    %d = relax.constant dense<-4.0> : tensor<1x2x2x2xf64>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x2x2xf64>, tensor<2x1x1x1xf64> -> tensor<1x2x2x2xf64>
    %1 = relax.multiply %0, %c : tensor<1x2x2x2xf64>, tensor<1x1x1x1xf64> -> tensor<1x2x2x2xf64>
    %2 = relax.multiply %1, %d : tensor<1x2x2x2xf64>
    relax.return %2 : tensor<1x2x2x2xf64>
  }

  // CHECK-LABEL: relax.func @columns
  // FOLDED-LABEL: relax.func @columns
  relax.func @columns(%x: tensor<?x2xbf16>) -> tensor<?x3xbf16> {
    // CHECK: %[[T:.*]] = relax.permute_dims
    // CHECK-NEXT: %[[C:.*]] = relax.constant dense_resource<c> : tensor<3xbf16>
    // CHECK-NEXT: %[[NW:.*]] = relax.multiply %[[T]], %[[C]] : tensor<2x3xbf16>, tensor<3xbf16> -> tensor<2x3xbf16>
    // CHECK-NEXT: %[[R:.*]] = relax.matmul %{{.*}}, %[[NW]]
    // CHECK-NEXT: relax.return %[[R]]
    // FOLDED: relax.constant dense<{{\[}}[1.000000e+00, 6.000000e+00, 2.000000e+01], [2.000000e+00, 8.000000e+00, 2.400000e+01]]>
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
    %c = relax.constant dense_resource<c> : tensor<1x3xbf16>
    %t = relax.permute_dims %w : tensor<3x2xbf16> -> tensor<2x3xbf16>
    %0 = relax.matmul %x, %t : tensor<?x2xbf16>, tensor<2x3xbf16> -> tensor<?x3xbf16>
    %1 = relax.multiply %0, %c : tensor<?x3xbf16>, tensor<1x3xbf16> -> tensor<?x3xbf16>
    relax.return %1 : tensor<?x3xbf16>
  }
}

{-#
  dialect_resources: {
    builtin: {
      // 1, 2 and 4.
      c: "0x02000000803F00408040"
    }
  }
#-}

// -----

// STATS: BackwardFoldScaleAxis
// STATS-NEXT: (S) 3 folded

partita.module @through {
  // CHECK-LABEL: relax.func @relu_pool_bias
  // CHECK-SAME: (%[[X:.*]]: tensor<1x1x4x4xf32>)
  relax.func @relu_pool_bias(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x2x2xf32> {
    // CHECK-NOT: dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
    // CHECK: %[[CW:.*]] = relax.constant dense<{{\[\[\[\[}}2.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<2x1x1x1xf32>
    // CHECK-NEXT: %[[W:.*]] = relax.multiply %{{.*}}, %[[CW]]
    // CHECK-NEXT: %[[CONV:.*]] = relax.nn.conv2d %[[X]], %[[W]]
    // CHECK-NEXT: %[[CB:.*]] = relax.constant dense<{{\[\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<2x1x1xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.multiply %{{.*}}, %[[CB]] : tensor<f32>, tensor<2x1x1xf32> -> tensor<2x1x1xf32>
    // CHECK-NEXT: %[[A:.*]] = relax.add %[[CONV]], %[[B]]
    // CHECK-NEXT: %[[R:.*]] = relax.nn.relu %[[A]]
    // CHECK-NEXT: %[[P:.*]] = relax.nn.max_pool2d %[[R]]
    // CHECK-NEXT: relax.return %[[P]]
    %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
    %b = relax.constant dense<3.0> : tensor<f32>
    %c = relax.constant dense<[2.0, 4.0]> : tensor<2xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1 = relax.add %0, %b : tensor<1x2x4x4xf32>, tensor<f32> -> tensor<1x2x4x4xf32>
    %2 = relax.nn.relu %1 : tensor<1x2x4x4xf32>
    %3 = relax.nn.max_pool2d %2 pool_size = [2, 2] strides = [2, 2] out_layout = "NHWC" : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
    %4 = relax.multiply %3, %c : tensor<1x2x2x2xf32>, tensor<2xf32> -> tensor<1x2x2x2xf32>
    relax.return %4 : tensor<1x2x2x2xf32>
  }

  // Both sides of a sum take the scale, in front of a scale that does not move.
  // CHECK-LABEL: relax.func @sum
  // CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
  // FOLDED-LABEL: relax.func @sum
  relax.func @sum(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    // FOLDED-NEXT: %[[TWO:.*]] = relax.constant dense<2.000000e+00> : tensor<f32>
    // FOLDED-NEXT: %[[W:.*]] = relax.constant dense<{{\[}}[-1.000000e+00, 4.000000e+00], [-3.000000e+00, 8.000000e+00]]>
    // FOLDED-NEXT: %[[A:.*]] = relax.matmul %{{.*}}, %[[W]]
    // FOLDED-NEXT: %[[V:.*]] = relax.constant dense<{{\[}}[-2.000000e+00, 8.000000e+00], [-6.000000e+00, 1.600000e+01]]>
    // FOLDED-NEXT: %[[B:.*]] = relax.matmul %{{.*}}, %[[V]]
    // FOLDED-NEXT: %[[S:.*]] = relax.add %[[A]], %[[B]]
    // FOLDED-NEXT: %[[E:.*]] = relax.exp %[[S]]
    // FOLDED-NEXT: relax.multiply %[[E]], %[[TWO]]
    // FOLDED-NEXT: relax.return
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %c = relax.constant dense<[-1.0, 2.0]> : tensor<2xf32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %2 = relax.multiply %1, %two : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %3 = relax.add %0, %2 : tensor<4x2xf32>
    %4 = relax.multiply %3, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %5 = relax.exp %4 : tensor<4x2xf32>
    %6 = relax.multiply %5, %two : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %6 : tensor<4x2xf32>
  }
}

// -----

// STATS: BackwardFoldScaleAxis
// STATS-NEXT: (S) 0 folded

// Each function keeps its multiplication as the only one.
// CHECK-LABEL: partita.module @untouched
partita.module @untouched {
  // CHECK-LABEL: relax.func @negative_relu
  // CHECK: relax.nn.relu
  // CHECK-NEXT: relax.multiply
  relax.func @negative_relu(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, -1.0]> : tensor<2xf32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.nn.relu %0 : tensor<4x2xf32>
    %2 = relax.multiply %1, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    relax.return %2 : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @zero_pool
  // CHECK: relax.nn.max_pool2d
  // CHECK-NEXT: relax.multiply
  relax.func @zero_pool(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<[[[2.0]], [[0.0]]]> : tensor<2x1x1xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
    %1 = relax.nn.max_pool2d %0 pool_size = [3, 3] padding = [1, 1, 1, 1] : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
    %2 = relax.multiply %1, %c : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
    relax.return %2 : tensor<1x2x4x4xf32>
  }

  // NaN and infinity.
  // CHECK-LABEL: relax.func @not_finite
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.multiply
  relax.func @not_finite(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<[2.0, 0x7FC00000]> : tensor<2xf32>
    %d = relax.constant dense<0x7F800000> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %2 = relax.multiply %1, %d : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %2 : tensor<4x2xf32>
  }

  // 300 * 300 is no f16.
  // CHECK-LABEL: relax.func @overflow
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  relax.func @overflow(%x: tensor<4x2xf16>) -> tensor<4x2xf16> {
    %w = relax.constant dense<-300.0> : tensor<2x2xf16>
    %c = relax.constant dense<300.0> : tensor<f16>
    %0 = relax.matmul %x, %w : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>
    %1 = relax.multiply %0, %c : tensor<4x2xf16>, tensor<f16> -> tensor<4x2xf16>
    relax.return %1 : tensor<4x2xf16>
  }

  // CHECK-LABEL: relax.func @two_uses
  // CHECK: relax.nn.relu
  // CHECK-NEXT: relax.multiply
  relax.func @two_uses(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.nn.relu %0 : tensor<4x2xf32>
    %2 = relax.multiply %1, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %0, %2 : tensor<4x2xf32>, tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @functions
  // CHECK: relax.exp
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.nn.softmax
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.sigmoid
  // CHECK-NEXT: relax.multiply
  relax.func @functions(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.exp %0 : tensor<4x2xf32>
    %2 = relax.multiply %1, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %3 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %4 = relax.nn.softmax %3 : tensor<4x2xf32>
    %5 = relax.multiply %4, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %6 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %7 = relax.sigmoid %6 : tensor<4x2xf32>
    %8 = relax.multiply %7, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %2, %5, %8 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }

  // The scale, the weight, a side of a sum.
  // CHECK-LABEL: relax.func @not_constant
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.add
  // CHECK-NEXT: relax.multiply
  relax.func @not_constant(%x: tensor<4x2xf32>, %v: tensor<2x2xf32>, %d: tensor<2xf32>, %e: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %d : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %2 = relax.matmul %x, %v : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %3 = relax.multiply %2, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %4 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %5 = relax.add %4, %e : tensor<4x2xf32>
    %6 = relax.multiply %5, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %1, %3, %6 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }

  // The rows of a product, a spatial dimension, two dimensions, a vector.
  // CHECK-LABEL: relax.func @other_axis
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.nn.conv2d
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.matmul
  // CHECK-NEXT: relax.multiply
  relax.func @other_axis(%x: tensor<2x2xf32>, %y: tensor<1x1x2x2xf32>) -> (tensor<2x2xf32>, tensor<1x2x2x2xf32>, tensor<2xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %v = relax.constant dense<1.0> : tensor<2xf32>
    %k = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
    %d = relax.constant dense<[[[2.0, 3.0]], [[4.0, 5.0]]]> : tensor<2x1x2xf32>
    %e = relax.constant dense<[2.0, 3.0]> : tensor<2xf32>
    %0 = relax.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = relax.multiply %0, %c : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x2xf32>
    %2 = relax.nn.conv2d %y, %k : tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x2x2xf32>
    %3 = relax.multiply %2, %c : tensor<1x2x2x2xf32>, tensor<2x1xf32> -> tensor<1x2x2x2xf32>
    %4 = relax.multiply %3, %d : tensor<1x2x2x2xf32>, tensor<2x1x2xf32> -> tensor<1x2x2x2xf32>
    %5 = relax.matmul %x, %v : tensor<2x2xf32>, tensor<2xf32> -> tensor<2xf32>
    %6 = relax.multiply %5, %e : tensor<2xf32>
    relax.return %1, %4, %6 : tensor<2x2xf32>, tensor<1x2x2x2xf32>, tensor<2xf32>
  }

  // The scale makes the result larger, or its dimension is not known.
  // CHECK-LABEL: relax.func @other_shape
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  relax.func @other_shape(%x: tensor<2x2xf32>) -> (tensor<1x2x2xf32>, tensor<2x3xf32>, tensor<2x?xf32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %v = relax.constant dense<1.0> : tensor<2x1xf32>
    %c = relax.constant dense<2.0> : tensor<1x1x1xf32>
    %d = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %e = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = relax.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = relax.multiply %0, %c : tensor<2x2xf32>, tensor<1x1x1xf32> -> tensor<1x2x2xf32>
    %2 = relax.matmul %x, %v : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %3 = relax.multiply %2, %d : tensor<2x1xf32>, tensor<3xf32> -> tensor<2x3xf32>
    %4 = relax.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x?xf32>
    %5 = relax.multiply %4, %e : tensor<2x?xf32>, tensor<2xf32> -> tensor<2x?xf32>
    relax.return %1, %3, %5 : tensor<1x2x2xf32>, tensor<2x3xf32>, tensor<2x?xf32>
  }

  // Types that contradict each other, but do not say all they could.
  // CHECK-LABEL: relax.func @wrong_shape
  // CHECK: relax.nn.max_pool2d
  // CHECK-NEXT: relax.multiply
  relax.func @wrong_shape(%x: tensor<1x1x2x2xf32>) -> tensor<1x3x2x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x1x1x1xf32>
    %c = relax.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
    %0 = relax.nn.conv2d %x, %w : tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32> -> tensor<1x?x2x2xf32>
    %1 = relax.nn.max_pool2d %0 : tensor<1x?x2x2xf32> -> tensor<1x3x2x2xf32>
    %2 = relax.multiply %1, %c : tensor<1x3x2x2xf32>, tensor<3x1x1xf32> -> tensor<1x3x2x2xf32>
    relax.return %2 : tensor<1x3x2x2xf32>
  }

  // The weight is less precise than the result; integers.
  // CHECK-LABEL: relax.func @other_type
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  relax.func @other_type(%x: tensor<4x2xf16>, %y: tensor<4x2xi32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
    %w = relax.constant dense<1.0> : tensor<2x2xf16>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w out_dtype = f32 : tensor<4x2xf16>, tensor<2x2xf16> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    %v = relax.constant dense<1> : tensor<2x2xi32>
    %d = relax.constant dense<2> : tensor<i32>
    %2 = relax.matmul %y, %v : tensor<4x2xi32>, tensor<2x2xi32> -> tensor<4x2xi32>
    %3 = relax.multiply %2, %d : tensor<4x2xi32>, tensor<i32> -> tensor<4x2xi32>
    relax.return %1, %3 : tensor<4x2xf32>, tensor<4x2xi32>
  }

  // CHECK-LABEL: relax.func @missing
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.return
  relax.func @missing(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense_resource<missing> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @empty
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.return
  relax.func @empty(%x: tensor<4x2xf32>) -> tensor<4x0xf32> {
    %w = relax.constant dense<> : tensor<2x0xf32>
    %c = relax.constant dense<> : tensor<0xf32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x0xf32> -> tensor<4x0xf32>
    %1 = relax.multiply %0, %c : tensor<4x0xf32>, tensor<0xf32> -> tensor<4x0xf32>
    relax.return %1 : tensor<4x0xf32>
  }

  // CHECK-LABEL: relax.func @kernel
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.return
  relax.func @kernel(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {Primitive = true} {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }

  relax.func private @declared(tensor<2xf32>) -> tensor<2xf32>
}

// -----

partita.module @skip_optimization {
  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.matmul
  // CHECK-NEXT: relax.multiply
  // CHECK-NEXT: relax.return
  relax.func @skipped(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {SkipOptimization} {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %c = relax.constant dense<2.0> : tensor<f32>
    %0 = relax.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %1 = relax.multiply %0, %c : tensor<4x2xf32>, tensor<f32> -> tensor<4x2xf32>
    relax.return %1 : tensor<4x2xf32>
  }
}
