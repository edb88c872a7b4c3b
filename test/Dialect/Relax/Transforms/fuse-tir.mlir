// RUN: partita-opt %s --relax-fuse-tir-inner --split-input-file -verify-diagnostics | FileCheck %s

// Kernels of linalg hand tensors on. Upstream makes one loop of them.
// RUN: partita-opt %s --split-input-file -verify-diagnostics --pass-pipeline='builtin.module(partita.module(relax-fuse-tir-inner,tir.prim_func(linalg-fuse-elementwise-ops)))' | FileCheck %s --check-prefix=LOOP

// LOOP-LABEL: @tensors
// LOOP: tir.prim_func private @fused
// LOOP: linalg.generic
// LOOP: math.exp
// LOOP: math.exp
// LOOP-NOT: linalg.generic
// LOOP: tir.return
// The size n is a size of a parameter; a kernel for any size gets 4 columns.
partita.module @tensors {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.call_tir @fused(%{{.*}}) {hint = 1 : i64} : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32,
  // CHECK-LABEL: tir.prim_func private @fused(
  // CHECK-SAME: %[[X:.*]]: memref<?x4xf32>, %[[OUT:.*]]: memref<?x4xf32>) attributes {tirx.noalias = true}
  // CHECK-DAG: %[[N:.*]] = memref.dim %[[X]], %c0
  // CHECK-DAG: %[[T:.*]] = bufferization.to_tensor %[[X]] restrict
  // CHECK: %[[CAST:.*]] = tensor.cast %[[T]] : tensor<?x4xf32> to tensor<?x?xf32>
  // CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[CAST]] :
  // CHECK: math.exp
  // CHECK: %[[E4:.*]] = tensor.cast %[[E]] : tensor<?x?xf32> to tensor<?x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<?x?xf32>)
  // CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
  // CHECK-NEXT: tir.return
  // CHECK-NOT: relax.func private
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    %0 = relax.call @fused(%x) {hint = 1 : i64} : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    relax.return %0 : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
  relax.func private @fused(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> attributes {Primitive = true} {
    %y = relax.dataflow -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
      %0 = relax.call_tir @exp(%x) : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %1 = relax.call_tir @exp(%0) : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      relax.output %1 : tensor<?x4xf32, #relax.shape<["n", 4]>>
    }
    relax.return %y : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
  tir.prim_func private @exp(%a: memref<?x?xf32>, %out: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %out, %c0 : memref<?x?xf32>
    %n = memref.dim %out, %c1 : memref<?x?xf32>
    %0 = bufferization.to_tensor %a restrict : memref<?x?xf32> to tensor<?x?xf32>
    %1 = tensor.empty(%m, %n) : tensor<?x?xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x?xf32>) outs(%1 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %o: f32):
      %3 = math.exp %in : f32
      linalg.yield %3 : f32
    } -> tensor<?x?xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<?x?xf32>, memref<?x?xf32>) -> ()
    tir.return
  }
}

// -----

// Blocks stand one after the other, with names of their own. What they hand on
// is allocated. A number that the caller knows is a constant, and a size that
// is none of a buffer's comes as a parameter.
partita.module @blocks {
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[N:.*]] = relax.dim ["n"] : i64
  // CHECK: relax.call_tir @fused(%{{.*}}, %[[N]])
  // CHECK-LABEL: tir.prim_func private @fused(
  // CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[M:.*]]: i64, %[[OUT:.*]]: memref<8xf32>) attributes {s_tir = true, tirx.noalias = true}
  // CHECK: tir.buffer %[[X]] {index_type = i64}
  // CHECK: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK: tir.buffer %[[OUT]] {index_type = i64}
  // CHECK: tir.block "root"
  // CHECK-NEXT: %[[MID:.*]] = tir.block_buffer {index_type = i64} : memref<8xf32>
  // CHECK: tir.block "scale" ["spatial"]
  // CHECK: tir.reads %[[X]]
  // CHECK-NOT: tir.reads
  // CHECK: tir.writes %[[MID]]
  // CHECK: arith.sitofp %[[C2]]
  // CHECK: tir.block "scale1" ["spatial"]
  // CHECK: tir.reads %[[MID]]
  // CHECK: tir.writes %[[OUT]]
  // CHECK: arith.sitofp %[[M]]
  relax.func @main(%x: tensor<8xf32>, %s: !relax.shape<["n"]>) -> tensor<8xf32> {
    %0 = relax.call @fused(%x, %s) : (tensor<8xf32>, !relax.shape<["n"]>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func private @fused(%x: tensor<8xf32>, %s: !relax.shape<["m"]>) -> tensor<8xf32> attributes {Primitive = true} {
    %c = relax.prim_value 2 : i64
    %0 = relax.call_tir @scale(%x, %x, %c) : (tensor<8xf32>, tensor<8xf32>, i64) -> tensor<8xf32>
    %m = relax.dim ["m"] : i64
    %1 = relax.call_tir @scale(%0, %0, %m) : (tensor<8xf32>, tensor<8xf32>, i64) -> tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }
  tir.prim_func private @scale(%a: memref<?xf32>, %b: memref<?xf32>, %f: i64, %out: memref<?xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %n = tir.var : i64
    tir.buffer %a shape(%n : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %b shape(%n : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %out shape(%n : i64) {index_type = i64} : memref<?xf32>
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %n step %c1 : i64 {
        tir.block "scale" ["spatial"](%i : i64) from(%c0 : i64) extent(%n : i64) where %true {
        ^bb0(%v: i64):
          tir.reads %a[%v : i64] [%c1 : i64] : memref<?xf32>
          tir.reads %b[%v : i64] [%c1 : i64] : memref<?xf32>
          tir.writes %out[%v : i64] [%c1 : i64] : memref<?xf32>
          %0 = arith.index_cast %v : i64 to index
          %1 = memref.load %a[%0] : memref<?xf32>
          %2 = memref.load %b[%0] : memref<?xf32>
          %3 = arith.sitofp %f : i64 to f32
          %4 = arith.mulf %1, %3 : f32
          %5 = arith.addf %4, %2 : f32
          memref.store %5, %out[%0] : memref<?xf32>
        }
      }
    }
    tir.return
  }
}

// -----

// A parameter that is overwritten is also the result.
partita.module @in_place {
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[F:.*]] = relax.global @fused
  // CHECK: %[[T:.*]] = relax.tuple(%{{.*}})
  // CHECK: relax.call_tir_inplace(%[[F]], %[[T]]) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>}
  // CHECK-LABEL: tir.prim_func private @fused(%{{.*}}: memref<8xf32>) attributes
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.call @fused(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func private @fused(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Primitive = true} {
    %g = relax.global @touch
    %t = relax.tuple(%x) : tensor<8xf32>
    %0 = relax.call_tir_inplace(%g, %t) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<8xf32>] : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @touch(%a: memref<8xf32>) {
    %true = arith.constant true
    tir.block "root" [] where %true {
    }
    tir.return
  }
}

// -----

// What can't become one prim_func stays.
partita.module @kept {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.call @packed(
  // CHECK: relax.call @given(
  // CHECK: relax.call @declared(
  // CHECK: relax.func private @packed
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.call @packed(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = relax.call @given(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = relax.call @declared(%1) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %2 : tensor<8xf32>
  }
  // expected-warning @+1 {{a Primitive function stays as it is: expected calls of prim_funcs with bodies, found 'relax.call_pure_packed'}}
  relax.func private @packed(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Primitive = true} {
    %f = relax.extern_func "f"
    %0 = relax.call_pure_packed(%f, %x) ty_args = [tensor<8xf32>] : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  // expected-warning @+1 {{expected each result to come from a call of its own}}
  relax.func private @given(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Primitive = true} {
    relax.return %x : tensor<8xf32>
  }
  // expected-warning @+1 {{found 'relax.call_tir'}}
  relax.func private @declared(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Primitive = true} {
    %0 = relax.call_tir @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  // CHECK: relax.func private @other
  relax.func private @other(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.call_tir @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @k(memref<8xf32>, memref<8xf32>)
}

// -----

// A kernel that does not write its result.

// CHECK-LABEL: partita.module @unwritten
partita.module @unwritten {
  // CHECK: relax.call @fused(
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.call @fused(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  // expected-warning @+1 {{a Primitive function stays as it is: expected tensors of arguments that callees write}}
  relax.func private @fused(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Primitive = true} {
    %0 = relax.call_tir @nothing(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = relax.call_tir @nothing(%0) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }
  tir.prim_func private @nothing(%a: memref<8xf32>, %out: memref<8xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
    tir.return
  }
}
