// RUN: partita-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Gathering and scattering
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<*xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{expected a tensor of rank 1, since there is no 'axis', found 'tensor<*xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.take %x, %i : (tensor<*xf32>, tensor<3xi64>) -> tensor<*xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %i: tensor<2x3xf32>) {
  // expected-error @below {{expected 'indices' to be signed integers, found 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.gather_elements %x, %i : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %i: tensor<2x2xi1>) {
  // expected-error @below {{expected 'indices' to be integers of 64 bits, found 'tensor<2x2xi1>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.gather_nd %x, %i : (tensor<2x3xf32>, tensor<2x2xi1>) -> tensor<2xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %i: tensor<2x3xui8>) {
  // expected-error @below {{expected 'indices' to be signed integers, found 'tensor<2x3xui8>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.gather_elements %x, %i : (tensor<2x3xf32>, tensor<2x3xui8>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %i: tensor<2x2xi32>) {
  // expected-error @below {{expected 'indices' to be integers of 64 bits, found 'tensor<2x2xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.gather_nd %x, %i : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x4xf32>, %i: tensor<2x2xf32>, %u: tensor<2x2xf32>) {
  // expected-error @below {{expected 'indices' to be integers, found 'tensor<2x2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_elements %x, %i, %u : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x4xf32>, %i: tensor<2x2xi64>, %u: tensor<2x2xf16>) {
  // expected-error @below {{expected updates of the data's type 'f32', found 'tensor<2x2xf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_elements %x, %i, %u : (tensor<4x4xf32>, tensor<2x2xi64>, tensor<2x2xf16>) -> tensor<4x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x4xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) {
  // expected-error @below {{expected indices of the data's rank, 2, found 'tensor<4xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_elements %x, %i, %u : (tensor<4x4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x4xf32>, %i: tensor<?x2xi64, #relax.shape<["n", 2]>>, %u: tensor<?x2xf32, #relax.shape<["n + 1", 2]>>) {
  // expected-error @below {{expected an update for each index, found ["n + 1", 2] for ["n", 2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_elements %x, %i, %u : (tensor<4x4xf32>, tensor<?x2xi64, #relax.shape<["n", 2]>>, tensor<?x2xf32, #relax.shape<["n + 1", 2]>>) -> tensor<4x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %i: tensor<4x2xi64>, %u: tensor<4xf32>) {
  // expected-error @below {{expected indices of at most 1 numbers, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_nd %x, %i, %u : (tensor<8xf32>, tensor<4x2xi64>, tensor<4xf32>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8xf32>, %i: tensor<i64>, %u: tensor<4xf32>) {
  // expected-error @below {{expected indices of rank 1 or more, found 'tensor<i64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_nd %x, %i, %u : (tensor<8xf32>, tensor<i64>, tensor<4xf32>) -> tensor<8xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x2xf32>) {
  // expected-error @below {{expected updates of shape [4, 3], found [4, 2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.scatter_nd %x, %i, %u : (tensor<8x3xf32>, tensor<4x1xi64>, tensor<4x2xf32>) -> tensor<8x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x9xf32>, %b: tensor<2xf32>, %e: tensor<2xi64>) {
  // expected-error @below {{expected 'begin' to be 2 64-bit integers, found 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.dynamic_strided_slice %x, %b, %e, %e : (tensor<8x9xf32>, tensor<2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<8x9xf32>, %b: tensor<2xi64>, %e: tensor<3xi64>) {
  // expected-error @below {{expected 'end' to be 2 64-bit integers, found 'tensor<3xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.dynamic_strided_slice %x, %b, %e, %b : (tensor<8x9xf32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<*xf32>, %b: tensor<2xi64>, %s: tensor<2x2xi64>) {
  // expected-error @below {{expected 'strides' to be a list of 64-bit integers, found 'tensor<2x2xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.dynamic_strided_slice %x, %b, %b, %s : (tensor<*xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2x2xi64>) -> tensor<*xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Shapes that do not fit
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<3x4x5xf32>, %y: tensor<4x4x5xf32>) {
  // expected-error @below {{expected a shape that broadcasts to [3, 4, 5], found [4, 4, 5]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.collapse_sum_like %x, %y : (tensor<3x4x5xf32>, tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x4xf32>, %s: !relax.shape<[3, 4]>) {
  // expected-error @below {{expected a shape that broadcasts to [1, 4], found [3, 4]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.collapse_sum_to %x, %s : (tensor<1x4xf32>, !relax.shape<[3, 4]>) -> tensor<3x4xf32>
  relax.return
}

// -----

relax.func @f(%s: !relax.shape<[2]>, %x: tensor<*xf32>) {
  // expected-error @below {{expected 'fill_value' to have rank 0, found 'tensor<*xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.full %s, %x : (!relax.shape<[2]>, tensor<*xf32>) -> tensor<2xf32>
  relax.return
}

// -----

relax.func @f(%x: !relax.tensor<[3], ?>, %y: tensor<4xf32>, %z: tensor<5xi8>) {
  // expected-error @below {{expected operands of one element type, found 'f32' and 'i8'; convert one with relax.astype}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.concat %x, %y, %z axis = 0 : !relax.tensor<[3], ?>, tensor<4xf32>, tensor<5xi8> -> !relax.tensor<[12], ?>
  relax.return
}

// -----

relax.func @f(%x: tensor<1x?x8xf32, #relax.shape<[1, "n * 6", 8]>>, %w: tensor<6x?x3xf32, #relax.shape<[6, "n - 1", 3]>>) {
  // expected-error @below {{expected as many channels in the data as in the weight times 6 groups, found ["n * 6"] and ["n - 1"]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.conv1d %x, %w groups = 6 : tensor<1x?x8xf32, #relax.shape<[1, "n * 6", 8]>>, tensor<6x?x3xf32, #relax.shape<[6, "n - 1", 3]>> -> tensor<1x6x6xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

relax.func @f(%p: tensor<3x5xf32>, %t: tensor<3xf32>) {
  // expected-error @below {{expected 'targets' to be integers, found 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.nll_loss %p, %t : (tensor<3x5xf32>, tensor<3xf32>) -> tensor<f32>
  relax.return
}

// -----

relax.func @f(%p: tensor<3x5x7xf32>, %t: tensor<3x8xi64>) {
  // expected-error @below {{expected 'targets' of shape [3, 7], found [3, 8]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.nll_loss %p, %t : (tensor<3x5x7xf32>, tensor<3x8xi64>) -> tensor<f32>
  relax.return
}

// -----

relax.func @f(%p: tensor<3x5xf32>, %t: tensor<3xi64>, %w: tensor<4xf32>) {
  // expected-error @below {{expected 'weights' to be a number for each class of 'tensor<3x5xf32>', found 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.nll_loss %p, %t, %w : (tensor<3x5xf32>, tensor<3xi64>, tensor<4xf32>) -> tensor<f32>
  relax.return
}

// -----

relax.func @f(%p: tensor<3x5xf32>, %t: tensor<3xi64>) {
  // expected-error @below {{expected 'reduction' to be none, sum or mean, found all}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.nll_loss %p, %t {reduction = "all"} : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<f32>, %s: tensor<2xf32>, %z: tensor<2xi8>) {
  // expected-error @below {{expected 'scale' and 'zero_point' to be one number, or [?], found [2]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.quantize %x, %s, %z {axis = 0 : i64, out_dtype = i8} : (tensor<f32>, tensor<2xf32>, tensor<2xi8>) -> tensor<i8>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Creation and slices
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<2x3xf32>, %v: tensor<1xf32>) {
  // expected-error @below {{expected 'fill_value' to have rank 0, found 'tensor<1xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.full_like %x, %v : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4xf32>, %a: tensor<1xi64>) {
  // expected-error @below {{operand #1 must be tuple, but got 'tensor<1xi64>'}}
  %0 = relax.strided_slice %x, %a, %a, %a : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x10x4xf32>, %l: tensor<2xi16>) {
  // expected-error @below {{expected 'seq_lengths' to be 2 integers of 32 or 64 bits, found 'tensor<2xi16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reverse_sequence %x, %l : (tensor<2x10x4xf32>, tensor<2xi16>) -> tensor<2x10x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x10x4xf32>, %l: tensor<2xi32>) {
  // expected-error @below {{expected 'seq_lengths' to be 4 integers of 32 or 64 bits, found 'tensor<2xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reverse_sequence %x, %l {batch_axis = -1 : i64} : (tensor<2x10x4xf32>, tensor<2xi32>) -> tensor<2x10x4xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x10x4xf32>, %l: tensor<2x1xi32>) {
  // expected-error @below {{expected 'seq_lengths' to be 2 integers of 32 or 64 bits, found 'tensor<2x1xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.reverse_sequence %x, %l : (tensor<2x10x4xf32>, tensor<2x1xi32>) -> tensor<2x10x4xf32>
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

relax.func @f(%d: tensor<2x10x6xf32>) {
  // expected-error @below {{expected 'score_index' to be at least 0 and below 6, found 6}}
  // expected-error @below {{failed to infer returned types}}
  %0:3 = relax.vision.get_valid_counts %d {score_index = 6} : (tensor<2x10x6xf32>) -> (tensor<2xi32>, tensor<2x10x6xf32>, tensor<2x10xi32>)
  relax.return
}

// -----

relax.func @f(%d: tensor<2x10x6xf32>, %v: tensor<2xi32>, %i: tensor<2x10xi32>) {
  // expected-error @below {{expected 'coord_start' to be at least 0 and below 3, found 3}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = relax.vision.non_max_suppression %d, %v, %i {coord_start = 3} : (tensor<2x10x6xf32>, tensor<2xi32>, tensor<2x10xi32>) -> (tensor<2x10xi32>, tensor<2x1xi32>)
  relax.return
}

// -----

relax.func @f(%d: tensor<2x10x6xf32>, %v: tensor<2xi32>, %i: tensor<2x9xi32>) {
  // expected-error @below {{expected 'indices' to be 32-bit integers of shape [2, 10] to fit the data, found 'tensor<2x9xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = relax.vision.non_max_suppression %d, %v, %i : (tensor<2x10x6xf32>, tensor<2xi32>, tensor<2x9xi32>) -> (tensor<2x10xi32>, tensor<2x1xi32>)
  relax.return
}

// -----

relax.func @f(%c: tensor<2x3x5xf32>, %l: tensor<2x20xf32>, %a: tensor<2x5x4xf32>) {
  // expected-error @below {{expected 'anchor' to have shape [1, 5, 4] to fit 'tensor<2x3x5xf32>', found 'tensor<2x5x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = relax.vision.multibox_transform_loc %c, %l, %a : (tensor<2x3x5xf32>, tensor<2x20xf32>, tensor<2x5x4xf32>) -> (tensor<2x5x4xf32>, tensor<2x3x5xf32>)
  relax.return
}

// -----

//===----------------------------------------------------------------------===//
// Lists of tensors
//===----------------------------------------------------------------------===//

relax.func @f(%x: tensor<2xf32>, %y: tensor<3xi32>) {
  // expected-error @below {{expected tensors of one element type, found 'f32' and 'i32'}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = relax.meshgrid %x, %y : (tensor<2xf32>, tensor<3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf16>) {
  // expected-error @below {{expected tensors of one element type, found 'f32' and 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf16>) -> tensor<2x4xf32>
  relax.return
}

// -----

relax.func @f(%i: tensor<3xi64>) {
  %on = relax.prim_value 1.0 : f32
  %off = relax.prim_value 0 : i64
  // expected-error @below {{expected 'on_value' and 'off_value' of one type, found 'f32' and 'i64'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.one_hot %i, %on, %off {depth = 5} : (tensor<3xi64>, f32, i64) -> tensor<3x5xf32>
  relax.return
}

// -----

relax.func @f(%i: tensor<3xf32>) {
  %on = relax.prim_value 1 : i64
  // expected-error @below {{expected 'indices' to be integers, found 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.one_hot %i, %on, %on {depth = 5} : (tensor<3xf32>, i64, i64) -> tensor<3x5xi64>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi1>) {
  // expected-error @below {{expected 'indices' to be integers, found 'tensor<2xi1>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.take %x, %i {axis = 0} : (tensor<4x3xf32>, tensor<2xi1>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{expected 'indices' to be integers, found 'tensor<2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_tensor %x, %i : (tensor<4x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%q: tensor<1x4x2x8xf32>, %k: tensor<1x4x3x8xf32>) {
  // expected-error @below {{expected the query's heads to be a multiple of the key's and the value's, found [2] and [3]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.attention %q, %k, %k : (tensor<1x4x2x8xf32>, tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>) -> tensor<1x4x2x8xf32>
  relax.return
}

// -----

relax.func @f(%q: tensor<1x4x2x8xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error @below {{expected 'bias' to have a shape that broadcasts to [1, 2, 4, 4], found 'tensor<1x3x4x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.nn.attention_bias %q, %q, %q, %b : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x3x4x4xf32>) -> tensor<1x4x2x8xf32>
  relax.return
}

// -----

relax.func @f(%c: tensor<2x3x5xf32>, %l: tensor<2x20xf32>, %a: tensor<1x5x4xf32>) {
  // expected-error @below {{expected 'variances' to be 4 numbers, found 2}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = relax.vision.multibox_transform_loc %c, %l, %a {variances = array<f64: 1.0, 1.0>} : (tensor<2x3x5xf32>, tensor<2x20xf32>, tensor<1x5x4xf32>) -> (tensor<2x5x4xf32>, tensor<2x3x5xf32>)
  relax.return
}

// -----

relax.func @f(%p: tensor<3x5xf32>, %u: tensor<6x2xf32>, %i: tensor<6x1xi64>) {
  // expected-error @below {{expected samples and indices of width 1, found 'tensor<6x2xf32>' and 'tensor<6x1xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.multinomial_from_uniform %p, %u, %i {dtype = i64} : (tensor<3x5xf32>, tensor<6x2xf32>, tensor<6x1xi64>) -> tensor<6x2xi64>
  relax.return
}

// -----

relax.func @f(%p: tensor<3x5xf32>, %u: tensor<6x1xf32>) {
  // expected-error @below {{expected 'sample_indices' to be integers, found 'tensor<6x1xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.multinomial_from_uniform %p, %u, %u {dtype = i64} : (tensor<3x5xf32>, tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x1xi64>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xi8>, %s: tensor<3xf32>, %z: tensor<3xi8>) {
  // expected-error @below {{expected elements that are quantized, found 'tensor<2x3xi8>' to 'i8' by 'tensor<3xf32>' and 'tensor<3xi8>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.quantize %x, %s, %z {out_dtype = i8} : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3xi8>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xi8>) {
  // expected-error @below {{expected elements that are quantized, found 'tensor<2x3xf32>' to 'f32' by 'tensor<3xf32>' and 'tensor<3xi8>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.quantize %x, %s, %z {out_dtype = f32} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xf16>, %s: tensor<3xf16>, %z: tensor<3xf16>) {
  // expected-error @below {{expected elements that are dequantized, found 'tensor<2x3xf16>' to 'i8' by 'tensor<3xf16>' and 'tensor<3xf16>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.dequantize %x, %s, %z {out_dtype = i8} : (tensor<2x3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3xi8>
  relax.return
}

// -----

relax.func @f(%x: tensor<2x3xui32>, %s: tensor<f32>, %z: tensor<ui32>) {
  // expected-error @below {{expected elements that are dequantized, found 'tensor<2x3xui32>' to 'f32'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.dequantize %x, %s, %z {out_dtype = f32} : (tensor<2x3xui32>, tensor<f32>, tensor<ui32>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x3xf32>, %i: tensor<2xui8>) {
  // expected-error @below {{expected 'indices' to be signed integers, found 'tensor<2xui8>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = relax.index_tensor %x, %i : (tensor<4x3xf32>, tensor<2xui8>) -> tensor<2x3xf32>
  relax.return
}

// -----

relax.func @f(%x: tensor<4x?xf32>) {
  %0 = relax.prim_value 0 : i64
  %1 = relax.prim_value 4 : i64
  %2 = relax.tuple(%0) : i64
  %3 = relax.tuple(%1) : i64
  // expected-error @below {{expected strides that are not 0, found 0 for axis 0}}
  // expected-error @below {{failed to infer returned types}}
  %4 = relax.strided_slice %x, %2, %2, %3, %2 : (tensor<4x?xf32>, tuple<i64>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<4x?xf32>
  relax.return
}
