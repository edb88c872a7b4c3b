// A tuple that is a variable and a part of the result needs the call that
// computes its fields: the call stays in front of it.
// RUN: partita-opt %s --relax-merge-composite-functions | FileCheck %s

// CHECK-LABEL: relax.func @main
// CHECK: %[[PARTS:.*]]:2 = relax.call @fused_split_A(%x)
// CHECK-NEXT: %t = relax.tuple(%[[PARTS]]#0, %[[PARTS]]#1)
// CHECK-NEXT: %left = relax.tuple_get_item %t[0]
// CHECK-NEXT: %out = relax.call @fused_relu_A(%left)
// CHECK-NEXT: %r = relax.tuple(%t, %out)
partita.module {
  relax.func private @split(%x: tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) attributes {Composite = "A.split", Primitive = true} {
    %0:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
    relax.return %0#0, %0#1 : tensor<1x4xf32>, tensor<1x4xf32>
  }
  relax.func private @relu(%x: tensor<1x4xf32>) -> tensor<1x4xf32> attributes {Composite = "A.relu", Primitive = true} {
    %0 = relax.nn.relu %x : tensor<1x4xf32>
    relax.return %0 : tensor<1x4xf32>
  }
  relax.func @main(%x: tensor<2x4xf32>) -> (tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>) attributes {global_symbol = "main"} {
    %0 = relax.dataflow -> tuple<tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>> {
      %p:2 = relax.call @split(%x) : (tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
      %t = relax.tuple(%p#0, %p#1) : tensor<1x4xf32>, tensor<1x4xf32>
      %left = relax.tuple_get_item %t[0] : tuple<tensor<1x4xf32>, tensor<1x4xf32>>
      %out = relax.call @relu(%left) : (tensor<1x4xf32>) -> tensor<1x4xf32>
      %r = relax.tuple(%t, %out) : tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>
      relax.output %r : tuple<tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>>
    }
    %1 = relax.tuple_get_item %0[0] : tuple<tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>>
    %2 = relax.tuple_get_item %0[1] : tuple<tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>>
    relax.return %1, %2 : tuple<tensor<1x4xf32>, tensor<1x4xf32>>, tensor<1x4xf32>
  }
}
