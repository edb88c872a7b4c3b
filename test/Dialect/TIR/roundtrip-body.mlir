// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s
// RUN: partita-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

partita.module {

// CHECK-LABEL: tir.prim_func @jumps
// KEPT-LABEL:  tir.prim_func @jumps
tir.prim_func @jumps(%c: i1) {
  // CHECK: %[[IDS:.*]]:2 = tir.scope_id 1 ["x", "y"] extents(%[[N:.*]], %[[N]] : i32, i32) preferred(%[[N]], %[[N]] : i32, i32) : i32, i32
  // KEPT:  tir.scope_id
  %n = arith.constant 4 : i32
  %ids:2 = tir.scope_id 1 ["x", "y"] extents(%n, %n : i32, i32) preferred(%n, %n : i32, i32) : i32, i32
  // CHECK: tir.scope_id 7 ["z"] : i32
  // KEPT:  tir.scope_id 7
  %z = tir.scope_id 7 ["z"] : i32
  tir.for "serial" %ids#0, %z : i32, i32 {
  ^bb0(%i: i32):
    // CHECK: scf.if
    // CHECK-NEXT: tir.break
    // KEPT:  tir.break
    scf.if %c {
      tir.break
    }
    // CHECK: tir.continue
    // KEPT:  tir.continue
    tir.continue
  }
  // CHECK: tir.shuffle %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32> at %[[IDS]]#1 : i32 -> f32
  %v = arith.constant dense<1.0> : vector<4xf32>
  %e = tir.shuffle %v, %v : vector<4xf32>, vector<4xf32> at %ids#1 : i32 -> f32
  tir.evaluate %e : f32
  tir.return
}

// CHECK-LABEL: tir.prim_func @expressions
// KEPT-LABEL:  tir.prim_func @expressions
tir.prim_func @expressions(%a: memref<4x4xui8>, %h: !tir.handle, %p: !tir.ptr<"shared", f32>, %q: !tir.ptr<"local">, %x: i32) attributes {tir.ret_type = i32} {
  // CHECK: %[[N:.*]] = tir.var : i64
  // CHECK: %[[M:.*]] = tir.var : i64
  %n = tir.var : i64
  %m = tir.var : i64
  // CHECK: %[[B:.*]] = tir.bind %{{.*}} : i32
  %b = tir.bind %x : i32
  // CHECK: %[[L:.*]] = tir.let %[[B]] : i32 to i32 {
  // CHECK-NEXT: ^bb0(%[[Y:.*]]: i32):
  // CHECK-NEXT: arith.muli %[[Y]], %[[Y]] : i32
  // CHECK-NEXT: tir.yield %{{.*}} : i32
  %l = tir.let %b : i32 to i32 {
  ^bb0(%y: i32):
    %0 = arith.muli %y, %y : i32
    tir.yield %0 : i32
  }
  // CHECK: %[[U:.*]] = tir.constant 7 : ui8 -> ui8
  %u = tir.constant 7 : ui8 -> ui8
  // CHECK: tir.constant 1.000000e-01 : f64 -> f16
  %f = tir.constant 0.1 : f64 -> f16
  // CHECK: %[[S:.*]] = tir.string "shared"
  %s = tir.string "shared"
  // CHECK: %[[R:.*]] = tir.prim "FloorMod"(%[[L]], %{{.*}}) : (i32, i32) -> i32
  %r = tir.prim "FloorMod"(%l, %x) : (i32, i32) -> i32
  // CHECK: %[[V:.*]] = tir.load %{{.*}}[%[[R]], %{{.*}}] : memref<4x4xui8>, i32, vector<4xi32> -> vector<4xui8>
  %w = tir.prim "Ramp"(%r, %x, %x) : (i32, i32, i32) -> vector<4xi32>
  %v = tir.load %a[%r, %w] : memref<4x4xui8>, i32, vector<4xi32> -> vector<4xui8>
  // CHECK: tir.store %[[V]], %{{.*}}[%[[R]], %{{.*}}] : vector<4xui8>, memref<4x4xui8>, i32, vector<4xi32>
  // KEPT:  tir.store
  tir.store %v, %a[%r, %w] : vector<4xui8>, memref<4x4xui8>, i32, vector<4xi32>
  // CHECK: %[[C:.*]] = tir.call_intrin pure "tirx.sigmoid"(%[[L]]) : (i32) -> i32
  %c = tir.call_intrin pure "tirx.sigmoid"(%l) : (i32) -> i32
  // CHECK: tir.call_intrin "tirx.sync"(%[[S]]) {node_attrs = #tir.node<"{}">} : (!tir.string) -> ()
  // KEPT:  tir.call_intrin "tirx.sync"
  tir.call_intrin "tirx.sync"(%s) {node_attrs = #tir.node<"{}">} : (!tir.string) -> ()
  // CHECK: tir.call @expressions(%{{.*}}) : (memref<4x4xui8>) -> i32
  // KEPT:  tir.call @expressions
  %called = tir.call @expressions(%a) : (memref<4x4xui8>) -> i32
  // CHECK: tir.evaluate %[[C]] : i32
  // KEPT:  tir.evaluate
  tir.evaluate %c : i32
  // CHECK: tir.assert %{{.*}} "TypeError" ["expected ", "2"]
  // KEPT:  tir.assert
  %true = arith.constant true
  tir.assert %true "TypeError" ["expected ", "2"]
  // CHECK: tir.ret %[[R]] : i32
  // KEPT:  tir.ret
  tir.ret %r : i32
  tir.return
}

// CHECK-LABEL: tir.prim_func @loops
// KEPT-LABEL:  tir.prim_func @loops
tir.prim_func @loops(%n: i32, %u: ui32) {
  // CHECK: tir.for "thread_binding" %{{.*}}, %{{.*}} : i32, i32 {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32):
  // CHECK: tir.for "serial" %{{.*}}, %{{.*}} : ui32, ui32 step %{{.*}} : ui32 {
  // KEPT:  tir.for "thread_binding"
  tir.for "thread_binding" %n, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.for "serial" %u, %u : ui32, ui32 step %u : ui32 {
    ^bb0(%j: ui32):
      tir.call_intrin "tirx.f"(%i, %j) : (i32, ui32) -> ()
    } {annotations = {pragma = "x"}}
  } {thread = "threadIdx.x", thread_name = "tx", thread_type = i64}
  // CHECK: tir.attr "thread_extent" = %{{.*}} : i32 domain(%{{.*}}, %{{.*}} : i32, i32) {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32):
  // CHECK: {iter_type = 1 : i64, thread = "blockIdx.x"}
  tir.attr "thread_extent" = %n : i32 domain(%n, %n : i32, i32) {
  ^bb0(%bx: i32):
    tir.call_intrin "tirx.f"(%bx) : (i32) -> ()
  } {iter_type = 1 : i64, thread = "blockIdx.x"}
  // CHECK: tir.attr "a" of %{{.*}} : i32 = %{{.*}} : i32 {
  tir.attr "a" of %n : i32 = %n : i32 {
    tir.call_intrin "tirx.f"() : () -> ()
  }
  // CHECK: tir.attr "b" = %{{.*}} : i32 {
  // CHECK: } {node = "default"}
  tir.attr "b" = %n : i32 {
    tir.call_intrin "tirx.f"() : () -> ()
  } {node = "default"}
  // A value that nothing reads stays, because an attribute annotates it.
  // CHECK: %[[BUFFER:.*]] = tir.alloc_buffer : memref<4xf32>
  // CHECK-NEXT: tir.attr_node %[[BUFFER]] : memref<4xf32>
  // CHECK: tir.attr_node %{{.*}} {outer = 1 : i64} : i32
  // KEPT: %[[BUFFER:.*]] = tir.alloc_buffer : memref<4xf32>
  // KEPT-NEXT: tir.attr_node %[[BUFFER]] : memref<4xf32>
  // KEPT: tir.attr_node %{{.*}} {outer = 1 : i64} : i32
  tir.attr "c" = %n : i32 {
    tir.attr "d" = %n : i32 {
      %buffer = tir.alloc_buffer : memref<4xf32>
      tir.attr_node %buffer : memref<4xf32>
      tir.attr_node %n {outer = 1 : i64} : i32
    }
  }
  tir.return
}

// CHECK-LABEL: tir.prim_func @buffers
// KEPT-LABEL:  tir.prim_func @buffers
tir.prim_func @buffers(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %data: !tir.ptr<"shared", f32>) {
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %true = arith.constant true
  %n = tir.var : i64
  // CHECK: tir.buffer %{{.*}} shape(%{{.*}}, %{{.*}} : i64, i64) strides(%{{.*}}, %{{.*}} : i64, i64) offset(%{{.*}} : i64) {index_type = i64, offset_factor = 4 : i64} : memref<?x4xf32, strided<[?, 1], offset: ?>>
  // KEPT:  tir.buffer
  tir.buffer %a shape(%n, %c4 : i64, i64) strides(%n, %c1 : i64, i64) offset(%n : i64) {index_type = i64, offset_factor = 4 : i64} : memref<?x4xf32, strided<[?, 1], offset: ?>>
  // CHECK: tir.decl_buffer %{{.*}} : !tir.ptr<"shared", f32> to memref<4xf32, "shared">
  // KEPT-NOT: tir.decl_buffer
  %b = tir.decl_buffer %data : !tir.ptr<"shared", f32> to memref<4xf32, "shared">
  // CHECK: tir.alloc_buffer at(%{{.*}} : i64) {annotations = {x = true}, layout = #tir.node<"{}">} : memref<4xf32, "shared">
  // KEPT-NOT: tir.alloc_buffer
  %c = tir.alloc_buffer at(%n : i64) {annotations = {x = true}, layout = #tir.node<"{}">} : memref<4xf32, "shared">
  // CHECK: tir.alloc_buffer {layout = #tir.tile_layout<i32, [128 : 1 @P, 4 : 1, 2 : 4 @"a b"]>} : memref<128x8xf32>
  %d = tir.alloc_buffer {layout = #tir.tile_layout<i32, [128 : 1 @P, 4 : 1, 2 : 4 @"a b"]>} : memref<128x8xf32>
  // CHECK: tir.block "sum" ["spatial"](%{{.*}} : i64) from(%{{.*}} : i64) extent(%{{.*}} : i64) where %{{.*}} {
  // CHECK-NEXT: ^bb0(%{{.*}}: i64):
  // KEPT:  tir.block "sum"
  tir.block "sum" ["spatial"] (%n : i64) from(%c1 : i64) extent(%c4 : i64) where %true {
  ^bb0(%vi: i64):
    // CHECK: %[[B:.*]] = tir.block_buffer : memref<f32>
    %0 = tir.block_buffer : memref<f32>
    // CHECK: tir.match_buffer %{{.*}}[%{{.*}}, %{{.*}} : i64, i64] [%{{.*}}, %{{.*}} : i64, i64] shape(%{{.*}} : i64) : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<4xf32>
    // KEPT:  tir.match_buffer
    %1 = tir.match_buffer %a[%vi, %c1 : i64, i64][%c1, %c4 : i64, i64] shape(%c4 : i64) : memref<?x4xf32, strided<[?, 1], offset: ?>> to memref<4xf32>
    // CHECK: tir.reads %[[B]] : memref<f32>
    // CHECK: tir.writes %{{.*}}[%{{.*}} : i64] [%{{.*}} : i64] : memref<4xf32>
    // KEPT:  tir.reads
    // KEPT:  tir.writes
    tir.reads %0 : memref<f32>
    tir.writes %1[%vi : i64][%c1 : i64] : memref<4xf32>
    // CHECK: tir.init {
    // CHECK: tir.call_intrin "tirx.f"() : () -> ()
    // KEPT:  tir.init {
    tir.init {
      tir.call_intrin "tirx.f"() : () -> ()
    }
  } {annotations = {hint = 1 : i64}}
  // CHECK: tir.block "empty" [] where %{{.*}} {
  tir.block "empty" [] where %true {
    tir.call_intrin "tirx.f"() : () -> ()
  }
  tir.return
}

}
