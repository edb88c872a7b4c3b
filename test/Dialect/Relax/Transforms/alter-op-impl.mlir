// DEFINE: %{split} = affine_map<(i) -> (i floordiv 4, i mod 4)>
// DEFINE: %{nchw4c} = affine_map<(n, c, h, w) -> (n, c floordiv 4, h, w, c mod 4)>
// DEFINE: %{pass} = partita-opt --relax-alter-op-impl='op-impl-map={add = @add_2d, relax.two = @two_2d, relu = @relu_16, dynamic = @dynamic_2d, same = @same, nchw = @new_nchw, join = @joined, plain = @new_plain, scalar = @new_scalar} op-buffer-transforms={add = [%{split}, %{split}, %{split}], relax.two = [none, %{split}, none], relu = [affine_map<(i) -> (i mod 16)>, affine_map<(i) -> (i mod 16)>], dynamic = [%{split}, %{split}], same = [%{split}, %{split}], nchw = [%{nchw4c}, unit, %{nchw4c}], join = [affine_map<(i, j) -> (i * 4 + j)>, affine_map<(i, j) -> (j, i)>], scalar = [%{split}, %{split}, none], other = []}'
// RUN: %{pass} %s | FileCheck %s
// A second run finds nothing to do.
// RUN: %{pass} %s > %t.mlir
// RUN: %{pass} %t.mlir | diff %t.mlir -

partita.module {
  tir.prim_func private @add(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) attributes {operator_name = "add"} {
    tir.return
  }
  // CHECK: tir.prim_func @add_2d({{.*}}global_symbol = "add_2d"
  tir.prim_func @add_2d(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %z: memref<4x4xf32>) attributes {global_symbol = "add_2d", tirx.noalias = true} {
    tir.return
  }

  // The name stays with the value, and the attributes with the call.
  // CHECK-LABEL: relax.func @one_result
  relax.func @one_result(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
    // CHECK-NEXT: relax.dataflow
    // CHECK-NEXT: %[[X:.*]] = relax.layout_transform %x {index_map = #relax.index_map<(d0) -> (d0 floordiv 4, d0 mod 4), i64>} : (tensor<16xf32>) -> tensor<4x4xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.layout_transform %y {index_map = #relax.index_map<(d0) -> (d0 floordiv 4, d0 mod 4), i64>} : (tensor<16xf32>) -> tensor<4x4xf32>
    // CHECK-NEXT: %[[Z:.*]] = relax.call_tir @add_replacement(%[[X]], %[[Y]]) {kept = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // CHECK-NEXT: %sum = relax.layout_transform %[[Z]] {index_map = #relax.index_map<(d0, d1) -> (d0 * 4 + d1), i64>} : (tensor<4x4xf32>) -> tensor<16xf32>
    // CHECK-NEXT: %[[E:.*]] = relax.exp %sum
    %r = relax.dataflow -> tensor<16xf32> {
      %sum = relax.call_tir @add(%x, %y) {kept = 1 : i64} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %e = relax.exp %sum : tensor<16xf32>
      relax.output %e : tensor<16xf32>
    }
    relax.return %r : tensor<16xf32>
  }

  // The first result stays as it is. The prim_func is made once.
  tir.prim_func private @two(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) attributes {operator_name = "relax.two"} {
    tir.return
  }
  tir.prim_func private @two_2d(%x: memref<16xf32>, %y: memref<4x4xf32>, %z: memref<16xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @two_results
  relax.func @two_results(%x: tensor<16xf32>, %c: i1) -> (tensor<16xf32>, tensor<16xf32>) {
    // CHECK-NEXT: %[[A:.*]]:2 = relax.call_tir @relax_two_replacement(%x) : (tensor<16xf32>) -> (tensor<4x4xf32>, tensor<16xf32>)
    // CHECK-NEXT: %[[F:.*]] = relax.alias %[[A]]#0
    // CHECK-NEXT: %[[B:.*]] = relax.layout_transform %[[F]]
    // CHECK-NEXT: relax.if %c
    // CHECK-NEXT: %[[D:.*]]:2 = relax.call_tir @relax_two_replacement(%[[B]])
    // CHECK: relax.return %{{.*}}, %[[A]]#1
    %0:2 = relax.call_tir @two(%x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %1 = relax.if %c : i1 -> tensor<16xf32> {
      %2:2 = relax.call_tir @two(%0#0) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
      relax.yield %2#0 : tensor<16xf32>
    } else {
      relax.yield %0#0 : tensor<16xf32>
    }
    relax.return %1, %0#1 : tensor<16xf32>, tensor<16xf32>
  }
  // All results of a block: TVM has a tuple.
  // CHECK-LABEL: relax.func @whole
  relax.func @whole(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    // CHECK-NEXT: %[[R:.*]] = relax.dataflow -> tuple<tensor<16xf32>, tensor<16xf32>>
    // CHECK-NEXT: %[[A:.*]]:2 = relax.call_tir @relax_two_replacement(%x)
    // CHECK-NEXT: %[[F:.*]] = relax.alias %[[A]]#0
    // CHECK-NEXT: %[[B:.*]] = relax.layout_transform %[[F]]
    // CHECK-NEXT: %[[G:.*]] = relax.alias %[[A]]#1
    // CHECK-NEXT: %[[T:.*]] = relax.tuple(%[[B]], %[[G]])
    // CHECK-NEXT: relax.output %[[T]]
    %r:2 = relax.dataflow -> tensor<16xf32>, tensor<16xf32> {
      %0:2 = relax.call_tir @two(%x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
      relax.output %0#0, %0#1 : tensor<16xf32>, tensor<16xf32>
    }
    relax.return %r#0, %r#1 : tensor<16xf32>, tensor<16xf32>
  }

  // Padding goes at the end. There is one remove_pad for each rank and type of
  // elements, in the order of the functions' names.
  tir.prim_func private @relu(%x: memref<14xf32>, %y: memref<14xf32>) attributes {operator_name = "relu"} {
    tir.return
  }
  tir.prim_func private @relu_16(%x: memref<16xf32>, %y: memref<16xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @padded
  relax.func @padded(%x: tensor<14xf32>) -> tensor<14xf32> {
    // CHECK-NEXT: %[[X:.*]] = relax.layout_transform %x {{.*}} : (tensor<14xf32>) -> tensor<16xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.call_tir @relu_replacement(%[[X]]) : (tensor<16xf32>) -> tensor<16xf32>
    // CHECK-NEXT: %[[Z:.*]] = relax.layout_transform %[[Y]] {{.*}} : (tensor<16xf32>) -> tensor<16xf32>
    // CHECK-NEXT: %y = relax.call_tir @remove_pad2(%[[Z]]) : (tensor<16xf32>) -> tensor<14xf32>
    // CHECK-NEXT: relax.return %y
    %y = relax.call_tir @relu(%x) : (tensor<14xf32>) -> tensor<14xf32>
    relax.return %y : tensor<14xf32>
  }

  // Sizes that have names: what does not fill the last part may be padding.
  tir.prim_func private @dynamic(%x: memref<?xf16>, %y: memref<?xf16>) attributes {operator_name = "dynamic"} {
    tir.return
  }
  tir.prim_func private @dynamic_2d(%x: memref<?x4xf16>, %y: memref<?x4xf16>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @named
  relax.func @named(%s: !relax.shape<["n", "m"]>, %x: tensor<?xf16, #relax.shape<["n * 4"]>>, %y: tensor<?xf16, #relax.shape<["m"]>>) -> (tensor<?xf16, #relax.shape<["n * 4"]>>, tensor<?xf16, #relax.shape<["m"]>>) {
    // CHECK: %[[A:.*]] = relax.call_tir @dynamic_replacement(%{{.*}}) : (tensor<?x4xf16, #relax.shape<["n", 4]>>) -> tensor<?x4xf16, #relax.shape<["n", 4]>>
    // CHECK-NEXT: %[[B:.*]] = relax.layout_transform %[[A]] {{.*}} -> tensor<?xf16, #relax.shape<["n * 4"]>>
    // CHECK: %[[C:.*]] = relax.call_tir @dynamic_replacement
    // CHECK-NEXT: %[[D:.*]] = relax.layout_transform %[[C]]
    // CHECK-NEXT: %[[E:.*]] = relax.call_tir @remove_pad1(%[[D]]) : {{.*}} -> tensor<?xf16, #relax.shape<["m"]>>
    // CHECK-NEXT: relax.return %[[B]], %[[E]]
    %0 = relax.call_tir @dynamic(%x) : (tensor<?xf16, #relax.shape<["n * 4"]>>) -> tensor<?xf16, #relax.shape<["n * 4"]>>
    %1 = relax.call_tir @dynamic(%y) : (tensor<?xf16, #relax.shape<["m"]>>) -> tensor<?xf16, #relax.shape<["m"]>>
    relax.return %0, %1 : tensor<?xf16, #relax.shape<["n * 4"]>>, tensor<?xf16, #relax.shape<["m"]>>
  }

  // NCHW4c for data whose channels do not fill the last part; the weight stays.
  tir.prim_func private @nchw(%x: memref<1x3x8x8xf32>, %w: memref<3xf32>, %y: memref<1x3x8x8xf32>) attributes {operator_name = "nchw"} {
    tir.return
  }
  tir.prim_func private @new_nchw(%x: memref<1x1x8x8x4xf32>, %w: memref<3xf32>, %y: memref<1x1x8x8x4xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @channels
  relax.func @channels(%x: tensor<1x3x8x8xf32>, %w: tensor<3xf32>) -> tensor<1x3x8x8xf32> {
    // CHECK-NEXT: %[[X:.*]] = relax.layout_transform %x {{.*}} -> tensor<1x1x8x8x4xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.call_tir @nchw_replacement(%[[X]], %w)
    // CHECK-NEXT: %[[Z:.*]] = relax.layout_transform %[[Y]] {{.*}} -> tensor<1x4x8x8xf32>
    // CHECK-NEXT: relax.call_tir @remove_pad(%[[Z]]) : (tensor<1x4x8x8xf32>) -> tensor<1x3x8x8xf32>
    %0 = relax.call_tir @nchw(%x, %w) : (tensor<1x3x8x8xf32>, tensor<3xf32>) -> tensor<1x3x8x8xf32>
    relax.return %0 : tensor<1x3x8x8xf32>
  }

  // Two dimensions become one, and change places.
  tir.prim_func private @join(%x: memref<3x4xf32>, %y: memref<3x4xf32>) attributes {operator_name = "join"} {
    tir.return
  }
  tir.prim_func private @joined(%x: memref<12xf32>, %y: memref<4x3xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @join_dimensions
  relax.func @join_dimensions(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
    // CHECK-NEXT: relax.layout_transform %x {{.*}} -> tensor<12xf32>
    // CHECK-NEXT: relax.call_tir @join_replacement{{.*}} -> tensor<4x3xf32>
    // CHECK-NEXT: relax.layout_transform {{.*}} -> tensor<3x4xf32>
    // CHECK-NEXT: relax.return
    %0 = relax.call_tir @join(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    relax.return %0 : tensor<3x4xf32>
  }

  // A constant of rank 0 has no layout, and a number stays.
  tir.prim_func private @scalar(%x: memref<16xf32>, %y: memref<f32>, %z: memref<16xf32>) attributes {operator_name = "scalar"} {
    tir.return
  }
  tir.prim_func private @new_scalar(%x: memref<4x4xf32>, %y: memref<f32>, %z: memref<16xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @constant
  relax.func @constant(%x: tensor<16xf32>) -> tensor<16xf32> {
    // CHECK: %[[C:.*]] = relax.constant
    // CHECK: relax.call_tir @scalar_replacement(%{{.*}}, %[[C]]) : (tensor<4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %c = relax.constant dense<1.0> : tensor<f32>
    %0 = relax.call_tir @scalar(%x, %c) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    relax.return %0 : tensor<16xf32>
  }

  // Without maps, only the callee changes.
  tir.prim_func private @plain(%x: memref<16xf32>, %y: memref<16xf32>) attributes {operator_name = "plain"} {
    tir.return
  }
  tir.prim_func private @new_plain(%x: memref<16xf32>, %y: memref<16xf32>) attributes {operator_name = "plain", fast} {
    tir.return
  }
  // The module has the function already.
  // CHECK-LABEL: relax.func @no_maps
  relax.func @no_maps(%x: tensor<16xf32>) -> tensor<16xf32> {
    // CHECK-NEXT: %y = relax.call_tir @new_plain(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %y = relax.call_tir @plain(%x) : (tensor<16xf32>) -> tensor<16xf32>
    relax.return %y : tensor<16xf32>
  }

  // Left alone: calls of the replacement, of other ops, and skipped functions.
  tir.prim_func private @same(%x: memref<16xf32>, %y: memref<16xf32>) attributes {operator_name = "same"} {
    tir.return
  }
  tir.prim_func private @unknown(%x: memref<16xf32>, %y: memref<16xf32>) attributes {operator_name = "unknown"} {
    tir.return
  }
  tir.prim_func private @nameless(%x: memref<16xf32>, %y: memref<16xf32>) {
    tir.return
  }
  // CHECK-LABEL: relax.func @others
  relax.func @others(%x: tensor<16xf32>) -> tensor<16xf32> {
    // CHECK-NEXT: relax.call_tir @same(
    // CHECK-NEXT: relax.call_tir @unknown(
    // CHECK-NEXT: relax.call_tir @nameless(
    // CHECK-NEXT: relax.return
    %0 = relax.call_tir @same(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %1 = relax.call_tir @unknown(%0) : (tensor<16xf32>) -> tensor<16xf32>
    %2 = relax.call_tir @nameless(%1) : (tensor<16xf32>) -> tensor<16xf32>
    relax.return %2 : tensor<16xf32>
  }
  // CHECK-LABEL: relax.func @skipped
  relax.func @skipped(%x: tensor<16xf32>) -> tensor<16xf32> attributes {SkipOptimization = true} {
    // CHECK-NEXT: relax.call_tir @plain(
    %y = relax.call_tir @plain(%x) : (tensor<16xf32>) -> tensor<16xf32>
    relax.return %y : tensor<16xf32>
  }
}

// CHECK-DAG: tir.prim_func private @add_replacement(%x: memref<4x4xf32>, %y: memref<4x4xf32>, %z: memref<4x4xf32>) attributes {operator_name = "add", tirx.noalias = true}
// CHECK-DAG: tir.prim_func private @relax_two_replacement({{.*}}) attributes {operator_name = "relax.two"}
// CHECK-DAG: tir.prim_func private @remove_pad2(%input: memref<?xf32>, %output: memref<?xf32>) attributes {operator_name = "remove_pad", s_tir = true, tirx.noalias = true}
// CHECK-DAG: tir.prim_func private @remove_pad1(%input: memref<?xf16>, %output: memref<?xf16>)
// CHECK-DAG: tir.prim_func private @remove_pad(%input: memref<?x?x?x?xf32>, %output: memref<?x?x?x?xf32>)
