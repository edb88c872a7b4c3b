// numerics on a foreign pipeline, from linalg to LLVM. The runner is a script
// around mlir-opt and mlir-runner.

// DEFINE: %{bug} = cse
// DEFINE: %{late-bug} = cse
// DEFINE: %{passes} = func.func(canonicalize,cse),%{bug},func.func(convert-linalg-to-loops),func.func(canonicalize),convert-scf-to-cf,convert-cf-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,%{late-bug},cse,canonicalize
// DEFINE: %{options} = runner='sh %S/Inputs/numerics/run-linalg.sh %%s'
// DEFINE: %{run} = partita-planted-opt %S/Inputs/numerics/matmul.mlir -o %t.mlir --pass-pipeline='builtin.module(%{passes})' \
// DEFINE:   --instrument="numerics{%{options} save-dir=%t.dir}"
// DEFINE: %{bisect} = partita-bisect --opt=partita-planted-opt --reproducer-dir=%t.bisect --numerics="%{options}" %S/Inputs/numerics/matmul.mlir -- \
// DEFINE:   --pass-pipeline='builtin.module(%{passes})'

// No false alarm, and a module of LLVM's dialect at the end.
// RUN: rm -rf %t.dir && %{run} 2>&1 | count 0
// RUN: grep -c llvm.fmul %t.mlir

// On linalg, and on the LLVM dialect. Rank, offset, sizes and strides are the first 6 of the text's 10 numbers.
// REDEFINE: %{bug} = test-planted-drop{op=arith.addf}
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=LINALG
// LINALG: expected the same outputs after pass 'test-planted-drop' (step 3), but found 18 at [8] of output 0 in place of 32 (
// RUN: %{bisect} | FileCheck %s --check-prefix=BISECT
// BISECT: step 3 of 14, 'test-planted-drop', is the first to make it change the outputs
// BISECT-NEXT: error: expected the outputs from before the first step, but found 18 at [8] of output 0 in place of 32 (
// BISECT: reproducer: {{.*}}: bad
// RUN: not %t.bisect/run.sh 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: found 18 at [8]
// REDEFINE: %{bug} = cse
// REDEFINE: %{late-bug} = test-planted-drop{op=llvm.fmul}
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=LLVM
// LLVM: expected the same outputs after pass 'test-planted-drop' (step 12), but found 15 at [9] of output 0 in place of -2 (4 of 10
