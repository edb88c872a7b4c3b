// A tuple with a variable is computed, as its fields are: it stays behind them,
// is freed, and is no part of a function that uses it.
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=1 | FileCheck %s --check-prefix=DATAFLOW
// RUN: partita-opt %s --relax-kill-after-last-use | FileCheck %s --check-prefix=KILL
// RUN: partita-opt %s --relax-fuse-ops | FileCheck %s --check-prefix=FUSE

partita.module @m {
  tir.prim_func private @exp(memref<4xf32>, memref<4xf32>) attributes {op_pattern = 0 : i64}
  tir.prim_func private @sort(memref<4xf32>, memref<4xf32>) attributes {op_pattern = 8 : i64}

  // DATAFLOW-LABEL: relax.func @block
  // DATAFLOW: relax.dataflow
  // DATAFLOW-NEXT: %y = relax.exp %x
  // DATAFLOW-NEXT: %t = relax.tuple(%x, %y)
  // DATAFLOW: relax.output
  // KILL-LABEL: relax.func @block
  // FUSE-LABEL: relax.func @block
  relax.func @block(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.exp %x : tensor<4xf32>
    %t = relax.tuple(%x, %y) : tensor<4xf32>, tensor<4xf32>
    %0 = relax.dataflow -> tensor<4xf32> {
      %z = relax.exp %x : tensor<4xf32>
      relax.output %z : tensor<4xf32>
    }
    %r = relax.call @first(%t, %0) : (tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %r : tensor<4xf32>
  }

  // KILL-LABEL: relax.func @keep
  // KILL: %y = relax.exp %x
  // KILL-NEXT: %t = relax.tuple(%x, %y)
  // KILL-NEXT: relax.memory.kill_tensor %y
  // KILL-NEXT: %r = relax.call @first(%t, %x)
  // KILL-NEXT: relax.vm.kill_object %t
  relax.func @keep(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.exp %x : tensor<4xf32>
    %t = relax.tuple(%x, %y) : tensor<4xf32>, tensor<4xf32>
    %r = relax.call @first(%t, %x) : (tuple<tensor<4xf32>, tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    %s = relax.exp %r : tensor<4xf32>
    relax.return %s : tensor<4xf32>
  }

  // FUSE-LABEL: relax.func @fuse
  // FUSE: %a = relax.call_tir @sort(%x)
  // FUSE-NEXT: %t = relax.tuple(%a, %x)
  // FUSE-NEXT: %[[FIELD:.*]] = relax.tuple_get_item %t[0]
  // FUSE-NEXT: relax.call @fused_exp_exp(%[[FIELD]])
  relax.func @fuse(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.dataflow -> tensor<4xf32> {
      %a = relax.call_tir @sort(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %t = relax.tuple(%a, %x) : tensor<4xf32>, tensor<4xf32>
      %b = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
      %c = relax.call_tir @exp(%b) : (tensor<4xf32>) -> tensor<4xf32>
      %d = relax.call_tir @exp(%c) : (tensor<4xf32>) -> tensor<4xf32>
      relax.output %d : tensor<4xf32>
    }
    relax.return %0 : tensor<4xf32>
  }

  relax.func private @first(%t: tuple<tensor<4xf32>, tensor<4xf32>>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    relax.return %0 : tensor<4xf32>
  }
}
