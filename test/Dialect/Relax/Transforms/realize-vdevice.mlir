// RUN: partita-opt %s --relax-realize-vdevice --split-input-file -verify-diagnostics | FileCheck %s

// Devices spread through ops, tuples, blocks and branches; a hint for the other
// device is a copy.
partita.module @hints attributes {global_infos = {vdevice = [
    {memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64},
    {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}]}} {
  relax.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %z: tensor<2x3xf32>, %n: i64) -> (tensor<2x3xf32>, tuple<tensor<2x3xf32>, tensor<2x3xf32>>) {
    %r = relax.dataflow -> tensor<2x3xf32> {
      %a = relax.hint_on_device %y {device_type = 1 : i64, index = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %b = relax.add %x, %a : tensor<2x3xf32>
      %c = relax.hint_on_device %b {device_type = 2 : i64, index = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %d = relax.add %c, %z : tensor<2x3xf32>
      relax.output %d : tensor<2x3xf32>
    }
    %k = relax.constant dense<1.0> : tensor<f32>
    %e = relax.add %r, %k : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
    %t = relax.tuple(%e, %e) : tensor<2x3xf32>, tensor<2x3xf32>
    relax.return %e, %t : tensor<2x3xf32>, tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  }
}

// CHECK-LABEL: partita.module @hints attributes {global_infos = {vdevice = [{memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64}, {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}]}} {
// CHECK: relax.func @main(%x: !relax.tensor<[2, 3], f32, vdevice = 0>, %y: !relax.tensor<[2, 3], f32, vdevice = 0>, %z: !relax.tensor<[2, 3], f32, vdevice = 1>, %n: i64) -> (!relax.tensor<[2, 3], f32, vdevice = 1>, tuple<!relax.tensor<[2, 3], f32, vdevice = 1>, !relax.tensor<[2, 3], f32, vdevice = 1>>) {
// CHECK-NEXT: %r = relax.dataflow -> !relax.tensor<[2, 3], f32, vdevice = 1> {
// CHECK-NEXT: %a = relax.alias %y : !relax.tensor<[2, 3], f32, vdevice = 0>
// CHECK-NEXT: %b = relax.add %x, %a : !relax.tensor<[2, 3], f32, vdevice = 0>
// CHECK-NEXT: %c = relax.to_vdevice %b {dst_vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}} : (!relax.tensor<[2, 3], f32, vdevice = 0>) -> !relax.tensor<[2, 3], f32, vdevice = 1>
// CHECK-NEXT: %d = relax.add %c, %z : !relax.tensor<[2, 3], f32, vdevice = 1>
// CHECK-NEXT: relax.output %d : !relax.tensor<[2, 3], f32, vdevice = 1>
// CHECK-NEXT: }
// CHECK-NEXT: %k = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %e = relax.add %r, %k : !relax.tensor<[2, 3], f32, vdevice = 1>, tensor<f32> -> !relax.tensor<[2, 3], f32, vdevice = 1>
// CHECK-NEXT: %t = relax.tuple(%e, %e) : !relax.tensor<[2, 3], f32, vdevice = 1>, !relax.tensor<[2, 3], f32, vdevice = 1>
// CHECK-NEXT: relax.return %e, %t : !relax.tensor<[2, 3], f32, vdevice = 1>, tuple<!relax.tensor<[2, 3], f32, vdevice = 1>, !relax.tensor<[2, 3], f32, vdevice = 1>>

// -----

// From the type of a result, of a parameter, and of nothing.
partita.module @types attributes {global_infos = {vdevice = [
    {memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64}]}} {
  relax.func @result(%x: tensor<?x3xf32, #relax.shape<["n", 3]>>, %c: tensor<i1>) -> !relax.tensor<["n", 3], f32, vdevice = 0> {
    %0 = relax.exp %x : tensor<?x3xf32, #relax.shape<["n", 3]>>
    %1 = relax.if %c : tensor<i1> -> tensor<?x3xf32, #relax.shape<["n", 3]>> {
      relax.yield %0 : tensor<?x3xf32, #relax.shape<["n", 3]>>
    } else {
      %2 = relax.exp %0 : tensor<?x3xf32, #relax.shape<["n", 3]>>
      relax.yield %2 : tensor<?x3xf32, #relax.shape<["n", 3]>>
    }
    %3 = relax.match_cast %1 : tensor<?x3xf32, #relax.shape<["n", 3]>> -> !relax.tensor<["n", 3], f32, vdevice = 0> loc(unknown)
    relax.return %3 : !relax.tensor<["n", 3], f32, vdevice = 0>
  }
  relax.func @parameter(%x: !relax.tensor<[3], f32, vdevice = 0>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.add %x, %y : !relax.tensor<[3], f32, vdevice = 0>, tensor<3xf32> -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  relax.func @nothing(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.exp %x : tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  relax.func @declared(%x: tensor<3xf32>) -> !relax.tensor<[3], f32, vdevice = 0>
}

// CHECK-LABEL: partita.module @types attributes {global_infos = {vdevice = [{memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64}]}} {
// CHECK: relax.func @result(%x: !relax.tensor<["n", 3], f32, vdevice = 0>, %c: !relax.tensor<[], i1, vdevice = 0>) -> !relax.tensor<["n", 3], f32, vdevice = 0> {
// CHECK-NEXT: %0 = relax.exp %x : !relax.tensor<["n", 3], f32, vdevice = 0>
// CHECK-NEXT: %1 = relax.if %c : !relax.tensor<[], i1, vdevice = 0> -> !relax.tensor<["n", 3], f32, vdevice = 0> {
// CHECK-NEXT: relax.yield %0 : !relax.tensor<["n", 3], f32, vdevice = 0>
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = relax.exp %0 : !relax.tensor<["n", 3], f32, vdevice = 0>
// CHECK-NEXT: relax.yield %2 : !relax.tensor<["n", 3], f32, vdevice = 0>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %1 : !relax.tensor<["n", 3], f32, vdevice = 0>
// CHECK-NEXT: }
// CHECK: relax.func @parameter(%x: !relax.tensor<[3], f32, vdevice = 0>, %y: !relax.tensor<[3], f32, vdevice = 0>) -> !relax.tensor<[3], f32, vdevice = 0> {
// CHECK-NEXT: %0 = relax.add %x, %y : !relax.tensor<[3], f32, vdevice = 0>
// CHECK-NEXT: relax.return %0 : !relax.tensor<[3], f32, vdevice = 0>
// CHECK-NEXT: }
// CHECK: relax.func @nothing(%x: tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT: %0 = relax.exp %x : tensor<3xf32>
// CHECK-NEXT: relax.return %0 : tensor<3xf32>
// CHECK-NEXT: }
// CHECK: relax.func @declared(tensor<3xf32>) -> !relax.tensor<[3], f32, vdevice = 0>

// -----

partita.module @missing {
  relax.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    // expected-error@+1 {{expected a vdevice of type 2, number 1 and memory "global" in the module's global infos, but found none}}
    %0 = relax.hint_on_device %x {device_type = 2 : i64, index = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
}
