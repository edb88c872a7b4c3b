// RUN: partita-opt %s --relax-fold-constant | FileCheck %s
// RUN: partita-opt %s --pass-pipeline='builtin.module(partita.module(relax-fold-constant{max-growth=8}))' | FileCheck %s --check-prefix=LESS
// RUN: partita-opt %s --relax-fold-constant --mlir-pass-statistics 2>&1 | %if asserts %{ FileCheck %s --check-prefix=STATS %} %else %{ cat %}

// STATS: FoldConstant
// STATS-NEXT: (S) 8 folded
// STATS-NEXT: (S) 6 too-large

partita.module @large {
  // 1 MiB may be added: 2^18 floats.
  // CHECK-LABEL: relax.func @growth
  relax.func @growth() -> (tensor<512x512xf32>, tensor<512x514xf32>, tensor<2x600x600xf32>, tensor<4xf32>) {
    // CHECK: relax.constant dense_resource<{{.*}}> : tensor<512x512xf32>
    // CHECK: relax.add {{.*}} -> tensor<512x514xf32>
    // CHECK: relax.concat {{.*}} -> tensor<2x600x600xf32>
    // CHECK: relax.constant dense<[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<4xf32>
    // LESS-LABEL: relax.func @growth
    // LESS: relax.add
    // LESS: relax.add
    // LESS: relax.concat
    // LESS: relax.constant dense<[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<4xf32>
    %iota = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %splat = relax.constant dense<1.0> : tensor<127x4xf32>
    %wide = relax.expand_dims %iota axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
    %row = relax.concat %splat, %wide axis = 0 : tensor<127x4xf32>, tensor<1x4xf32> -> tensor<128x4xf32>
    %s0 = relax.shape [512, 1]
    %column = relax.reshape %row, %s0 : tensor<128x4xf32> -> tensor<512x1xf32>
    %w0 = relax.constant dense<2.0> : tensor<1x512xf32>
    %w1 = relax.constant dense<2.0> : tensor<1x514xf32>
    %0 = relax.add %column, %w0 : tensor<512x1xf32>, tensor<1x512xf32> -> tensor<512x512xf32>
    %1 = relax.add %column, %w1 : tensor<512x1xf32>, tensor<1x514xf32> -> tensor<512x514xf32>
    %p = relax.constant dense<0.0> : tensor<1x600x600xf32>
    %q = relax.constant dense<1.0> : tensor<1x600x600xf32>
    %2 = relax.concat %p, %q axis = 0 : tensor<1x600x600xf32>, tensor<1x600x600xf32> -> tensor<2x600x600xf32>
    %one = relax.constant dense<1.0> : tensor<1xf32>
    %3 = relax.add %iota, %one : tensor<4xf32>, tensor<1xf32> -> tensor<4xf32>
    relax.return %0, %1, %2, %3 : tensor<512x512xf32>, tensor<512x514xf32>, tensor<2x600x600xf32>, tensor<4xf32>
  }

  // A splat costs nothing, up to the largest size that can be counted.
  // CHECK-LABEL: relax.func @splats
  relax.func @splats() -> (tensor<1048576x1048576xf32>, tensor<4194304x4194304x4194304xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<f32>) {
    // CHECK: relax.constant dense<3.000000e+00> : tensor<1048576x1048576xf32>
    // CHECK: relax.multiply {{.*}} -> tensor<4194304x4194304x4194304xf32>
    // CHECK: relax.sum
    // CHECK: relax.matmul
    %a = relax.constant dense<1.0> : tensor<1048576x1xf32>
    %b = relax.constant dense<2.0> : tensor<1x1048576xf32>
    %0 = relax.add %a, %b : tensor<1048576x1xf32>, tensor<1x1048576xf32> -> tensor<1048576x1048576xf32>
    %c = relax.constant dense<1.0> : tensor<4194304x1x1xf32>
    %d = relax.constant dense<1.0> : tensor<1x4194304x4194304xf32>
    %1 = relax.multiply %c, %d : tensor<4194304x1x1xf32>, tensor<1x4194304x4194304xf32> -> tensor<4194304x4194304x4194304xf32>
    %2 = relax.sum %0 : tensor<1048576x1048576xf32> -> tensor<f32>
    %e = relax.constant dense<1.0> : tensor<4096x4096xf32>
    %3 = relax.matmul %e, %e : tensor<4096x4096xf32>
    %4 = relax.mean %d : tensor<1x4194304x4194304xf32> -> tensor<f32>
    relax.return %0, %1, %2, %3, %4 : tensor<1048576x1048576xf32>, tensor<4194304x4194304x4194304xf32>, tensor<f32>, tensor<4096x4096xf32>, tensor<f32>
  }

  // A shape without elements, whose size cannot be counted.
  // CHECK-LABEL: relax.func @no_elements
  relax.func @no_elements() -> (tensor<4194304x4194304x4194304x0xf32>, tensor<0x4194304x4194304x4194304xi8>) {
    // CHECK: relax.constant dense<> : tensor<4194304x4194304x4194304x0xf32>
    // CHECK: relax.constant dense<> : tensor<0x4194304x4194304x4194304xi8>
    %a = relax.constant dense<> : tensor<4194304x4194304x4194304x0xf32>
    %0 = relax.exp %a : tensor<4194304x4194304x4194304x0xf32>
    %b = relax.constant dense<> : tensor<0x4194304x4194304x4194304xi8>
    %1 = relax.permute_dims %b axes = [0, 2, 3, 1] : tensor<0x4194304x4194304x4194304xi8>
    relax.return %0, %1 : tensor<4194304x4194304x4194304x0xf32>, tensor<0x4194304x4194304x4194304xi8>
  }
}
