// RUN: partita-opt %s --split-input-file --relax-legalize-ops | FileCheck %s

// Images are resized and sampled in one loop nest over the result.

// CHECK-LABEL: partita.module @images
// CHECK: relax.call_tir @resize(%{{.*}}) : (tensor<?x2x4x6xf32, #relax.shape<["n", 2, 4, 6]>>) -> tensor<?x2x8x3xf32, #relax.shape<["n", 2, 8, 3]>>
// CHECK: relax.call_tir @grid_sample(
// CHECK: relax.call_tir @affine_grid(
// CHECK: relax.call_tir @roi_align(
// CHECK: relax.call_tir @roi_pool(
// CHECK: tir.prim_func private @resize(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// CHECK: math.floor
// CHECK: tir.prim_func private @roi_align(
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: scf.for
partita.module @images {
  relax.func @main(%x: tensor<?x2x4x6xf32, #relax.shape<["n", 2, 4, 6]>>, %image: tensor<1x2x4x6xf32>,
                   %grid: tensor<1x2x5x7xf32>, %matrix: tensor<1x2x3xf32>, %rois: tensor<3x5xf32>)
      -> tensor<3x2x2x2xf32> {
    %0 = relax.shape [8, 3]
    %1 = relax.image.resize2d %x, %0 {roi = []} : (tensor<?x2x4x6xf32, #relax.shape<["n", 2, 4, 6]>>, !relax.shape<[8, 3]>) -> tensor<?x2x8x3xf32, #relax.shape<["n", 2, 8, 3]>>
    %2 = relax.image.grid_sample %image, %grid : (tensor<1x2x4x6xf32>, tensor<1x2x5x7xf32>) -> tensor<1x2x5x7xf32>
    %3 = relax.image.affine_grid %matrix, %0 : (tensor<1x2x3xf32>, !relax.shape<[8, 3]>) -> tensor<1x2x8x3xf32>
    %4 = relax.vision.roi_align %image, %rois {pooled_size = array<i64: 2, 2>, spatial_scale = 5.000000e-01 : f64} : (tensor<1x2x4x6xf32>, tensor<3x5xf32>) -> tensor<3x2x2x2xf32>
    %5 = relax.vision.roi_pool %image, %rois {pooled_size = array<i64: 2, 2>, spatial_scale = 5.000000e-01 : f64} : (tensor<1x2x4x6xf32>, tensor<3x5xf32>) -> tensor<3x2x2x2xf32>
    relax.return %5 : tensor<3x2x2x2xf32>
  }
}

// -----

// What TVM does not lower stays: ways that are not known, a grid of one point
// between corners, windows with gaps.

// CHECK-LABEL: partita.module @stay
// CHECK: relax.image.resize2d
// CHECK: relax.image.resize2d
// CHECK: relax.image.affine_grid
// CHECK: relax.image.grid_sample
// CHECK: relax.grad.max_pool2d_backward
// CHECK-NOT: tir.prim_func
partita.module @stay {
  relax.func @main(%image: tensor<1x2x4x6xf32>, %grid: tensor<1x2x5x7xf32>, %matrix: tensor<1x2x3xf32>,
                   %gradient: tensor<1x2x2x4xf32>) -> tensor<1x2x4x6xf32> {
    %0 = relax.shape [1, 3]
    %1 = relax.image.resize2d %image, %0 {method = "lanczos", roi = []} : (tensor<1x2x4x6xf32>, !relax.shape<[1, 3]>) -> tensor<1x2x1x3xf32>
    %2 = relax.image.resize2d %image, %0 {coordinate_transformation_mode = "tf_crop_and_resize", roi = []} : (tensor<1x2x4x6xf32>, !relax.shape<[1, 3]>) -> tensor<1x2x1x3xf32>
    %3 = relax.image.affine_grid %matrix, %0 : (tensor<1x2x3xf32>, !relax.shape<[1, 3]>) -> tensor<1x2x1x3xf32>
    %4 = relax.image.grid_sample %image, %grid {padding_mode = "wrap"} : (tensor<1x2x4x6xf32>, tensor<1x2x5x7xf32>) -> tensor<1x2x5x7xf32>
    %5 = relax.grad.max_pool2d_backward %gradient, %image {pool_size = array<i64: 2, 2>, dilation = array<i64: 2, 2>} : (tensor<1x2x2x4xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
    relax.return %5 : tensor<1x2x4x6xf32>
  }
}

// -----

// The gradient of a maximum goes to the window's first largest element; other
// gradients are shared. A boolean is compared as a number.

// CHECK-LABEL: partita.module @gradients
// CHECK: relax.call_tir @max_pool2d_backward(
// CHECK: relax.call_tir @avg_pool2d_backward(
// CHECK: relax.call_tir @less(%{{.*}}, %{{.*}}) : (tensor<1x2x4x6xf16>, tensor<6xi32>) -> tensor<1x2x4x6xi1>
// CHECK: relax.call_tir @prod(%{{.*}}) : (tensor<4xi1>) -> tensor<i1>
// CHECK: relax.add
// CHECK: tir.prim_func private @less(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: arith.cmpf olt
partita.module @gradients {
  relax.func @main(%x: tensor<1x2x4x6xf32>, %gradient: tensor<1x2x2x3xf32>, %half: tensor<1x2x4x6xf16>,
                   %y: tensor<6xi32>, %z: tensor<4xi1>, %w: tensor<4xi32>) -> tensor<4xi1> {
    %0 = relax.grad.max_pool2d_backward %gradient, %x {pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x2x3xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
    %1 = relax.grad.avg_pool2d_backward %gradient, %x {pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x2x3xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
    %2 = relax.less %half, %y : tensor<1x2x4x6xf16>, tensor<6xi32> -> tensor<1x2x4x6xi1>
    %3 = relax.prod %z : tensor<4xi1> -> tensor<i1>
    // TVM computes it in i32, which is not the result's dtype.
    %4 = relax.add %z, %w : tensor<4xi1>, tensor<4xi32> -> tensor<4xi1>
    relax.return %4 : tensor<4xi1>
  }
}
