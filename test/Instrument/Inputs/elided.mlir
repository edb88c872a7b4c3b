func.func @f() -> tensor<17xi8> {
  %0 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<17xi8>
  %1 = arith.addi %0, %0 : tensor<17xi8>
  return %1 : tensor<17xi8>
}
func.func @g() -> tensor<17xf32> {
  %0 = arith.constant dense<[0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 17.]> : tensor<17xf32>
  "test.both"() {
    text = "dense_resource<none>",
    b = [dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<17xi8>],
    a = dense<[0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15., 17.]> : tensor<17xf32>
  } : () -> ()
  return %0 : tensor<17xf32>
}
