// RUN: partita-opt --convert-partita-to-func --canonicalize --cse %s | FileCheck %s

// The ops on memory that default_build makes.
partita.module @memory {
  tir.prim_func private @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    tir.return
  }
  tir.prim_func private @rows(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
    memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
    tir.return
  }
  tir.prim_func private @twice(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<4xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %a[%c0] : memref<4xf32>
    tir.return
  }

  // A storage of 32 bytes has two tensors of 16.
  // CHECK-LABEL: func.func @partita.planned(
  // CHECK-SAME: %[[X:.*]]: memref<4xf32>)
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[STORAGE:.*]] = memref.alloc() {{.*}} : memref<32xi8>
  // CHECK: %[[A:.*]] = memref.view %[[STORAGE]][%[[C0]]][] : memref<32xi8> to memref<4xf32>
  // CHECK: call @partita.copy(%[[X]], %[[A]])
  // CHECK: %[[B:.*]] = memref.view %[[STORAGE]][%[[C16]]][] : memref<32xi8> to memref<4xf32>
  // CHECK: call @partita.copy(%[[A]], %[[B]])
  // CHECK-NOT: partita_runtime_fail
  // CHECK: return %[[B]]
  relax.func @planned(%x: tensor<4xf32>) -> tensor<4xf32> {
    %bytes = relax.shape [32]
    %device = relax.prim_value 0 : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %shape = relax.shape [4]
    %sixteen = relax.prim_value 16 : i64
    %f = relax.global @copy
    %storage = relax.memory.alloc_storage %bytes, %device, %scope, %dtype : (!relax.shape<[32]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %device, %shape, %dtype, %device : (!relax.object, i64, !relax.shape<[4]>, !relax.object, i64) -> tensor<4xf32>
    %0 = relax.call_value(%f, %x, %a) : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> tuple<>
    %b = relax.vm.alloc_tensor %storage, %sixteen, %shape, %dtype, %device : (!relax.object, i64, !relax.shape<[4]>, !relax.object, i64) -> tensor<4xf32>
    %1 = relax.call_value(%f, %a, %b) : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> tuple<>
    relax.memory.kill_tensor %a : tensor<4xf32>
    relax.memory.kill_storage %storage : !relax.object
    relax.return %b : tensor<4xf32>
  }

  // Sizes that are known in the run are checked there.
  // CHECK-LABEL: func.func @partita.symbolic(
  // CHECK: call @partita_runtime_fail
  // CHECK: memref.alloc(%{{.*}}) : memref<?x4xf32>
  // CHECK: call @partita.rows
  // CHECK: memref.reshape %{{.*}}(%{{.*}}) : (memref<?x4xf32>, memref<1xi64>) -> memref<?xf32>
  relax.func @symbolic(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>)
      -> tensor<?xf32, #relax.shape<["n * 4"]>> {
    %shape = relax.shape ["n", 4]
    %device = relax.prim_value 0 : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %f = relax.global @rows
    %flat = relax.shape ["n * 4"]
    %a = relax.builtin.alloc_tensor %shape, %dtype, %device, %scope : (!relax.shape<["n", 4]>, !relax.object, i64, !relax.object) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %0 = relax.call_value(%f, %x, %a) : (!relax.object, tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tuple<>
    %r = relax.reshape %a, %flat : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?xf32, #relax.shape<["n * 4"]>>
    relax.return %r : tensor<?xf32, #relax.shape<["n * 4"]>>
  }

  // A result that is an argument is its memory.
  // CHECK-LABEL: func.func @partita.in_place(
  // CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
  // CHECK: call @partita.copy(%{{.*}}, %[[A]])
  // CHECK: call @partita.twice(%[[A]])
  // CHECK: return %[[A]]
  relax.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = relax.call_tir @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %f = relax.global @twice
    %args = relax.tuple(%a) : tensor<4xf32>
    %b = relax.call_tir_inplace(%f, %args) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    relax.return %b : tensor<4xf32>
  }
}
