// The tool has LLVM's code generators if they are in a libLLVM.so.
// REQUIRES: code-generators

// RUN: mlir-opt %s --gpu-module-to-binary=format=isa | FileCheck %s
// RUN: partita-opt %s --gpu-module-to-binary=format=isa | FileCheck %s
// RUN: partita-opt %s --gpu-module-to-binary=format=isa -O2 | FileCheck %s

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">
// CHECK-SAME: .visible .entry copy
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
    llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %from : !llvm.ptr -> i32
      llvm.store %0, %to : i32, !llvm.ptr
      llvm.return
    }
  }
}
