// RUN: partita-opt %s -allow-unregistered-dialect --tir-storage-rewrite | FileCheck %s
// RUN: partita-opt %s -allow-unregistered-dialect --tir-storage-rewrite \
// RUN:     --tir-storage-rewrite | FileCheck %s
// RUN: partita-opt %s -allow-unregistered-dialect --tir-storage-rewrite -O2 \
// RUN:     --pass-config="tir.merge_static_smem = true" \
// RUN:   | FileCheck %s --check-prefix=APART

partita.module {

// The memory of %b is free after its last use. %d is unused.
// CHECK-LABEL: tir.prim_func @sequence
// CHECK-SAME:    (%[[A:.*]]: memref<64xf32>)
// CHECK:         %[[B:.*]] = tir.alloc_buffer {keep} : memref<64xf32>
// CHECK-NEXT:    memref.store %{{.*}}, %[[B]]
// CHECK-NEXT:    "test.use"(%[[B]])
// CHECK-NEXT:    %[[P:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    %[[E:.*]] = tir.decl_buffer %[[P]] {too} : !tir.ptr<"global", f32> to memref<64xf32>
// CHECK-NEXT:    "test.use"(%[[E]]) : (memref<64xf32>)
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.return
// APART-LABEL: tir.prim_func @sequence
// APART-COUNT-2: tir.alloc_buffer
// APART-NOT:     tir.decl_buffer
// APART:         tir.return
tir.prim_func @sequence(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %b = tir.alloc_buffer {annotations = {x = 1 : i64}, keep} : memref<64xf32>
  %d = tir.alloc_buffer : memref<64xf32>
  %0 = tir.call_intrin pure "tirx.buffer_data"(%d) : (memref<64xf32>) -> !tir.ptr<"global", f32>
  %view = tir.decl_buffer %0 : !tir.ptr<"global", f32> to memref<64xf32>
  memref.store %x, %b[%c0] : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  %e = tir.alloc_buffer {too} : memref<64xf32>
  "test.use"(%e) : (memref<64xf32>) -> ()
  tir.return
}

// A smaller one of the same type grows; one of another type does not, and one
// that is more than 16 times as large is not taken. %f takes a larger one.
// CHECK-LABEL: tir.prim_func @sizes
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<36xf32>
// CHECK:         %[[D:.*]] = tir.alloc_buffer : memref<40xi32>
// CHECK:         %[[E:.*]] = tir.alloc_buffer : memref<2xf32>
// CHECK:         %[[B0:.*]] = tir.decl_buffer {{.*}} to memref<16xf32>
// CHECK:         "test.use"(%[[B0]])
// CHECK:         %[[C:.*]] = tir.decl_buffer {{.*}} to memref<36xf32>
// CHECK:         "test.use"(%[[C]])
// CHECK:         "test.use"(%[[D0:.*]]) : (memref<40xi32>)
// CHECK:         "test.use"(%[[E]])
// CHECK:         %[[F:.*]] = tir.decl_buffer {{.*}} : !tir.ptr<"global", i32> to memref<73xf16>
// CHECK:         "test.use"(%[[F]])
tir.prim_func @sizes() {
  %b = tir.alloc_buffer : memref<16xf32>
  "test.use"(%b) : (memref<16xf32>) -> ()
  %c = tir.alloc_buffer : memref<36xf32>
  "test.use"(%c) : (memref<36xf32>) -> ()
  %d = tir.alloc_buffer : memref<40xi32>
  "test.use"(%d) : (memref<40xi32>) -> ()
  %e = tir.alloc_buffer : memref<2xf32>
  "test.use"(%e) : (memref<2xf32>) -> ()
  %f = tir.alloc_buffer : memref<73xf16>
  "test.use"(%f) : (memref<73xf16>) -> ()
  tir.return
}

// What a loop uses stays in use for the whole loop. Memory of the loop gets
// free in the loop.
// CHECK-LABEL: tir.prim_func @loop
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK:         %[[C:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK:         scf.for
// CHECK:           "test.use"(%[[B]])
// CHECK:           "test.use"(%[[C]])
// CHECK:           %[[D:.*]] = tir.decl_buffer
// CHECK:           "test.use"(%[[D]])
tir.prim_func @loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tir.alloc_buffer : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %c = tir.alloc_buffer : memref<8xf32>
    "test.use"(%b) : (memref<8xf32>) -> ()
    "test.use"(%c) : (memref<8xf32>) -> ()
    %d = tir.alloc_buffer : memref<8xf32>
    "test.use"(%d) : (memref<8xf32>) -> ()
  }
  tir.return
}

// %c replaces %b, element by element; %d is computed from other elements, and
// %e several times.
// CHECK-LABEL: tir.prim_func @in_place
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    %[[D:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    %[[P:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    %[[C:.*]] = tir.decl_buffer %[[P]]
// CHECK-NEXT:    %[[Q:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    %[[E:.*]] = tir.decl_buffer %[[Q]]
// CHECK-NEXT:    scf.for
// CHECK:           memref.store %{{.*}}, %[[B]]
// CHECK:         scf.for
// CHECK:           memref.load %[[B]]
// CHECK:           memref.store %{{.*}}, %[[C]]
// CHECK:         scf.for
// CHECK:           memref.load %[[C]]
// CHECK:           memref.store %{{.*}}, %[[D]]
// CHECK:         scf.for
// CHECK:           memref.load %[[D]]
// CHECK:           memref.store %{{.*}}, %[[E]]
tir.prim_func @in_place(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c7 = arith.constant 7 : index
  %b = tir.alloc_buffer : memref<8xf32>
  %c = tir.alloc_buffer : memref<8xf32>
  %d = tir.alloc_buffer : memref<8xf32>
  %e = tir.alloc_buffer : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %a[%i] : memref<8xf32>
    memref.store %0, %b[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %b[%i] : memref<8xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %c[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = arith.subi %c7, %i : index
    %1 = memref.load %c[%0] : memref<8xf32>
    memref.store %1, %d[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %0 = memref.load %d[%i] : memref<8xf32>
      %1 = arith.index_cast %j : index to i32
      %2 = arith.sitofp %1 : i32 to f32
      %3 = arith.addf %0, %2 : f32
      memref.store %3, %e[%i] : memref<8xf32>
    }
  }
  "test.use"(%e) : (memref<8xf32>) -> ()
  tir.return
}

// In a nest, a condition and an expression; two stores exclude each other.
// CHECK-LABEL: tir.prim_func @in_place_nest
// CHECK-COUNT-1: tir.alloc_buffer
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.return
tir.prim_func @in_place_nest(%a: memref<32xf32>, %p: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %b = tir.alloc_buffer : memref<32xf32>
  %c = tir.alloc_buffer : memref<32xf32>
  "test.use"(%b) : (memref<32xf32>) -> ()
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      %0 = arith.muli %i, %c8 overflow<nsw> : i32
      %1 = arith.addi %0, %j overflow<nsw> : i32
      %2 = arith.index_cast %1 : i32 to index
      scf.if %p {
        %3 = scf.if %p -> (f32) {
          %4 = memref.load %b[%2] : memref<32xf32>
          scf.yield %4 : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %3, %c[%2] : memref<32xf32>
      } else {
        memref.store %zero, %c[%2] : memref<32xf32>
      }
    }
  }
  "test.use"(%c) : (memref<32xf32>) -> ()
  tir.return
}

// Symbolic sizes: one of the same size is taken, or the larger one of two.
// CHECK-LABEL: tir.prim_func @symbolic
// CHECK-SAME:    (%[[N:.*]]: i32, %[[M:.*]]: i32, %{{.*}}: i64)
// CHECK:         %[[MAX:.*]] = arith.maxsi %[[N]], %[[M]] : i32
// CHECK-NEXT:    %[[B:.*]] = tir.alloc_buffer shape(%[[MAX]] : i32) : memref<?xf32>
// CHECK-NEXT:    %[[TWICE:.*]] = arith.addi %[[N]], %[[N]] : i32
// CHECK-NEXT:    %[[D:.*]] = tir.alloc_buffer shape(%[[TWICE]] : i32) : memref<?xi32>
// CHECK:         %[[B0:.*]] = tir.decl_buffer %{{.*}} shape(%[[N]] : i32)
// CHECK:         "test.use"(%[[B0]])
// CHECK:         %[[C:.*]] = tir.decl_buffer %{{.*}} shape(%[[M]] : i32)
// CHECK:         "test.use"(%[[C]])
// CHECK:         scf.for %[[I:.*]] = %
// CHECK:           "test.use"(%[[D]])
// CHECK:           %[[E:.*]] = tir.alloc_buffer shape(%[[I]] : i32) : memref<?xf32>
// CHECK:           "test.use"(%[[E]])
tir.prim_func @symbolic(%n: i32, %m: i32, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tir.alloc_buffer shape(%n : i32) : memref<?xf32>
  "test.use"(%b) : (memref<?xf32>) -> ()
  %c = tir.alloc_buffer shape(%m : i32) : memref<?xf32>
  "test.use"(%c) : (memref<?xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 : i32 {
    // Its size can be computed further out.
    %0 = arith.addi %n, %n : i32
    %d = tir.alloc_buffer shape(%0 : i32) : memref<?xi32>
    "test.use"(%d) : (memref<?xi32>) -> ()
    // The size of the other one can't.
    %e = tir.alloc_buffer shape(%i : i32) : memref<?xf32>
    "test.use"(%e) : (memref<?xf32>) -> ()
  }
  tir.return
}

// Each thread, and each iteration of a parallel loop, has its own memory.
// CHECK-LABEL: tir.prim_func @threads
// CHECK:         scf.for
// CHECK-NEXT:      tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:      scf.for
// CHECK:         tir.attr "thread_extent"
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      tir.alloc_buffer : memref<8xf32, "shared">
// CHECK-NEXT:      tir.alloc_buffer : memref<2xf32, "local">
// CHECK-NEXT:      tir.alloc_buffer : memref<2xf32, "local">
// CHECK-NEXT:      tir.attr "thread_extent"
tir.prim_func @threads(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %b = tir.alloc_buffer : memref<8xf32>
      "test.use"(%b) : (memref<8xf32>) -> ()
    }
  } {tir.kind = "parallel"}
  tir.attr "thread_extent" = %n : i32 domain(%c0, %n : i32, i32) {
  ^bb0(%bx: i32):
    tir.attr "thread_extent" = %n : i32 domain(%c0, %n : i32, i32) {
    ^bb0(%tx: i32):
      %s = tir.alloc_buffer : memref<8xf32, "shared">
      "test.use"(%s) : (memref<8xf32, "shared">) -> ()
      %l = tir.alloc_buffer : memref<2xf32, "local">
      "test.use"(%l) : (memref<2xf32, "local">) -> ()
      // Registers are not shared.
      %k = tir.alloc_buffer : memref<2xf32, "local">
      "test.use"(%k) : (memref<2xf32, "local">) -> ()
    } {thread = "threadIdx.x", iter_type = 1 : i64}
  } {thread = "blockIdx.x", iter_type = 1 : i64}
  tir.return
}

// Memory with a tag is one allocation. %d, whose address goes elsewhere, is
// another one.
// CHECK-LABEL: tir.prim_func @tagged
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<24xf16, "local.L0A">
// CHECK:         %[[D:.*]] = tir.alloc_buffer : memref<8xi8, "local.L0A">
// CHECK:         %[[C:.*]] = tir.decl_buffer %{{.*}} : !tir.ptr<"local.L0A", f16> to memref<8xi32, "local.L0A">
// CHECK:         memref.store %{{.*}}, %[[C]][%c4
// CHECK:         %[[K:.*]] = arith.addi %c4{{.*}}, %{{.*}} : i32
// CHECK:         %[[X:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK:         memref.load %[[C]][%[[X]]]
tir.prim_func @tagged(%n: i32) {
  %c0 = arith.constant 0 : index
  %i = arith.index_cast %n : i32 to index
  %one = arith.constant 1 : i32
  %b = tir.alloc_buffer : memref<8xf16, "local.L0A">
  %c = tir.alloc_buffer : memref<8xi32, "local.L0A">
  %d = tir.alloc_buffer : memref<8xi8, "local.L0A">
  "test.use"(%b, %d) : (memref<8xf16, "local.L0A">, memref<8xi8, "local.L0A">) -> ()
  memref.store %one, %c[%c0] : memref<8xi32, "local.L0A">
  %0 = memref.load %c[%i] : memref<8xi32, "local.L0A">
  "test.use"(%b) : (memref<8xf16, "local.L0A">) -> ()
  "test.use"(%d, %b) : (memref<8xi8, "local.L0A">, memref<8xf16, "local.L0A">) -> ()
  tir.evaluate %0 : i32
  tir.return
}

// Accesses of a whole vector each make the elements vectors.
// CHECK-LABEL: tir.prim_func @vectors
// CHECK-SAME:    (%[[I:.*]]: i32)
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<4xvector<4xf32>>
// CHECK:         %[[C:.*]] = tir.alloc_buffer : memref<16xf32>
// CHECK:         %[[J:.*]] = arith.muli %[[I]], %c4{{.*}}
// CHECK:         %[[K:.*]] = arith.divsi %[[J]], %c4{{.*}} : i32
// CHECK:         %[[L:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK:         memref.store %{{.*}}, %[[B]][%[[L]]] : memref<4xvector<4xf32>>
// CHECK:         tir.store %{{.*}}, %[[C]]
tir.prim_func @vectors(%i: i32) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %b = tir.alloc_buffer : memref<16xf32>
  %c = tir.alloc_buffer : memref<16xf32>
  %0 = arith.muli %i, %c4 overflow<nsw> : i32
  %1 = tir.prim "Ramp"(%0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
  %2 = tir.prim "Ramp"(%i, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
  tir.store %v, %b[%1] : vector<4xf32>, memref<16xf32>, vector<4xi32>
  tir.store %v, %c[%2] : vector<4xf32>, memref<16xf32>, vector<4xi32>
  %3 = tir.load %b[%1] : memref<16xf32>, vector<4xi32> -> vector<4xf32>
  tir.store %3, %c[%2] : vector<4xf32>, memref<16xf32>, vector<4xi32>
  tir.return
}

// Vectors of different lengths have no element in common.
// CHECK-LABEL: tir.prim_func @lengths
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<32xf32>
// CHECK:         tir.store %{{.*}}, %[[B]]{{.*}} : vector<4xf32>
// CHECK:         tir.load %[[B]]{{.*}} -> vector<8xf32>
tir.prim_func @lengths(%i: i32) {
  %v = arith.constant dense<1.0> : vector<4xf32>
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %b = tir.alloc_buffer : memref<32xf32>
  %0 = arith.muli %i, %c8 overflow<nsw> : i32
  %1 = tir.prim "Ramp"(%0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
  %2 = tir.prim "Ramp"(%0, %c1, %c8) : (i32, i32, i32) -> vector<8xi32>
  tir.store %v, %b[%1] : vector<4xf32>, memref<32xf32>, vector<4xi32>
  %3 = tir.load %b[%2] : memref<32xf32>, vector<8xi32> -> vector<8xf32>
  "test.use"(%3) : (vector<8xf32>) -> ()
  tir.return
}

// A view, or a pointer with another name, keeps its memory in use.
// CHECK-LABEL: tir.prim_func @aliases
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    %[[C:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    %[[D:.*]] = tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    %[[P:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    %[[V:.*]] = tir.decl_buffer %[[P]]
// CHECK-NEXT:    %[[Q:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    %[[W:.*]] = tir.decl_buffer %[[Q]]
// CHECK-NEXT:    "test.use"(%[[B]])
// CHECK-NEXT:    "test.use"(%[[C]])
// CHECK:         "test.use"(%[[D]])
// CHECK-NEXT:    "test.use"(%[[W]])
tir.prim_func @aliases() {
  %b = tir.alloc_buffer : memref<8xf32>
  %0 = tir.call_intrin pure "tirx.buffer_data"(%b) : (memref<8xf32>) -> !tir.ptr<"global", f32>
  %v = tir.decl_buffer %0 : !tir.ptr<"global", f32> to memref<8xf32>
  %1 = tir.call_intrin pure "tirx.buffer_data"(%v) : (memref<8xf32>) -> !tir.ptr<"global", f32>
  %w = tir.decl_buffer %1 : !tir.ptr<"global", f32> to memref<8xf32>
  "test.use"(%b) : (memref<8xf32>) -> ()
  %c = tir.alloc_buffer : memref<8xf32>
  "test.use"(%c) : (memref<8xf32>) -> ()
  %2 = tir.call_intrin pure "tirx.buffer_data"(%c) : (memref<8xf32>) -> !tir.ptr<"global", f32>
  %p = tir.bind %2 : !tir.ptr<"global", f32>
  %d = tir.alloc_buffer : memref<8xf32>
  "test.use"(%d) : (memref<8xf32>) -> ()
  "test.use"(%w) : (memref<8xf32>) -> ()
  "test.use"(%p) : (!tir.ptr<"global", f32>) -> ()
  tir.return
}

// These stay: memory that goes anywhere, and memory in ops that are not known.
// Memory with an address or with strides is not shared.
// CHECK-LABEL: tir.prim_func @untouched
// CHECK-COUNT-2: tir.alloc_buffer at({{.*}} : memref<8xf32>
// CHECK-COUNT-2: tir.alloc_buffer : memref<8xf32, strided<[2]>>
// CHECK-COUNT-2: tir.alloc_buffer : memref<2x4xf32>
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         scf.execute_region
// CHECK-NEXT:      %[[G:.*]] = tir.alloc_buffer {annotations = {x = 1 : i64}} : memref<8xf32>
// CHECK-NEXT:      scf.yield %[[G]]
// CHECK-COUNT-2: tir.alloc_buffer {annotations = {y = 1 : i64}} : memref<8xf32>
tir.prim_func @untouched() {
  %address = arith.constant 16 : i32
  %a = tir.alloc_buffer at(%address : i32) : memref<8xf32>
  "test.use"(%a) : (memref<8xf32>) -> ()
  %b = tir.alloc_buffer at(%address : i32) : memref<8xf32>
  "test.use"(%b) : (memref<8xf32>) -> ()
  %c = tir.alloc_buffer : memref<8xf32, strided<[2]>>
  "test.use"(%c) : (memref<8xf32, strided<[2]>>) -> ()
  %d = tir.alloc_buffer : memref<8xf32, strided<[2]>>
  "test.use"(%d) : (memref<8xf32, strided<[2]>>) -> ()
  %e = tir.alloc_buffer : memref<2x4xf32>
  "test.use"(%e) : (memref<2x4xf32>) -> ()
  %f = tir.alloc_buffer : memref<2x4xf32>
  "test.use"(%f) : (memref<2x4xf32>) -> ()
  %g = scf.execute_region -> memref<8xf32> {
    %inner = tir.alloc_buffer {annotations = {x = 1 : i64}} : memref<8xf32>
    scf.yield %inner : memref<8xf32>
  }
  "test.use"(%g) : (memref<8xf32>) -> ()
  %h = tir.alloc_buffer {annotations = {y = 1 : i64}} : memref<8xf32>
  %i = tir.alloc_buffer {annotations = {y = 1 : i64}} : memref<8xf32>
  %n = arith.constant 4 : index
  %j = scf.for %k = %n to %n step %n iter_args(%m = %h) -> memref<8xf32> {
    scf.yield %i : memref<8xf32>
  }
  "test.use"(%j) : (memref<8xf32>) -> ()
  tir.return
}

// CHECK-LABEL: tir.prim_func @volatile
// CHECK-COUNT-1: tir.alloc_buffer {annotations = {tirx.volatile = true}} : memref<8xf32>
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.return
tir.prim_func @volatile() {
  %a = tir.alloc_buffer : memref<8xf32>
  "test.use"(%a) : (memref<8xf32>) -> ()
  %b = tir.alloc_buffer {annotations = {tirx.volatile = true, x = 1 : i64}} : memref<8xf32>
  "test.use"(%b) : (memref<8xf32>) -> ()
  tir.return
}

// For shaders, memory has one type.
// CHECK-LABEL: tir.prim_func @shader
// CHECK:         tir.alloc_buffer : memref<8xf32>
// CHECK-NEXT:    tir.alloc_buffer : memref<8xi32>
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.return
tir.prim_func @shader() attributes {target = "vulkan"} {
  %a = tir.alloc_buffer : memref<8xf32>
  "test.use"(%a) : (memref<8xf32>) -> ()
  %b = tir.alloc_buffer : memref<8xi32>
  "test.use"(%b) : (memref<8xi32>) -> ()
  %c = tir.alloc_buffer : memref<8xf32>
  "test.use"(%c) : (memref<8xf32>) -> ()
  tir.return
}

// CHECK-LABEL: tir.prim_func @declaration
tir.prim_func @declaration(%a: memref<8xf32>)

}
