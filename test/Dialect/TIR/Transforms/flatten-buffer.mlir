// RUN: partita-opt %s --tir-flatten-buffer --split-input-file --verify-diagnostics | FileCheck %s

partita.module {

// CHECK-LABEL: tir.prim_func private @external(memref<4x8xf32>)
tir.prim_func private @external(memref<4x8xf32>)

// A parameter keeps its type; what the body allocates changes.
// CHECK-LABEL: tir.prim_func @copy
// CHECK-SAME:    (%[[A:.*]]: memref<4x8xf32>, %{{.*}}: memref<16xf32>)
// CHECK:         %[[P:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[A]])
// CHECK:         %[[F:.*]] = tir.decl_buffer %[[P]] : !tir.ptr<"global", f32> to memref<32xf32>
// CHECK:         %[[B:.*]] = tir.alloc_buffer {annotations = {x = 1 : i64}} : memref<32xf32, "shared">
// CHECK:         scf.for %[[I:.*]] = %c0_i32
// CHECK:           scf.for %[[J:.*]] = %c0_i32
// CHECK:             %[[R:.*]] = arith.muli %[[I]], %c8_i32{{.*}} overflow<nsw> : i32
// CHECK:             %[[K:.*]] = arith.addi %[[R]], %[[J]] overflow<nsw> : i32
// CHECK:             %[[X:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK:             memref.load %[[F]][%[[X]]] : memref<32xf32>
// CHECK:             memref.store %{{.*}}, %[[B]][%{{.*}}] : memref<32xf32, "shared">
tir.prim_func @copy(%a: memref<4x8xf32>, %unused: memref<16xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %b = tir.alloc_buffer {annotations = {x = 1 : i64}} : memref<4x8xf32, "shared">
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      %0 = arith.index_cast %i : i32 to index
      %1 = arith.index_cast %j : i32 to index
      %2 = memref.load %a[%0, %1] : memref<4x8xf32>
      memref.store %2, %b[%0, %1] : memref<4x8xf32, "shared">
    }
  }
  tir.return
}

// The flat forms come behind all declarations, in the order of the parameters.
// CHECK-LABEL: tir.prim_func @declared
// CHECK-SAME:    (%[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %{{.*}}: i32)
// CHECK:         tir.buffer %[[A]]
// CHECK-NEXT:    tir.buffer %[[B]]
// CHECK:         %[[P:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[A]])
// CHECK-NEXT:    tir.decl_buffer %[[P]]
// CHECK:         %[[Q:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK-NEXT:    tir.decl_buffer %[[Q]]
// CHECK:         scf.for
tir.prim_func @declared(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %n: i32) {
  tir.buffer %a shape(%n, %n : i32, i32) : memref<?x?xf32>
  tir.buffer %b shape(%n, %n : i32, i32) : memref<?x?xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = arith.index_cast %i : i32 to index
    %1 = memref.load %a[%0, %0] : memref<?x?xf32>
    memref.store %1, %b[%0, %0] : memref<?x?xf32>
  }
  tir.return
}

// A sum that can wrap stays whole. So does the cast of an index to i32.
// CHECK-LABEL: tir.prim_func @wrapping_indices
// CHECK-NOT:     arith.constant 1 : i32
// CHECK:         %[[W:.*]] = arith.addi %[[X:.*]], %[[Y:.*]] : i32
// CHECK:         %[[R:.*]] = arith.muli %[[X]], %c8_i32{{.*}} overflow<nsw> : i32
// CHECK:         %[[K:.*]] = arith.addi %[[R]], %[[W]] overflow<nsw> : i32
// CHECK:         arith.index_cast %[[K]] : i32 to index
// CHECK:         %[[C:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:         %[[R:.*]] = arith.muli %[[C]], %c8_i32{{.*}} overflow<nsw> : i32
// CHECK:         %[[K:.*]] = arith.addi %[[R]], %[[X]] overflow<nsw> : i32
// CHECK:         tir.load %{{.*}}[%[[K]]]
tir.prim_func @wrapping_indices(%a: memref<4x8xf32>, %x: i32, %y: i32, %z: i64) {
  %sum = arith.addi %x, %y : i32
  %0 = arith.index_cast %x : i32 to index
  %1 = arith.index_cast %sum : i32 to index
  %2 = memref.load %a[%0, %1] : memref<4x8xf32>
  tir.evaluate %2 : f32
  %3 = arith.index_cast %z : i64 to index
  %4 = arith.index_cast %3 : index to i32
  %5 = tir.load %a[%4, %x] : memref<4x8xf32>, i32, i32 -> f32
  tir.evaluate %5 : f32
  tir.return
}

// Symbolic sizes, an offset and strides.
// CHECK-LABEL: tir.prim_func @symbolic
// CHECK:         tir.buffer %{{.*}} shape(%[[N:.*]], %[[M:.*]] : i64, i64)
// CHECK:         %[[SIZE:.*]] = arith.muli %[[N]], %[[M]] overflow<nsw> : i64
// CHECK:         tir.decl_buffer %{{.*}} shape(%[[SIZE]] : i64) {index_type = i64} : !tir.ptr<"global", f32> to memref<?xf32>
// CHECK:         tir.decl_buffer %{{.*}} : !tir.ptr<"global", f32> to memref<64xf32>
// CHECK:         %[[T:.*]] = arith.muli %[[N]], %{{.*}} overflow<nsw> : i64
// CHECK:         arith.addi %[[T]], %{{.*}} overflow<nsw> : i64
// CHECK:         memref.load %{{.*}} : memref<64xf32>
tir.prim_func @symbolic(%a: memref<?x?xf32>, %p: !tir.ptr<"global", f32>, %n: i64, %m: i64, %v: f32) {
  %c2 = arith.constant 2 : i64
  tir.buffer %a shape(%n, %m : i64, i64) {index_type = i64} : memref<?x?xf32>
  %s = tir.decl_buffer %p : !tir.ptr<"global", f32> to memref<4x8xf32, strided<[16, 1], offset: 2>>
  %0 = arith.index_cast %n : i64 to index
  %1 = arith.index_cast %c2 : i64 to index
  memref.store %v, %a[%0, %1] : memref<?x?xf32>
  %2 = memref.load %s[%0, %1] : memref<4x8xf32, strided<[16, 1], offset: 2>>
  tir.evaluate %2 : f32
  tir.return
}

// Sizes are i64: an i32 becomes an i64 before it is multiplied, so that the
// product does not overflow. A scalar has the size 1, an i32 in TVM.
// CHECK-LABEL: tir.prim_func @gather
// CHECK:         tir.decl_buffer %{{.*}} shape(%c1_i32{{.*}} : i32) {index_type = i64} : {{.*}} to memref<1xf32>
// CHECK:         %[[I:.*]] = memref.load %{{.*}} : memref<4xi32>
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK-NEXT:    arith.muli %[[WIDE]], %c50000_i64{{.*}} overflow<nsw> : i64
tir.prim_func @gather(%table: memref<60000x50000xf32>, %rows: memref<4xi32>, %n: i32, %s: memref<f32>) {
  tir.buffer %table {index_type = i64} : memref<60000x50000xf32>
  tir.buffer %s {index_type = i64} : memref<f32>
  %0 = arith.index_cast %n : i32 to index
  %1 = memref.load %rows[%0] : memref<4xi32>
  %2 = arith.index_cast %1 : i32 to index
  %3 = memref.load %table[%2, %0] : memref<60000x50000xf32>
  memref.store %3, %s[] : memref<f32>
  tir.return
}

// A place is simplified by what the loops say: i // 4 * 4 + i % 4 is i. Sizes
// are multiplied in their order, and a number comes last.
// CHECK-LABEL: tir.prim_func @simplified
// CHECK:         tir.buffer %{{.*}} shape(%c3_i64{{.*}}, %[[N:.*]], %[[M:.*]] : i64, i64, i64)
// CHECK:         %[[SIZE:.*]] = arith.muli %{{.*}}, %c3_i64{{.*}} overflow<nsw> : i64
// CHECK:         tir.decl_buffer %{{.*}} shape(%[[SIZE]] : i64)
// CHECK:         scf.for %[[I:.*]] = %c0_i32
// CHECK-NOT:       arith.addi
// CHECK:           %[[X:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[X]]] : memref<8xf32>
tir.prim_func @simplified(%a: memref<3x?x?xf32>, %n: i64, %m: i64, %v: f32) {
  %zero = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  tir.buffer %a shape(%c3, %n, %m : i64, i64, i64) {index_type = i64} : memref<3x?x?xf32>
  memref.store %v, %a[%zero, %zero, %zero] : memref<3x?x?xf32>
  %b = tir.alloc_buffer : memref<2x4xf32>
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %0 = arith.floordivsi %i, %c4 : i32
    %1 = tir.prim "FloorMod"(%i, %c4) : (i32, i32) -> i32
    %2 = arith.index_cast %0 : i32 to index
    %3 = arith.index_cast %1 : i32 to index
    memref.store %v, %b[%2, %3] : memref<2x4xf32>
  }
  tir.return
}

// Only ops that compute the old place go: not the statements before an access.
// CHECK-LABEL: tir.prim_func @before
// CHECK:         scf.for
// CHECK:           memref.store %v, %{{.*}}[%c0] : memref<64xi32>
// CHECK:           tir.evaluate %v
// CHECK:           memref.store %v
tir.prim_func @before(%a: memref<64xi32>, %b: memref<64xi32>, %y: i32, %v: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant 0 : index
  scf.for %x = %c0 to %c4 step %c1 : i32 {
    memref.store %v, %b[%zero] : memref<64xi32>
    tir.evaluate %v : i32
    %0 = arith.muli %x, %c4 overflow<nsw> : i32
    %1 = arith.addi %y, %0 overflow<nsw> : i32
    %2 = arith.index_cast %1 : i32 to index
    memref.store %v, %a[%2] : memref<64xi32>
  }
  tir.return
}

// Sums in an index stand without parentheses.
// CHECK-LABEL: tir.prim_func @sums
// CHECK:         %[[ROW:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK:         %[[PLACE:.*]] = arith.addi %[[ROW]], %{{.*}} overflow<nsw> : i32
// CHECK:         arith.addi %[[PLACE]], %c-3_i32{{.*}} overflow<nsw> : i32
tir.prim_func @sums(%x: f32, %i: i32, %j: i32) {
  %c3 = arith.constant 3 : i32
  %b = tir.alloc_buffer : memref<4x8xf32>
  %0 = arith.subi %j, %c3 overflow<nsw> : i32
  tir.store %x, %b[%i, %0] : f32, memref<4x8xf32>, i32, i32
  tir.return
}

// A vector of elements behind the buffer's offset.
// CHECK-LABEL: tir.prim_func @offset
// CHECK-SAME:      %[[I:[a-z0-9]+]]: i32, %[[O:[a-z0-9]+]]: i32
// CHECK:         %[[ROW:.*]] = arith.muli %[[I]], %c8_i32
// CHECK:         %[[PLACE:.*]] = arith.addi %[[ROW]], %[[O]] overflow<nsw> : i32
// CHECK:         tir.prim "Ramp"(%[[PLACE]],
tir.prim_func @offset(%a: memref<4x8xf32, strided<[8, 1], offset: ?>>, %i: i32, %o: i32) {
  tir.buffer %a offset(%o : i32) : memref<4x8xf32, strided<[8, 1], offset: ?>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %0 = tir.prim "Ramp"(%c0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
  %1 = tir.load %a[%i, %0] : memref<4x8xf32, strided<[8, 1], offset: ?>>, i32, vector<4xi32> -> vector<4xf32>
  tir.call_intrin "test.use"(%1) : (vector<4xf32>) -> ()
  tir.return
}

// A parameter has a flat form if its address is used, but not as the place of
// another buffer.
// CHECK-LABEL: tir.prim_func @addresses
// CHECK-SAME:      (%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<4x8xf32>)
// CHECK:         %[[PA:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[A]])
// CHECK-NEXT:    %[[F:.*]] = tir.decl_buffer %[[PA]] : {{.*}} to memref<32xf32>
// CHECK-NEXT:    %[[PF:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[F]])
// CHECK-NEXT:    tir.call_intrin "test.use"(%[[PF]])
// CHECK-NEXT:    %[[PB:.*]] = tir.call_intrin pure "tirx.buffer_data"(%[[B]])
// CHECK:         tir.decl_buffer %[[PB]] : {{.*}} to memref<32xf32>
// CHECK-NEXT:    tir.return
tir.prim_func @addresses(%a: memref<4x8xf32>, %b: memref<4x8xf32>) {
  %0 = tir.call_intrin pure "tirx.buffer_data"(%a) : (memref<4x8xf32>) -> !tir.ptr<"global", f32>
  tir.call_intrin "test.use"(%0) : (!tir.ptr<"global", f32>) -> ()
  %1 = tir.call_intrin pure "tirx.buffer_data"(%b) : (memref<4x8xf32>) -> !tir.ptr<"global", f32>
  %2 = tir.decl_buffer %1 : !tir.ptr<"global", f32> to memref<4x8xf32>
  tir.return
}

// A buffer with more elements than 64 bits can count stays.
// CHECK-LABEL: tir.prim_func @huge
// CHECK:         tir.alloc_buffer : memref<9223372036854775807x4xf32>
tir.prim_func @huge(%x: f32, %i: i32) {
  %b = tir.alloc_buffer : memref<9223372036854775807x4xf32>
  tir.store %x, %b[%i, %i] : f32, memref<9223372036854775807x4xf32>, i32, i32
  tir.return
}

// A scalar behind an offset.
// CHECK-LABEL: tir.prim_func @scalar
// CHECK:         tir.decl_buffer {{.*}} to memref<1xf32>
tir.prim_func @scalar(%p: !tir.ptr<"global", f32>, %x: f32) {
  %s = tir.decl_buffer %p : !tir.ptr<"global", f32> to memref<f32, strided<[], offset: 2>>
  memref.store %x, %s[] : memref<f32, strided<[], offset: 2>>
  tir.return
}

// In a slice, what no loop changes comes last. An element that is read for the
// place keeps one use.
// CHECK-LABEL: tir.prim_func @slice
// CHECK-SAME:    (%[[N:.*]]: i32, %{{.*}}, %{{.*}})
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c16_i32
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0_i32 to %c8_i32
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %c8_i32{{.*}} overflow<nsw> : i32
// CHECK-NEXT:        %[[LOOPS:.*]] = arith.addi %[[ROW]], %[[J]] overflow<nsw> : i32
// CHECK:             %[[PART:.*]] = arith.muli %[[N]], %c128_i32{{.*}} overflow<nsw> : i32
// CHECK:             %[[BASE:.*]] = arith.subi %[[PART]], %c128_i32{{.*}} overflow<nsw> : i32
// CHECK-NEXT:        %[[PLACE:.*]] = arith.addi %[[LOOPS]], %[[BASE]] overflow<nsw> : i32
// CHECK-NEXT:        %[[INDEX:.*]] = arith.index_cast %[[PLACE]] : i32 to index
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[INDEX]]] : memref<?xf32>
// There are places between the rows of the loops.
// CHECK:             %[[WHOLE:.*]] = arith.muli %[[I]], %c128_i32{{.*}} overflow<nsw> : i32
// CHECK:             %[[MIDDLE:.*]] = arith.muli %[[N]], %c8_i32{{.*}} overflow<nsw> : i32
// CHECK:             arith.addi %[[WHOLE]], %[[MIDDLE]] overflow<nsw> : i32
// CHECK:             %[[READ:.*]] = memref.load
// CHECK-NOT:         arith.addi %[[READ]]
// CHECK:             arith.muli %[[I]], %c136_i32
// CHECK:             arith.muli %[[READ]], %c128_i32
tir.prim_func @slice(%n: i32, %x: f32, %places: memref<4xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : index
  %a = tir.alloc_buffer shape(%n, %c16, %c8 : i32, i32, i32) : memref<?x16x8xf32>
  scf.for %i = %c0 to %c16 step %c1 : i32 {
    scf.for %j = %c0 to %c8 step %c1 : i32 {
      %0 = arith.subi %n, %c1 overflow<nsw> : i32
      %i0 = arith.index_cast %0 : i32 to index
      %i1 = arith.index_cast %i : i32 to index
      %i2 = arith.index_cast %j : i32 to index
      memref.store %x, %a[%i0, %i1, %i2] : memref<?x16x8xf32>
      %i3 = arith.index_cast %i : i32 to index
      %i4 = arith.index_cast %n : i32 to index
      %i5 = arith.index_cast %j : i32 to index
      memref.store %x, %a[%i3, %i4, %i5] : memref<?x16x8xf32>
      %1 = memref.load %places[%zero] : memref<4xi32>
      %2 = arith.addi %1, %i overflow<nsw> : i32
      %i6 = arith.index_cast %2 : i32 to index
      %i7 = arith.index_cast %i : i32 to index
      %i8 = arith.index_cast %j : i32 to index
      memref.store %x, %a[%i6, %i7, %i8] : memref<?x16x8xf32>
    }
  }
  tir.return
}

// Where sizes have names, a number that is subtracted stays one. What no loop
// changes stays whole.
// CHECK-LABEL: tir.prim_func @named
// CHECK-SAME:    (%[[N:.*]]: i32, %[[M:.*]]: i32, %{{.*}})
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %[[N]]
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %[[M]] overflow<nsw> : i32
// CHECK-NEXT:        %[[SUM:.*]] = arith.addi %[[ROW]], %[[I]] overflow<nsw> : i32
// CHECK-NEXT:        arith.subi %[[SUM]], %c1_i32 overflow<nsw> : i32
// CHECK:             %[[LAST:.*]] = arith.subi %[[N]], %c1_i32 overflow<nsw> : i32
// CHECK:             %[[NEXT:.*]] = arith.muli %[[I]], %[[M]] overflow<nsw> : i32
// CHECK-NEXT:        arith.addi %[[NEXT]], %[[LAST]] overflow<nsw> : i32
tir.prim_func @named(%n: i32, %m: i32, %x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tir.alloc_buffer shape(%n, %m : i32, i32) : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = arith.subi %i, %c1 overflow<nsw> : i32
    %i0 = arith.index_cast %i : i32 to index
    %i1 = arith.index_cast %0 : i32 to index
    memref.store %x, %a[%i0, %i1] : memref<?x?xf32>
    %1 = arith.subi %n, %c1 overflow<nsw> : i32
    %i2 = arith.index_cast %i : i32 to index
    %i3 = arith.index_cast %1 : i32 to index
    memref.store %x, %a[%i2, %i3] : memref<?x?xf32>
  }
  tir.return
}

// The place in a buffer of one dimension is simplified, too, and the parts of a
// number come together.
// CHECK-LABEL: tir.prim_func @parts
// CHECK:         scf.for %[[I:.*]] = %c0_i32 to %c8_i32
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0_i32 to %c3_i32
// CHECK-NOT:         tir.prim
// CHECK:             %[[ROW:.*]] = arith.muli %[[I]], %c3_i32{{.*}} overflow<nsw> : i32
// CHECK-NEXT:        %[[PLACE:.*]] = arith.addi %[[ROW]], %[[J]] overflow<nsw> : i32
// CHECK-NEXT:        %[[PLACE_INDEX:.*]] = arith.index_cast %[[PLACE]] : i32 to index
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[PLACE_INDEX]]] : memref<24xf32>
tir.prim_func @parts(%x: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c12 = arith.constant 12 : i32
  %c24 = arith.constant 24 : i32
  %a = tir.alloc_buffer : memref<24xf32>
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c3 step %c1 : i32 {
      %0 = arith.muli %i, %c3 overflow<nsw> : i32
      %1 = arith.addi %0, %j overflow<nsw> : i32
      %2 = tir.prim "FloorMod"(%1, %c24) : (i32, i32) -> i32
      %3 = arith.floordivsi %2, %c12 : i32
      %4 = arith.muli %3, %c12 overflow<nsw> : i32
      %5 = tir.prim "FloorMod"(%1, %c12) : (i32, i32) -> i32
      %6 = arith.floordivsi %5, %c4 : i32
      %7 = arith.muli %6, %c4 overflow<nsw> : i32
      %8 = arith.addi %4, %7 overflow<nsw> : i32
      %9 = tir.prim "FloorMod"(%1, %c4) : (i32, i32) -> i32
      %10 = arith.addi %8, %9 overflow<nsw> : i32
      %11 = arith.index_cast %10 : i32 to index
      memref.store %x, %a[%11] : memref<24xf32>
    }
  }
  tir.return
}

// A scalar at an offset, a buffer that is stored, and buffers with more elements
// than an int64_t can count, which stay.
// CHECK-LABEL: tir.prim_func @corners
// CHECK-SAME:      (%{{.*}}: memref<f32, {{.*}}>, %[[HUGE:.*]]: memref<4000000000x4000000000xf32>,
// CHECK:         %[[S:.*]] = tir.decl_buffer {{.*}} to memref<1xf32>
// CHECK:         memref.store %{{.*}}, %[[S]][%c3{{.*}}] : memref<1xf32>
// CHECK:         %[[A:.*]] = tir.alloc_buffer : memref<4xf32>
// CHECK:         %[[B:.*]] = tir.alloc_buffer : memref<4xmemref<4xf32>>
// CHECK:         memref.store %[[A]], %[[B]][%{{.*}}] : memref<4xmemref<4xf32>>
// CHECK:         memref.store %{{.*}}, %[[HUGE]][%{{.*}}, %{{.*}}] : memref<4000000000x4000000000xf32>
tir.prim_func @corners(%s: memref<f32, strided<[], offset: 3>>, %huge: memref<4000000000x4000000000xf32>, %x: f32, %i: index) {
  memref.store %x, %s[] : memref<f32, strided<[], offset: 3>>
  %a = tir.alloc_buffer : memref<4xf32>
  %b = tir.alloc_buffer : memref<4xmemref<4xf32>>
  memref.store %a, %b[%i] : memref<4xmemref<4xf32>>
  memref.store %x, %huge[%i, %i] : memref<4000000000x4000000000xf32>
  tir.return
}

// Vectors, rank 0, and regions of blocks.
// CHECK-LABEL: tir.prim_func @others
// CHECK:         tir.block "block"
// CHECK:           %[[B:.*]] = tir.block_buffer : memref<32xf32>
// CHECK:           tir.writes %[[B]][%{{.*}} : i32] [%{{.*}} : i32] : memref<32xf32>
// CHECK-COUNT-1:   tir.prim "Ramp"
// CHECK-NOT:       tir.prim "Ramp"
// CHECK:           tir.store %{{.*}}, %[[B]][%{{.*}}] : vector<4xf32>, memref<32xf32>, vector<4xi32>
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c0{{.*}}] : memref<1xf32>
// A buffer with another use stays.
// CHECK:         tir.alloc_buffer : memref<4x8xf32>
tir.prim_func @others(%x: f32, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    %b = tir.block_buffer : memref<4x8xf32>
    tir.writes %b[%i, %c0 : i32, i32][%c1, %c4 : i32, i32] : memref<4x8xf32>
    %v = tir.prim "Broadcast"(%x, %c4) : (f32, i32) -> vector<4xf32>
    %0 = tir.prim "Ramp"(%c0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
    tir.store %v, %b[%i, %0] : vector<4xf32>, memref<4x8xf32>, i32, vector<4xi32>
  }
  %s = tir.alloc_buffer : memref<f32>
  memref.store %x, %s[] : memref<f32>
  %o = tir.alloc_buffer : memref<4x8xf32>
  tir.call_intrin "test.use"(%o) : (memref<4x8xf32>) -> ()
  tir.return
}
}

// -----

partita.module {
tir.prim_func @match(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    // expected-error @below {{expected a function without it; run tir.LowerMatchBuffer first}}
    %m = tir.match_buffer %a[%c0 : i32][%c4 : i32] : memref<8xf32> to memref<4xf32>
  }
  tir.return
}
}

// -----

// Nothing uses the two results of an op after their sum has cancelled.

// CHECK-LABEL: tir.prim_func @unused_results
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]] : memref<32xf32>
partita.module {
tir.prim_func @unused_results(%a: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    %is_first = arith.cmpi slt, %i, %c1 : index
    %r:2 = scf.if %is_first -> (index, index) {
      scf.yield %i, %c1 : index, index
    } else {
      scf.yield %c0, %i : index, index
    }
    %t = arith.addi %r#0, %r#1 overflow<nsw> : index
    %d = arith.subi %t, %t overflow<nsw> : index
    memref.store %f, %a[%d, %i] : memref<8x4xf32>
  }
  tir.return
}
}
