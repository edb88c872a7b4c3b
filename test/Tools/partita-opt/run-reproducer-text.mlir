// The text of a reproducer stays: its comments, and lines in errors.
// RUN: partita-opt %s --run-reproducer --verify-diagnostics --allow-unregistered-dialect -o /dev/null
// RUN: not partita-opt %s --run-reproducer --allow-unregistered-dialect 2>&1 | FileCheck %s
// CHECK: run-reproducer-text.mlir:[[#@LINE+4]]:8: error: op was not bufferized
// CHECK-NEXT: %0 = "unreg.op"(%a)
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = "unreg.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true})",
      disable_threading: true,
      verify_each: true
    },
    partita_reproducer: {
      pass_context: "#partita.pass_context<opt_level = 2, config = {\22partita.skip_unchanged\22 = true}>"
    }
  }
#-}
