// RUN: partita-opt %s '--relax-update-vdevice=index=1 new-vdevice={memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}' | FileCheck %s
// RUN: not partita-opt %s '--relax-update-vdevice=index=7 new-vdevice={memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}' 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not partita-opt %s '--relax-update-vdevice=index=-1 new-vdevice={memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not partita-opt %s '--relax-update-vdevice=new-vdevice={kind = "cuda"}' 2>&1 | FileCheck %s --check-prefix=DEVICE
// INDEX: error: expected index to be one of the 3 vdevices in the module's global infos, but found 7
// NEGATIVE: error: expected index to be one of the 3 vdevices in the module's global infos, but found -1
// DEVICE: error: expected new-vdevice to be a device, with a target, a vdevice_id and a memory_scope, but found 'kind = "cuda"'

partita.module attributes {global_infos = {mesh = [unit], vdevice = [
    {memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64},
    {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64},
    {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}]}} {
  relax.func @main(%x: !relax.tensor<[3], f32, vdevice = 1>, %y: !relax.tensor<[3], f32, vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}>) -> !relax.tensor<[3], f32, vdevice = 1> {
    %0 = relax.exp %y : !relax.tensor<[3], f32, vdevice = {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64}>
    relax.return %x : !relax.tensor<[3], f32, vdevice = 1>
  }
}

// CHECK: partita.module attributes {global_infos = {mesh = [unit], vdevice = [{memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64}, {memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}, {memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}]}}
// CHECK-NEXT: relax.func @main(%x: !relax.tensor<[3], f32, vdevice = 1>, %y: !relax.tensor<[3], f32, vdevice = {memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}>) -> !relax.tensor<[3], f32, vdevice = 1>
// CHECK-NEXT: relax.exp %y : !relax.tensor<[3], f32, vdevice = {memory_scope = "texture", target = {kind = "opencl"}, vdevice_id = 2 : i64}>
