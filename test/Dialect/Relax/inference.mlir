// RUN: partita-opt %s --verify-roundtrip | FileCheck %s

// Static shapes: the result's type must be the inferred type.

// CHECK-LABEL: relax.func @broadcast
relax.func @broadcast(%s: tensor<f32>, %v: tensor<3xf32>, %c: tensor<2x1xf32>,
                      %m: tensor<4x1x3xf32>, %e: tensor<0x1xf32>) {
  %0 = relax.add %s, %v : tensor<f32>, tensor<3xf32> -> tensor<3xf32>
  %1 = relax.add %v, %c : tensor<3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %2 = relax.add %c, %m : tensor<2x1xf32>, tensor<4x1x3xf32> -> tensor<4x2x3xf32>
  %3 = relax.add %e, %v : tensor<0x1xf32>, tensor<3xf32> -> tensor<0x3xf32>
  relax.return
}

// Operands of rank 1 and batches, as in NumPy.

// CHECK-LABEL: relax.func @matmul
relax.func @matmul(%v: tensor<4xf32>, %m: tensor<3x4xf32>, %n: tensor<4x5xf32>,
                   %b: tensor<7x1x3x4xf32>, %c: tensor<6x4x5xf32>) {
  %0 = relax.matmul %v, %v : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  %1 = relax.matmul %m, %v : tensor<3x4xf32>, tensor<4xf32> -> tensor<3xf32>
  %2 = relax.matmul %v, %n : tensor<4xf32>, tensor<4x5xf32> -> tensor<5xf32>
  %3 = relax.matmul %m, %n : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  %4 = relax.matmul %b, %c : tensor<7x1x3x4xf32>, tensor<6x4x5xf32> -> tensor<7x6x3x5xf32>
  %5 = relax.matmul %v, %c : tensor<4xf32>, tensor<6x4x5xf32> -> tensor<6x5xf32>
  %6 = relax.matmul %b, %v : tensor<7x1x3x4xf32>, tensor<4xf32> -> tensor<7x1x3xf32>
  %7 = relax.matmul %b, %n : tensor<7x1x3x4xf32>, tensor<4x5xf32> -> tensor<7x1x3x5xf32>
  relax.return
}

// CHECK-LABEL: relax.func @shape_ops
relax.func @shape_ops(%x: tensor<2x1x3xf32>, %s: tensor<f32>, %v: tensor<3xf32>,
                      %e: tensor<0x4xf32>) {
  %0 = relax.permute_dims %x axes = [-1, 0, 1] : tensor<2x1x3xf32> -> tensor<3x2x1xf32>
  %1 = relax.permute_dims %s axes = [] : tensor<f32>
  %2 = relax.expand_dims %x axis = [3, 0] : tensor<2x1x3xf32> -> tensor<1x2x1x1x3xf32>
  %3 = relax.expand_dims %s axis = [0, 1] : tensor<f32> -> tensor<1x1xf32>
  %4 = relax.squeeze %x : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %5 = relax.squeeze %x axis = [-2] : tensor<2x1x3xf32> -> tensor<2x3xf32>
  %6 = relax.squeeze %x axis = [] : tensor<2x1x3xf32>
  %7 = relax.concat %v, %v, %v : tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<9xf32>
  %8 = relax.concat %x, %x axis = -2 : tensor<2x1x3xf32>, tensor<2x1x3xf32> -> tensor<2x2x3xf32>
  %s9 = relax.shape [7, 0]
  %9 = relax.reshape %e, %s9 : tensor<0x4xf32> -> tensor<7x0xf32>
  %s10 = relax.shape []
  %10 = relax.reshape %s, %s10 : tensor<f32> -> tensor<f32>
  relax.return
}

// CHECK-LABEL: relax.func @reductions
relax.func @reductions(%x: tensor<2x4x3xf32>) {
  %0 = relax.mean %x axis = [0, -1] : tensor<2x4x3xf32> -> tensor<4xf32>
  %1 = relax.sum %x axis = [0, -1] keepdims = true : tensor<2x4x3xf32> -> tensor<1x4x1xf32>
  %2 = relax.max %x : tensor<2x4x3xf32> -> tensor<f32>
  %3 = relax.min %x keepdims = true : tensor<2x4x3xf32> -> tensor<1x1x1xf32>
  %4 = relax.mean %x axis = [] : tensor<2x4x3xf32>
  relax.return
}

// CHECK-LABEL: relax.func @windows
relax.func @windows(%x: tensor<2x4x10x12xf32>, %w: tensor<6x4x3x5xf32>,
                    %g: tensor<6x2x3x3xf32>, %l: tensor<10x12x4x2xf32>,
                    %k: tensor<3x5x4x6xf32>, %h: tensor<6x4x3x5xf32>) {
  // (10 - 3) / 2 + 1 and (12 - 5) / 3 + 1, both rounded down.
  %0 = relax.nn.conv2d %x, %w strides = [2, 3] : tensor<2x4x10x12xf32>, tensor<6x4x3x5xf32> -> tensor<2x6x4x3xf32>
  // (10 + 1 + 3 - 3) + 1 and (12 + 2 + 4 - 5) + 1.
  %1 = relax.nn.conv2d %x, %w padding = [1, 2, 3, 4] : tensor<2x4x10x12xf32>, tensor<6x4x3x5xf32> -> tensor<2x6x12x14xf32>
  // (10 - 3 * 2 - 1) + 1 and (12 - 2 * 4 - 1) + 1.
  %2 = relax.nn.conv2d %x, %w dilation = [3, 2] : tensor<2x4x10x12xf32>, tensor<6x4x3x5xf32> -> tensor<2x6x4x4xf32>
  %3 = relax.nn.conv2d %x, %g groups = 2 : tensor<2x4x10x12xf32>, tensor<6x2x3x3xf32> -> tensor<2x6x8x10xf32>
  %4 = relax.nn.conv2d %l, %k data_layout = "HWCN" kernel_layout = "HWIO" out_layout = "CNWH" out_dtype = f64 : tensor<10x12x4x2xf32>, tensor<3x5x4x6xf32> -> tensor<6x2x8x8xf64>
  %5 = relax.nn.max_pool2d %x pool_size = [3, 3] strides = [2, 2] : tensor<2x4x10x12xf32> -> tensor<2x4x4x5xf32>
  %6 = relax.nn.max_pool2d %x pool_size = [3, 3] strides = [2, 2] ceil_mode = true : tensor<2x4x10x12xf32> -> tensor<2x4x5x6xf32>
  // A fourth window would start at 12, behind the input of 10 or 12.
  %7 = relax.nn.avg_pool2d %x pool_size = [2, 2] strides = [4, 4] padding = [0, 0, 1, 1] ceil_mode = true : tensor<2x4x10x12xf32> -> tensor<2x4x3x3xf32>
  relax.return
}

// A result may know more than can be inferred, and less.

// CHECK-LABEL: relax.func @compatible
relax.func @compatible(%x: tensor<?xf32>, %y: tensor<4xf32>,
                       %n: tensor<?xf32, #relax.shape<["n"]>>) {
  // CHECK: relax.concat {{.*}} -> tensor<12xf32>
  %0 = relax.concat %x, %y : tensor<?xf32>, tensor<4xf32> -> tensor<12xf32>
  // CHECK: relax.concat {{.*}} -> tensor<?xf32, #relax.shape<["n + 4"]>>
  %1 = relax.concat %n, %y : tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32> -> tensor<?xf32, #relax.shape<["n + 4"]>>
  // CHECK: relax.add {{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<?xf32>
  %2 = relax.add %y, %y : tensor<4xf32>, tensor<4xf32> -> tensor<?xf32>
  relax.return
}

// Names of a callee stand for dimensions of the caller.

relax.func private @callee(tensor<?x?xf32, #relax.shape<["n", "m"]>>, !relax.shape<["m"]>, tensor<?xf32>)
  -> (tensor<?x?xf32, #relax.shape<["m", "n"]>>, tuple<tensor<?xf32, #relax.shape<["n"]>>>)

// CHECK-LABEL: relax.func @calls
relax.func @calls(%x: tensor<8x?xf32, #relax.shape<[8, "k"]>>, %s: !relax.shape<["k"]>, %y: tensor<3xf32>) {
  // CHECK: relax.call @callee
  %0:2 = relax.call @callee(%x, %s, %y) : (tensor<8x?xf32, #relax.shape<[8, "k"]>>, !relax.shape<["k"]>, tensor<3xf32>)
    -> (tensor<?x8xf32, #relax.shape<["k", 8]>>, tuple<tensor<8xf32>>)
  relax.return
}

// Valid types of match_cast.

// CHECK-LABEL: relax.func @match_cast
relax.func @match_cast(%x: tensor<?x4xf32>, %n: tensor<?xf32, #relax.shape<["n"]>>,
                       %u: tensor<*xf32>, %o: !relax.object, %s: !relax.shape<[?]>) {
  %0 = relax.match_cast %x : tensor<?x4xf32> -> tensor<8x4xf32>
  %1 = relax.match_cast %n : tensor<?xf32, #relax.shape<["n"]>> -> tensor<8xf32>
  %2 = relax.match_cast %0 : tensor<8x4xf32> -> tensor<?x4xf32>
  %3 = relax.match_cast %u : tensor<*xf32> -> tensor<?xf32, #relax.shape<["k"]>>
  %4 = relax.match_cast %o : !relax.object -> tensor<4xf32>
  %5 = relax.match_cast %s : !relax.shape<[?]> -> !relax.shape<["l"]>
  relax.return
}

// A prim_func takes any size for a dynamic dimension of its memref.

tir.prim_func private @kernel(memref<?xf32>, memref<4xf32>, memref<f32>, index, memref<?xf32>)

// CHECK-LABEL: relax.func @call_tir
relax.func @call_tir(%n: tensor<?xf32, #relax.shape<["n"]>>, %x: tensor<4xf32>,
                     %s: tensor<f32>, %i: index) {
  %0 = relax.call_tir @kernel(%n, %x, %s, %i) : (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>, tensor<f32>, index) -> tensor<?xf32, #relax.shape<["n"]>>
  %1 = relax.call_tir @kernel(%x, %x, %s, %i) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, index) -> tensor<7xf32>
  relax.return
}

// Element types that are not f32.

// CHECK-LABEL: relax.func @element_types
relax.func @element_types(%i: tensor<4xi64>, %u: tensor<4xui8>, %b: tensor<4xbf16>, %f: tensor<4xf8E4M3FN>) {
  %0 = relax.add %i, %i : tensor<4xi64>
  %1 = relax.nn.relu %i : tensor<4xi64>
  %2 = relax.maximum %u, %u : tensor<4xui8>
  %3 = relax.exp %b : tensor<4xbf16>
  %4 = relax.astype %f : tensor<4xf8E4M3FN> -> tensor<4xi1>
  relax.return
}
