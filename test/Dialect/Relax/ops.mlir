// RUN: partita-opt %s --verify-roundtrip -o /dev/null

// For each family, the declared result types are the inferred types, with
// sizes, with names, and with unknown dimensions: test_relax_ops.py infers
// them.

partita.module @ops {

  relax.func @elementwise(%x: tensor<2x3xf32>, %n: tensor<?x3xf32, #relax.shape<["n", 3]>>,
                          %u: tensor<*xf32>, %d: !relax.tensor<[2, 3], ?>,
                          %s: !relax.tensor<[?, ?], f32, shape = "s">,
                          %b: tensor<2x3xi1>,
                          %four: tensor<4x3xf32>) {
    %0 = relax.sin %n : tensor<?x3xf32, #relax.shape<["n", 3]>>
    %1 = relax.erf %u : tensor<*xf32>
    %2 = relax.round %d : !relax.tensor<[2, 3], ?>
    %3 = relax.isnan %s : !relax.tensor<[?, ?], f32, shape = "s"> -> !relax.tensor<[?, ?], i1, shape = "s">
    %4 = relax.floor_divide %x, %x : tensor<2x3xf32>
    %5 = relax.less %n, %x : tensor<?x3xf32, #relax.shape<["n", 3]>>, tensor<2x3xf32> -> tensor<?x3xi1>
    %6 = relax.add %n, %four : tensor<?x3xf32, #relax.shape<["n", 3]>>, tensor<4x3xf32> -> tensor<?x3xf32>
    %7 = relax.logical_and %b, %b : tensor<2x3xi1>
    %8 = relax.prim_value 2.0 : f32
    %9 = relax.maximum %x, %8 : tensor<2x3xf32>, f32 -> tensor<2x3xf32>
    %10 = relax.add %x, %d : tensor<2x3xf32>, !relax.tensor<[2, 3], ?> -> !relax.tensor<[2, 3], ?>
    %11 = relax.multiply %u, %x : tensor<*xf32>, tensor<2x3xf32> -> tensor<*xf32>
    %12 = relax.subtract %s, %s : !relax.tensor<[?, ?], f32, shape = "s">
    %13 = relax.ewise_fma %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %14 = relax.where %b, %x, %n : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<?x3xf32, #relax.shape<["n", 3]>>) -> tensor<2x3xf32>
    relax.return
  }

  relax.func @creation(%n: tensor<?x3xf32, #relax.shape<["n", 3]>>, %f: tensor<f16>,
                       %any: !relax.shape<*>) {
    %0 = relax.shape ["n", 4]
    %1 = relax.zeros %0 {dtype = i32} : (!relax.shape<["n", 4]>) -> tensor<?x4xi32, #relax.shape<["n", 4]>>
    %2 = relax.full %0, %f : (!relax.shape<["n", 4]>, tensor<f16>) -> tensor<?x4xf16, #relax.shape<["n", 4]>>
    %3 = relax.ones %any {dtype = f32} : (!relax.shape<*>) -> !relax.tensor<*, f32, shape = "any">
    %4 = relax.zeros_like %n {dtype = i8} : (tensor<?x3xf32, #relax.shape<["n", 3]>>) -> tensor<?x3xi8, #relax.shape<["n", 3]>>
    %5 = relax.prim_value 1 : i64
    %6 = relax.prim_value 10 : i64
    %7 = relax.prim_value 2 : i64
    %8 = relax.arange %5, %6, %7 {dtype = i64} : (i64, i64, i64) -> tensor<5xi64>
    %9 = relax.dim ["n"] : i64
    %10 = relax.arange %5, %9, %7 {dtype = i64} : (i64, i64, i64) -> tensor<?xi64, #relax.shape<["n // 2"]>>
    %11 = relax.eye %6, %9, %5 {dtype = f32} : (i64, i64, i64) -> tensor<10x?xf32, #relax.shape<[10, "n"]>>
    %12 = relax.tril %n, %5 : (tensor<?x3xf32, #relax.shape<["n", 3]>>, i64) -> tensor<?x3xf32, #relax.shape<["n", 3]>>
    %13 = relax.arange %9, %6, %7 {dtype = i64} : (i64, i64, i64) -> tensor<?xi64, #relax.shape<["(11 - n) // 2"]>>
    %14 = relax.arange %6, %5, %7 {dtype = i64} : (i64, i64, i64) -> tensor<0xi64>
    relax.return
  }

  relax.func @shape(%x: tensor<2x3x4xf32>, %n: tensor<?x6xf32, #relax.shape<["n", 6]>>,
                    %r: tensor<?x?xf32>, %u: tensor<*xf32>) {
    %0 = relax.flatten %n : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<?xf32, #relax.shape<["n * 6"]>>
    %1:3 = relax.split %n {axis = 1 : i64, indices_or_sections = 3 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> (tensor<?x2xf32, #relax.shape<["n", 2]>>, tensor<?x2xf32, #relax.shape<["n", 2]>>, tensor<?x2xf32, #relax.shape<["n", 2]>>)
    %2:3 = relax.split %x {axis = 2 : i64, indices_or_sections = array<i64: 1, 3>} : (tensor<2x3x4xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x2xf32>, tensor<2x3x1xf32>)
    %3:2 = relax.split %u {indices_or_sections = 2 : i64} : (tensor<*xf32>) -> (tensor<*xf32>, tensor<*xf32>)
    %4 = relax.concat %n, %n axis = 0 : tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?x6xf32, #relax.shape<["n", 6]>> -> tensor<?x6xf32, #relax.shape<["n * 2", 6]>>
    %join = relax.concat %u, %u, %x axis = 1 : tensor<*xf32>, tensor<*xf32>, tensor<2x3x4xf32> -> tensor<?x?x?xf32>
    %5 = relax.stack %n, %n {axis = 1 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<?x2x6xf32, #relax.shape<["n", 2, 6]>>
    %6 = relax.squeeze %x axis = [0] : tensor<2x3x4xf32>
    %7 = relax.squeeze %r : tensor<?x?xf32> -> tensor<*xf32>
    %8 = relax.repeat %n {axis = 0 : i64, repeats = 2 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<?x6xf32, #relax.shape<["n * 2", 6]>>
    %9 = relax.tile %x {repeats = array<i64: 2, 1, 1, 3>} : (tensor<2x3x4xf32>) -> tensor<2x2x3x12xf32>
    %10 = relax.shape_of %n : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> !relax.shape<["n", 6]>
    relax.return
  }

  relax.func @indexing(%x: tensor<8x6xf32>, %n: tensor<?x6xf32, #relax.shape<["n", 6]>>,
                       %i: tensor<5xi64>, %u: tensor<*xi64>) {
    %0 = relax.take %n, %i {axis = 1 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<5xi64>) -> tensor<?x5xf32, #relax.shape<["n", 5]>>
    %1 = relax.take %n, %u {axis = 0 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tensor<*xi64>) -> tensor<*xf32>
    %2 = relax.prim_value 0 : i64
    %3 = relax.prim_value 7 : i64
    %4 = relax.prim_value 3 : i64
    %axes = relax.tuple(%2) : i64
    %begin = relax.tuple(%2) : i64
    %end = relax.tuple(%3) : i64
    %strides = relax.tuple(%4) : i64
    %5 = relax.strided_slice %x, %axes, %begin, %end, %strides : (tensor<8x6xf32>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<3x6xf32>
    %6 = relax.strided_slice %n, %axes, %begin, %end : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?x6xf32, #relax.shape<["min(7, n)", 6]>>
    %begin_n = relax.tuple(%4) : i64
    %7 = relax.strided_slice %n, %axes, %begin_n, %end, %strides : (tensor<?x6xf32, #relax.shape<["n", 6]>>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?x6xf32, #relax.shape<["(min(7, n) - min(3, n) + 2) // 3", 6]>>
    %8 = relax.dim ["n"] : i64
    %end_n = relax.tuple(%8) : i64
    %9 = relax.strided_slice %x, %axes, %begin_n, %end_n {assume_inbound = true} : (tensor<8x6xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?x6xf32, #relax.shape<["n - 3", 6]>>
    relax.return
  }

  relax.func @reductions(%x: tensor<8x6xf32>, %n: tensor<?x6xf32, #relax.shape<["n", 6]>>,
                         %u: tensor<*xf32>) {
    %0 = relax.argmax %n {axis = 1 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<?xi64, #relax.shape<["n"]>>
    %1 = relax.variance %u axis = [0] : tensor<*xf32>
    %2 = relax.sum %u : tensor<*xf32> -> tensor<f32>
    %3 = relax.cumsum %n {dtype = f64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<?xf64, #relax.shape<["n * 6"]>>
    %4:2 = relax.topk %n {dtype = i32, k = 3 : i64} : (tensor<?x6xf32, #relax.shape<["n", 6]>>) -> (tensor<?x3xf32, #relax.shape<["n", 3]>>, tensor<?x3xi32, #relax.shape<["n", 3]>>)
    %5:2 = relax.median %x {axis = array<i64: 0>} : (tensor<8x6xf32>) -> (tensor<6xf32>, tensor<6xi64>)
    %6 = relax.nonzero %x : (tensor<8x6xf32>) -> tensor<?x?xi64>
    %7 = relax.einsum %x, %n {subscripts = "ij,kj->ik"} : (tensor<8x6xf32>, tensor<?x6xf32, #relax.shape<["n", 6]>>) -> tensor<8x?xf32, #relax.shape<[8, "n"]>>
    relax.return
  }

  relax.func @nn(%x: tensor<1x4x10xf32>, %w: tensor<8x4x3xf32>, %t: tensor<4x8x3xf32>,
                 %kw: tensor<8x4x?xf32, #relax.shape<[8, 4, "kw"]>>,
                 %img: tensor<?x8x?x32xf32, #relax.shape<["n", 8, "h", 32]>>,
                 %k: tensor<16x8x3x3xf32>, %packed: tensor<1x2x6x6x4xf32>,
                 %q: tensor<2x5x4x16xf32>, %p: tensor<6x3xf32>, %y: tensor<6xi64>) {
    %0 = relax.nn.conv1d %x, %w : tensor<1x4x10xf32>, tensor<8x4x3xf32> -> tensor<1x8x8xf32>
    %1 = relax.nn.conv1d_transpose %x, %t {strides = array<i64: 2>} : (tensor<1x4x10xf32>, tensor<4x8x3xf32>) -> tensor<1x8x21xf32>
    %any = relax.nn.conv1d %x, %kw strides = [2] padding = [1, 1] : tensor<1x4x10xf32>, tensor<8x4x?xf32, #relax.shape<[8, 4, "kw"]>> -> tensor<1x8x?xf32, #relax.shape<[1, 8, "kw * -1 // 2 + 7"]>>
    %2 = relax.nn.conv2d %img, %k padding = [1, 1, 1, 1] : tensor<?x8x?x32xf32, #relax.shape<["n", 8, "h", 32]>>, tensor<16x8x3x3xf32> -> tensor<?x16x?x32xf32, #relax.shape<["n", 16, "h", 32]>>
    %3 = relax.nn.max_pool2d %packed pool_size = [2, 2] strides = [2, 2] layout = "NCHW4c" : tensor<1x2x6x6x4xf32> -> tensor<1x2x3x3x4xf32>
    %4 = relax.nn.adaptive_avg_pool2d %img {output_size = array<i64: 1, 1>} : (tensor<?x8x?x32xf32, #relax.shape<["n", 8, "h", 32]>>) -> tensor<?x8x1x1xf32, #relax.shape<["n", 8, 1, 1]>>
    %5 = relax.nn.attention %q, %q, %q : (tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>) -> tensor<2x5x4x16xf32>
    %6 = relax.nn.nll_loss %p, %y {reduction = "none"} : (tensor<6x3xf32>, tensor<6xi64>) -> tensor<6xf32>
    %7 = relax.nn.pad %x {pad_width = array<i64: 0, 0, 1, 1, 2, 0>} : (tensor<1x4x10xf32>) -> tensor<1x6x12xf32>
    %8:2 = relax.nn.dropout %x : (tensor<1x4x10xf32>) -> (tensor<1x4x10xf32>, tensor<1x4x10xf32>)
    %9 = relax.nn.pixel_shuffle %img {upscale_factor = 2 : i64} : (tensor<?x8x?x32xf32, #relax.shape<["n", 8, "h", 32]>>) -> tensor<?x2x?x64xf32, #relax.shape<["n", 2, "h * 2", 64]>>
    %10 = relax.shape [64, 64]
    %11 = relax.image.resize2d %img, %10 {roi = []} : (tensor<?x8x?x32xf32, #relax.shape<["n", 8, "h", 32]>>, !relax.shape<[64, 64]>) -> tensor<?x8x64x64xf32, #relax.shape<["n", 8, 64, 64]>>
    relax.return
  }

  relax.func @runtime(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %zero: tensor<3xi8>)
      attributes {is_pure = false} {
    %0 = relax.quantize %x, %scale, %zero {out_dtype = i8} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3xi8>
    %1 = relax.null_value : () -> !relax.object
    %2 = relax.inspect.tensor_ndim %x : (tensor<2x3xf32>) -> i32
    %3 = relax.ccl.allgather %x {num_workers = 2 : i64} : (tensor<2x3xf32>) -> tensor<4x3xf32>
    relax.memory.kill_tensor %x : tensor<2x3xf32>
    relax.return
  }

}
