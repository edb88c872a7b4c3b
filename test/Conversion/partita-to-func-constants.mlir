// RUN: partita-opt --convert-partita-to-func %s | FileCheck %s

// Elements of a resource are referred to, as unsigned ones are. Bools and
// scalars are kept as MLIR's lowering to LLVM takes them.

// CHECK-DAG: memref.global "private" constant @[[W:.*]] : memref<2x2xf32> = dense_resource<w>
// CHECK-DAG: memref.global "private" constant @[[U:.*]] : memref<2x2xi8> = dense_resource<u>
// CHECK-DAG: memref.global "private" constant @[[B:.*]] : memref<2x2xi1> = dense<{{\[\[}}true, false], [true, false]]>
// CHECK-DAG: memref.global "private" constant @[[S:.*]] : memref<f32> = dense<1.000000e+00>
// CHECK-DAG: memref.global "private" constant @[[E:.*]] : memref<2x0xf32> = dense<>
partita.module @m {
  relax.func @main() -> (tensor<2x2xf32>, tensor<2x2xui8>, tensor<2x2xi1>, tensor<f32>, tensor<2x0xf32>) {
    %w = relax.constant dense_resource<w> : tensor<2x2xf32>
    %u = relax.constant dense_resource<u> : tensor<2x2xui8>
    %b = relax.constant dense_resource<b> : tensor<2x2xi1>
    %s = relax.constant dense_resource<s> : tensor<f32>
    %e = relax.constant dense<> : tensor<2x0xf32>
    relax.return %w, %u, %b, %s, %e : tensor<2x2xf32>, tensor<2x2xui8>, tensor<2x2xi1>, tensor<f32>, tensor<2x0xf32>
  }
}

{-# dialect_resources: { builtin: {
  w: "0x040000000000803F000000400000404000008040",
  u: "0x01000000010203FF",
  b: "0x0100000001000100",
  s: "0x040000000000803F"
} } #-}
