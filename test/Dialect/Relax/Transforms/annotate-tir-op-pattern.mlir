// RUN: partita-opt %s --split-input-file --relax-legalize-ops --relax-annotate-tir-op-pattern | FileCheck %s
// The blocks that TVM gets have the same patterns.
// RUN: sed '/^.. -----/,$d' %s > %t.kernels.mlir
// RUN: partita-opt %t.kernels.mlir --relax-legalize-ops -o %t.mlir && partita-translate --export-tvm-json %t.mlir -o %t.json
// RUN: partita-translate --import-tvm-json %t.json -o %t.blocks.mlir
// RUN: partita-opt %t.blocks.mlir --relax-annotate-tir-op-pattern | FileCheck %t.kernels.mlir

partita.module @kernels {
  // CHECK-DAG: @relu({{.*}}op_pattern = 0 : i64
  // An elementwise operand beside a broadcast one.
  // CHECK-DAG: @add({{.*}}op_pattern = 0 : i64
  // CHECK-DAG: @broadcast_to({{.*}}op_pattern = 1 : i64
  // CHECK-DAG: @transpose({{.*}}op_pattern = 2 : i64
  // CHECK-DAG: @pad({{.*}}op_pattern = 2 : i64
  // CHECK-DAG: @take({{.*}}op_pattern = 8 : i64
  // CHECK-DAG: @sum({{.*}}op_pattern = 3 : i64
  // CHECK-DAG: @softmax({{.*}}op_pattern = 4 : i64
  // CHECK-DAG: @matmul({{.*}}op_pattern = 4 : i64
  // CHECK-DAG: @max_pool2d({{.*}}op_pattern = 4 : i64
  // A pattern that is known stays, but for 0.
  // CHECK-DAG: @known({{.*}}op_pattern = 8 : i64
  // CHECK-DAG: @zero({{.*}}op_pattern = 8 : i64
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %i: tensor<3xi64>, %p: tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32> {
    %0 = relax.matmul %x, %w : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4x4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %1 = relax.add %0, %b : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %2 = relax.nn.relu %1 : tensor<?x4xf32, #relax.shape<["n", 4]>>
    %3 = relax.nn.softmax %2 {axis = -1 : i64} : tensor<?x4xf32, #relax.shape<["n", 4]>>
    %4 = relax.sum %3 {axis = array<i64: 1>} : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?xf32, #relax.shape<["n"]>>
    %5 = relax.permute_dims %w : tensor<4x4xf32>
    %6 = relax.take %5, %i {axis = 0 : i64} : (tensor<4x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
    %7 = relax.nn.pad %6 {pad_width = array<i64: 1, 1, 0, 0>} : (tensor<3x4xf32>) -> tensor<5x4xf32>
    %s = relax.shape [2, 4]
    %8 = relax.broadcast_to %b, %s : (tensor<4xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
    %9 = relax.nn.max_pool2d %p {pool_size = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x6x6xf32> -> tensor<1x2x6x6xf32>
    relax.return %9 : tensor<1x2x6x6xf32>
  }
  tir.prim_func private @known(%a: memref<4xf32>) attributes {op_pattern = 8 : i64} {
    tir.return
  }
  // It writes two places.
  tir.prim_func private @zero(%a: memref<4xf32>, %b: memref<4xf32>) attributes {op_pattern = 0 : i64} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : i64
    tir.block "root" [] where %true {
      tir.block "two" ["spatial"](%c0 : i64) from(%c0 : i64) extent(%c4 : i64) where %true {
      ^bb0(%i: i64):
        %0 = arith.index_cast %i : i64 to index
        %1 = memref.load %a[%0] : memref<4xf32>
        memref.store %1, %b[%0] : memref<4xf32>
        memref.store %1, %b[%c1] : memref<4xf32>
      }
    }
    tir.return
  }
}

// -----

partita.module @declared {
  // CHECK-LABEL: @declared
  // CHECK-NOT: op_pattern
  tir.prim_func private @declared(memref<4xf32>)
}
