// RUN: partita-opt %s --relax-adjust-matmul-order | FileCheck %s
// RUN: partita-opt %s --relax-adjust-matmul-order --relax-adjust-matmul-order | FileCheck %s

partita.module @m {
  // CHECK-LABEL: relax.func @right
  // CHECK-NEXT: %[[BX:.*]] = relax.matmul %b, %x : tensor<1x16xf32>, tensor<16xf32> -> tensor<1xf32>
  // CHECK-NEXT: %y = relax.matmul %a, %[[BX]] {mark} : tensor<32x1xf32>, tensor<1xf32> -> tensor<32xf32>
  // CHECK-NEXT: relax.return %y
  relax.func @right(%x: tensor<16xf32>, %a: tensor<32x1xf32>, %b: tensor<1x16xf32>) -> tensor<32xf32> {
    %w = relax.matmul %a, %b : tensor<32x1xf32>, tensor<1x16xf32> -> tensor<32x16xf32>
    %y = relax.matmul %w, %x {mark} : tensor<32x16xf32>, tensor<16xf32> -> tensor<32xf32>
    relax.return %y : tensor<32xf32>
  }

  // CHECK-LABEL: relax.func @left
  // CHECK: %[[XA:.*]] = relax.matmul %x, %a
  // CHECK-NEXT: relax.matmul %[[XA]], %b
  // CHECK-NEXT: relax.output
  relax.func @left(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>, %a: tensor<16x1xf32>, %b: tensor<1x32xf32>) -> tensor<?x32xf32, #relax.shape<["n", 32]>> {
    %y = relax.dataflow -> tensor<?x32xf32, #relax.shape<["n", 32]>> {
      %w = relax.matmul %a, %b : tensor<16x1xf32>, tensor<1x32xf32> -> tensor<16x32xf32>
      %0 = relax.matmul %x, %w : tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<16x32xf32> -> tensor<?x32xf32, #relax.shape<["n", 32]>>
      relax.output %0 : tensor<?x32xf32, #relax.shape<["n", 32]>>
    }
    relax.return %y : tensor<?x32xf32, #relax.shape<["n", 32]>>
  }

  // The transposed product of two is the product of the transposed.
  // CHECK-LABEL: relax.func @transposed
  // CHECK-NEXT: %[[A:.*]] = relax.permute_dims %a : tensor<1x16xf32> -> tensor<16x1xf32>
  // CHECK-NEXT: %[[B:.*]] = relax.permute_dims %b : tensor<32x1xf32> -> tensor<1x32xf32>
  // CHECK-NEXT: %[[XA:.*]] = relax.matmul %x, %[[A]]
  // CHECK-NEXT: %y = relax.matmul %[[XA]], %[[B]]
  relax.func @transposed(%x: tensor<4x16xf32>, %a: tensor<1x16xf32>, %b: tensor<32x1xf32>) -> tensor<4x32xf32> {
    %w = relax.matmul %b, %a : tensor<32x1xf32>, tensor<1x16xf32> -> tensor<32x16xf32>
    %t = relax.permute_dims %w : tensor<32x16xf32> -> tensor<16x32xf32>
    %y = relax.matmul %x, %t : tensor<4x16xf32>, tensor<16x32xf32> -> tensor<4x32xf32>
    relax.return %y : tensor<4x32xf32>
  }

  // What is known before the run is multiplied first, although it takes more.
  // CHECK-LABEL: relax.func @known
  // CHECK-NEXT: %[[W:.*]] = relax.matmul %a, %b
  // CHECK-NEXT: %y = relax.matmul %x, %[[W]]
  // CHECK-NEXT: %z = relax.matmul %[[W]], %v
  relax.func @known(%x: tensor<4x16xf32>, %v: tensor<32xf32>, %a: tensor<16x1xf32>, %b: tensor<1x32xf32>) -> (tensor<4x32xf32>, tensor<16xf32>) attributes {num_input = 2 : i64} {
    %0 = relax.matmul %x, %a : tensor<4x16xf32>, tensor<16x1xf32> -> tensor<4x1xf32>
    %y = relax.matmul %0, %b : tensor<4x1xf32>, tensor<1x32xf32> -> tensor<4x32xf32>
    %1 = relax.matmul %b, %v : tensor<1x32xf32>, tensor<32xf32> -> tensor<1xf32>
    %z = relax.matmul %a, %1 : tensor<16x1xf32>, tensor<1xf32> -> tensor<16xf32>
    relax.return %y, %z : tensor<4x32xf32>, tensor<16xf32>
  }

  // n * r is less than 16 * (n + r) as r is less than 16.
  // CHECK-LABEL: relax.func @bounded
  // CHECK-NEXT: %[[XA:.*]] = relax.matmul %x, %a
  // CHECK-NEXT: %y = relax.matmul %[[XA]], %b
  relax.func @bounded(%x: tensor<?x32xf32, #relax.shape<["n", 32]>>, %a: tensor<32x?xf32, #relax.shape<[32, "r"]>>, %b: tensor<?x32xf32, #relax.shape<["r", 32]>>) -> tensor<?x32xf32, #relax.shape<["n", 32]>> attributes {tir_var_upper_bound = {r = 16 : i64}} {
    %w = relax.matmul %a, %b : tensor<32x?xf32, #relax.shape<[32, "r"]>>, tensor<?x32xf32, #relax.shape<["r", 32]>> -> tensor<32x32xf32>
    %y = relax.matmul %x, %w : tensor<?x32xf32, #relax.shape<["n", 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #relax.shape<["n", 32]>>
    relax.return %y : tensor<?x32xf32, #relax.shape<["n", 32]>>
  }

  // Without the bound it depends on the sizes.
  // CHECK-LABEL: relax.func @unbounded
  // CHECK-NEXT: %w = relax.matmul %a, %b
  // CHECK-NEXT: %y = relax.matmul %x, %w
  relax.func @unbounded(%x: tensor<?x32xf32, #relax.shape<["n", 32]>>, %a: tensor<32x?xf32, #relax.shape<[32, "r"]>>, %b: tensor<?x32xf32, #relax.shape<["r", 32]>>) -> tensor<?x32xf32, #relax.shape<["n", 32]>> attributes {tir_var_upper_bound = "odd", tir_var_lower_bound = {n = -3 : i64, r = "odd"}} {
    %w = relax.matmul %a, %b : tensor<32x?xf32, #relax.shape<[32, "r"]>>, tensor<?x32xf32, #relax.shape<["r", 32]>> -> tensor<32x32xf32>
    %y = relax.matmul %x, %w : tensor<?x32xf32, #relax.shape<["n", 32]>>, tensor<32x32xf32> -> tensor<?x32xf32, #relax.shape<["n", 32]>>
    relax.return %y : tensor<?x32xf32, #relax.shape<["n", 32]>>
  }

  // A chain is done from the right, in one go.
  // CHECK-LABEL: relax.func @chain
  // CHECK-NEXT: %[[V1:.*]] = relax.matmul %a, %x
  // CHECK-NEXT: %[[V2:.*]] = relax.matmul %a, %[[V1]]
  // CHECK-NEXT: %[[V3:.*]] = relax.matmul %a, %[[V2]]
  // CHECK-NEXT: %y = relax.matmul %a, %[[V3]]
  // CHECK-NEXT: relax.return
  relax.func @chain(%x: tensor<16xf32>, %a: tensor<16x16xf32>) -> tensor<16xf32> {
    %0 = relax.matmul %a, %a : tensor<16x16xf32>
    %1 = relax.matmul %0, %a : tensor<16x16xf32>
    %2 = relax.matmul %1, %a : tensor<16x16xf32>
    %y = relax.matmul %2, %x : tensor<16x16xf32>, tensor<16xf32> -> tensor<16xf32>
    relax.return %y : tensor<16xf32>
  }

  // A vector in the middle, one beside batches, another element type, dimensions
  // that are not known, another permutation, sizes 0.
  // CHECK-LABEL: relax.func @stays
  // CHECK: %0 = relax.matmul %m, %v
  // CHECK: %p = relax.matmul %0, %m
  // CHECK: %1 = relax.matmul %v, %t
  // CHECK: %q = relax.matmul %1, %m
  // CHECK: %2 = relax.matmul %col, %row out_dtype = f32
  // CHECK: %r = relax.matmul %2, %m
  // CHECK: %3 = relax.matmul %u, %m
  // CHECK: %s = relax.matmul %3, %m
  // CHECK: %4 = relax.matmul %t, %t
  // CHECK: %5 = relax.permute_dims %4
  // CHECK: %w = relax.matmul %5, %m
  relax.func @stays(%v: tensor<4xf32>, %m: tensor<4x4xf32>, %t: tensor<4x4x4xf32>, %u: tensor<?x?xf32>, %col: tensor<4x1xf16>, %row: tensor<1x4xf16>, %e: tensor<0x4xf32>)
      -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>, tensor<4x4x4xf32>, tensor<0x4xf32>) {
    %0 = relax.matmul %m, %v : tensor<4x4xf32>, tensor<4xf32> -> tensor<4xf32>
    %p = relax.matmul %0, %m : tensor<4xf32>, tensor<4x4xf32> -> tensor<4xf32>
    %1 = relax.matmul %v, %t : tensor<4xf32>, tensor<4x4x4xf32> -> tensor<4x4xf32>
    %q = relax.matmul %1, %m : tensor<4x4xf32>
    %2 = relax.matmul %col, %row out_dtype = f32 : tensor<4x1xf16>, tensor<1x4xf16> -> tensor<4x4xf32>
    %r = relax.matmul %2, %m : tensor<4x4xf32>
    %3 = relax.matmul %u, %m : tensor<?x?xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %s = relax.matmul %3, %m : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %4 = relax.matmul %t, %t : tensor<4x4x4xf32>
    %5 = relax.permute_dims %4 axes = [1, 0, 2] : tensor<4x4x4xf32>
    %w = relax.matmul %5, %m : tensor<4x4x4xf32>, tensor<4x4xf32> -> tensor<4x4x4xf32>
    %6 = relax.matmul %e, %m : tensor<0x4xf32>, tensor<4x4xf32> -> tensor<0x4xf32>
    %z = relax.matmul %6, %m : tensor<0x4xf32>, tensor<4x4xf32> -> tensor<0x4xf32>
    relax.return %p, %q, %r, %s, %w, %z : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>, tensor<4x4x4xf32>, tensor<0x4xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
