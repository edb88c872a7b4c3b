// RUN: partita-opt --relax-legalize-ops %s | FileCheck %s
// RUN: partita-opt --relax-legalize-ops='skip-ops=relax.nonzero,relax.print' %s \
// RUN:   | FileCheck %s --check-prefix=SKIPPED

// What no kernel computes becomes a call of TVM's packed function.

// SKIPPED: relax.print
// SKIPPED: relax.extern_func "relax.run.assert_op"
// SKIPPED: relax.nonzero

partita.module {
  // CHECK-LABEL: relax.func @main(
  // CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[C:.*]]: tensor<i1>
  relax.func @main(%x: tensor<2x3xf32>, %c: tensor<i1>)
      -> (tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>) attributes {is_pure = false} {
    %text = relax.string "x = {}"
    // CHECK: %[[F:.*]] = relax.extern_func "relax.run.print"
    // CHECK: relax.call_value(%[[F]], %{{.*}}, %[[X]]) ty_args = [tuple<>]
    relax.print %text, %x : !relax.object, tensor<2x3xf32>
    // CHECK: %[[F:.*]] = relax.extern_func "relax.run.assert_op"
    // CHECK: relax.call_value(%[[F]], %[[C]], %{{.*}}, %[[X]]) ty_args = [tuple<>]
    relax.assert_op %c, %text, %x : tensor<i1>, !relax.object, tensor<2x3xf32>
    // CHECK: %[[F:.*]] = relax.extern_func "relax.run.nonzero"
    // CHECK: %[[N:.*]] = relax.call_pure_packed(%[[F]], %[[X]]) ty_args = [tensor<?x?xi64>]
    %n = relax.nonzero %x : (tensor<2x3xf32>) -> tensor<?x?xi64>
    %t = relax.prim_value true
    %f = relax.prim_value false
    // CHECK: %[[U:.*]] = relax.call_pure_packed({{.*}}) ty_args = [tuple<tensor<?xf32>, tensor<?xi64>>]
    // CHECK: %[[U0:.*]] = relax.tuple_get_item %[[U]][0]
    // CHECK: %[[U1:.*]] = relax.tuple_get_item %[[U]][1]
    // CHECK: relax.return %[[N]], %[[U0]], %[[U1]]
    %u:2 = relax.unique %x, %t, %t, %f, %f
      : (tensor<2x3xf32>, i1, i1, i1, i1) -> (tensor<?xf32>, tensor<?xi64>)
    relax.return %n, %u#0, %u#1 : tensor<?x?xi64>, tensor<?xf32>, tensor<?xi64>
  }

  // Marks for Gradient alone, and a number of elements.
  // CHECK-LABEL: relax.func @marks(
  // CHECK-NOT: relax.grad
  // CHECK: %[[N:.*]] = relax.dim ["n"]
  // CHECK-NEXT: relax.call_tir @size(%[[N]])
  // CHECK-NEXT: relax.return
  relax.func @marks(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<i64> {
    %0 = relax.grad.start_checkpoint %x
      : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %1 = relax.grad.end_checkpoint %0
      : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %2 = relax.grad.no_grad %1
      : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %3 = relax.size %2 : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<i64>
    relax.return %3 : tensor<i64>
  }

  // What several workers compute together.
  // CHECK-LABEL: relax.func @workers(
  // CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
  relax.func @workers(%x: tensor<4x6xf32>)
      -> (tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
    // CHECK: %[[K:.*]] = relax.shape [4]
    // CHECK: %[[G:.*]] = relax.prim_value false
    // CHECK: %[[T:.*]] = relax.tuple(%[[X]], %[[K]], %[[G]])
    // CHECK: %[[F:.*]] = relax.extern_func "runtime.disco.allreduce"
    // CHECK: relax.call_dps_packed(%[[F]], %[[T]]) ty_args = [tensor<4x6xf32>]
    %0 = relax.ccl.allreduce %x {op_type = "avg", in_group = false}
      : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: relax.extern_func "runtime.disco.allgather"
    // CHECK: relax.call_dps_packed({{.*}}) ty_args = [tensor<8x6xf32>]
    %1 = relax.ccl.allgather %x {num_workers = 2 : i64} : (tensor<4x6xf32>) -> tensor<8x6xf32>
    // CHECK: relax.extern_func "runtime.disco.broadcast_from_worker0"
    %2 = relax.ccl.broadcast_from_worker0 %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: relax.call_tir @reshape({{.*}}) : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
    // CHECK: relax.call_tir @transpose({{.*}}) : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
    // CHECK: relax.extern_func "runtime.disco.scatter_from_worker0"
    %3 = relax.ccl.scatter_from_worker0 %x {num_workers = 2 : i64, axis = 1 : i64}
      : (tensor<4x6xf32>) -> tensor<4x3xf32>
    // CHECK: %[[F:.*]] = relax.extern_func "runtime.disco.worker_id"
    // CHECK: %[[N:.*]] = relax.call_pure_packed(%[[F]]) ty_args = [!relax.shape<*>]
    // CHECK: relax.match_cast %[[N]] : !relax.shape<*> -> !relax.shape<["x"]>
    // CHECK: relax.call_tir @strided_slice(
    %4 = relax.dist.redistribute_replica_to_shard %x {num_workers = 2 : i64, axis = 1 : i64}
      : (tensor<4x6xf32>) -> tensor<4x3xf32>
    relax.return %0, %1, %2, %3, %4
      : tensor<4x6xf32>, tensor<8x6xf32>, tensor<4x6xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  }
}
