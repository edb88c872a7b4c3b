// RUN: partita-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8xi32>) {
  // expected-error @below {{'relax.exp' op operand #0 must be tensor of floats or an unknown element type, but got 'tensor<8xi32>'}}
  %0 = relax.exp %x : tensor<8xi32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<8xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.exp"(%x) : (tensor<8xf32>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.exp' op requires a single operand}}
  %0 = "relax.exp"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.astype' op requires attribute 'dtype'}}
  %0 = "relax.astype"(%x) : (tensor<8xf32>) -> tensor<8xf16>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected 'dtype' to be an integer or a float}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.astype"(%x) {dtype = tensor<8xf16>} : (tensor<8xf32>) -> tensor<8xf16>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.astype' op inferred type(s) 'tensor<8xf16>' are incompatible with return type(s) of operation 'tensor<4xf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.astype %x : tensor<8xf32> -> tensor<4xf16>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{expected shapes that broadcast, found [8, 3] and [4, 3], where [8] meets [4]}}
  // expected-error @below {{'relax.add' op failed to infer returned types}}
  %0 = relax.add %x, %y : tensor<8x3xf32>, tensor<4x3xf32> -> tensor<8x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %y: tensor<8xf16>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'f16'; convert one with relax.astype}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.multiply %x, %y : tensor<8xf32>, tensor<8xf16> -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %y: tensor<8x1xf32>) {
  // expected-error @below {{'relax.power' op inferred type(s) 'tensor<8x8xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.power %x, %y : tensor<8xf32>, tensor<8x1xf32> -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.subtract' op expected 2 operands, but found 1}}
  %0 = "relax.subtract"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected '->'}}
  %0 = relax.divide %x, %x : tensor<8xf32>, tensor<8xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8x64xf32>, %y: tensor<32x8xf32>) {
  // expected-error @below {{expected contracted dimensions of the same size, found [64] in 'tensor<8x64xf32>' and [32] in 'tensor<32x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.matmul %x, %y : tensor<8x64xf32>, tensor<32x8xf32> -> tensor<8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<f32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected operands of rank 1 or more, found 'tensor<f32>' and 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.matmul %x, %y : tensor<f32>, tensor<4xf32> -> tensor<f32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x8x4xf32>, %y: tensor<3x4x8xf32>) {
  // expected-error @below {{expected shapes that broadcast, found [2] and [3], where [2] meets [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.matmul %x, %y : tensor<2x8x4xf32>, tensor<3x4x8xf32> -> tensor<2x8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %y: tensor<4x8xf16>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.matmul %x, %y : tensor<8x4xf32>, tensor<4x8xf16> -> tensor<8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %y: tensor<4x8xf32>) {
  // expected-error @below {{expected 'out_dtype' to be an integer or a float, found 'tensor<f32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.matmul %x, %y out_dtype = tensor<f32> : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.permute_dims %x axes = [0, 2] : tensor<8x4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found -3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.permute_dims %x axes = [0, -3] : tensor<8x4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected every axis once, found axis 1 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.permute_dims %x axes = [1, -1] : tensor<8x4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected 2 axes, one for each dimension, found 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.permute_dims %x axes = [1] : tensor<8x4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected an axis of a tensor of rank 0, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.permute_dims %x axes = [0] : tensor<f32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  %s = relax.shape [5, 6]
  // expected-error @below {{expected a shape of as many elements as 'tensor<8x4xf32>' has, found '!relax.shape<[5, 6]>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reshape %x, %s : tensor<8x4xf32> -> tensor<5x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) {
  %s = relax.shape [5, "n"]
  // expected-error @below {{expected a shape of as many elements as 'tensor<?x4xf32, #relax.shape<["n", 4]>>' has, found '!relax.shape<[5, "n"]>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reshape %x, %s : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<5x?xf32, #relax.shape<[5, "n"]>>
  relax.return
}

// -----

relax.func @f(%x: tensor<4611686018427387904x4xf32>) {
  %s = relax.shape [4, 4611686018427387904]
  // expected-error @below {{expected a number of elements that fits in 64 bits, found 'tensor<4611686018427387904x4xf32>' and '!relax.shape<[4, 4611686018427387904]>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reshape %x, %s : tensor<4611686018427387904x4xf32> -> tensor<4x4611686018427387904xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %s: !relax.shape<[8]>) {
  // expected-error @below {{expected a tensor as the result, found 'f32'}}
  %0 = relax.reshape %x, %s : tensor<8xf32> -> f32
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.reshape' op operand #1 must be}}
  %0 = "relax.reshape"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.expand_dims %x axis = [2] : tensor<8xf32> -> tensor<8x1xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{expected every axis once, found axis 2 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.expand_dims %x axis = [2, -1] : tensor<8xf32> -> tensor<8x1x1xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'relax.expand_dims' op requires attribute 'axis'}}
  %0 = "relax.expand_dims"(%x) : (tensor<8xf32>) -> tensor<8x1x1xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<1x8xf32>' are incompatible}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.squeeze %x axis = [-1] : tensor<1x8xf32> -> tensor<1xf32>
  relax.return
}

// -----

relax.func @f() {
  // expected-error @below {{expected at least one tensor, found none}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "relax.concat"() : () -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected tensors of rank 1, since there is no 'axis', found 'tensor<8x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %x : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<64xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>) {
  // expected-error @below {{expected tensors that differ in dimension 1 only, found 'tensor<8x4xf32>' and 'tensor<6x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %y axis = 1 : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected tensors that differ in dimension 0 only, found 'tensor<8x4xf32>' and 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %y axis = 0 : tensor<8x4xf32>, tensor<4xf32> -> tensor<9x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %y: tensor<8xf16>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %y axis = 0 : tensor<8xf32>, tensor<8xf16> -> tensor<16xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<9223372036854775807xf32>) {
  // expected-error @below {{expected a size that fits in 64 bits, found 9223372036854775807 + 9223372036854775807}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %x axis = 0 : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32> -> tensor<16xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x axis = 2 : tensor<8x4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found 5}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.mean %x axis = [5] : tensor<8x4xf32> -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected every axis once, found axis 1 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.sum %x axis = [1, -1] : tensor<8x4xf32> -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{'relax.max' op inferred type(s) 'tensor<8x1xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.max %x axis = [1] keepdims = true : tensor<8x4xf32> -> tensor<8xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Neural networks
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<8x4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.softmax %x axis = 2 : tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<f32>) {
  // expected-error @below {{expected an axis of a tensor of rank 0, found -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.softmax %x : tensor<f32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %g: tensor<8xf32>) {
  // expected-error @below {{expected 'gamma' to have shape [4] and element type 'f32' to fit the data, found 'tensor<8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.layer_norm %x, %g, %g axes = [-1] : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @below {{expected 'beta' to have shape [4] and element type 'f32' to fit the data, found 'tensor<4xf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.layer_norm %x, %g, %b axes = [-1] : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf16> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %g: tensor<4xf32>) {
  // expected-error @below {{'relax.nn.layer_norm' op requires attribute 'axes'}}
  %0 = "relax.nn.layer_norm"(%x, %g, %g) : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x4xf32>, %g: tensor<4xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 2, found -3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.layer_norm %x, %g, %g axes = [-3] : tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<8x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x4x4xf32>, %v: tensor<3xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{expected 'moving_var' to have shape [3] and element type 'f32' to fit the data, found 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0:3 = relax.nn.batch_norm %x, %v, %v, %v, %w axis = 1 : (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) -> (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x4x4xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{expected an axis of a tensor of rank 4, found 4}}
  // expected-error @below {{failed to infer returned types}}
  %0:3 = relax.nn.batch_norm %x, %v, %v, %v, %v axis = 4 : (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x4x4xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{'relax.nn.batch_norm' op requires attribute 'axis'}}
  %0:3 = "relax.nn.batch_norm"(%x, %v, %v, %v, %v) : (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>)
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected as many channels in the data as in the weight times 1 groups, found [3] and [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<7x2x3x3xf32>) {
  // expected-error @below {{expected output channels divisible by 2 groups, found 7}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w groups = 2 : tensor<1x4x8x8xf32>, tensor<7x2x3x3xf32> -> tensor<1x7x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected as many channels in the data as in the weight times 9223372036854775807 groups, found [4] and [4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w groups = 9223372036854775807 : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'groups' to be at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w groups = 0 : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'strides' to be at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w strides = [0, 1] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'strides' to be 2 numbers, found 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w strides = [1] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'padding' to be 4 numbers, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w padding = [1, 1] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'padding' to be at least 0, found -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w padding = [-1, 0, 0, 0] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'dilation' to be at least 1, found -2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w dilation = [1, -2] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'data_layout' to be a permutation of NCHW, found 'NCHH'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w data_layout = "NCHH" : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected a tensor of rank 5 for layout 'OIHW16i', found rank 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w kernel_layout = "OIHW16i" : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected 'out_layout' to be a permutation of NCHW, found ''}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w out_layout = "" : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected a tensor of rank 4 for layout 'NCHW', found rank 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w : tensor<4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x2x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected a window no larger than the padded input, 2, found 3}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w : tensor<1x4x2x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x0xf32>) {
  // expected-error @below {{expected a window of at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<8x4x3x0xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @below {{expected sizes that fit in 64 bits, found a window that does not in a dimension of size 8}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w dilation = [9223372036854775807, 1] : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf16>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf16> -> tensor<1x8x6x6xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expected 'pool_size' to be at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.max_pool2d %x pool_size = [0, 2] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expected 'layout' to be a permutation of NCHW, found 'OIHW'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.max_pool2d %x layout = "OIHW" : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expected a window no larger than the padded input, 8, found 9}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.avg_pool2d %x pool_size = [9, 9] : tensor<1x4x8x8xf32> -> tensor<1x4x0x0xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expected sizes that fit in 64 bits}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.avg_pool2d %x strides = [9223372036854775807, 1] ceil_mode = true : tensor<1x4x8x8xf32> -> tensor<1x4x2x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{'relax.nn.max_pool2d' op attribute 'strides' failed to satisfy constraint: i64 dense array attribute}}
  %0 = "relax.nn.max_pool2d"(%x) {strides = [1, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x5x8xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{expected 'num_groups' to divide the channels, 5, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.group_norm %x, %g, %b {axes = array<i64: 2>, channel_axis = 1 : i64, num_groups = 2 : i64} : (tensor<2x5x8xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x5x8xf32>, %g: tensor<5xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{expected 'num_groups' to divide the channels, 5, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.group_norm %x, %g, %b {axes = array<i64: 2>, channel_axis = 1 : i64, num_groups = 0 : i64} : (tensor<2x5x8xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x5x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x4x8xi32>, %g: tensor<4xi32>, %b: tensor<4xi32>) {
  // expected-error @below {{'relax.nn.group_norm' op operand #0 must be tensor of floats or an unknown element type, but got 'tensor<2x4x8xi32>'}}
  %0 = relax.nn.group_norm %x, %g, %b {axes = array<i64: 2>, channel_axis = 1 : i64, num_groups = 2 : i64} : (tensor<2x4x8xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4x8xi32>
  relax.return
}

//===----------------------------------------------------------------------===//
// Indexing and creation
//===----------------------------------------------------------------------===//

// -----

relax.func @f(%x: tensor<8x9xf32>, %s: tensor<4x9xf32>) {
  %start = relax.prim_value 0 : i64
  %end = relax.prim_value 8 : i64
  %step = relax.prim_value 0 : i64
  // expected-error @below {{expected 'step' to be at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.slice_scatter %x, %s, %start, %end, %step : (tensor<8x9xf32>, tensor<4x9xf32>, i64, i64, i64) -> tensor<8x9xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x9xf32>, %s: tensor<4x9xf32>) {
  %start = relax.prim_value 5 : i64
  %end = relax.prim_value 1 : i64
  %step = relax.prim_value 1 : i64
  // expected-error @below {{expected 'end' to be at least 'start', 5, found 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.slice_scatter %x, %s, %start, %end, %step : (tensor<8x9xf32>, tensor<4x9xf32>, i64, i64, i64) -> tensor<8x9xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x9xf32>, %s: tensor<4x9xf32>) {
  %start = relax.prim_value 0 : i64
  %end = relax.prim_value 8 : i64
  %step = relax.prim_value 3 : i64
  // expected-error @below {{expected 'src' to have the slice's shape [3, 9], found 'tensor<4x9xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.slice_scatter %x, %s, %start, %end, %step : (tensor<8x9xf32>, tensor<4x9xf32>, i64, i64, i64) -> tensor<8x9xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x9xf32>, %s: tensor<4x9xf16>) {
  %start = relax.prim_value 0 : i64
  %end = relax.prim_value 4 : i64
  %step = relax.prim_value 1 : i64
  // expected-error @below {{expected operands of one element type, found 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.slice_scatter %x, %s, %start, %end, %step : (tensor<8x9xf32>, tensor<4x9xf16>, i64, i64, i64) -> tensor<8x9xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) {
  // expected-error @below {{expected an index for each dimension of 'tensor<4x3xf32>', found 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_put %x, %i, %v : (tensor<4x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4xf32>, %i: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @below {{expected 'indices' to be integers, found 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_put %x, %i, %v : (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4xf32>, %i: tensor<i64>, %v: tensor<f32>) {
  // expected-error @below {{expected 'indices' of rank 1 or more, found 'tensor<i64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_put %x, %i, %v : (tensor<4xf32>, tensor<i64>, tensor<f32>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xi8>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'i8'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_put %x, %i, %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xi8>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func @f(%a: f64, %p: i1) {
  %size = relax.prim_value 0 : i64
  // expected-error @below {{expected 'window_size' to be at least 1, found 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.hamming_window %size, %p, %a, %a {dtype = f32} : (i64, i1, f64, f64) -> tensor<0xf32>
  relax.return
}

// -----

relax.func @f(%a: f64, %p: i1) {
  %size = relax.prim_value 4 : i64
  // expected-error @below {{expected 'dtype' to be a float, found 'i32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.hamming_window %size, %p, %a, %a {dtype = i32} : (i64, i1, f64, f64) -> tensor<4xi32>
  relax.return
}

// -----

relax.func @f() {
  %start = relax.prim_value 0 : i64
  %end = relax.prim_value 4 : i64
  // expected-error @below {{expected 'step' not to be 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.arange %start, %end, %start {dtype = i64} : (i64, i64, i64) -> tensor<?xi64>
  relax.return
}

//===----------------------------------------------------------------------===//
// Images and memory
//===----------------------------------------------------------------------===//

// -----

relax.func @f(%x: tensor<1x3x8x8xf32>, %r: tensor<4x5xf32>) {
  // expected-error @below {{expected 'layout' to be NCHW, found 'NHWC'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.vision.roi_pool %x, %r {layout = "NHWC", pooled_size = array<i64: 2, 2>, spatial_scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>) -> tensor<4x2x2x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x8x8xf32>, %r: tensor<4x5xf32>) {
  // expected-error @below {{expected 'layout' to be NCHW or NHWC, found 'NWHC'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.vision.roi_align %x, %r {layout = "NWHC", pooled_size = array<i64: 2, 2>, spatial_scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>) -> tensor<4x2x2x8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x3x8x8xf32>, %r: tensor<4x5xf32>) {
  // expected-error @below {{expected 'mode' to be avg or max, found 'min'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.vision.roi_align %x, %r {mode = "min", pooled_size = array<i64: 2, 2>, spatial_scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>) -> tensor<4x3x2x2xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<64xf32>) {
  %s = relax.shape [65]
  %t = relax.tuple()
  // expected-error @below {{expected a view that ends within the 256 bytes of 'tensor<64xf32>', found one up to byte 260}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.memory.view %x, %s, %t, %t : (tensor<64xf32>, !relax.shape<[65]>, tuple<>, tuple<>) -> tensor<65xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<64xf32>) {
  %t = relax.tuple()
  %o = relax.prim_value 4 : i64
  // expected-error @below {{expected a view that ends within the 256 bytes of 'tensor<64xf32>', found one up to byte 260}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.memory.view %x, %t, %t, %o : (tensor<64xf32>, tuple<>, tuple<>, i64) -> tensor<64xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>) {
  %s = relax.shape ["n + 1"]
  %t = relax.tuple()
  // expected-error @below {{expected a view that ends within the "n * 4" bytes of}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.memory.view %x, %s, %t, %t : (tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<["n + 1"]>, tuple<>, tuple<>) -> tensor<?xf32, #relax.shape<["n + 1"]>>
  relax.return
}

// -----

// A dtype that elements can't have says nothing about them.
relax.func @f(%x: tensor<8xf32>, %p: tensor<2x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x1xf32>) {
  %m = relax.multinomial_from_uniform %p, %u, %i {dtype = memref<?xi1>} : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> !relax.tensor<[3, 1], ?>
  %t = relax.tuple()
  %d = relax.dtype tensor<*xf32>
  %0 = relax.memory.view %x, %t, %d, %t : (tensor<8xf32>, tuple<>, !relax.object, tuple<>) -> !relax.tensor<[8], ?>
  %s = relax.shape [8]
  %z = relax.prim_value 0 : i64
  %1 = relax.memory.alloc_tensor %d, %z, %s, %d, %z : (!relax.object, i64, !relax.shape<[8]>, !relax.object, i64) -> !relax.tensor<[8], ?>
  relax.return
}

// -----

relax.func @f(%x: tensor<?xf16>, %y: tensor<0xf16>) {
  %t = relax.tuple()
  %d = relax.dtype f32
  %0 = relax.memory.view %y, %t, %d, %t : (tensor<0xf16>, tuple<>, !relax.object, tuple<>) -> tensor<0xf32>
  // expected-error @below {{expected a view with elements of at most 2 bytes, like 'tensor<?xf16>', found 'f32'}}
  // expected-error @below {{failed to infer returned types}}
  %1 = relax.memory.view %x, %t, %d, %t : (tensor<?xf16>, tuple<>, !relax.object, tuple<>) -> tensor<?xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<64xf32>, %o: tensor<i64>) {
  %t = relax.tuple()
  // expected-error @below {{expected 'relative_byte_offset' to be an i64 or an empty tuple, found 'tensor<i64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.memory.view %x, %t, %t, %o : (tensor<64xf32>, tuple<>, tuple<>, tensor<i64>) -> tensor<64xf32>
  relax.return
}
