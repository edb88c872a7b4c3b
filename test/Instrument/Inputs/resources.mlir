func.func @f() -> tensor<3xi64> {
  %0 = arith.constant dense_resource<blob> : tensor<3xi64>
  return %0 : tensor<3xi64>
}

// CHECK: blob: "0x08000000010000000000000002000000000000000300000000000000"
// CHECK: others: {
// CHECK: blob: "0x0800000001"
// CHECK: flag: true
// CHECK: text: "as it is"
{-#
  dialect_resources: {
    builtin: {
      blob: "0x08000000010000000000000002000000000000000300000000000000"
    }
  },
  external_resources: {
    others: {
      blob: "0x0800000001",
      flag: true,
      text: "as it is"
    }
  }
#-}
