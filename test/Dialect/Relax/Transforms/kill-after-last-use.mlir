// RUN: partita-opt %s --relax-kill-after-last-use | FileCheck %s
// RUN: partita-opt %s --relax-kill-after-last-use --relax-kill-after-last-use | FileCheck %s

partita.module @m {
  tir.prim_func private @exp(%a: memref<8xf32>, %b: memref<8xf32>)

  // A tensor, its storage and an object, in this order, after the last use. The
  // tuple without a variable is part of the call. An alias that nothing uses
  // goes; a value that nothing uses is not freed.
  // CHECK-LABEL: relax.func @kinds
  // CHECK: %storage = relax.memory.alloc_storage
  // CHECK: %x = relax.memory.alloc_tensor %storage
  // CHECK-NOT: kill
  // CHECK: relax.call_value(%{{.*}}, %arg0, %x)
  // CHECK-NOT: kill
  // CHECK-NOT: alias
  // CHECK: relax.null_value
  // CHECK: %o = relax.call_value
  // CHECK-NOT: kill
  // CHECK: relax.vm.call_tir_dyn
  // CHECK-NEXT: relax.memory.kill_tensor %x : tensor<8xf32>
  // CHECK-NEXT: relax.memory.kill_storage %storage : !relax.object
  // CHECK-NEXT: relax.vm.kill_object %o : !relax.object
  // CHECK-NEXT: relax.return
  relax.func @kinds(%arg0: tensor<8xf32>) attributes {relax.force_pure = true} {
    %s = relax.shape [8]
    %t = relax.dtype f32
    %d = relax.prim_value 0 : i64
    %g = relax.string "global"
    %storage = relax.memory.alloc_storage %s, %d, %g, %t : (!relax.shape<[8]>, i64, !relax.object, !relax.object) -> !relax.object
    %x = relax.memory.alloc_tensor %storage, %d, %s, %t, %d : (!relax.object, i64, !relax.shape<[8]>, !relax.object, i64) -> tensor<8xf32>
    %unused = relax.memory.alloc_tensor %storage, %d, %s, %t, %d : (!relax.object, i64, !relax.shape<[8]>, !relax.object, i64) -> tensor<8xf32>
    %f = relax.global @exp
    %0 = relax.call_value(%f, %arg0, %x) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %name = relax.alias %x : tensor<8xf32>
    %null = relax.null_value : () -> !relax.object
    %o = relax.call_value(%f, %null) : (!relax.object, !relax.object) -> !relax.object
    %1 = relax.tuple(%x, %storage, %o) : tensor<8xf32>, !relax.object, !relax.object
    %2 = relax.vm.call_tir_dyn(%f, %1) : (!relax.object, tuple<tensor<8xf32>, !relax.object, !relax.object>) -> tuple<>
    relax.return
  }

  // What leaves the function stays, also in a tuple, and so does what is freed
  // already, and a constant.
  // CHECK-LABEL: relax.func @returned
  // CHECK-NOT: kill_{{.*}} %y
  // CHECK: %z = relax.exp %w
  // CHECK-NEXT: relax.memory.kill_tensor %w
  // CHECK-NOT: kill
  // CHECK: relax.return
  relax.func @returned(%x: tensor<8xf32>) -> (tensor<8xf32>, tuple<tensor<8xf32>>) attributes {relax.force_pure = true} {
    %c = relax.constant dense<1.0> : tensor<8xf32>
    %y = relax.add %x, %c : tensor<8xf32>
    %w = relax.exp %y : tensor<8xf32>
    %z = relax.exp %w : tensor<8xf32>
    relax.memory.kill_tensor %w : tensor<8xf32>
    %0 = relax.tuple(%y) : tensor<8xf32>
    relax.return %z, %0 : tensor<8xf32>, tuple<tensor<8xf32>>
  }

  // A value that branches use is freed after them, one of a branch in it.
  // CHECK-LABEL: relax.func @branches
  // CHECK: %y = relax.exp
  // CHECK: %z = relax.if
  // CHECK: %a = relax.exp %y
  // CHECK-NEXT: %b = relax.exp %a
  // CHECK-NEXT: relax.memory.kill_tensor %a
  // CHECK-NEXT: relax.yield %b
  // CHECK: relax.yield %y
  // CHECK-NEXT: }
  // CHECK-NEXT: relax.memory.kill_tensor %y
  // CHECK-NEXT: %w = relax.exp %z
  // CHECK-NEXT: relax.memory.kill_tensor %z
  // CHECK-NEXT: relax.return %w
  relax.func @branches(%c: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> attributes {relax.force_pure = true} {
    %y = relax.exp %x : tensor<8xf32>
    %z = relax.if %c : tensor<i1> -> tensor<8xf32> {
      %a = relax.exp %y : tensor<8xf32>
      %b = relax.exp %a : tensor<8xf32>
      relax.yield %b : tensor<8xf32>
    } else {
      relax.yield %y : tensor<8xf32>
    }
    %w = relax.exp %z : tensor<8xf32>
    relax.return %w : tensor<8xf32>
  }

  // A function in the function can be called later. A pure block frees nothing;
  // what it gives is freed. A tuple with a variable is an object.
  // CHECK-LABEL: relax.func @others
  // CHECK: %d = relax.dataflow
  // CHECK-NOT: kill
  // CHECK: }
  // CHECK: %f = relax.local_func
  // CHECK: %t = relax.call_value
  // CHECK-NEXT: relax.memory.kill_tensor %d
  // CHECK-NEXT: %u = relax.tuple_get_item %t[0]
  // CHECK-NEXT: relax.vm.kill_object %t
  // CHECK-NEXT: %r = relax.call_value
  // CHECK-NEXT: relax.memory.kill_tensor %u
  // CHECK-NEXT: relax.return %r
  relax.func @others(%x: tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false} {
    %captured = relax.exp %x : tensor<8xf32>
    %d = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %d0 = relax.exp %0 : tensor<8xf32>
      relax.output %d0 : tensor<8xf32>
    }
    %f = relax.local_func %self(%p) : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>> {
      %1 = relax.add %p, %captured : tensor<8xf32>
      relax.yield %1 : tensor<8xf32>
    }
    %e = relax.extern_func "e"
    %t = relax.call_value(%e, %d) : (!relax.object, tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
    %u = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %r = relax.call_value(%f, %u) : (!relax.callable<(tensor<8xf32>) -> tensor<8xf32>>, tensor<8xf32>) -> tensor<8xf32>
    relax.return %r : tensor<8xf32>
  }

  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
