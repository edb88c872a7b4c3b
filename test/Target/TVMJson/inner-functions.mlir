// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s

partita.module {
  // In TVM, values that a function in a dataflow block uses leave the block.
  // CHECK-LABEL: relax.func @inner(
  // CHECK-NEXT: {{.*}} = relax.dataflow -> tensor<4xf32>, tensor<4xf32> {
  // CHECK-NEXT:   %[[A:.*]] = relax.exp %x
  // CHECK-NEXT:   relax.local_func
  // CHECK-NEXT:     relax.add %z, %[[A]]
  // CHECK:        %[[B:.*]] = relax.call_value
  // CHECK-NEXT:   relax.output %[[A]], %[[B]]
  relax.func @inner(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "inner"} {
    %y = relax.dataflow -> tensor<4xf32> {
      %a = relax.exp %x : tensor<4xf32>
      %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
        %s = relax.add %z, %a : tensor<4xf32>
        relax.yield %s : tensor<4xf32>
      }
      %b = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.output %b : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }

  // So does a function that calls itself.
  // CHECK-LABEL: relax.func @recursive(
  // CHECK-NEXT: {{.*}} = relax.dataflow -> {{.*}}, tensor<4xf32> {
  // CHECK-NEXT:   %[[F:.*]] = relax.local_func
  // CHECK:        %[[B:.*]] = relax.call_value(%[[F]], %x)
  // CHECK-NEXT:   relax.output %[[F]], %[[B]]
  relax.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "recursive"} {
    %y = relax.dataflow -> tensor<4xf32> {
      %f = relax.local_func %self(%z) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
        %s = relax.call_value(%self, %z) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
        relax.yield %s : tensor<4xf32>
      }
      %b = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.output %b : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
}
