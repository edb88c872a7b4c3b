// RUN: partita-opt %s --relax-fold-scale-axis --relax-fold-constant -O3 | FileCheck %s
// RUN: partita-opt %s --relax-fold-scale-axis -O2 | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-fold-scale-axis -O3 --disabled-pass=BackwardFoldScaleAxis | FileCheck %s --check-prefix=FORWARD
// RUN: partita-opt --relax-fold-scale-axis -O3 --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: partita-opt --relax-fold-scale-axis -O2 --explain | FileCheck %s --check-prefix=SKIPPED
// RUN: %python %S/Inputs/scale_axis.py partita-opt 2 --relax-fold-scale-axis -O3 | FileCheck %s --check-prefix=NUMPY
// RUN: %python %S/Inputs/scale_axis.py partita-opt 3 -O3 | FileCheck %s --check-prefix=NUMPY

// EXPLAIN: FoldScaleAxis {{ *}}runs: opt_level 3 <= 3
// EXPLAIN-NEXT: 1 {{ *}}BackwardFoldScaleAxis {{ *}}runs: opt_level 3 <= 3
// EXPLAIN-NEXT: 2 {{ *}}ForwardFoldScaleAxis {{ *}}runs: opt_level 3 <= 3

// SKIPPED: FoldScaleAxis {{ *}}skipped: opt_level 3 > 2
// SKIPPED-NOT: ScaleAxis

// NUMPY: 300 functions agree
// NUMPY-NEXT: {{[0-9]{3} of [0-9]+}} scales folded

// The weight before a scale takes it if it can, else the weight after it.
partita.module @m {
  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
  // CHECK-NEXT: %[[W:.*]] = relax.constant dense<{{\[}}[2.000000e+00, 6.000000e+00], [1.000000e+01, 3.000000e+01]]> : tensor<2x2xf32>
  // CHECK-NEXT: %[[A:.*]] = relax.matmul %[[X]], %[[W]]
  // CHECK-NEXT: %[[E:.*]] = relax.exp %[[A]]
  // CHECK-NEXT: %[[V:.*]] = relax.constant dense<{{\[}}[7.000000e+00, 7.000000e+00], [1.100000e+01, 1.100000e+01]]> : tensor<2x2xf32>
  // CHECK-NEXT: %[[B:.*]] = relax.matmul %[[E]], %[[V]]
  // CHECK-NEXT: relax.return %[[B]]
  // OFF-COUNT-3: relax.multiply %{{.*}} : tensor<4x2xf32>
  // FORWARD-COUNT-1: relax.multiply %{{.*}} : tensor<4x2xf32>
  // FORWARD-NOT: relax.multiply %{{.*}} : tensor<4x2xf32>
  relax.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %w = relax.constant dense<1.0> : tensor<2x2xf32>
    %b = relax.constant dense<[2.0, 10.0]> : tensor<2xf32>
    %c = relax.constant dense<[1.0, 3.0]> : tensor<2xf32>
    %d = relax.constant dense<[7.0, 11.0]> : tensor<2xf32>
    %0 = relax.multiply %x, %b : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %1 = relax.matmul %0, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    %2 = relax.multiply %1, %c : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %3 = relax.exp %2 : tensor<4x2xf32>
    %4 = relax.multiply %3, %d : tensor<4x2xf32>, tensor<2xf32> -> tensor<4x2xf32>
    %5 = relax.matmul %4, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
    relax.return %5 : tensor<4x2xf32>
  }
}
