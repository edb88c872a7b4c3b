partita.module @m {
  relax.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %w = relax.constant dense<2.0> : tensor<2x3xf32>
    %c = relax.add %w, %w : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %0 = relax.add %x, %c : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = relax.add %x, %c : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = relax.multiply %0, %1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    relax.return %2 : tensor<2x3xf32>
  }
  tir.prim_func private @loop(%out: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%out : memref<8xf32>)
    tir.return
  }
}
