// RUN: partita-opt %s --verify-roundtrip | FileCheck %s

// Whole models, with TVM 0.27's result types: each op is verified against its
// inferred type. Weights do not matter here and are ones.

// CHECK-LABEL: partita.module @mlp
partita.module @mlp {
  relax.func @main(%arg0: tensor<8x64xf32>) -> tensor<8x10xf32> {
    %cst = relax.constant dense<1.000000e+00> : tensor<128x64xf32>
    %cst_0 = relax.constant dense<1.000000e+00> : tensor<128xf32>
    %cst_1 = relax.constant dense<1.000000e+00> : tensor<128x128xf32>
    %cst_2 = relax.constant dense<1.000000e+00> : tensor<128xf32>
    %cst_3 = relax.constant dense<1.000000e+00> : tensor<10x128xf32>
    %cst_4 = relax.constant dense<1.000000e+00> : tensor<10xf32>
    %0 = relax.dataflow -> tensor<8x10xf32> {
      %1 = relax.permute_dims %cst : tensor<128x64xf32> -> tensor<64x128xf32>
      %2 = relax.matmul %arg0, %1 : tensor<8x64xf32>, tensor<64x128xf32> -> tensor<8x128xf32>
      %3 = relax.add %2, %cst_0 : tensor<8x128xf32>, tensor<128xf32> -> tensor<8x128xf32>
      %4 = relax.nn.relu %3 : tensor<8x128xf32>
      %5 = relax.permute_dims %cst_1 : tensor<128x128xf32>
      %6 = relax.matmul %4, %5 : tensor<8x128xf32>, tensor<128x128xf32> -> tensor<8x128xf32>
      %7 = relax.add %6, %cst_2 : tensor<8x128xf32>, tensor<128xf32> -> tensor<8x128xf32>
      %8 = relax.nn.relu %7 : tensor<8x128xf32>
      %9 = relax.permute_dims %cst_3 : tensor<10x128xf32> -> tensor<128x10xf32>
      %10 = relax.matmul %8, %9 : tensor<8x128xf32>, tensor<128x10xf32> -> tensor<8x10xf32>
      %11 = relax.add %10, %cst_4 : tensor<8x10xf32>, tensor<10xf32> -> tensor<8x10xf32>
      %12 = relax.nn.softmax %11 : tensor<8x10xf32>
      relax.output %12 : tensor<8x10xf32>
    }
    relax.return %0 : tensor<8x10xf32>
  }
}

// CHECK-LABEL: partita.module @encoder
partita.module @encoder {
  relax.func @main(%arg0: tensor<1x16x64xf32>) -> tensor<1x16x64xf32> {
    %cst = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_0 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_1 = relax.constant dense<1.000000e+00> : tensor<64x64xf32>
    %cst_2 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_3 = relax.constant dense<1.000000e+00> : tensor<64x64xf32>
    %cst_4 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_5 = relax.constant dense<1.000000e+00> : tensor<64x64xf32>
    %cst_6 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_7 = relax.constant dense<1.000000e+00> : tensor<f32>
    %cst_8 = relax.constant dense<1.000000e+00> : tensor<64x64xf32>
    %cst_9 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_10 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_11 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_12 = relax.constant dense<1.000000e+00> : tensor<64x128xf32>
    %cst_13 = relax.constant dense<1.000000e+00> : tensor<128xf32>
    %cst_14 = relax.constant dense<1.000000e+00> : tensor<128x64xf32>
    %cst_15 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %0 = relax.dataflow -> tensor<1x16x64xf32> {
      %1 = relax.nn.layer_norm %arg0, %cst, %cst_0 axes = [-1] : tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %2 = relax.matmul %1, %cst_1 : tensor<1x16x64xf32>, tensor<64x64xf32> -> tensor<1x16x64xf32>
      %3 = relax.add %2, %cst_2 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %4 = relax.shape [1, 16, 4, 16]
      %5 = relax.reshape %3, %4 : tensor<1x16x64xf32> -> tensor<1x16x4x16xf32>
      %6 = relax.permute_dims %5 axes = [0, 2, 1, 3] : tensor<1x16x4x16xf32> -> tensor<1x4x16x16xf32>
      %7 = relax.matmul %1, %cst_3 : tensor<1x16x64xf32>, tensor<64x64xf32> -> tensor<1x16x64xf32>
      %8 = relax.add %7, %cst_4 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %9 = relax.shape [1, 16, 4, 16]
      %10 = relax.reshape %8, %9 : tensor<1x16x64xf32> -> tensor<1x16x4x16xf32>
      %11 = relax.permute_dims %10 axes = [0, 2, 1, 3] : tensor<1x16x4x16xf32> -> tensor<1x4x16x16xf32>
      %12 = relax.matmul %1, %cst_5 : tensor<1x16x64xf32>, tensor<64x64xf32> -> tensor<1x16x64xf32>
      %13 = relax.add %12, %cst_6 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %14 = relax.shape [1, 16, 4, 16]
      %15 = relax.reshape %13, %14 : tensor<1x16x64xf32> -> tensor<1x16x4x16xf32>
      %16 = relax.permute_dims %15 axes = [0, 2, 1, 3] : tensor<1x16x4x16xf32> -> tensor<1x4x16x16xf32>
      %17 = relax.permute_dims %11 axes = [0, 1, 3, 2] : tensor<1x4x16x16xf32>
      %18 = relax.matmul %6, %17 : tensor<1x4x16x16xf32>
      %19 = relax.multiply %18, %cst_7 : tensor<1x4x16x16xf32>, tensor<f32> -> tensor<1x4x16x16xf32>
      %20 = relax.nn.softmax %19 : tensor<1x4x16x16xf32>
      %21 = relax.matmul %20, %16 : tensor<1x4x16x16xf32>
      %22 = relax.permute_dims %21 axes = [0, 2, 1, 3] : tensor<1x4x16x16xf32> -> tensor<1x16x4x16xf32>
      %23 = relax.shape [1, 16, 64]
      %24 = relax.reshape %22, %23 : tensor<1x16x4x16xf32> -> tensor<1x16x64xf32>
      %25 = relax.matmul %24, %cst_8 : tensor<1x16x64xf32>, tensor<64x64xf32> -> tensor<1x16x64xf32>
      %26 = relax.add %25, %cst_9 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %27 = relax.add %arg0, %26 : tensor<1x16x64xf32>
      %28 = relax.nn.layer_norm %27, %cst_10, %cst_11 axes = [-1] : tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %29 = relax.matmul %28, %cst_12 : tensor<1x16x64xf32>, tensor<64x128xf32> -> tensor<1x16x128xf32>
      %30 = relax.add %29, %cst_13 : tensor<1x16x128xf32>, tensor<128xf32> -> tensor<1x16x128xf32>
      %31 = relax.nn.gelu %30 : tensor<1x16x128xf32>
      %32 = relax.matmul %31, %cst_14 : tensor<1x16x128xf32>, tensor<128x64xf32> -> tensor<1x16x64xf32>
      %33 = relax.add %32, %cst_15 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
      %34 = relax.add %27, %33 : tensor<1x16x64xf32>
      relax.output %34 : tensor<1x16x64xf32>
    }
    relax.return %0 : tensor<1x16x64xf32>
  }
}

// CHECK-LABEL: partita.module @resnet18
partita.module @resnet18 {
  relax.func @main(%arg0: tensor<1x3x64x64xf32>) -> tensor<1x10xf32> {
    %cst = relax.constant dense<1.000000e+00> : tensor<8x3x7x7xf32>
    %cst_0 = relax.constant dense<1.000000e+00> : tensor<8xf32>
    %cst_1 = relax.constant dense<1.000000e+00> : tensor<8x8x3x3xf32>
    %cst_2 = relax.constant dense<1.000000e+00> : tensor<16x8x3x3xf32>
    %cst_3 = relax.constant dense<1.000000e+00> : tensor<16xf32>
    %cst_4 = relax.constant dense<1.000000e+00> : tensor<16x16x3x3xf32>
    %cst_5 = relax.constant dense<1.000000e+00> : tensor<16x8x1x1xf32>
    %cst_6 = relax.constant dense<1.000000e+00> : tensor<32x16x3x3xf32>
    %cst_7 = relax.constant dense<1.000000e+00> : tensor<32xf32>
    %cst_8 = relax.constant dense<1.000000e+00> : tensor<32x32x3x3xf32>
    %cst_9 = relax.constant dense<1.000000e+00> : tensor<32x16x1x1xf32>
    %cst_10 = relax.constant dense<1.000000e+00> : tensor<64x32x3x3xf32>
    %cst_11 = relax.constant dense<1.000000e+00> : tensor<64xf32>
    %cst_12 = relax.constant dense<1.000000e+00> : tensor<64x64x3x3xf32>
    %cst_13 = relax.constant dense<1.000000e+00> : tensor<64x32x1x1xf32>
    %cst_14 = relax.constant dense<1.000000e+00> : tensor<64x10xf32>
    %cst_15 = relax.constant dense<1.000000e+00> : tensor<10xf32>
    %0 = relax.dataflow -> tensor<1x10xf32> {
      %1 = relax.nn.conv2d %arg0, %cst strides = [2, 2] padding = [3, 3, 3, 3] : tensor<1x3x64x64xf32>, tensor<8x3x7x7xf32> -> tensor<1x8x32x32xf32>
      %result, %new_mean, %new_var = relax.nn.batch_norm %1, %cst_0, %cst_0, %cst_0, %cst_0 axis = 1 training = false : (tensor<1x8x32x32xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x32x32xf32>, tensor<8xf32>, tensor<8xf32>)
      %2 = relax.nn.relu %result : tensor<1x8x32x32xf32>
      %3 = relax.nn.max_pool2d %2 pool_size = [3, 3] strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x8x32x32xf32> -> tensor<1x8x16x16xf32>
      %4 = relax.nn.conv2d %3, %cst_1 padding = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x16x16xf32>
      %result_16, %new_mean_17, %new_var_18 = relax.nn.batch_norm %4, %cst_0, %cst_0, %cst_0, %cst_0 axis = 1 training = false : (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>)
      %5 = relax.nn.relu %result_16 : tensor<1x8x16x16xf32>
      %6 = relax.nn.conv2d %5, %cst_1 padding = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x16x16xf32>
      %result_19, %new_mean_20, %new_var_21 = relax.nn.batch_norm %6, %cst_0, %cst_0, %cst_0, %cst_0 axis = 1 training = false : (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>)
      %7 = relax.add %result_19, %3 : tensor<1x8x16x16xf32>
      %8 = relax.nn.relu %7 : tensor<1x8x16x16xf32>
      %9 = relax.nn.conv2d %8, %cst_1 padding = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x16x16xf32>
      %result_22, %new_mean_23, %new_var_24 = relax.nn.batch_norm %9, %cst_0, %cst_0, %cst_0, %cst_0 axis = 1 training = false : (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>)
      %10 = relax.nn.relu %result_22 : tensor<1x8x16x16xf32>
      %11 = relax.nn.conv2d %10, %cst_1 padding = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32> -> tensor<1x8x16x16xf32>
      %result_25, %new_mean_26, %new_var_27 = relax.nn.batch_norm %11, %cst_0, %cst_0, %cst_0, %cst_0 axis = 1 training = false : (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>)
      %12 = relax.add %result_25, %8 : tensor<1x8x16x16xf32>
      %13 = relax.nn.relu %12 : tensor<1x8x16x16xf32>
      %14 = relax.nn.conv2d %13, %cst_2 strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<16x8x3x3xf32> -> tensor<1x16x8x8xf32>
      %result_28, %new_mean_29, %new_var_30 = relax.nn.batch_norm %14, %cst_3, %cst_3, %cst_3, %cst_3 axis = 1 training = false : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
      %15 = relax.nn.relu %result_28 : tensor<1x16x8x8xf32>
      %16 = relax.nn.conv2d %15, %cst_4 padding = [1, 1, 1, 1] : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x8x8xf32>
      %result_31, %new_mean_32, %new_var_33 = relax.nn.batch_norm %16, %cst_3, %cst_3, %cst_3, %cst_3 axis = 1 training = false : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
      %17 = relax.nn.conv2d %13, %cst_5 strides = [2, 2] : tensor<1x8x16x16xf32>, tensor<16x8x1x1xf32> -> tensor<1x16x8x8xf32>
      %result_34, %new_mean_35, %new_var_36 = relax.nn.batch_norm %17, %cst_3, %cst_3, %cst_3, %cst_3 axis = 1 training = false : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
      %18 = relax.add %result_31, %result_34 : tensor<1x16x8x8xf32>
      %19 = relax.nn.relu %18 : tensor<1x16x8x8xf32>
      %20 = relax.nn.conv2d %19, %cst_4 padding = [1, 1, 1, 1] : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x8x8xf32>
      %result_37, %new_mean_38, %new_var_39 = relax.nn.batch_norm %20, %cst_3, %cst_3, %cst_3, %cst_3 axis = 1 training = false : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
      %21 = relax.nn.relu %result_37 : tensor<1x16x8x8xf32>
      %22 = relax.nn.conv2d %21, %cst_4 padding = [1, 1, 1, 1] : tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x8x8xf32>
      %result_40, %new_mean_41, %new_var_42 = relax.nn.batch_norm %22, %cst_3, %cst_3, %cst_3, %cst_3 axis = 1 training = false : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>)
      %23 = relax.add %result_40, %19 : tensor<1x16x8x8xf32>
      %24 = relax.nn.relu %23 : tensor<1x16x8x8xf32>
      %25 = relax.nn.conv2d %24, %cst_6 strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32> -> tensor<1x32x4x4xf32>
      %result_43, %new_mean_44, %new_var_45 = relax.nn.batch_norm %25, %cst_7, %cst_7, %cst_7, %cst_7 axis = 1 training = false : (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>)
      %26 = relax.nn.relu %result_43 : tensor<1x32x4x4xf32>
      %27 = relax.nn.conv2d %26, %cst_8 padding = [1, 1, 1, 1] : tensor<1x32x4x4xf32>, tensor<32x32x3x3xf32> -> tensor<1x32x4x4xf32>
      %result_46, %new_mean_47, %new_var_48 = relax.nn.batch_norm %27, %cst_7, %cst_7, %cst_7, %cst_7 axis = 1 training = false : (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>)
      %28 = relax.nn.conv2d %24, %cst_9 strides = [2, 2] : tensor<1x16x8x8xf32>, tensor<32x16x1x1xf32> -> tensor<1x32x4x4xf32>
      %result_49, %new_mean_50, %new_var_51 = relax.nn.batch_norm %28, %cst_7, %cst_7, %cst_7, %cst_7 axis = 1 training = false : (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>)
      %29 = relax.add %result_46, %result_49 : tensor<1x32x4x4xf32>
      %30 = relax.nn.relu %29 : tensor<1x32x4x4xf32>
      %31 = relax.nn.conv2d %30, %cst_8 padding = [1, 1, 1, 1] : tensor<1x32x4x4xf32>, tensor<32x32x3x3xf32> -> tensor<1x32x4x4xf32>
      %result_52, %new_mean_53, %new_var_54 = relax.nn.batch_norm %31, %cst_7, %cst_7, %cst_7, %cst_7 axis = 1 training = false : (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>)
      %32 = relax.nn.relu %result_52 : tensor<1x32x4x4xf32>
      %33 = relax.nn.conv2d %32, %cst_8 padding = [1, 1, 1, 1] : tensor<1x32x4x4xf32>, tensor<32x32x3x3xf32> -> tensor<1x32x4x4xf32>
      %result_55, %new_mean_56, %new_var_57 = relax.nn.batch_norm %33, %cst_7, %cst_7, %cst_7, %cst_7 axis = 1 training = false : (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>)
      %34 = relax.add %result_55, %30 : tensor<1x32x4x4xf32>
      %35 = relax.nn.relu %34 : tensor<1x32x4x4xf32>
      %36 = relax.nn.conv2d %35, %cst_10 strides = [2, 2] padding = [1, 1, 1, 1] : tensor<1x32x4x4xf32>, tensor<64x32x3x3xf32> -> tensor<1x64x2x2xf32>
      %result_58, %new_mean_59, %new_var_60 = relax.nn.batch_norm %36, %cst_11, %cst_11, %cst_11, %cst_11 axis = 1 training = false : (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>)
      %37 = relax.nn.relu %result_58 : tensor<1x64x2x2xf32>
      %38 = relax.nn.conv2d %37, %cst_12 padding = [1, 1, 1, 1] : tensor<1x64x2x2xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x2x2xf32>
      %result_61, %new_mean_62, %new_var_63 = relax.nn.batch_norm %38, %cst_11, %cst_11, %cst_11, %cst_11 axis = 1 training = false : (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>)
      %39 = relax.nn.conv2d %35, %cst_13 strides = [2, 2] : tensor<1x32x4x4xf32>, tensor<64x32x1x1xf32> -> tensor<1x64x2x2xf32>
      %result_64, %new_mean_65, %new_var_66 = relax.nn.batch_norm %39, %cst_11, %cst_11, %cst_11, %cst_11 axis = 1 training = false : (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>)
      %40 = relax.add %result_61, %result_64 : tensor<1x64x2x2xf32>
      %41 = relax.nn.relu %40 : tensor<1x64x2x2xf32>
      %42 = relax.nn.conv2d %41, %cst_12 padding = [1, 1, 1, 1] : tensor<1x64x2x2xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x2x2xf32>
      %result_67, %new_mean_68, %new_var_69 = relax.nn.batch_norm %42, %cst_11, %cst_11, %cst_11, %cst_11 axis = 1 training = false : (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>)
      %43 = relax.nn.relu %result_67 : tensor<1x64x2x2xf32>
      %44 = relax.nn.conv2d %43, %cst_12 padding = [1, 1, 1, 1] : tensor<1x64x2x2xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x2x2xf32>
      %result_70, %new_mean_71, %new_var_72 = relax.nn.batch_norm %44, %cst_11, %cst_11, %cst_11, %cst_11 axis = 1 training = false : (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<1x64x2x2xf32>, tensor<64xf32>, tensor<64xf32>)
      %45 = relax.add %result_70, %41 : tensor<1x64x2x2xf32>
      %46 = relax.nn.relu %45 : tensor<1x64x2x2xf32>
      %47 = relax.mean %46 axis = [2, 3] : tensor<1x64x2x2xf32> -> tensor<1x64xf32>
      %48 = relax.matmul %47, %cst_14 : tensor<1x64xf32>, tensor<64x10xf32> -> tensor<1x10xf32>
      %49 = relax.add %48, %cst_15 : tensor<1x10xf32>, tensor<10xf32> -> tensor<1x10xf32>
      %50 = relax.nn.softmax %49 : tensor<1x10xf32>
      relax.output %50 : tensor<1x10xf32>
    }
    relax.return %0 : tensor<1x10xf32>
  }
}
