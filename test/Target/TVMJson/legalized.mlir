// The tool knows all that the kernels need to become blocks.
// RUN: partita-opt --relax-legalize-ops %s | partita-translate --export-tvm-json -o %t.json
// RUN: partita-translate --import-tvm-json %t.json | FileCheck %s

// CHECK-DAG: tir.block "pad"
// CHECK-DAG: tir.block "max_pool2d"
// CHECK-DAG: tir.block "concatenate"
// CHECK-DAG: tir.block "take"
// CHECK-DAG: tir.block "adaptive_avg_pool2d"
// CHECK-NOT: linalg
partita.module @kernels {
  relax.func @main(%x: tensor<1x2x6x6xf32>, %i: tensor<3xi64>) -> tensor<1x3x5x5xf32> {
    %p = relax.nn.pad %x {pad_width = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>}
      : (tensor<1x2x6x6xf32>) -> tensor<1x2x8x8xf32>
    %m = relax.nn.max_pool2d %p {pool_size = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>}
      : tensor<1x2x8x8xf32> -> tensor<1x2x8x8xf32>
    %c = relax.concat %m, %p axis = 1
      : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32> -> tensor<1x4x8x8xf32>
    %t = relax.take %c, %i {axis = 1 : i64}
      : (tensor<1x4x8x8xf32>, tensor<3xi64>) -> tensor<1x3x8x8xf32>
    %a = relax.nn.adaptive_avg_pool2d %t {output_size = array<i64: 5, 5>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x5x5xf32>
    relax.return %a : tensor<1x3x5x5xf32>
  }
}
