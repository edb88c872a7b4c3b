// RUN: partita-opt %s --relax-combine-parallel-matmul | FileCheck %s
// RUN: partita-opt %s --relax-combine-parallel-matmul --relax-combine-parallel-matmul | FileCheck %s
// RUN: partita-opt %s --relax-combine-parallel-matmul=candidates=mark | FileCheck %s --check-prefix=MARK
// RUN: partita-opt %s --relax-combine-parallel-matmul=candidates=mark --relax-combine-parallel-matmul=candidates=marked | FileCheck %s
// RUN: partita-opt %s --relax-combine-parallel-matmul=candidates=marked | FileCheck %s --check-prefix=NONE
// RUN: not partita-opt %s --relax-combine-parallel-matmul=candidates=all 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: expected 'candidates' to be 'mark' or 'marked', but found 'all'
// NONE-NOT: relax.split

partita.module @m {
  // MARK-LABEL: relax.func @plain
  // MARK-COUNT-2: {relax.parallel_matmul = 0 : i64}
  // CHECK-LABEL: relax.func @plain
  // CHECK-NEXT: %[[W:.*]] = relax.concat %w1, %w0 axis = 1 : tensor<16x2xf32>, tensor<16x?xf32, #relax.shape<[16, "k"]>> -> tensor<16x?xf32, #relax.shape<[16, "k + 2"]>>
  // CHECK-NEXT: %[[M:.*]] = relax.matmul %x, %[[W]] out_dtype = f32
  // CHECK-NEXT: %[[S:.*]]:2 = relax.split %[[M]] {axis = 2 : i64, indices_or_sections = array<i64: 2>}
  // CHECK-NEXT: %a = relax.alias %[[S]]#1
  // CHECK-NEXT: %b = relax.alias %[[S]]#0
  // CHECK-NEXT: relax.return %a, %b
  relax.func @plain(%x: tensor<3x?x16xf32, #relax.shape<[3, "n", 16]>>, %w0: tensor<16x?xf32, #relax.shape<[16, "k"]>>, %w1: tensor<16x2xf32>)
      -> (tensor<3x?x?xf32, #relax.shape<[3, "n", "k"]>>, tensor<3x?x2xf32, #relax.shape<[3, "n", 2]>>) {
    %a = relax.matmul %x, %w0 : tensor<3x?x16xf32, #relax.shape<[3, "n", 16]>>, tensor<16x?xf32, #relax.shape<[16, "k"]>> -> tensor<3x?x?xf32, #relax.shape<[3, "n", "k"]>>
    %b = relax.matmul %x, %w1 : tensor<3x?x16xf32, #relax.shape<[3, "n", 16]>>, tensor<16x2xf32> -> tensor<3x?x2xf32, #relax.shape<[3, "n", 2]>>
    relax.return %a, %b : tensor<3x?x?xf32, #relax.shape<[3, "n", "k"]>>, tensor<3x?x2xf32, #relax.shape<[3, "n", 2]>>
  }

  // Biases and activations are part of it where all branches have them.
  // CHECK-LABEL: relax.func @fused
  // CHECK: %[[W:.*]] = relax.concat %w0, %w1, %w2 axis = 1
  // CHECK-NEXT: %[[M:.*]] = relax.matmul %x, %[[W]] out_dtype = f32
  // CHECK-NEXT: %[[B:.*]] = relax.concat %b0, %b1, %b2 axis = 0
  // CHECK-NEXT: %[[A:.*]] = relax.add %[[M]], %[[B]]
  // CHECK-NEXT: %[[R:.*]] = relax.nn.silu %[[A]]
  // CHECK-NEXT: %[[S:.*]]:3 = relax.split %[[R]] {axis = 1 : i64, indices_or_sections = array<i64: 8, 12>}
  // CHECK-NEXT: %{{.*}} = relax.alias %[[S]]#0
  // CHECK-NEXT: %{{.*}} = relax.alias %[[S]]#1
  // CHECK-NEXT: %{{.*}} = relax.alias %[[S]]#2
  // CHECK-NEXT: relax.concat
  // CHECK-NEXT: relax.output
  relax.func @fused(%x: tensor<3x16xf32>, %w0: tensor<16x8xf32>, %w1: tensor<16x4xf32>, %w2: tensor<16x2xf32>, %b0: tensor<8xf32>, %b1: tensor<4xf32>, %b2: tensor<2xf32>) -> tensor<3x14xf32> {
    %y = relax.dataflow -> tensor<3x14xf32> {
      %0 = relax.matmul %x, %w0 : tensor<3x16xf32>, tensor<16x8xf32> -> tensor<3x8xf32>
      %1 = relax.add %0, %b0 : tensor<3x8xf32>, tensor<8xf32> -> tensor<3x8xf32>
      %p = relax.nn.silu %1 : tensor<3x8xf32>
      %2 = relax.matmul %x, %w1 : tensor<3x16xf32>, tensor<16x4xf32> -> tensor<3x4xf32>
      %3 = relax.add %2, %b1 : tensor<3x4xf32>, tensor<4xf32> -> tensor<3x4xf32>
      %q = relax.nn.silu %3 : tensor<3x4xf32>
      %4 = relax.matmul %x, %w2 : tensor<3x16xf32>, tensor<16x2xf32> -> tensor<3x2xf32>
      %5 = relax.add %4, %b2 : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
      %r = relax.nn.silu %5 : tensor<3x2xf32>
      %z = relax.concat %p, %q, %r axis = 1 : tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x14xf32>
      relax.output %z : tensor<3x14xf32>
    }
    relax.return %y : tensor<3x14xf32>
  }

  // Only the products where the activations differ, or a bias has one element.
  // CHECK-LABEL: relax.func @partly
  // CHECK: relax.split
  // CHECK: relax.nn.relu
  // CHECK: relax.nn.gelu
  // CHECK: relax.split
  // CHECK-NOT: relax.concat %b
  // CHECK: relax.add
  // CHECK: relax.add
  relax.func @partly(%x: tensor<3x16xf32>, %y: tensor<3x16xf32>, %w0: tensor<16x8xf32>, %w1: tensor<16x4xf32>, %b0: tensor<1xf32>, %b1: tensor<4xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<3x4xf32>) {
    %0 = relax.matmul %x, %w0 : tensor<3x16xf32>, tensor<16x8xf32> -> tensor<3x8xf32>
    %1 = relax.matmul %x, %w1 : tensor<3x16xf32>, tensor<16x4xf32> -> tensor<3x4xf32>
    %a = relax.nn.relu %0 : tensor<3x8xf32>
    %b = relax.nn.gelu %1 : tensor<3x4xf32>
    %2 = relax.matmul %y, %w0 : tensor<3x16xf32>, tensor<16x8xf32> -> tensor<3x8xf32>
    %3 = relax.matmul %y, %w1 : tensor<3x16xf32>, tensor<16x4xf32> -> tensor<3x4xf32>
    %c = relax.add %2, %b0 : tensor<3x8xf32>, tensor<1xf32> -> tensor<3x8xf32>
    %d = relax.add %3, %b1 : tensor<3x4xf32>, tensor<4xf32> -> tensor<3x4xf32>
    relax.return %a, %b, %c, %d : tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x8xf32>, tensor<3x4xf32>
  }

  // A factor that is computed after the first product: the ops that use that
  // product come later.
  // CHECK-LABEL: relax.func @later
  // CHECK-NEXT: %w1 = relax.permute_dims %t
  // CHECK-NEXT: %[[W:.*]] = relax.concat %w0, %w1
  // CHECK-NEXT: relax.matmul
  // CHECK-NEXT: %[[S:.*]]:2 = relax.split
  // CHECK-NEXT: %a = relax.alias %[[S]]#0
  // CHECK-NEXT: %c = relax.exp %a
  // CHECK-NEXT: %b = relax.alias %[[S]]#1
  // CHECK-NEXT: relax.return %c, %b
  relax.func @later(%x: tensor<3x16xf32>, %w0: tensor<16x8xf32>, %t: tensor<4x16xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>) {
    %a = relax.matmul %x, %w0 : tensor<3x16xf32>, tensor<16x8xf32> -> tensor<3x8xf32>
    %c = relax.exp %a : tensor<3x8xf32>
    %w1 = relax.permute_dims %t : tensor<4x16xf32> -> tensor<16x4xf32>
    %b = relax.matmul %x, %w1 : tensor<3x16xf32>, tensor<16x4xf32> -> tensor<3x4xf32>
    relax.return %c, %b : tensor<3x8xf32>, tensor<3x4xf32>
  }

  // A factor that is a product, other batches, vectors, element types, a call in
  // between, sizes that are not known, one product alone.
  // CHECK-LABEL: relax.func @stays
  // CHECK-NOT: relax.split
  // CHECK: relax.return
  relax.func @stays(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %t2: tensor<2x4x4xf32>, %t1: tensor<1x4x4xf32>, %v: tensor<4xf32>, %h: tensor<4x4xf16>, %u: tensor<?x?xf32>, %y: tensor<4x4xf32>, %z: tensor<4x4xf16>, %q: tensor<4x4xf32>)
      -> (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<1x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf16>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x?xf32>, tensor<4x4xf32>) attributes {is_pure = false} {
    %0 = relax.matmul %x, %w : tensor<4x4xf32>
    %a = relax.matmul %x, %0 : tensor<4x4xf32>
    %b = relax.matmul %y, %t2 : tensor<4x4xf32>, tensor<2x4x4xf32> -> tensor<2x4x4xf32>
    %c = relax.matmul %y, %t1 : tensor<4x4xf32>, tensor<1x4x4xf32> -> tensor<1x4x4xf32>
    %d = relax.matmul %q, %v : tensor<4x4xf32>, tensor<4xf32> -> tensor<4xf32>
    %e = relax.matmul %q, %v {other} : tensor<4x4xf32>, tensor<4xf32> -> tensor<4xf32>
    %f = relax.matmul %z, %h : tensor<4x4xf16>
    %g = relax.matmul %z, %h out_dtype = f32 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf32>
    %i = relax.matmul %w, %w : tensor<4x4xf32>
    relax.print %v : tensor<4xf32>
    %j = relax.matmul %w, %u : tensor<4x4xf32>, tensor<?x?xf32> -> tensor<4x?xf32>
    %k = relax.matmul %w, %y : tensor<4x4xf32>
    relax.return %a, %b, %c, %d, %e, %f, %g, %i, %j, %k : tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<1x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4xf16>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x?xf32>, tensor<4x4xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
