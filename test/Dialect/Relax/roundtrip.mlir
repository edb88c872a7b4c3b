// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s

// CHECK-LABEL: partita.module @roundtrip {
partita.module @roundtrip {
  // CHECK: relax.func private @declared(tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false}
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
    attributes {is_pure = false}

  // CHECK: relax.func @attributes(%{{.*}}: tensor<8xf32> {relax.name = "x"}, %{{.*}}: !relax.object) -> (tensor<8xf32>, !relax.object) attributes {num_input = 1 : i64}
  relax.func @attributes(%x: tensor<8xf32> {relax.name = "x"}, %o: !relax.object)
      -> (tensor<8xf32>, !relax.object) attributes {num_input = 1 : i64} {
    // CHECK: relax.return %{{.*}}, %{{.*}} : tensor<8xf32>, !relax.object
    relax.return %x, %o : tensor<8xf32>, !relax.object
  }

  // CHECK-LABEL: relax.func @nothing()
  relax.func @nothing() {
    // CHECK-NEXT: relax.dataflow {
    // CHECK-NEXT:   relax.output
    // CHECK-NEXT: }
    relax.dataflow {
      relax.output
    }
    // CHECK-NEXT: relax.return{{$}}
    relax.return
  }

  // CHECK-LABEL: relax.func @calls
  relax.func @calls(%x: tensor<8xf32>, %n: i64) -> tensor<8xf32>
      attributes {is_pure = false} {
    // CHECK: relax.call @declared(%{{.*}}) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    %0 = relax.call @declared(%x) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK: relax.call @nothing() : () -> ()
    relax.call @nothing() : () -> ()
    // CHECK: relax.call_tir @kernel(%{{.*}}, %{{.*}}) : (tensor<8xf32>, i64) -> tensor<8xf32>
    %1 = relax.call_tir @kernel(%0, %n) : (tensor<8xf32>, i64) -> tensor<8xf32>
    // CHECK: relax.call_tir @two(%{{.*}}) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
    %2:2 = relax.call_tir @two(%1) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
    relax.return %2#0 : tensor<8xf32>
  }
  tir.prim_func private @kernel(memref<8xf32>, i64, memref<8xf32>)
  tir.prim_func private @two(memref<8xf32>, memref<8xf32>, memref<f32>)

  // CHECK-LABEL: relax.func @dataflow
  relax.func @dataflow(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: %[[Y:.*]]:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      // CHECK: relax.output %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>
      relax.output %0, %x : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#1 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @values
  relax.func @values(%x: tensor<8xf32>, %u: tensor<?x16xf32>) {
    // CHECK: %[[C:.*]] = relax.constant dense<1.000000e+00> : tensor<8xf32>
    %c = relax.constant dense<1.0> : tensor<8xf32>
    // CHECK: relax.constant dense_resource<w0> : tensor<2x2xf32>
    %w = relax.constant dense_resource<w0> : tensor<2x2xf32>
    // CHECK: %[[T:.*]] = relax.tuple(%{{.*}}, %{{.*}}) : tensor<8xf32>, tensor<2x2xf32>
    %t = relax.tuple(%c, %w) : tensor<8xf32>, tensor<2x2xf32>
    // CHECK: relax.tuple_get_item %[[T]][1] : tuple<tensor<8xf32>, tensor<2x2xf32>>
    %0 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<2x2xf32>>
    // CHECK: relax.tuple(){{$}}
    %e = relax.tuple()
    // CHECK: relax.match_cast %{{.*}} : tensor<?x16xf32> -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    %1 = relax.match_cast %u : tensor<?x16xf32> -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    // CHECK: relax.shape [1, "m", 16]
    %s = relax.shape [1, "m", 16]
    // A number that is no size is unknown in the type.
    // CHECK: %{{.*}} = relax.shape [-1, 16]
    // CHECK-NEXT: relax.alias %{{.*}} : !relax.shape<[?, 16]>
    %left = relax.shape [-1, 16]
    %left2 = relax.alias %left : !relax.shape<[?, 16]>
    // CHECK: relax.shape []
    %s0 = relax.shape []
    // CHECK: relax.reshape %{{.*}}, %{{.*}} : tensor<?x16xf32, #relax.shape<["m", 16]>> -> tensor<1x?x16xf32, #relax.shape<[1, "m", 16]>>
    %2 = relax.reshape %1, %s : tensor<?x16xf32, #relax.shape<["m", 16]>> -> tensor<1x?x16xf32, #relax.shape<[1, "m", 16]>>
    // CHECK: builtin.unrealized_conversion_cast to !relax.shape<["a\22b", ?, 3]>
    %3 = builtin.unrealized_conversion_cast to !relax.shape<["a\22b", ?, 3]>
    // CHECK: relax.reshape %{{.*}}, %{{.*}} : tensor<?x16xf32>, !relax.shape<[?, 8]> -> tensor<4x8xf32>
    %4 = builtin.unrealized_conversion_cast to !relax.shape<[?, 8]>
    %5 = relax.reshape %u, %4 : tensor<?x16xf32>, !relax.shape<[?, 8]> -> tensor<4x8xf32>
    relax.return
  }

  // CHECK-LABEL: relax.func @unary
  relax.func @unary(%x: tensor<?x3xf32, #relax.shape<["n", 3]>>) {
    // CHECK: relax.abs %{{.*}} : tensor<?x3xf32, #relax.shape<["n", 3]>>
    %0 = relax.abs %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.exp
    %1 = relax.exp %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.log
    %2 = relax.log %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.sqrt
    %3 = relax.sqrt %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.rsqrt
    %4 = relax.rsqrt %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.negative
    %5 = relax.negative %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.tanh
    %6 = relax.tanh %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.sigmoid
    %7 = relax.sigmoid %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.nn.relu
    %8 = relax.nn.relu %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.nn.gelu
    %9 = relax.nn.gelu %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.nn.silu
    %10 = relax.nn.silu %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.nn.softmax %{{[^ ]*}} : tensor<?x3xf32
    %11 = relax.nn.softmax %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.nn.softmax %{{.*}} axis = 0 : tensor<?x3xf32
    %12 = relax.nn.softmax %x axis = 0 : tensor<?x3xf32, #relax.shape<["n", 3]>>
    // CHECK: relax.astype %{{.*}} : tensor<?x3xf32, #relax.shape<["n", 3]>> -> tensor<?x3xf16, #relax.shape<["n", 3]>>
    %13 = relax.astype %x : tensor<?x3xf32, #relax.shape<["n", 3]>> -> tensor<?x3xf16, #relax.shape<["n", 3]>>
    // CHECK: relax.astype %{{[^ ]*}} : tensor<?x3xf32, #relax.shape<["n", 3]>>{{$}}
    %14 = relax.astype %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    relax.return
  }

  // CHECK-LABEL: relax.func @binary
  relax.func @binary(%x: tensor<8x128xf32>, %y: tensor<128xf32>) {
    // CHECK: relax.add %{{.*}}, %{{.*}} : tensor<8x128xf32>{{$}}
    %0 = relax.add %x, %x : tensor<8x128xf32>
    // CHECK: relax.add %{{.*}}, %{{.*}} : tensor<8x128xf32>, tensor<128xf32> -> tensor<8x128xf32>
    %1 = relax.add %x, %y : tensor<8x128xf32>, tensor<128xf32> -> tensor<8x128xf32>
    // CHECK: relax.subtract
    %2 = relax.subtract %y, %x : tensor<128xf32>, tensor<8x128xf32> -> tensor<8x128xf32>
    // CHECK: relax.multiply
    %3 = relax.multiply %x, %x : tensor<8x128xf32>
    // CHECK: relax.divide
    %4 = relax.divide %x, %x : tensor<8x128xf32>
    // CHECK: relax.maximum
    %5 = relax.maximum %x, %x : tensor<8x128xf32>
    // CHECK: relax.minimum
    %6 = relax.minimum %x, %x : tensor<8x128xf32>
    // CHECK: relax.power
    %7 = relax.power %x, %x {note = "kept"} : tensor<8x128xf32>
    // CHECK: relax.matmul %{{.*}}, %{{.*}} : tensor<8x128xf32>, tensor<128xf32> -> tensor<8xf32>
    %8 = relax.matmul %x, %y : tensor<8x128xf32>, tensor<128xf32> -> tensor<8xf32>
    // CHECK: relax.matmul %{{.*}}, %{{.*}} out_dtype = f16 : tensor<8x128xf32>, tensor<128xf32> -> tensor<8xf16>
    %9 = relax.matmul %x, %y out_dtype = f16 : tensor<8x128xf32>, tensor<128xf32> -> tensor<8xf16>
    relax.return
  }

  // CHECK-LABEL: relax.func @shape_ops
  relax.func @shape_ops(%x: tensor<1x16x64xf32>) {
    // CHECK: relax.permute_dims %{{[^ ]*}} : tensor<1x16x64xf32> -> tensor<64x16x1xf32>
    %0 = relax.permute_dims %x : tensor<1x16x64xf32> -> tensor<64x16x1xf32>
    // CHECK: relax.permute_dims %{{.*}} axes = [0, 2, 1] : tensor<1x16x64xf32> -> tensor<1x64x16xf32>
    %1 = relax.permute_dims %x axes = [0, 2, 1] : tensor<1x16x64xf32> -> tensor<1x64x16xf32>
    // CHECK: relax.expand_dims %{{.*}} axis = [0, -1] : tensor<1x16x64xf32> -> tensor<1x1x16x64x1xf32>
    %2 = relax.expand_dims %x axis = [0, -1] : tensor<1x16x64xf32> -> tensor<1x1x16x64x1xf32>
    // CHECK: relax.squeeze %{{[^ ]*}} : tensor<1x16x64xf32> -> tensor<16x64xf32>
    %3 = relax.squeeze %x : tensor<1x16x64xf32> -> tensor<16x64xf32>
    // CHECK: relax.squeeze %{{.*}} axis = [0] : tensor<1x16x64xf32> -> tensor<16x64xf32>
    %4 = relax.squeeze %x axis = [0] : tensor<1x16x64xf32> -> tensor<16x64xf32>
    // CHECK: relax.concat %{{.*}}, %{{.*}} axis = 1 : tensor<1x16x64xf32>, tensor<1x16x64xf32> -> tensor<1x32x64xf32>
    %5 = relax.concat %x, %x axis = 1 : tensor<1x16x64xf32>, tensor<1x16x64xf32> -> tensor<1x32x64xf32>
    // CHECK: relax.mean %{{[^ ]*}} : tensor<1x16x64xf32> -> tensor<f32>
    %6 = relax.mean %x : tensor<1x16x64xf32> -> tensor<f32>
    // CHECK: relax.sum %{{.*}} axis = [-1] : tensor<1x16x64xf32> -> tensor<1x16xf32>
    %7 = relax.sum %x axis = [-1] : tensor<1x16x64xf32> -> tensor<1x16xf32>
    // CHECK: relax.max %{{.*}} axis = [1, 2] keepdims = true : tensor<1x16x64xf32> -> tensor<1x1x1xf32>
    %8 = relax.max %x axis = [1, 2] keepdims = true : tensor<1x16x64xf32> -> tensor<1x1x1xf32>
    // CHECK: relax.min %{{.*}} keepdims = true : tensor<1x16x64xf32> -> tensor<1x1x1xf32>
    %9 = relax.min %x keepdims = true : tensor<1x16x64xf32> -> tensor<1x1x1xf32>
    relax.return
  }

  // CHECK-LABEL: relax.func @nn
  relax.func @nn(%x: tensor<1x3x64x64xf32>, %xl: tensor<1x64x64x3xf32>,
                 %w: tensor<8x3x7x7xf32>, %wl: tensor<8x7x7x3xf32>,
                 %v: tensor<3xf32>, %h: tensor<64xf32>) {
    // CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} strides = [2, 2] padding = [3, 3, 3, 3] : tensor<1x3x64x64xf32>, tensor<8x3x7x7xf32> -> tensor<1x8x32x32xf32>
    %0 = relax.nn.conv2d %x, %w strides = [2, 2] padding = [3, 3, 3, 3] : tensor<1x3x64x64xf32>, tensor<8x3x7x7xf32> -> tensor<1x8x32x32xf32>
    // CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} dilation = [2, 1] : tensor<1x3x64x64xf32>
    %1 = relax.nn.conv2d %x, %w dilation = [2, 1] : tensor<1x3x64x64xf32>, tensor<8x3x7x7xf32> -> tensor<1x8x52x58xf32>
    // CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} data_layout = "NHWC" kernel_layout = "OHWI" : tensor<1x64x64x3xf32>, tensor<8x7x7x3xf32> -> tensor<1x58x58x8xf32>
    %2 = relax.nn.conv2d %xl, %wl data_layout = "NHWC" kernel_layout = "OHWI" : tensor<1x64x64x3xf32>, tensor<8x7x7x3xf32> -> tensor<1x58x58x8xf32>
    // CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} data_layout = "NHWC" kernel_layout = "OHWI" out_layout = "NCHW" out_dtype = f16 : tensor<1x64x64x3xf32>, tensor<8x7x7x3xf32> -> tensor<1x8x58x58xf16>
    %3 = relax.nn.conv2d %xl, %wl data_layout = "NHWC" kernel_layout = "OHWI" out_layout = "NCHW" out_dtype = f16 : tensor<1x64x64x3xf32>, tensor<8x7x7x3xf32> -> tensor<1x8x58x58xf16>
    // CHECK: relax.nn.max_pool2d %{{.*}} out_layout = "NHWC" : tensor<1x3x64x64xf32> -> tensor<1x64x64x3xf32>
    %10 = relax.nn.max_pool2d %x out_layout = "NHWC" : tensor<1x3x64x64xf32> -> tensor<1x64x64x3xf32>
    // CHECK: relax.nn.max_pool2d %{{.*}} pool_size = [3, 3] strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x3x64x64xf32> -> tensor<1x3x32x32xf32>
    %4 = relax.nn.max_pool2d %x pool_size = [3, 3] strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x3x64x64xf32> -> tensor<1x3x32x32xf32>
    // CHECK: relax.nn.avg_pool2d %{{.*}} pool_size = [3, 3] strides = [2, 2] ceil_mode = true count_include_pad = true layout = "NHWC" : tensor<1x64x64x3xf32> -> tensor<1x32x32x3xf32>
    %5 = relax.nn.avg_pool2d %xl pool_size = [3, 3] strides = [2, 2] ceil_mode = true count_include_pad = true layout = "NHWC" : tensor<1x64x64x3xf32> -> tensor<1x32x32x3xf32>
    // CHECK: relax.nn.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} axis = 1 training = false : (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>)
    %6:3 = relax.nn.batch_norm %x, %v, %v, %v, %v axis = 1 training = false : (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>)
    // CHECK: relax.nn.batch_norm {{.*}} axis = 1 epsilon = 1.000000e-03 center = false scale = false momentum = 2.500000e-01 : (
    %7:3 = relax.nn.batch_norm %x, %v, %v, %v, %v axis = 1 epsilon = 1.0e-3 center = false scale = false momentum = 0.25 : (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x64x64xf32>, tensor<3xf32>, tensor<3xf32>)
    // CHECK: relax.nn.layer_norm %{{.*}}, %{{.*}}, %{{.*}} axes = [-1] : tensor<1x3x64x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x3x64x64xf32>
    %8 = relax.nn.layer_norm %x, %h, %h axes = [-1] : tensor<1x3x64x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x3x64x64xf32>
    // CHECK: relax.nn.layer_norm {{.*}} axes = [-1] epsilon = 1.000000e-03 center = false scale = false : tensor
    %9 = relax.nn.layer_norm %x, %h, %h axes = [-1] epsilon = 1.0e-3 center = false scale = false : tensor<1x3x64x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x3x64x64xf32>
    relax.return
  }
}

{-#
  dialect_resources: {
    builtin: {
      w0: "0x040000000000803F000000400000404000008040"
    }
  }
#-}
