// RUN: partita-opt %s --relax-merge-composite-functions -split-input-file | FileCheck %s
// Functions for compilers stay as they are:
// RUN: partita-opt %s --relax-merge-composite-functions -split-input-file > %t
// RUN: partita-opt %t --relax-merge-composite-functions -split-input-file | diff %t -

partita.module @diamond {
  // The calls of A can't be one, as B is in between.
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[R:.*]] = relax.call @fused_relu_A(%x)
  // CHECK-NEXT: %[[G:.*]] = relax.call @fused_gelu_B(%[[R]])
  // CHECK-NEXT: %[[S:.*]] = relax.call @fused_add_A(%[[R]], %[[G]])
  // CHECK-NEXT: relax.output %[[S]]
  // CHECK-NOT: @unused
  // CHECK: relax.func @fused_relu_A(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> attributes {Codegen = "A", global_symbol = "fused_relu_A"}
  // CHECK-NEXT: relax.local_func {{.*}} attributes {Composite = "A.relu"}
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.call @relu(%x) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = relax.call @gelu(%0) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = relax.call @add(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      relax.output %2 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  relax.func private @relu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Composite = "A.relu", Primitive = true} {
    %0 = relax.nn.relu %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func private @gelu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Composite = "B.gelu", Primitive = true} {
    %0 = relax.nn.gelu %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func private @add(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {Composite = "A.add", Primitive = true} {
    %0 = relax.add %x, %y : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func private @unused(%x: tensor<8xf32>) -> tensor<8xf32> {
    relax.return %x : tensor<8xf32>
  }
}

// -----

partita.module @sizes {
  // Each composite function has its own n.
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.call @fused_double_both_A(%x, %y)
  // CHECK: relax.func @fused_double_both_A(
  // CHECK: relax.local_func %{{.*}}(%{{.*}}) : !relax.callable<(tensor<?xf32, #relax.shape<["[[N:.*]]"]>>) -> tensor<?xf32, #relax.shape<["[[N]]"]>>>
  // CHECK: relax.call_value{{.*}}tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
  // CHECK: relax.local_func {{.*}} attributes {Composite = "A.both"}
  // CHECK: relax.call_value{{.*}}, tensor<?xf32, #relax.shape<["m"]>>, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32>
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32, #relax.shape<["m"]>>) -> tensor<?xf32> {
    %r = relax.dataflow -> tensor<?xf32> {
      %0 = relax.call @double(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
      %1 = relax.call @both(%y, %0) : (tensor<?xf32, #relax.shape<["m"]>>, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32>
      relax.output %1 : tensor<?xf32>
    }
    relax.return %r : tensor<?xf32>
  }
  relax.func private @double(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {Composite = "A.double", Primitive = true} {
    %0 = relax.add %x, %x : tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
  }
  relax.func private @both(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32, #relax.shape<["k"]>>) -> tensor<?xf32> attributes {Composite = "A.both", Primitive = true} {
    %0 = relax.concat %x, %y axis = 0 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["k"]>> -> tensor<?xf32, #relax.shape<["n + k"]>>
    %1 = relax.match_cast %0 : tensor<?xf32, #relax.shape<["n + k"]>> -> tensor<?xf32>
    relax.return %1 : tensor<?xf32>
  }
}

// -----

partita.module @left_alone {
  // Calls of others, and ops.
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.exp
  // CHECK-NEXT: relax.call @plain
  // CHECK-NEXT: relax.call_op "my.op"
  // CHECK: relax.func private @plain
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.call @plain(%0) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = relax.call_op "my.op"(%1) {is_pure = true} : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %2 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  relax.func private @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
    relax.return %x : tensor<8xf32>
  }
}
