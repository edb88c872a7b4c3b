// RUN: partita-opt %s --relax-dataflow-use-inplace-calls | FileCheck %s
// RUN: partita-opt %s --relax-dataflow-use-inplace-calls --relax-dataflow-use-inplace-calls | FileCheck %s
// RUN: partita-opt %s --relax-dataflow-use-inplace-calls | partita-translate --export-tvm-json | FileCheck %s --check-prefix=JSON

// JSON: relax.attrs.CallTIRInplaceAttrs

partita.module @m {
  // Values of the block that end with an op; equal functions are one.
  // CHECK-LABEL: relax.func @main
  // CHECK: %a = relax.exp %x
  // CHECK: %[[F:.*]] = relax.global @add_inplace
  // CHECK-NEXT: %[[T:.*]] = relax.tuple(%a, %y)
  // CHECK-NEXT: %b = relax.call_tir_inplace(%[[F]], %[[T]]) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<?x4xf32, #relax.shape<["n", 4]>>] {mark}
  // CHECK: %[[T2:.*]] = relax.tuple(%y, %b)
  // CHECK-NEXT: %c = relax.call_tir_inplace(%{{.*}}, %[[T2]]) {{.*}} {inplace_indices = array<i64: 1>}
  // CHECK: relax.global @relu_inplace
  // CHECK: %[[F3:.*]] = relax.global @add_inplace
  // CHECK-NEXT: %[[T3:.*]] = relax.tuple(%d, %y)
  // CHECK-NEXT: relax.call_tir_inplace(%[[F3]], %[[T3]])
  // CHECK: relax.global @multiply_inplace
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<4xf32>, %z: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    %0 = relax.dataflow -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
      %a = relax.exp %x : tensor<?x4xf32, #relax.shape<["n", 4]>>
      %b = relax.add %a, %y {mark} : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %c = relax.subtract %y, %b : tensor<4xf32>, tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %d = relax.nn.relu %c : tensor<?x4xf32, #relax.shape<["n", 4]>>
      %e = relax.add %d, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %f = relax.multiply %e, %e : tensor<?x4xf32, #relax.shape<["n", 4]>>
      relax.output %f : tensor<?x4xf32, #relax.shape<["n", 4]>>
    }
    relax.return %0 : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }

  // Parameters, constants, values from before the block and of its outputs,
  // values that views, tuples and calls still have, values that are used later,
  // other sizes, two views, another element type, ops outside of blocks.
  // CHECK-LABEL: relax.func @stays
  // CHECK-NOT: call_tir_inplace
  // CHECK: relax.return
  relax.func @stays(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tuple<tensor<4xf32>>, tensor<2x4xf32>, tensor<4xf32>, !relax.object) {
    %k = relax.constant dense<1.0> : tensor<4xf32>
    %before = relax.exp %x : tensor<4xf32>
    %0:7 = relax.dataflow -> tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tuple<tensor<4xf32>>, tensor<2x4xf32>, tensor<4xf32>, !relax.object {
      %a = relax.add %x, %k : tensor<4xf32>
      %b = relax.nn.relu %before : tensor<4xf32>
      %c = relax.nn.silu %a : tensor<4xf32>
      %s = relax.shape [2, 2]
      %d = relax.exp %x : tensor<4xf32>
      %v = relax.reshape %d, %s : tensor<4xf32> -> tensor<2x2xf32>
      %e = relax.add %d, %x : tensor<4xf32>
      %f = relax.exp %x : tensor<4xf32>
      %t = relax.tuple(%f) : tensor<4xf32>
      %g = relax.add %f, %x : tensor<4xf32>
      %h = relax.exp %x : tensor<4xf32>
      %o = relax.extern_func "f" {is_pure = true}
      %i = relax.call_pure_packed(%o, %h) ty_args = [!relax.object] : (!relax.object, tensor<4xf32>) -> !relax.object
      %j = relax.add %h, %x : tensor<4xf32>
      %l = relax.exp %x : tensor<4xf32>
      %s24 = relax.shape [2, 4]
      %w = relax.broadcast_to %l, %s24 : (tensor<4xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
      %z = relax.exp %l : tensor<4xf32>
      %p = relax.expand_dims %z axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
      %q = relax.squeeze %p axis = [0] : tensor<1x4xf32> -> tensor<4xf32>
      %r = relax.add %q, %z : tensor<4xf32>
      %u = relax.add %z, %w : tensor<4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
      relax.output %a, %g, %v, %t, %w, %r, %i : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tuple<tensor<4xf32>>, tensor<2x4xf32>, tensor<4xf32>, !relax.object
    }
    %after = relax.nn.relu %before : tensor<4xf32>
    relax.return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tuple<tensor<4xf32>>, tensor<2x4xf32>, tensor<4xf32>, !relax.object
  }

  // CHECK: tir.prim_func private @add_inplace(%A: memref<?x4xf32>, %B: memref<4xf32>)
  // CHECK-NOT: tir.prim_func private @add_inplace1
  // CHECK: materialize_in_destination %{{.*}} in restrict writable %A
}
