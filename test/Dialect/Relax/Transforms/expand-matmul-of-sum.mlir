// RUN: partita-opt %s --relax-expand-matmul-of-sum | FileCheck %s
// RUN: partita-opt %s --relax-expand-matmul-of-sum --relax-expand-matmul-of-sum | FileCheck %s

partita.module @m {
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

  // Sums in sums are expanded, too.
  // CHECK-LABEL: relax.func @sums
  // CHECK-NEXT: %[[A:.*]] = relax.matmul %x, %a
  // CHECK-NEXT: %[[B:.*]] = relax.matmul %x, %b
  // CHECK-NEXT: %[[AB:.*]] = relax.add %[[A]], %[[B]]
  // CHECK-NEXT: %[[C:.*]] = relax.matmul %x, %c
  // CHECK-NEXT: %y = relax.add %[[AB]], %[[C]] {mark} : tensor<?x8xf32, #relax.shape<["n", 8]>>
  // CHECK-NEXT: relax.return %y
  relax.func @sums(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>, %a: tensor<16x8xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<?x8xf32, #relax.shape<["n", 8]>> {
    %0 = relax.add %a, %b : tensor<16x8xf32>
    %1 = relax.add %0, %c : tensor<16x8xf32>
    %y = relax.matmul %x, %1 {mark} : tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<16x8xf32> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
    relax.return %y : tensor<?x8xf32, #relax.shape<["n", 8]>>
  }

  // CHECK-LABEL: relax.func @transposed
  // CHECK: %[[TA:.*]] = relax.permute_dims %a axes = [1, 0]
  // CHECK-NEXT: %[[A:.*]] = relax.matmul %x, %[[TA]]
  // CHECK-NEXT: %[[TB:.*]] = relax.permute_dims %b axes = [1, 0]
  // CHECK-NEXT: %[[B:.*]] = relax.matmul %x, %[[TB]]
  // CHECK-NEXT: relax.add %[[A]], %[[B]]
  // CHECK-NEXT: relax.output
  relax.func @transposed(%x: tensor<16xf32>, %a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.add %a, %b : tensor<8x16xf32>
      %1 = relax.permute_dims %0 axes = [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
      %2 = relax.matmul %x, %1 : tensor<16xf32>, tensor<16x8xf32> -> tensor<8xf32>
      relax.output %2 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }

  // Parameters after the inputs, and what a block computes from them, are known
  // before a run, so that their sum stays. Other sums expand.
  // CHECK-LABEL: relax.func @known
  // CHECK: relax.output
  // CHECK: %[[S:.*]] = relax.add %{{.*}}, %b
  // CHECK: %y = relax.matmul %x, %[[S]]
  // CHECK: %[[M1:.*]] = relax.matmul %x, %x
  // CHECK: %[[M2:.*]] = relax.matmul %x, %b
  // CHECK: %z = relax.add %[[M1]], %[[M2]]
  // CHECK: %w = relax.add %
  relax.func @known(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {num_input = 1 : i64} {
    %c = relax.constant dense<2.0> : tensor<4x4xf32>
    %0 = relax.dataflow -> tensor<4x4xf32> {
      %1 = relax.multiply %a, %b : tensor<4x4xf32>
      %2 = relax.add %1, %c : tensor<4x4xf32>
      relax.output %2 : tensor<4x4xf32>
    }
    %3 = relax.add %0, %b : tensor<4x4xf32>
    %y = relax.matmul %x, %3 : tensor<4x4xf32>
    %4 = relax.add %x, %b : tensor<4x4xf32>
    %z = relax.matmul %x, %4 : tensor<4x4xf32>
    %5 = relax.add %a, %c : tensor<4x4xf32>
    %w = relax.matmul %x, %5 : tensor<4x4xf32>
    relax.return %y, %z, %w : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }

  // Sizes that broadcast, a sum on the left, a number, another element type,
  // sizes that are not known. Batches may broadcast.
  // CHECK-LABEL: relax.func @stays
  // CHECK-COUNT-5: relax.add %
  // CHECK: relax.matmul %x, %a
  // CHECK: relax.matmul %x, %batch
  relax.func @stays(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>, %row: tensor<4xf32>, %h: tensor<4x4xf16>, %u: tensor<?x?xf32>, %batch: tensor<2x4x4xf32>)
      -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x?xf32>, tensor<2x4x4xf32>) {
    %0 = relax.add %a, %row : tensor<4x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
    %p = relax.matmul %x, %0 : tensor<4x4xf32>
    %1 = relax.add %a, %x : tensor<4x4xf32>
    %q = relax.matmul %1, %x : tensor<4x4xf32>
    %n = relax.prim_value 2.0 : f32
    %2 = relax.add %a, %n : tensor<4x4xf32>, f32 -> tensor<4x4xf32>
    %r = relax.matmul %x, %2 : tensor<4x4xf32>
    %3 = relax.add %h, %h : tensor<4x4xf16>
    %s = relax.matmul %h, %3 out_dtype = f32 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf32>
    %4 = relax.add %u, %u : tensor<?x?xf32>
    %t = relax.matmul %x, %4 : tensor<4x4xf32>, tensor<?x?xf32> -> tensor<4x?xf32>
    %5 = relax.add %a, %batch : tensor<4x4xf32>, tensor<2x4x4xf32> -> tensor<2x4x4xf32>
    %v = relax.matmul %x, %5 : tensor<4x4xf32>, tensor<2x4x4xf32> -> tensor<2x4x4xf32>
    relax.return %p, %q, %r, %s, %t, %v : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x?xf32>, tensor<2x4x4xf32>
  }
}
