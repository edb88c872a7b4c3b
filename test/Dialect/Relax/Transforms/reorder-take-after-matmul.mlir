// RUN: partita-opt %s --relax-reorder-take-after-matmul | FileCheck %s
// RUN: partita-opt %s --relax-reorder-take-after-matmul --relax-reorder-take-after-matmul | FileCheck %s

partita.module @m {
  // CHECK-LABEL: relax.func @columns
  // CHECK-NEXT: %[[P:.*]] = relax.matmul %x, %t : {{.*}} -> tensor<?x2x64xf32, #relax.shape<["n", 2, 64]>>
  // CHECK-NEXT: %y = relax.take %[[P]], %i {axis = 2 : i64, mode = "clip"}
  // CHECK-NEXT: relax.return %y
  relax.func @columns(%x: tensor<?x2x16xf32, #relax.shape<["n", 2, 16]>>, %t: tensor<16x64xf32>, %i: tensor<32xi64>) -> tensor<?x2x32xf32, #relax.shape<["n", 2, 32]>> {
    %w = relax.take %t, %i {axis = -1 : i64, mode = "clip"} : (tensor<16x64xf32>, tensor<32xi64>) -> tensor<16x32xf32>
    %y = relax.matmul %x, %w out_dtype = f32 : tensor<?x2x16xf32, #relax.shape<["n", 2, 16]>>, tensor<16x32xf32> -> tensor<?x2x32xf32, #relax.shape<["n", 2, 32]>>
    relax.return %y : tensor<?x2x32xf32, #relax.shape<["n", 2, 32]>>
  }

  // A matrix for each batch.
  // CHECK-LABEL: relax.func @batches
  // CHECK-NEXT: %[[P:.*]] = relax.permute_dims %t axes = [1, 0, 2]
  // CHECK-NEXT: %[[S:.*]] = relax.shape [16, "k * 8"]
  // CHECK-NEXT: %[[W:.*]] = relax.reshape %[[P]], %[[S]]
  // CHECK-NEXT: %[[M:.*]] = relax.matmul %x, %[[W]]
  // CHECK-NEXT: %[[S2:.*]] = relax.shape ["n", 1, "k", 8]
  // CHECK-NEXT: %[[R:.*]] = relax.reshape %[[M]], %[[S2]]
  // CHECK-NEXT: %[[T:.*]] = relax.take %[[R]], %i {axis = 2 : i64}
  // CHECK-NEXT: %y = relax.einsum %[[T]] {subscripts = "ijik->ijk"}
  // CHECK-NEXT: relax.return %y
  relax.func @batches(%x: tensor<?x1x16xf32, #relax.shape<["n", 1, 16]>>, %t: tensor<?x16x8xf32, #relax.shape<["k", 16, 8]>>, %i: tensor<?xi64, #relax.shape<["n"]>>) -> tensor<?x1x8xf32, #relax.shape<["n", 1, 8]>> {
    %w = relax.take %t, %i {axis = 0 : i64} : (tensor<?x16x8xf32, #relax.shape<["k", 16, 8]>>, tensor<?xi64, #relax.shape<["n"]>>) -> tensor<?x16x8xf32, #relax.shape<["n", 16, 8]>>
    %y = relax.matmul %x, %w : tensor<?x1x16xf32, #relax.shape<["n", 1, 16]>>, tensor<?x16x8xf32, #relax.shape<["n", 16, 8]>> -> tensor<?x1x8xf32, #relax.shape<["n", 1, 8]>>
    relax.return %y : tensor<?x1x8xf32, #relax.shape<["n", 1, 8]>>
  }

  // Rows, elements of a vector, one matrix for all batches, a table of unknown
  // rank, no axis, and another element type.
  // CHECK-LABEL: relax.func @stays
  // CHECK-NOT: relax.matmul %x, %t
  // CHECK-COUNT-6: relax.take
  // CHECK-NOT: relax.take
  // CHECK: relax.return
  relax.func @stays(%x: tensor<4x16xf32>, %t: tensor<64x8xf32>, %v: tensor<64xf32>, %i: tensor<16xi64>, %one: tensor<1xi64>, %many: tensor<4x2x16xf32>, %tables: tensor<3x16x8xf32>, %u: tensor<*xf32>, %h: tensor<16x8xf16>, %e: tensor<8xi64>, %xh: tensor<4x16xf16>)
      -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4x2x8xf32>, tensor<*xf32>, tensor<4xf32>, tensor<4x8xf32>) {
    %0 = relax.take %t, %i {axis = 0 : i64} : (tensor<64x8xf32>, tensor<16xi64>) -> tensor<16x8xf32>
    %a = relax.matmul %x, %0 : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
    %1 = relax.take %v, %i {axis = 0 : i64} : (tensor<64xf32>, tensor<16xi64>) -> tensor<16xf32>
    %b = relax.matmul %x, %1 : tensor<4x16xf32>, tensor<16xf32> -> tensor<4xf32>
    %2 = relax.take %tables, %one {axis = 0 : i64} : (tensor<3x16x8xf32>, tensor<1xi64>) -> tensor<1x16x8xf32>
    %c = relax.matmul %many, %2 : tensor<4x2x16xf32>, tensor<1x16x8xf32> -> tensor<4x2x8xf32>
    %3 = relax.take %u, %i {axis = 1 : i64} : (tensor<*xf32>, tensor<16xi64>) -> tensor<*xf32>
    %d = relax.matmul %x, %3 : tensor<4x16xf32>, tensor<*xf32> -> tensor<*xf32>
    %4 = relax.take %v, %i : (tensor<64xf32>, tensor<16xi64>) -> tensor<16xf32>
    %f = relax.matmul %x, %4 : tensor<4x16xf32>, tensor<16xf32> -> tensor<4xf32>
    %5 = relax.take %h, %e {axis = 1 : i64} : (tensor<16x8xf16>, tensor<8xi64>) -> tensor<16x8xf16>
    %g = relax.matmul %xh, %5 out_dtype = f32 : tensor<4x16xf16>, tensor<16x8xf16> -> tensor<4x8xf32>
    relax.return %a, %b, %c, %d, %f, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<4x2x8xf32>, tensor<*xf32>, tensor<4xf32>, tensor<4x8xf32>
  }
}
