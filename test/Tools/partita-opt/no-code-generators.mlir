// A tool with MLIR linked in has none of LLVM's code generators; passes that
// need one report it.
// UNSUPPORTED: code-generators

// RUN: partita-opt %s --split-input-file --verify-diagnostics \
// RUN:   --gpu-module-to-binary --llvm-target-to-data-layout

// expected-error@+1 {{failed to obtain llvm::DataLayout for #llvm.target<triple = "x86_64", chip = "">}}
module attributes {llvm.target = #llvm.target<triple = "x86_64", chip = "">} {
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+3 {{Failed to lookup target for triple 'nvptx64-nvidia-cuda'}}
  // expected-error@+2 {{Target Machine unavailable for triple nvptx64-nvidia-cuda}}
  // expected-error@+1 {{An error happened while serializing the module}}
  gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  }
}
