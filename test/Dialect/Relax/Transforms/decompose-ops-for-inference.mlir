// RUN: partita-opt %s --relax-decompose-ops-for-inference --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-decompose-ops-for-inference --relax-fold-constant --split-input-file | FileCheck %s --check-prefix=FOLDED
// RUN: partita-opt %s --relax-decompose-ops-for-inference=func-name=basic --split-input-file | FileCheck %s --check-prefix=ONE

partita.module @decomposed {
  // ONE-LABEL: relax.func @basic
  // ONE-NOT: relax.nn.batch_norm
  // ONE-LABEL: relax.func @plain
  // ONE: relax.nn.batch_norm
  // CHECK-LABEL: relax.func @basic
  // CHECK-SAME: (%[[X:.*]]: tensor<1x2x4x4xf16>, %[[GAMMA:.*]]: tensor<2xf16>, %[[BETA:.*]]: tensor<2xf16>, %[[MEAN:.*]]: tensor<2xf16>, %[[VAR:.*]]: tensor<2xf16>)
  relax.func @basic(%x: tensor<1x2x4x4xf16>, %gamma: tensor<2xf16>, %beta: tensor<2xf16>, %mean: tensor<2xf16>, %var: tensor<2xf16>) -> (tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>) {
    // CHECK-NEXT: %[[Y:.*]]:3 = relax.dataflow
    // CHECK-NEXT: %[[M:.*]] = relax.expand_dims %[[MEAN]] axis = [0, 2, 3] : tensor<2xf16> -> tensor<1x2x1x1xf16>
    // CHECK-NEXT: %[[D:.*]] = relax.subtract %[[X]], %[[M]] : tensor<1x2x4x4xf16>, tensor<1x2x1x1xf16> -> tensor<1x2x4x4xf16>
    // CHECK-NEXT: %[[V:.*]] = relax.expand_dims %[[VAR]] axis = [0, 2, 3]
    // CHECK-NEXT: %[[EPS:.*]] = relax.constant dense<5.000000e-01> : tensor<f16>
    // CHECK-NEXT: %[[SUM:.*]] = relax.add %[[V]], %[[EPS]] : tensor<1x2x1x1xf16>, tensor<f16> -> tensor<1x2x1x1xf16>
    // CHECK-NEXT: %[[ROOT:.*]] = relax.sqrt %[[SUM]]
    // CHECK-NEXT: %[[Q:.*]] = relax.divide %[[D]], %[[ROOT]]
    // CHECK-NEXT: %[[G:.*]] = relax.expand_dims %[[GAMMA]] axis = [0, 2, 3]
    // CHECK-NEXT: %[[P:.*]] = relax.multiply %[[Q]], %[[G]]
    // CHECK-NEXT: %[[B:.*]] = relax.expand_dims %[[BETA]] axis = [0, 2, 3]
    // CHECK-NEXT: %[[R:.*]] = relax.add %[[P]], %[[B]]
    // CHECK-NEXT: relax.output %[[R]], %[[MEAN]], %[[VAR]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
    %y:3 = relax.dataflow -> tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16> {
      %0, %m, %v = relax.nn.batch_norm %x, %gamma, %beta, %mean, %var axis = -3 epsilon = 0.5 training = false : (tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> (tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>)
      relax.output %0, %m, %v : tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>
    }
    relax.return %y#0, %y#1, %y#2 : tensor<1x2x4x4xf16>, tensor<2xf16>, tensor<2xf16>
  }

  // Neither scaled nor shifted; one dimension.
  // CHECK-LABEL: relax.func @plain
  relax.func @plain(%x: tensor<2xf32>, %p: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: %[[M:.*]] = relax.expand_dims %{{.*}} axis = [] : tensor<2xf32>
    // CHECK-NEXT: relax.subtract
    // CHECK-NEXT: relax.expand_dims
    // CHECK-NEXT: relax.constant
    // CHECK-NEXT: relax.add
    // CHECK-NEXT: relax.sqrt
    // CHECK-NEXT: %[[R:.*]] = relax.divide
    // CHECK-NEXT: relax.return %[[R]]
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 0 center = false scale = false training = false : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %0#0 : tensor<2xf32>
  }

  // Variables for the fields: the tuple keeps its own, as in TVM.
  // CHECK-LABEL: relax.func @fields
  // CHECK-SAME: (%{{.*}}, %[[P:.*]]: tensor<2xf32>)
  relax.func @fields(%x: tensor<2xf32>, %p: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    // CHECK: %[[R:.*]] = relax.divide
    // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[R]], %[[P]], %[[P]]) : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    // CHECK-NEXT: %y = relax.tuple_get_item %[[T]][0]
    // CHECK-NEXT: %[[E:.*]] = relax.exp %y
    // CHECK-NEXT: %m = relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: relax.return %[[E]], %m
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 0 center = false scale = false training = false : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    %y = relax.alias %0#0 : tensor<2xf32>
    %e = relax.exp %y : tensor<2xf32>
    %m = relax.alias %0#1 : tensor<2xf32>
    relax.return %e, %m : tensor<2xf32>, tensor<2xf32>
  }

  // Names of dimensions, also of the channels, and types that know more or less.
  // CHECK-LABEL: relax.func @symbolic
  relax.func @symbolic(%x: tensor<?x?xf32, #relax.shape<["n", "c"]>>, %p: tensor<?xf32, #relax.shape<["c"]>>) -> tensor<?x?xf32, #relax.shape<["n", "c"]>> {
    // CHECK-NEXT: relax.expand_dims {{.*}} -> tensor<1x?xf32, #relax.shape<[1, "c"]>>
    // CHECK-NEXT: relax.subtract {{.*}} -> tensor<?x?xf32, #relax.shape<["n", "c"]>>
    // CHECK-NOT: batch_norm
    // CHECK: relax.return
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 1 training = false : (tensor<?x?xf32, #relax.shape<["n", "c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>) -> (tensor<?x?xf32, #relax.shape<["n", "c"]>>, tensor<?xf32, #relax.shape<["c"]>>, tensor<?xf32, #relax.shape<["c"]>>)
    relax.return %0#0 : tensor<?x?xf32, #relax.shape<["n", "c"]>>
  }

  // CHECK-LABEL: relax.func @unknown
  // CHECK-SAME: (%{{.*}}: tensor<?x?xf32>, %[[P:.*]]: tensor<2xf32>)
  relax.func @unknown(%x: tensor<?x?xf32>, %p: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<?xf32>, tensor<2xf32>) {
    // CHECK: %[[R:.*]] = relax.add %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<1x2xf32> -> tensor<?x2xf32>
    // CHECK-NEXT: %[[M:.*]] = relax.match_cast %[[P]] : tensor<2xf32> -> tensor<?xf32>
    // CHECK-NEXT: relax.return %[[R]], %[[M]], %[[P]]
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 1 training = false : (tensor<?x?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<?x2xf32>, tensor<?xf32>, tensor<2xf32>)
    relax.return %0#0, %0#1, %0#2 : tensor<?x2xf32>, tensor<?xf32>, tensor<2xf32>
  }

  // (3 - 1) / sqrt(2 + 2) * 5 + 7.
  // FOLDED-LABEL: relax.func @values
  relax.func @values() -> tensor<1x2xf32> {
    // FOLDED-NEXT: %[[R:.*]] = relax.constant dense<{{\[\[}}1.200000e+01, 7.000000e+00]]> : tensor<1x2xf32>
    // FOLDED-NEXT: return %[[R]]
    %x = relax.constant dense<[[3.0, 1.0]]> : tensor<1x2xf32>
    %gamma = relax.constant dense<5.0> : tensor<2xf32>
    %beta = relax.constant dense<7.0> : tensor<2xf32>
    %mean = relax.constant dense<1.0> : tensor<2xf32>
    %var = relax.constant dense<2.0> : tensor<2xf32>
    %0:3 = relax.nn.batch_norm %x, %gamma, %beta, %mean, %var axis = 1 epsilon = 2.0 training = false : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %0#0 : tensor<1x2xf32>
  }
}

// -----

partita.module @untouched {
  // As in TVM, where training is the default, it makes no difference.
  // CHECK-LABEL: relax.func @training
  // ONE-LABEL: relax.func @training
  relax.func @training(%x: tensor<1x2xf32>, %p: tensor<2xf32>) -> tensor<1x2xf32> {
    // CHECK-NOT: relax.nn.batch_norm
    // CHECK: relax.divide
    // CHECK: relax.return
    // ONE-NEXT: relax.nn.batch_norm
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 1 : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>)
    relax.return %0#0 : tensor<1x2xf32>
  }

  // CHECK-LABEL: relax.func @layer_norm
  relax.func @layer_norm(%x: tensor<1x2xf32>, %p: tensor<2xf32>) -> tensor<1x2xf32> {
    // CHECK-NEXT: relax.nn.layer_norm
    // CHECK-NEXT: relax.nn.softmax
    // CHECK-NEXT: relax.return
    %0 = relax.nn.layer_norm %x, %p, %p axes = [-1] : tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2xf32>
    %1 = relax.nn.softmax %0 : tensor<1x2xf32>
    relax.return %1 : tensor<1x2xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<2xf32>) -> tensor<2xf32>
}

// -----

partita.module @shapes {
  // The sizes get new names, and their users more specific types; a call keeps
  // its operand types. The result type has no names that only the body knows.
  // CHECK-LABEL: relax.func @tensor_to_shape
  // CHECK-SAME: (%[[D:.*]]: tensor<?x3xf32, #relax.shape<["x", 3]>>, %[[T:.*]]: tensor<2xi64>)
  // CHECK-SAME: -> (tensor<?x?xf32>, !relax.shape<["a", "b"]>, tensor<?x?xf32>)
  relax.func @tensor_to_shape(%d: tensor<?x3xf32, #relax.shape<["x", 3]>>, %t: tensor<2xi64>) -> (tensor<?x?xf32>, !relax.shape<["a", "b"]>, tensor<?x?xf32>) {
    // CHECK-NEXT: %[[F:.*]] = relax.extern_func "vm.builtin.tensor_to_shape"
    // CHECK-NEXT: %[[C:.*]] = relax.call_pure_packed(%[[F]], %[[T]]) ty_args = [!relax.shape<[?, ?]>]
    // CHECK-NEXT: relax.match_cast %[[C]] : !relax.shape<[?, ?]> -> !relax.shape<["x_1", "x_2"]>
    // CHECK-NEXT: %s = relax.shape ["x_1", "x_2"]
    // CHECK-NEXT: %[[U:.*]] = relax.match_cast %s : !relax.shape<["x_1", "x_2"]> -> !relax.shape<[?, ?]>
    // CHECK-NEXT: %[[R:.*]] = relax.reshape %[[D]], %s : {{.*}} -> tensor<?x?xf32, #relax.shape<["x_1", "x_2"]>>
    // CHECK-NEXT: relax.match_cast %s : !relax.shape<["x_1", "x_2"]> -> !relax.shape<["a", "b"]>
    // CHECK-NEXT: relax.call @takes_shape(%[[U]])
    // CHECK-NEXT: relax.match_cast %[[R]] : tensor<?x?xf32, #relax.shape<["x_1", "x_2"]>> -> tensor<?x?xf32>
    %s = relax.tensor_to_shape %t : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %1 = relax.reshape %d, %s : tensor<?x3xf32, #relax.shape<["x", 3]>>, !relax.shape<[?, ?]> -> tensor<?x?xf32>
    %2 = relax.match_cast %s : !relax.shape<[?, ?]> -> !relax.shape<["a", "b"]>
    %3 = relax.call @takes_shape(%s) : (!relax.shape<[?, ?]>) -> tensor<?x?xf32>
    relax.return %1, %2, %3 : tensor<?x?xf32>, !relax.shape<["a", "b"]>, tensor<?x?xf32>
  }
  relax.func private @takes_shape(!relax.shape<[?, ?]>) -> tensor<?x?xf32>

  // CHECK-LABEL: relax.func @returned(%t: tensor<1xi64>) -> !relax.shape<[?]>
  relax.func @returned(%t: tensor<1xi64>) -> !relax.shape<[?]> {
    // CHECK: %[[S:.*]] = relax.shape ["x"]
    // CHECK-NEXT: %[[R:.*]] = relax.match_cast %[[S]] : !relax.shape<["x"]> -> !relax.shape<[?]>
    // CHECK-NEXT: relax.return %[[R]] : !relax.shape<[?]>
    %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
    relax.return %s : !relax.shape<[?]>
  }

  // The number of sizes is unknown.
  // CHECK-LABEL: relax.func @unknown_rank
  relax.func @unknown_rank(%t: tensor<?xi64>) -> !relax.shape<*> {
    // CHECK-NEXT: relax.tensor_to_shape
    %0 = relax.tensor_to_shape %t : (tensor<?xi64>) -> !relax.shape<*>
    relax.return %0 : !relax.shape<*>
  }
}
