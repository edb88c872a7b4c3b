// RUN: partita-opt %s --relax-decompose-ops-for-training | FileCheck %s
// RUN: partita-opt %s --relax-decompose-ops-for-training --relax-decompose-ops-for-training | FileCheck %s
// RUN: partita-opt %s --relax-decompose-ops-for-training=func-name=layer_norm | FileCheck %s --check-prefix=ONE

// ONE-COUNT-2: relax.nn.batch_norm
// ONE: relax.variance
// ONE: relax.nn.layer_norm

partita.module @m {
  // Variables for the fields: TVM's tuples, of the data's statistics and of the
  // new ones, stay.
  // CHECK-LABEL: relax.func @fields
  // CHECK-SAME: (%x: tensor<4x2xf32>, %[[P:.*]]: tensor<2xf32>)
  // CHECK: %[[MEAN:.*]] = relax.mean %x axis = [0]
  // CHECK: %[[VAR:.*]] = relax.variance %x axis = [0]
  // CHECK: %[[R:.*]] = relax.divide
  // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[R]], %[[MEAN]], %[[VAR]])
  // CHECK-NEXT: %[[Y:.*]] = relax.tuple_get_item %[[T]][0]
  // CHECK: %[[M:.*]] = relax.add
  // CHECK: %[[V:.*]] = relax.add
  // CHECK-NEXT: %[[U:.*]] = relax.tuple(%[[Y]], %[[M]], %[[V]])
  // CHECK-NEXT: %y = relax.tuple_get_item %[[U]][0]
  // CHECK-NEXT: relax.return %y
  relax.func @fields(%x: tensor<4x2xf32>, %p: tensor<2xf32>) -> tensor<4x2xf32> {
    %0:3 = relax.nn.batch_norm %x, %p, %p, %p, %p axis = 1 center = false scale = false : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %y = relax.alias %0#0 : tensor<4x2xf32>
    relax.return %y : tensor<4x2xf32>
  }

  // CHECK-LABEL: relax.func @batch_norm
  // CHECK: %[[MEAN:.*]] = relax.mean %x axis = [0, 2] : tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>> -> tensor<4xf32>
  // CHECK: %[[VAR:.*]] = relax.variance %x axis = [0, 2] : {{.*}} -> tensor<4xf32>
  // CHECK: relax.expand_dims %[[MEAN]] axis = [0, 2]
  // CHECK: relax.subtract %x
  // CHECK: relax.expand_dims %[[VAR]] axis = [0, 2]
  // CHECK: %[[EPS:.*]] = relax.constant dense<9.99999974E-6>
  // CHECK: relax.sqrt
  // CHECK: relax.divide
  // CHECK: relax.multiply
  // CHECK: %[[Y:.*]] = relax.add
  // CHECK: %[[KEEP:.*]] = relax.constant dense<7.500000e-01>
  // CHECK: %[[A:.*]] = relax.multiply %[[KEEP]], %m
  // CHECK: %[[NEW:.*]] = relax.constant dense<2.500000e-01>
  // CHECK: %[[B:.*]] = relax.multiply %[[NEW]], %[[MEAN]]
  // CHECK: %[[M:.*]] = relax.add %[[A]], %[[B]]
  // CHECK: relax.multiply %{{.*}}, %v
  // CHECK: relax.multiply %{{.*}}, %[[VAR]]
  // CHECK: %[[V:.*]] = relax.add
  // CHECK: relax.return %[[Y]], %[[M]], %[[V]]
  relax.func @batch_norm(%x: tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>>, %g: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> (tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>>, tensor<4xf32>, tensor<4xf32>) {
    %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v axis = -2 momentum = 0.25 : (tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>>, tensor<4xf32>, tensor<4xf32>)
    relax.return %y, %m1, %v1 : tensor<?x4x2xf32, #relax.shape<["n", 4, 2]>>, tensor<4xf32>, tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @layer_norm
  // CHECK: %[[MEAN:.*]] = relax.mean %x axis = [-1] keepdims = true
  // CHECK: %[[D:.*]] = relax.subtract %x, %[[MEAN]]
  // CHECK: %[[VAR:.*]] = relax.variance %x axis = [-1] keepdims = true
  // CHECK: %[[S:.*]] = relax.add %[[VAR]], %{{.*}} : tensor<2x1xf16>, tensor<f16>
  // CHECK: %[[R:.*]] = relax.sqrt %[[S]]
  // CHECK: %[[N:.*]] = relax.divide %[[D]], %[[R]]
  // CHECK-NOT: relax.add
  // CHECK: %y = relax.multiply %[[N]], %g
  // CHECK: relax.return %y
  relax.func @layer_norm(%x: tensor<2x4xf16>, %g: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<2x4xf16> {
    %y = relax.nn.layer_norm %x, %g, %b axes = [-1] center = false : tensor<2x4xf16>, tensor<4xf16>, tensor<4xf16> -> tensor<2x4xf16>
    relax.return %y : tensor<2x4xf16>
  }

  // CHECK-LABEL: relax.func @shape
  // CHECK: relax.call_pure_packed
  // CHECK: relax.match_cast
  relax.func @shape(%x: tensor<2xi64>) -> !relax.shape<[?, ?]> {
    %s = relax.tensor_to_shape %x : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    relax.return %s : !relax.shape<[?, ?]>
  }

  // Parameters of other axes than the last ones, and an unknown rank.
  // CHECK-LABEL: relax.func @stays
  // CHECK: relax.nn.layer_norm
  // CHECK: relax.nn.layer_norm
  // CHECK: relax.nn.batch_norm
  relax.func @stays(%x: tensor<2x4xf32>, %g: tensor<2xf32>, %u: tensor<*xf32>, %v: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<*xf32>, tensor<*xf32>) {
    %a = relax.nn.layer_norm %x, %g, %g axes = [0] : tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<2x4xf32>
    %b = relax.nn.layer_norm %u, %v, %v axes = [-1] : tensor<*xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<*xf32>
    %c, %m, %n = relax.nn.batch_norm %u, %v, %v, %v, %v axis = 1 : (tensor<*xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<*xf32>, tensor<4xf32>, tensor<4xf32>)
    relax.return %a, %b, %c : tensor<2x4xf32>, tensor<*xf32>, tensor<*xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
