// RUN: partita-opt --split-input-file --relax-fuse-transpose-matmul %s | FileCheck %s

// A kernel reads the matrix where it is; equal ones are one.

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: relax.func @main
// CHECK-NOT: permute_dims
// CHECK: %[[A:.*]] = relax.call_tir @NT_matmul(%x, %w) {kept} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
// CHECK: %[[B:.*]] = relax.call_tir @NT_matmul(%[[A]], %w) :
// CHECK: relax.output %[[B]]
// CHECK: tir.prim_func private @NT_matmul(
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-NOT: prim_func
partita.module {
  relax.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
    %y = relax.dataflow -> tensor<8x16xf32> {
      %0 = relax.permute_dims %w : tensor<16x16xf32> -> tensor<16x16xf32>
      %1 = relax.matmul %x, %0 {kept} : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
      %2 = relax.permute_dims %w axes = [-1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
      %3 = relax.matmul %1, %2 : tensor<8x16xf32>, tensor<16x16xf32> -> tensor<8x16xf32>
      relax.output %3 : tensor<8x16xf32>
    }
    relax.return %y : tensor<8x16xf32>
  }
}

// -----

// Batches, names of sizes, and a dtype of the result.

// CHECK-LABEL: relax.func @main
// CHECK: relax.call_tir @NT_matmul(%x, %w) : (tensor<?x16xf16, #relax.shape<["n", 16]>>, tensor<2x4x16xf16>) -> tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>>
// CHECK: tir.prim_func private @NT_matmul(%{{.*}}: memref<?x16xf16>, %{{.*}}: memref<2x4x16xf16>, %{{.*}}: memref<2x?x4xf32>)
// CHECK: arith.extf
partita.module {
  relax.func @main(%x: tensor<?x16xf16, #relax.shape<["n", 16]>>, %w: tensor<2x4x16xf16>) -> tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>> {
    %y = relax.dataflow -> tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>> {
      %0 = relax.permute_dims %w axes = [0, 2, 1] : tensor<2x4x16xf16> -> tensor<2x16x4xf16>
      %1 = relax.matmul %x, %0 out_dtype = f32 : tensor<?x16xf16, #relax.shape<["n", 16]>>, tensor<2x16x4xf16> -> tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>>
      relax.output %1 : tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>>
    }
    relax.return %y : tensor<2x?x4xf32, #relax.shape<[2, "n", 4]>>
  }
}

// -----

// The transposed matrix stays where something else uses it.

// CHECK-LABEL: relax.func @main
// CHECK: %[[T:.*]] = relax.permute_dims %w
// CHECK: relax.call_tir @NT_matmul(%x, %w)
// CHECK: relax.exp %[[T]]
partita.module {
  relax.func @main(%x: tensor<16xf32>, %w: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<16x4xf32>) {
    %y:2 = relax.dataflow -> tensor<4xf32>, tensor<16x4xf32> {
      %0 = relax.permute_dims %w : tensor<4x16xf32> -> tensor<16x4xf32>
      %1 = relax.matmul %x, %0 : tensor<16xf32>, tensor<16x4xf32> -> tensor<4xf32>
      %2 = relax.exp %0 : tensor<16x4xf32>
      relax.output %1, %2 : tensor<4xf32>, tensor<16x4xf32>
    }
    relax.return %y#0, %y#1 : tensor<4xf32>, tensor<16x4xf32>
  }
}

// -----

// Not touched: a left operand, other axes, unknown sizes, what is outside of
// dataflow blocks, and a function that opts out.

// CHECK-LABEL: relax.func @left
// CHECK-NOT: NT_matmul
partita.module {
  relax.func @left(%x: tensor<8x16xf32>, %w: tensor<8x4xf32>) -> tensor<4x16xf32> {
    %y = relax.dataflow -> tensor<4x16xf32> {
      %0 = relax.permute_dims %w : tensor<8x4xf32> -> tensor<4x8xf32>
      %1 = relax.matmul %0, %x : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
      relax.output %1 : tensor<4x16xf32>
    }
    relax.return %y : tensor<4x16xf32>
  }
  relax.func @axes(%x: tensor<4x8x8xf32>, %w: tensor<8x8x4xf32>) -> tensor<4x8x8xf32> {
    %y = relax.dataflow -> tensor<4x8x8xf32> {
      %0 = relax.permute_dims %w : tensor<8x8x4xf32> -> tensor<4x8x8xf32>
      %1 = relax.matmul %x, %0 : tensor<4x8x8xf32>, tensor<4x8x8xf32> -> tensor<4x8x8xf32>
      relax.output %1 : tensor<4x8x8xf32>
    }
    relax.return %y : tensor<4x8x8xf32>
  }
  relax.func @unknown(%x: tensor<8x?xf32>, %w: tensor<4x?xf32>) -> tensor<8x4xf32> {
    %y = relax.dataflow -> tensor<8x4xf32> {
      %0 = relax.permute_dims %w : tensor<4x?xf32> -> tensor<?x4xf32>
      %1 = relax.matmul %x, %0 : tensor<8x?xf32>, tensor<?x4xf32> -> tensor<8x4xf32>
      relax.output %1 : tensor<8x4xf32>
    }
    relax.return %y : tensor<8x4xf32>
  }
  relax.func @outside(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> {
    %0 = relax.permute_dims %w : tensor<4x16xf32> -> tensor<16x4xf32>
    %1 = relax.matmul %x, %0 : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
    relax.return %1 : tensor<8x4xf32>
  }
  relax.func @skipped(%x: tensor<8x16xf32>, %w: tensor<4x16xf32>) -> tensor<8x4xf32> attributes {SkipOptimization = true} {
    %y = relax.dataflow -> tensor<8x4xf32> {
      %0 = relax.permute_dims %w : tensor<4x16xf32> -> tensor<16x4xf32>
      %1 = relax.matmul %x, %0 : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      relax.output %1 : tensor<8x4xf32>
    }
    relax.return %y : tensor<8x4xf32>
  }
}
