// Structured ops on tensors.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>

func.func @dense(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b : tensor<8x4xf32>, tensor<4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%lhs: f32, %rhs: f32, %out: f32):
    %2 = arith.addf %lhs, %rhs : f32
    linalg.yield %2 : f32
  } -> tensor<8x4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %4 = arith.maximumf %in, %zero : f32
    linalg.yield %4 : f32
  } -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

func.func @slice(%x: tensor<8x16xf32>, %i: index) -> tensor<2x16xf32> {
  %0 = tensor.extract_slice %x[%i, 0] [2, 16] [1, 1] : tensor<8x16xf32> to tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}
