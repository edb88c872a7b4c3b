// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: grep -o '"relax.VDevice"' %t.json | wc -l | FileCheck %s --check-prefix=ONE
// RUN: grep -o '"ir.EnvFunc"' %t.json | wc -l | FileCheck %s --check-prefix=ONE
// RUN: grep -o '"purity": true' %t.json | wc -l | FileCheck %s --check-prefix=PURE

// TVM tells vdevices and functions that infer types apart by identity.
// ONE: {{^ *}}1{{$}}

// In TVM, calls of a PrimFunc that writes only to its own memory are pure, as
// in @main, @reads and @own.
// PURE: {{^ *}}3{{$}}
partita.module attributes {global_infos = {vdevice = [{memory_scope = "global", target = {attrs = {}, host, keys = ["cpu"], kind = "llvm", tag = ""}, vdevice_id = 0 : i64}]}} {
  relax.func @main(%x: !relax.tensor<[2], f32, vdevice = 0>) -> !relax.tensor<[2], f32, vdevice = 0> attributes {global_symbol = "main"} {
    %0 = relax.to_vdevice %x {dst_vdevice = {memory_scope = "global", target = {attrs = {}, host, keys = ["cpu"], kind = "llvm", tag = ""}, vdevice_id = 0 : i64}}
      : (!relax.tensor<[2], f32, vdevice = 0>) -> !relax.tensor<[2], f32, vdevice = 0>
    %f = relax.extern_func "f"
    %t0 = relax.tuple(%0) : !relax.tensor<[2], f32, vdevice = 0>
    %1 = relax.call_dps_packed(%f, %t0) : (!relax.object, tuple<!relax.tensor<[2], f32, vdevice = 0>>) -> !relax.tensor<[2], f32, vdevice = 0>
    %g = relax.extern_func "g"
    %t1 = relax.tuple(%1) : !relax.tensor<[2], f32, vdevice = 0>
    %2 = relax.call_dps_packed(%g, %t1) : (!relax.object, tuple<!relax.tensor<[2], f32, vdevice = 0>>) -> !relax.tensor<[2], f32, vdevice = 0>
    relax.return %2 : !relax.tensor<[2], f32, vdevice = 0>
  }
  tir.prim_func private @reads(%h: !tir.handle) attributes {tir.ret_type = i32} {
    %c0 = arith.constant 0 : i32
    %0 = tir.call_intrin "tirx.tvm_struct_get"(%h, %c0, %c0) : (!tir.handle, i32, i32) -> i32
    tir.ret %0 : i32
    tir.return
  }
  tir.prim_func private @own(%v: f32) {
    %c0 = arith.constant 0 : index
    %b = tir.alloc_buffer : memref<1xf32, "local">
    memref.store %v, %b[%c0] : memref<1xf32, "local">
    tir.return
  }
  tir.prim_func private @writes(%b: memref<1xf32>, %v: f32) {
    %c0 = arith.constant 0 : index
    memref.store %v, %b[%c0] : memref<1xf32>
    tir.return
  }
  tir.prim_func private @calls() {
    tir.call_intrin "tirx.f"() : () -> ()
    tir.return
  }
  tir.prim_func private @nested() {
    tir.call @calls() : () -> ()
    tir.return
  }
}
