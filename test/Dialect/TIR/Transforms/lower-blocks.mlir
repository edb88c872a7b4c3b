// RUN: partita-opt %s --tir-lower-blocks --split-input-file --verify-diagnostics | FileCheck %s

partita.module {

// CHECK-LABEL: tir.prim_func @sum
// CHECK-NOT: tir.
// CHECK:       scf.for %[[I:.*]] = %c0_i32 to %c9_i32
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0_i32 to %c4_i32
// CHECK-NEXT:      scf.for %[[K:.*]] = %c0_i32 to %c4_i32
// CHECK-NEXT:        %[[P:.*]] = arith.cmpi slt, %[[I]], %c8_i32 : i32
// CHECK-NEXT:        scf.if %[[P]] {
// CHECK-NEXT:          %[[X:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK-NEXT:          %[[A:.*]] = arith.cmpi eq, %[[J]], %c0_i32 : i32
// CHECK-NEXT:          %[[B:.*]] = arith.cmpi eq, %[[K]], %c0_i32 : i32
// CHECK-NEXT:          %[[F:.*]] = arith.andi %[[A]], %[[B]] : i1
// CHECK-NEXT:          scf.if %[[F]] {
// CHECK-NEXT:            memref.store %cst, %{{.*}}[%[[X]]] : memref<8xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          %[[Y:.*]] = arith.index_cast %[[J]] : i32 to index
// CHECK-NEXT:          %[[Z:.*]] = arith.index_cast %[[K]] : i32 to index
// CHECK-NEXT:          memref.load %{{.*}}[%[[X]], %[[Y]], %[[Z]]]
// CHECK:               memref.store
// CHECK-NEXT:        }
// CHECK:       tir.return
tir.prim_func @sum(%a: memref<8x4x4xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  %true = arith.constant true
  %cst = arith.constant 0.0 : f32
  tir.block "root" [] where %true {
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        scf.for %k = %c0 to %c4 step %c1 : i32 {
          %p = arith.cmpi slt, %i, %c8 : i32
          tir.block "sum" ["spatial", "reduce", "reduce"] (%i, %j, %k : i32, i32, i32)
              from(%c0, %c0, %c0 : i32, i32, i32) extent(%c8, %c4, %c4 : i32, i32, i32) where %p {
          ^bb0(%vi: i32, %vj: i32, %vk: i32):
            %0 = arith.index_cast %vi : i32 to index
            tir.reads %a[%vi, %vj, %vk : i32, i32, i32][%c1, %c1, %c1 : i32, i32, i32] : memref<8x4x4xf32>
            tir.writes %b[%vi : i32][%c1 : i32] : memref<8xf32>
            tir.init {
              memref.store %cst, %b[%0] : memref<8xf32>
            }
            %1 = arith.index_cast %vj : i32 to index
            %2 = arith.index_cast %vk : i32 to index
            %3 = memref.load %a[%0, %1, %2] : memref<8x4x4xf32>
            %4 = memref.load %b[%0] : memref<8xf32>
            %5 = arith.addf %3, %4 : f32
            memref.store %5, %b[%0] : memref<8xf32>
          }
        }
      }
    }
  }
  tir.return
}

// A part of a buffer is a view; the buffer determines its strides and offset.
// An init without a reduction always runs.

// Accesses are the source's; others take a view.
// CHECK-LABEL: tir.prim_func @part
// CHECK:       %[[L:.*]] = tir.alloc_buffer {{.*}} : memref<8x4xf32, "local">
// CHECK-DAG:   %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK-DAG:   %[[V:.*]] = memref.subview %[[L]][%{{.*}}, 0] [1, 4] [1, 1] : memref<8x4xf32, "local"> to memref<4xf32, strided<[1], offset: ?>, "local">
// CHECK:       %[[C:.*]] = memref.cast %[[V]]
// CHECK:       %[[OFFSET:.*]] = arith.muli %{{.*}}, %c4{{.*}} overflow<nsw> : i32
// CHECK:       memref.store %cst, %[[L]][%{{.*}}, %c0] : memref<8x4xf32, "local">
// CHECK:       tir.call_intrin "tirx.fill"(%[[C]], %[[OFFSET]], %c1{{.*}})
tir.prim_func @part(%i: i32) {
  %c0_index = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  %cst = arith.constant 0.0 : f32
  tir.block "part" [] where %true {
    %local = tir.block_buffer : memref<8x4xf32, "local">
    %s = tir.var : i32
    %o = tir.var : i32
    %part = tir.match_buffer %local[%i, %c0 : i32, i32][%c1, %c4 : i32, i32]
        strides(%s : i32) offset(%o : i32) : memref<8x4xf32, "local"> to memref<4xf32, strided<[?], offset: ?>, "local">
    tir.init {
      memref.store %cst, %part[%c0_index] : memref<4xf32, strided<[?], offset: ?>, "local">
    }
    tir.call_intrin "tirx.fill"(%part, %o, %s) : (memref<4xf32, strided<[?], offset: ?>, "local">, i32, i32) -> ()
  }
  tir.return
}

// A block's alignment stays at the buffer, and its pragmas around its body.
// CHECK-LABEL: tir.prim_func @said
// CHECK:       tir.attr "pragma_a" = %{{.*}} : i32 {
// CHECK-NEXT:    tir.attr "pragma_b" = %{{.*}} : !tir.string {
// CHECK-NEXT:      %[[B:.*]] = tir.alloc_buffer {annotations = {buffer_allocated_addr = array<i64>, buffer_data_alignment = 64 : i32, buffer_dim_align = [array<i64: -1, 0, 16, 15>]}} : memref<16xf32>
// CHECK:           scf.for
// CHECK:             memref.store %cst, %[[B]]
// CHECK:         } {node = 0 : i64}
// CHECK-NEXT:  } {node = 0 : i64}
// CHECK-NEXT:  tir.return
tir.prim_func @said() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %true = arith.constant true
  %cst = arith.constant 0.0 : f32
  tir.block "outer" [] where %true {
    %b = tir.block_buffer : memref<16xf32>
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      tir.block "inner" [] where %true {
        tir.writes %b[%i : i32][%c1 : i32] : memref<16xf32>
        %0 = arith.index_cast %i : i32 to index
        memref.store %cst, %b[%0] : memref<16xf32>
      } {annotations = {buffer_dim_align = [array<i64: 0, 0, 16, 15>]}}
    }
  } {annotations = {other = 2 : i64, pragma_a = 1 : i64, pragma_b = "x"}}
  tir.return
}

// A single thread has the number 0; statements without effect are removed.
// CHECK-LABEL: tir.prim_func @thread
// CHECK:       tir.attr "thread_extent"
// CHECK:         tir.call_intrin "tirx.f"(%c0_i32)
// CHECK-NOT:   tir.evaluate
// CHECK:       tir.return
tir.prim_func @thread() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  tir.for "thread_binding" %c0, %c1 : i32, i32 {
  ^bb0(%i: i32):
    tir.block "" [] where %true {
      tir.call_intrin "tirx.f"(%i) : (i32) -> ()
      tir.evaluate %c0 : i32
    }
  } {thread = "blockIdx.x"}
  tir.return
}

}

// -----

partita.module {

// CHECK-LABEL: tir.prim_func @threads
// CHECK:       tir.attr "thread_extent" = %[[N:.*]] : i32 domain(%[[M:.*]], %[[N]] : i32, i32) {
// CHECK-NEXT:  ^bb0(%[[TX:.*]]: i32):
// CHECK-NEXT:    tir.attr "virtual_thread" =
// CHECK:           tir.call_intrin "tirx.f"(%[[TX]],
// CHECK:       {iter_type = 1 : i64, thread = "threadIdx.x"}
tir.prim_func @threads(%m: i32, %n: i32) {
  tir.for "thread_binding" %m, %n : i32, i32 {
  ^bb0(%i: i32):
    tir.for "thread_binding" %m, %n : i32, i32 {
    ^bb0(%j: i32):
      tir.call_intrin "tirx.f"(%i, %j) : (i32, i32) -> ()
    } {thread = "vthread.x"}
  } {thread = "threadIdx.x"}
  tir.return
}

}

// -----

partita.module {

tir.prim_func @transposed(%a: memref<8x4xf32>, %i: i32) {
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %true = arith.constant true
  tir.block "part" [] where %true {
    // expected-error @below {{expected a buffer that is a part of 'memref<8x4xf32>', except for leading dimensions of size 1, found 'memref<4xf32>'}}
    %part = tir.match_buffer %a[%i, %i : i32, i32][%c4, %c1 : i32, i32] : memref<8x4xf32> to memref<4xf32>
  }
  tir.return
}
}

// -----

// A part of a part, and a part without one dimension: indices, the data and the
// variables of the caller become the source's.
partita.module {
// CHECK-LABEL: tir.prim_func @nested
// CHECK-SAME:  (%[[A:.*]]: memref<2x64x64xf32>, %[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK-NOT:   tir.match_buffer
// CHECK-NOT:   tir.var
// CHECK:       %[[T:.*]] = arith.addi %[[J]], %[[I]] overflow<nsw> : i32
// CHECK:       %[[IN:.*]] = arith.addi %[[T]], %c16_i32 overflow<nsw> : i32
// CHECK:       %[[X:.*]] = arith.index_cast %[[IN]] : i32 to index
// CHECK:       memref.store %cst, %[[A]][%{{.*}}, %[[X]], %{{.*}}] : memref<2x64x64xf32>
// CHECK:       tir.call_intrin pure "tirx.buffer_data"(%[[A]]) : (memref<2x64x64xf32>)
// CHECK-NEXT:  tir.call_intrin "tirx.fill"(%{{.*}}, %{{.*}}, %c64_i32)
tir.prim_func @nested(%a: memref<2x64x64xf32>, %i: i32, %j: i32) {
  %true = arith.constant true
  %cst = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16_i32 = arith.constant 16 : i32
  tir.block "outer" [] where %true {
    %so = tir.var : i32
    %oo = tir.var : i32
    %outer = tir.match_buffer %a[%i, %c16_i32, %c0 : i32, i32, i32][%c1, %c16_i32, %c16_i32 : i32, i32, i32]
        strides(%so, %c1 : i32, i32) offset(%oo : i32) : memref<2x64x64xf32> to memref<16x16xf32, strided<[?, 1], offset: ?>>
    tir.block "inner" [] where %true {
      %s = tir.var : i32
      %o = tir.var : i32
      %inner = tir.match_buffer %outer[%j, %c4 : i32, i32][%c4, %c4 : i32, i32]
          strides(%s, %c1 : i32, i32) offset(%o : i32) : memref<16x16xf32, strided<[?, 1], offset: ?>> to memref<4x4xf32, strided<[?, 1], offset: ?>>
      %x = arith.index_cast %i : i32 to index
      memref.store %cst, %inner[%x, %x] : memref<4x4xf32, strided<[?, 1], offset: ?>>
      %data = tir.call_intrin pure "tirx.buffer_data"(%inner) : (memref<4x4xf32, strided<[?, 1], offset: ?>>) -> !tir.ptr<"global", f32>
      tir.call_intrin "tirx.fill"(%data, %o, %s) : (!tir.ptr<"global", f32>, i32, i32) -> ()
    }
  }
  tir.return
}

// Elements of a vector, and a dimension whose size the caller gives.
// CHECK-LABEL: tir.prim_func @vector
// CHECK-SAME:  (%[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: i32)
// CHECK:       %[[O:.*]] = arith.muli %[[N]], %c4_i32 overflow<nsw> : i32
// CHECK:       %[[O2:.*]] = arith.addi %[[O]], %[[N]] overflow<nsw> : i32
// CHECK:       %[[B:.*]] = arith.addi %[[N]], %c4_i32 overflow<nsw> : i32
// CHECK:       %[[R:.*]] = tir.prim "Ramp"(%[[B]], %{{.*}}, %{{.*}}) : (i32, i32, i32) -> vector<4xi32>
// CHECK:       tir.store %{{.*}}, %[[A]][%c5_i32, %[[R]]] : vector<4xf32>, memref<?x?xf32>, i32, vector<4xi32>
// CHECK:       tir.call_intrin "tirx.fill"(%[[O2]])
tir.prim_func @vector(%a: memref<?x?xf32>, %n: i32) {
  tir.buffer %a shape(%n, %n : i32, i32) : memref<?x?xf32>
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %cst = arith.constant 1.0 : f32
  tir.block "part" [] where %true {
    %o = tir.var : i32
    %part = tir.match_buffer %a[%c4, %n : i32, i32][%c4, %c4 : i32, i32]
        offset(%o : i32) : memref<?x?xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
    %ones = tir.prim "Broadcast"(%cst, %c4) : (f32, i32) -> vector<4xf32>
    %ramp = tir.prim "Ramp"(%c4, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
    tir.store %ones, %part[%c1, %ramp] : vector<4xf32>, memref<4x4xf32, strided<[?, 1], offset: ?>>, i32, vector<4xi32>
    tir.call_intrin "tirx.fill"(%o) : (i32) -> ()
  }
  tir.return
}
}

// -----

// Pragmas become attributes of the loop's variable. A loop of one iteration is
// removed, unless it has annotations.
partita.module {
// CHECK-LABEL: tir.prim_func @loops
// CHECK:       tir.attr "pragma_a" = %{{.*}} : i32 {
// CHECK-NEXT:    tir.attr "pragma_b" = %{{.*}} : !tir.string {
// CHECK-NEXT:      scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:        tir.attr_node %[[I]] : i32
// CHECK-NEXT:        tir.attr_node %[[I]] {outer = 1 : i64} : i32
// CHECK-NEXT:        tir.evaluate %[[I]]
// CHECK-NEXT:      } {tir.annotations = {kept = 2 : i64}}
// CHECK:       tir.evaluate %c3
// CHECK-NOT:   scf.for
// CHECK:       tir.evaluate %arg0
// CHECK:       scf.for
// CHECK-NEXT:    tir.evaluate
// CHECK-NEXT:  } {tir.annotations = {keep = true}}
tir.prim_func @loops(%arg0: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %next = arith.addi %arg0, %c1 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    tir.evaluate %i : i32
  } {tir.annotations = {kept = 2 : i64, pragma_a = 1 : i64, pragma_b = "x"}}
  scf.for %i = %c3 to %c4 step %c1 : i32 {
    tir.evaluate %i : i32
  } {tir.kind = "parallel"}
  scf.for %i = %arg0 to %next step %c1 : i32 {
    tir.evaluate %i : i32
  }
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    tir.evaluate %i : i32
  } {tir.annotations = {keep = true}}
  tir.return
}
}

// -----

// A loop of one iteration stays if it has annotations, also pragmas. A loop
// that threads run, or that is left early, has pragmas, too.
partita.module {
// CHECK-LABEL: tir.prim_func @unit_loops
// CHECK:       tir.attr "pragma_a" = %{{.*}} : i32 {
// CHECK-NEXT:    scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:      tir.attr_node %[[I]] : i32
// CHECK-NEXT:      tir.evaluate %[[I]]
// CHECK-NEXT:    }{{$}}
// CHECK:       tir.attr "pragma_a" = %{{.*}} : i32 {
// CHECK-NEXT:    tir.attr "thread_extent" = %{{.*}} domain
// CHECK-NEXT:    ^bb0(%[[T:.*]]: i32):
// CHECK-NEXT:      tir.attr_node %[[T]] : i32
// CHECK-NEXT:      tir.evaluate %[[T]]
// CHECK:       tir.attr "pragma_a" = %{{.*}} : i32 {
// CHECK-NEXT:    tir.for "serial"
// CHECK-NEXT:    ^bb0(%[[L:.*]]: i32):
// CHECK-NEXT:      tir.attr_node %[[L]] : i32
// CHECK:         }{{$}}
tir.prim_func @unit_loops() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    tir.evaluate %i : i32
  } {tir.annotations = {pragma_a = 1 : i64}}
  tir.for "thread_binding" %c0, %c1 : i32, i32 {
  ^bb0(%t: i32):
    tir.evaluate %t : i32
  } {thread = "threadIdx.x", annotations = {pragma_a = 1 : i64}}
  tir.for "serial" %c0, %c1 : i32, i32 {
  ^bb0(%l: i32):
    tir.break
  } {annotations = {pragma_a = 1 : i64}}
  tir.return
}

// Attributes that the variable has already are further out then. Attributes of
// a removed loop lose their object.
// CHECK-LABEL: tir.prim_func @said_before
// CHECK:       tir.attr "outside" =
// CHECK:         tir.attr "pragma_a" =
// CHECK-NEXT:      scf.for %[[I:.*]] = %{{.*}} to
// CHECK-NEXT:        tir.attr_node %[[I]] : i32
// CHECK-NEXT:        tir.attr_node %[[I]] {outer = 1 : i64} : i32
// CHECK:       tir.attr "outside" =
// CHECK-NEXT:    tir.evaluate %c0
tir.prim_func @said_before() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tir.attr "outside" = %c1 : i32 {
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      tir.attr_node %i : i32
      tir.evaluate %i : i32
    } {tir.annotations = {pragma_a = 1 : i64}}
  }
  tir.attr "outside" = %c1 : i32 {
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      tir.attr_node %i : i32
      tir.evaluate %i : i32
    }
  }
  tir.return
}
}

// -----

// An op that only declares where a block reads is removed with the block.
partita.module {
// CHECK-LABEL: tir.prim_func @indirect
// CHECK-NOT:   memref.load
// CHECK:       memref.store
// CHECK-NEXT:  tir.return
tir.prim_func @indirect(%a: memref<8xi32>, %b: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  tir.block "block" [] where %true {
    %0 = memref.load %a[%c0] : memref<8xi32>
    %1 = arith.addi %0, %c1 : i32
    tir.reads %a[%0 : i32][%1 : i32] : memref<8xi32>
    memref.store %c0_i32, %b[%c0] : memref<8xi32>
  }
  tir.return
}
}

// -----

// Strides that are equal stay so where the conditions contradict each other.
partita.module {
// CHECK-LABEL: tir.prim_func @unreachable
// CHECK-SAME:  (%[[A:.*]]: memref<8xf32>)
// CHECK:       memref.store %{{.*}}, %[[A]]
tir.prim_func @unreachable(%a: memref<8xf32>) {
  %i0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %f = arith.constant 1.0 : f32
  %true = arith.constant true
  %never = arith.cmpi ne, %c4, %c4 : i32
  scf.if %never {
    tir.block "part" [] where %true {
      %o = tir.var : i32
      %p = tir.match_buffer %a[%c1 : i32][%c4 : i32] strides(%c1 : i32) offset(%o : i32) : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      memref.store %f, %p[%i0] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  tir.return
}
}
