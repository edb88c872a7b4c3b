partita.module @m {
  relax.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %cst = relax.constant dense<2.0> : tensor<2x3xf32>
    %0 = relax.add %cst, %cst : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = relax.add %arg0, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = relax.add %arg0, %0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = relax.multiply %1, %2 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    relax.return %3 : tensor<2x3xf32>
  }
  tir.prim_func private @loop(%out: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%out : memref<8xf32>)
    tir.return
  }
}
