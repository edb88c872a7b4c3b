// RUN: partita-opt --tir-lower-blocks --convert-partita-to-func --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func private @partita.loops(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xi8>) {
// CHECK: %[[DIM:.*]] = memref.dim %[[A]]
// CHECK: %[[N:.*]] = arith.index_cast %[[DIM]] : index to i64
// CHECK: %[[BUFFER:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK: %[[IS:.*]] = arith.cmpf ogt, %[[V:.*]], %[[W:.*]] : f32
// CHECK: arith.select %[[IS]], %[[V]], %[[W]]
// CHECK: arith.constant 9.99999974E-6 : f32
// CHECK: arith.remsi
// CHECK: arith.divui %{{.*}}, %{{.*}} : i8
// CHECK: arith.fptoui %{{.*}} : f32 to i8
// CHECK: math.exp
// CHECK-NOT: tir.
// CHECK-NOT: unrealized
partita.module @arithmetic {
  tir.prim_func private @loops(%a: memref<?xf32>, %b: memref<?xui8>) {
    %n = tir.var : i64
    tir.buffer %a shape(%n : i64) {index_type = i64} : memref<?xf32>
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c7 = arith.constant 7 : i64
    %buffer = tir.alloc_buffer shape(%n : i64) {index_type = i64} : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 : i64 {
      %index = arith.index_cast %i : i64 to index
      %v = memref.load %a[%index] : memref<?xf32>
      %max = tir.prim "Max"(%v, %v) : (f32, f32) -> f32
      %small = tir.constant 1.000000e-05 : f64 -> f32
      %sum = arith.addf %max, %small : f32
      %mod = tir.prim "FloorMod"(%i, %c7) : (i64, i64) -> i64
      %at = arith.index_cast %mod : i64 to index
      %u = memref.load %b[%at] : memref<?xui8>
      %q = tir.prim "Div"(%u, %u) : (ui8, ui8) -> ui8
      memref.store %q, %b[%index] : memref<?xui8>
      %cast = tir.prim "Cast"(%sum) : (f32) -> ui8
      memref.store %cast, %b[%index] : memref<?xui8>
      %sigmoid = tir.call_intrin pure "tirx.sigmoid"(%sum) : (f32) -> f32
      memref.store %sigmoid, %buffer[%index] : memref<?xf32>
    }
    tir.return
  }
}

// -----

// CHECK-LABEL: func.func private @partita.kinds(
// CHECK: scf.parallel
// CHECK: memref.store
// CHECK-NOT: tir.
partita.module @loops {
  tir.prim_func private @kinds(%a: memref<128xf32>, %x: f32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    tir.for "parallel" %c0, %c128 : i32, i32 {
    ^bb0(%i: i32):
      tir.attr "pragma_unroll" = %c0 : i32 {
        %seq = tir.string "seq"
        tir.attr "pragma_scope" = %seq : !tir.string {
          tir.store %x, %a[%i] : f32, memref<128xf32>, i32
        }
      }
    }
    tir.return
  }
}

// -----

// A packed function gets the buffers themselves, numbers and strings. A loop
// that calls one runs on the thread of the call.

// CHECK-LABEL: func.func private @partita.packed(
// CHECK-SAME: %[[X:.*]]: memref<4xi8>, %[[N:.*]]: i8
// CHECK-NOT: scf.parallel
// CHECK: scf.for
// CHECK: call @partita_packed(%[[X]], %[[N]]) : (memref<4xi8>, i8) -> ()
// CHECK: %[[R:.*]] = call @partita_packed_0() : () -> i64
// CHECK: call @partita.use(%{{.*}}, %[[R]]) : (memref<?xi8>, i64) -> ()
// CHECK: \22dtype\22:\22uint8\22,\22is_written\22:true,\22kind\22:\22tensor\22
// CHECK-SAME: {\22kind\22:\22string\22,\22value\22:\22text\22}
partita.module {
  tir.prim_func private @packed(%x: memref<4xui8>, %n: ui8) {
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %f = tir.string "f"
    %text = tir.string "text"
    tir.for "parallel" %c0, %c4 : i32, i32 {
    ^bb0(%i: i32):
      %p = tir.call_intrin pure "tirx.buffer_data"(%x) : (memref<4xui8>) -> !tir.ptr<"global", ui8>
      %a = tir.call_intrin "tirx.tvm_stack_make_array"(%p, %c4) : (!tir.ptr<"global", ui8>, i32) -> !tir.handle
      tir.call_intrin "tirx.tvm_call_packed"(%f, %a, %n, %text) : (!tir.string, !tir.handle, ui8, !tir.string) -> ()
    }
    %r = tir.call_intrin "tirx.tvm_call_packed"(%f) : (!tir.string) -> i64
    tir.call @use(%x, %r) : (memref<4xui8>, i64) -> ()
    tir.return
  }
  tir.prim_func private @use(%x: memref<?xui8>, %n: i64) {
    tir.return
  }
}

// -----

// Consecutive elements are one load. Others are loaded one by one.

// CHECK-LABEL: func.func private @partita.vectors(
// CHECK-SAME: %[[A:[^:]*]]: memref<64xf32>, %[[B:[^:]*]]: memref<64xi8>, %[[I:[^:]*]]: i32)
// CHECK: arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK: %[[AT:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: %[[X:.*]] = vector.load %[[A]][%[[AT]]] : memref<64xf32>, vector<4xf32>
// CHECK-COUNT-4: memref.load %[[A]]
// CHECK-NOT: memref.load
// CHECK: %[[Y:.*]] = vector.from_elements
// CHECK: %[[IS:.*]] = arith.cmpf ogt, %[[X]], %[[ZEROS:.*]] : vector<4xf32>
// CHECK: %[[MAX:.*]] = arith.select %[[IS]], %[[X]], %[[ZEROS]]
// CHECK: %[[SUM:.*]] = arith.addf %[[MAX]], %[[Y]]
// CHECK: %[[CAST:.*]] = arith.fptoui %[[SUM]] : vector<4xf32> to vector<4xi8>
// CHECK: %[[STORED:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: vector.store %[[CAST]], %[[B]][%[[STORED]]] : memref<64xi8>, vector<4xi8>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[A]]
// CHECK-NOT: tir.
// CHECK-NOT: unrealized
partita.module {
  tir.prim_func private @vectors(%a: memref<64xf32>, %b: memref<64xui8>, %i: i32) {
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %zero = arith.constant 0.0 : f32
    %ramp = tir.prim "Ramp"(%i, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
    %strided = tir.prim "Ramp"(%i, %c4, %c4) : (i32, i32, i32) -> vector<4xi32>
    %x = tir.load %a[%ramp] : memref<64xf32>, vector<4xi32> -> vector<4xf32>
    %y = tir.load %a[%strided] : memref<64xf32>, vector<4xi32> -> vector<4xf32>
    %zeros = tir.prim "Broadcast"(%zero, %c4) : (f32, i32) -> vector<4xf32>
    %max = tir.prim "Max"(%x, %zeros) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %sum = arith.addf %max, %y : vector<4xf32>
    %cast = tir.prim "Cast"(%sum) : (vector<4xf32>) -> vector<4xui8>
    tir.store %cast, %b[%ramp] : vector<4xui8>, memref<64xui8>, vector<4xi32>
    tir.store %sum, %a[%strided] : vector<4xf32>, memref<64xf32>, vector<4xi32>
    tir.return
  }
}

// -----

// CHECK: func.func private @hypotf(f32, f32) -> f32
// CHECK-LABEL: func.func private @partita.intrinsics(
// CHECK: math.ctpop %{{.*}} : i64
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: math.roundeven
// CHECK: call @hypotf(
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %[[WIDE]] : f32 to bf16
// CHECK: arith.xori
// CHECK-NOT: tir.
partita.module {
  tir.prim_func private @intrinsics(%i: i64, %x: f32, %h: f16, %a: memref<4xf32>, %b: memref<4xi32>, %c: memref<4xbf16>) {
    %0 = arith.constant 0 : index
    %count = tir.call_intrin pure "tirx.popcount"(%i) : (i64) -> i32
    %round = tir.call_intrin pure "tirx.round"(%x) : (f32) -> f32
    %hypot = tir.call_intrin pure "tirx.hypot"(%x, %round) : (f32, f32) -> f32
    %cast = tir.prim "Cast"(%h) : (f16) -> bf16
    %not = tir.prim "BitwiseNot"(%count) : (i32) -> i32
    memref.store %not, %b[%0] : memref<4xi32>
    memref.store %hypot, %a[%0] : memref<4xf32>
    memref.store %cast, %c[%0] : memref<4xbf16>
    tir.return
  }
}

// -----

// A buffer at the address of another one, as FlattenBuffer makes it.

// CHECK-LABEL: func.func private @partita.flat(
// CHECK-SAME: %[[A:[^:]*]]: memref<?x4xf32>
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<?x4xf32> to memref<?xf32>
// CHECK: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[PART:.*]] = memref.reinterpret_cast %[[B]] to offset: [4], sizes: [2, 2], strides: [2, 1] : memref<8xf32> to memref<2x2xf32, strided<[2, 1], offset: 4>>
// CHECK: memref.store %{{.*}}, %[[FLAT]]
// CHECK: memref.store %{{.*}}, %[[PART]]
// CHECK-NOT: tir.
partita.module {
  tir.prim_func private @flat(%a: memref<?x4xf32>, %x: f32) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i64
    %n = tir.var : i64
    tir.buffer %a shape(%n, %c4 : i64, i64) {index_type = i64} : memref<?x4xf32>
    %size = arith.muli %n, %c4 : i64
    %0 = tir.call_intrin pure "tirx.buffer_data"(%a) : (memref<?x4xf32>) -> !tir.ptr<"global", f32>
    %flat = tir.decl_buffer %0 shape(%size : i64) {index_type = i64} : !tir.ptr<"global", f32> to memref<?xf32>
    %b = tir.alloc_buffer : memref<8xf32, "local">
    %1 = tir.call_intrin pure "tirx.buffer_data"(%b) : (memref<8xf32, "local">) -> !tir.ptr<"local", f32>
    %part = tir.decl_buffer %1 offset(%c4 : i64) {index_type = i64} : !tir.ptr<"local", f32> to memref<2x2xf32, strided<[2, 1], offset: 4>, "local">
    memref.store %x, %flat[%c0] : memref<?xf32>
    memref.store %x, %part[%c0, %c0] : memref<2x2xf32, strided<[2, 1], offset: 4>, "local">
    tir.return
  }
}

// -----

// A loop that is left early goes on while a flag is not set. What follows a jump
// runs where no jump came before it in the iteration.

// CHECK-LABEL: func.func private @partita.jumps(
// CHECK: %[[SKIPS:.*]] = memref.alloc() : memref<i1>
// CHECK: %[[LEAVES:.*]] = memref.alloc() : memref<i1>
// CHECK: memref.store %{{.*}}, %[[LEAVES]]
// CHECK: scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK: arith.cmpi slt, %[[I]]
// CHECK: memref.load %[[LEAVES]]
// CHECK: scf.condition
// CHECK: ^bb0(%[[I:.*]]: i32):
// CHECK: memref.store %{{.*}}, %[[SKIPS]]
// CHECK: scf.if
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: memref.store %[[TRUE]], %[[SKIPS]]
// CHECK: memref.store %{{.*}}, %[[LEAVES]]
// CHECK: memref.load %[[SKIPS]]
// CHECK: scf.if
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[SKIPS]]
// CHECK-NOT: %[[LEAVES]]
// CHECK: memref.load %[[SKIPS]]
// CHECK: scf.if
// CHECK: memref.store %{{.*}} : memref<16xf32>
// CHECK: scf.yield %{{.*}} : i32
// CHECK-NOT: tir.
partita.module {
  tir.prim_func private @jumps(%a: memref<16xf32>, %x: f32) {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    tir.for "serial" %c0, %c16 : i32, i32 {
    ^bb0(%i: i32):
      %0 = arith.index_cast %i : i32 to index
      %1 = memref.load %a[%0] : memref<16xf32>
      %2 = arith.cmpf ogt, %1, %x : f32
      scf.if %2 {
        tir.call_intrin "tirx.break_loop"() : () -> ()
      }
      %3 = arith.cmpf oeq, %1, %x : f32
      scf.if %3 {
        tir.continue
      }
      memref.store %x, %a[%0] : memref<16xf32>
    }
    tir.return
  }
}

// -----

// The condition of a loop that is left is not evaluated.

// CHECK-LABEL: func.func private @partita.left(
// CHECK: scf.while : () -> () {
// CHECK: memref.load %{{.*}} : memref<i1>
// CHECK: %[[IS:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK: memref.load %{{.*}} : memref<16xi32>
// CHECK: } else {
// CHECK: scf.yield %false
// CHECK: scf.condition(%[[IS]])
partita.module {
  tir.prim_func private @left(%a: memref<16xi32>, %b: memref<1xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c15 = arith.constant 15 : index
    %zero = arith.constant 0 : i32
    scf.while : () -> () {
      %0 = memref.load %b[%c0] : memref<1xindex>
      %1 = memref.load %a[%0] : memref<16xi32>
      %2 = arith.cmpi ne, %1, %zero : i32
      scf.condition(%2)
    } do {
      %0 = memref.load %b[%c0] : memref<1xindex>
      %1 = arith.addi %0, %c1 : index
      memref.store %1, %b[%c0] : memref<1xindex>
      %2 = arith.cmpi eq, %0, %c15 : index
      scf.if %2 {
        tir.break
      }
      scf.yield
    }
    tir.return
  }
}

// -----

// The strides and the offset of a parameter are in its memref.

// CHECK-LABEL: func.func private @partita.strides(
// CHECK-SAME: %[[A:.*]]: memref<4xf32, strided<[?], offset: ?>>
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[A]]
// CHECK: arith.index_cast %[[STRIDE]] : index to i64
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[A]]
// CHECK: arith.index_cast %[[OFFSET]] : index to i64
// CHECK: scf.if
// CHECK-NEXT: llvm.mlir.addressof
// CHECK-NEXT: call @partita_runtime_fail
partita.module {
  tir.prim_func private @strides(%a: memref<4xf32, strided<[?], offset: ?>>, %b: memref<1xi64>) {
    %c0 = arith.constant 0 : index
    %s = tir.var : i64
    %o = tir.var : i64
    tir.buffer %a strides(%s : i64) offset(%o : i64) : memref<4xf32, strided<[?], offset: ?>>
    %0 = arith.addi %s, %o : i64
    %1 = arith.cmpi slt, %s, %0 : i64
    tir.assert %1 "RuntimeError" ["expected ", "an offset"]
    memref.store %0, %b[%c0] : memref<1xi64>
    tir.return
  }
}

// -----

// A size can be an index.

// CHECK-LABEL: func.func private @partita.index_size(
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]]
partita.module {
  tir.prim_func private @index_size(%a: memref<?xf32>) {
    %n = tir.var : index
    tir.buffer %a shape(%n : index) : memref<?xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %a[%i] : memref<?xf32>
    }
    tir.return
  }
}

// -----

// A caller can call a public function. The runtime checks numbers and variables
// among the sizes, and the code checks others.

// CHECK-LABEL: func.func @partita.entry(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[A:.*]]: memref<?x4x?xf32>) attributes {llvm.emit_c_interface}
// CHECK: scf.if
// CHECK-NEXT: llvm.mlir.addressof
// CHECK-NEXT: call @partita_runtime_fail
// CHECK-NOT: partita_runtime_fail
// CHECK: return
// CHECK-LABEL: func.func private @partita.unknown(
// CHECK: is_written\22:true,\22kind\22:\22tensor\22,\22name\22:\22b\22,\22shape\22:[null]
// CHECK-SAME: \22name\22:\22a\22,\22shape\22:[\22n\22,4,\22m\22]
partita.module {
  tir.prim_func @entry(%b: memref<?xf32>, %a: memref<?x4x?xf32>) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : i64
    %n = tir.var : i64
    %m = tir.var : i64
    %size = arith.muli %n, %c4 : i64
    tir.buffer %b shape(%size : i64) : memref<?xf32>
    tir.buffer %a shape(%n, %c4, %m : i64, i64, i64) : memref<?x4x?xf32>
    memref.store %zero, %b[%c0] : memref<?xf32>
    tir.return
  }
  tir.prim_func @unknown(%a: !tir.handle) {
    tir.return
  }
}

// -----

// A handle that nothing uses is a pointer.
// CHECK-LABEL: func.func private @partita.handles(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
partita.module {
  tir.prim_func @handles(%a: !tir.handle, %b: !tir.ptr<"global", f32>) attributes {global_symbol = "handles"} {
    tir.return
  }
}
