// RUN: partita-opt %s -allow-unregistered-dialect --tir-inline-private-functions \
// RUN:     --split-input-file | FileCheck %s
// RUN: partita-opt %s -allow-unregistered-dialect --tir-inline-private-functions \
// RUN:     --tir-inline-private-functions --split-input-file | FileCheck %s

// @part calls @leaf, and @unused has no caller.
// CHECK-LABEL: partita.module @chain
// CHECK:         tir.prim_func @main(%[[N:.*]]: i32, %[[P:.*]]: !tir.ptr<"global", f32>) attributes {keep} {
// CHECK:           tir.decl_buffer %[[P]] shape(%[[N]] : i32) : !tir.ptr<"global", f32> to memref<?xf32>
// CHECK-NEXT:      scf.for %[[I:.*]] = %
// CHECK-NEXT:        "test.leaf"(%[[I]], %[[N]])
// CHECK-NEXT:      }
// CHECK-NEXT:      "test.leaf"(%[[N]], %[[N]])
// CHECK-NEXT:      tir.return
// CHECK-NOT:     tir.prim_func
partita.module @chain {
tir.prim_func private @part(%p: !tir.handle, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tir.decl_buffer %p shape(%m : i32) : !tir.handle to memref<?xf32>
  scf.for %i = %c0 to %m step %c1 : i32 {
    tir.call @leaf(%i, %m) : (i32, i32) -> ()
  } {tir.shared_var = 0 : i64}
  tir.return
}
tir.prim_func @main(%n: i32, %p: !tir.ptr<"global", f32>) attributes {keep} {
  tir.call @part(%p, %n) : (!tir.ptr<"global", f32>, i32) -> ()
  tir.call @leaf(%n, %n) : (i32, i32) -> ()
  tir.return
}
tir.prim_func private @leaf(%i: i32, %m: i32) {
  "test.leaf"(%i, %m) : (i32, i32) -> ()
  tir.return
}
tir.prim_func private @unused() {
  tir.return
}
}

// -----

// Nothing changes: all of these calls stay.
// CHECK-LABEL: partita.module @stay
// CHECK:         tir.prim_func @main
// CHECK:           tir.call @public
// CHECK:           tir.call @symbol
// CHECK:           tir.call @buffer
// CHECK:           tir.call @recursive
// CHECK:           tir.call @mutual
// CHECK:           tir.call @block
// CHECK:           tir.call @value
// CHECK:           tir.call @device
// CHECK:           tir.call @external
// CHECK:           tir.call @types
// CHECK:         tir.prim_func @public
// CHECK:         tir.prim_func private @unused
partita.module @stay {
tir.prim_func @main(%n: i32, %a: memref<8xf32>) attributes {target = "llvm"} {
  tir.call @public(%n) : (i32) -> ()
  tir.call @symbol(%n) : (i32) -> ()
  tir.call @buffer(%a) : (memref<8xf32>) -> ()
  tir.call @recursive(%n) : (i32) -> ()
  tir.call @mutual(%n) : (i32) -> ()
  tir.call @block() : () -> ()
  %0 = tir.call @value(%n) : (i32) -> i32
  tir.evaluate %0 : i32
  tir.call @device(%n) : (i32) -> ()
  tir.call @external(%n) : (i32) -> ()
  tir.call @types(%n) : (i32) -> ()
  tir.return
}
tir.prim_func @public(%n: i32) {
  tir.return
}
tir.prim_func private @symbol(%n: i32) attributes {global_symbol = "symbol"} {
  tir.return
}
tir.prim_func private @buffer(%a: memref<8xf32>) {
  tir.return
}
tir.prim_func private @recursive(%n: i32) {
  tir.call @recursive(%n) : (i32) -> ()
  tir.return
}
tir.prim_func private @mutual(%n: i32) {
  tir.call @mutual2(%n) : (i32) -> ()
  tir.return
}
tir.prim_func private @mutual2(%n: i32) {
  tir.call @mutual(%n) : (i32) -> ()
  tir.return
}
tir.prim_func private @block() {
  %true = arith.constant true
  tir.block "b" [] where %true {
  }
  tir.return
}
tir.prim_func private @value(%n: i32) attributes {tir.ret_type = i32} {
  tir.ret %n : i32
  tir.return
}
tir.prim_func private @device(%n: i32) attributes {target = "cuda"} {
  tir.return
}
tir.prim_func private @external(%n: i32)
tir.prim_func private @types(%n: i64) {
  tir.return
}
tir.prim_func private @unused(%n: i32) {
  tir.return
}
}

// -----

// A function that a Relax function uses stays, and so does a function that is
// called in a function that no pass changes.
// CHECK-LABEL: partita.module @used
// CHECK:         tir.prim_func @skipped
// CHECK:           tir.call @other
// CHECK:         tir.prim_func @main
// CHECK-NEXT:      tir.return
// CHECK:         tir.prim_func private @part
// CHECK:         tir.prim_func private @other
// CHECK-NOT:     tir.prim_func
partita.module @used attributes {test.user = @part} {
tir.prim_func @skipped() attributes {SkipOptimization} {
  tir.call @other() : () -> ()
  tir.return
}
tir.prim_func @main() {
  tir.call @part() : () -> ()
  tir.call @other() : () -> ()
  tir.return
}
tir.prim_func private @part() {
  tir.return
}
tir.prim_func private @other() {
  tir.return
}
}
