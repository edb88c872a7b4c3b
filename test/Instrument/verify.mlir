// The pass that broke the module, and the module before it.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{breaks} = --pass-pipeline='builtin.module(func.func(cse),sequential{passes=any(test-a),func.func(test-invalid-ir)},test-b)'

// Without the pass manager's verifier, and with it.
// RUN: rm -rf %t && mkdir %t
// RUN: not %{func} %{breaks} --verify-each=false --instrument='verify{save-dir=%t/a/b}' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: FileCheck %s --check-prefix=BEFORE < %t/a/b/before-3-test-invalid-ir.mlir
// ALONE: error: instrument 'verify' failed run_after_pass of pass 'test-invalid-ir': expected the module to be valid after pass 'test-invalid-ir', but: {{.*}}; the module before it is in '{{.*}}before-3-test-invalid-ir.mlir'
// RUN: rm -r %t/a
// RUN: not %{func} %{breaks} --instrument='verify{save-dir=%t/a/b}' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: FileCheck %s --check-prefix=BEFORE < %t/a/b/before-3-test-invalid-ir.mlir
// BOTH: error: {{.*}}terminator
// BOTH: error: instrument 'verify' failed to end the run: expected the module to be valid after pass 'test-invalid-ir', but: {{.*}}; the module before it is in '{{.*}}before-3-test-invalid-ir.mlir'
// BEFORE: module attributes {test.ran = ["test-a"]} {
// BEFORE-NEXT: func.func @f
// BEFORE-NEXT: arith.addi
// BEFORE-NEXT: arith.muli
// BEFORE-NEXT: return

// The saved module reproduces the failure.
// RUN: not partita-test-opt %t/a/b/before-3-test-invalid-ir.mlir --pass-pipeline='builtin.module(func.func(test-invalid-ir))' 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: terminator

// The module after a pass that fails is not verified.
// RUN: not %{func} --pass-pipeline='builtin.module(func.func(cse,test-fail{on=g}))' --instrument='verify{save-dir=%t/none}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL --implicit-check-not=verify
// FAIL: error: test-fail was here
// RUN: not %{func} --pass-pipeline='builtin.module(func.func(cse,test-fail-invalid))' --instrument='verify{save-dir=%t/none}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL --implicit-check-not=verify
// RUN: not %{func} --verify-each=false --pass-pipeline='builtin.module(func.func(cse,test-fail-invalid))' --instrument='verify{save-dir=%t/none}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL --implicit-check-not=verify
// RUN: not ls %t/none

// A run without errors, with required passes and a vetoed pass.
// RUN: %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse),sequential{passes=any(test-owner)},func.func(test-invalid-ir))' \
// RUN:   --instrument=verify --instrument='test-trace{name=T skip=test-invalid-ir}' 2>&1 | FileCheck %s --check-prefix=WELL --implicit-check-not=error
// WELL: T.exit
// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument=verify 2>&1 | count 0

// By default, a new file for temporary things.
// RUN: env TMPDIR=%t not %{func} %{breaks} --instrument=verify 2>&1 | FileCheck %s --check-prefix=TEMPORARY
// TEMPORARY: the module before it is in '{{.*}}.tmp{{.*}}before-3-test-invalid-ir-{{[0-9a-f]+}}.mlir'
// RUN: ls %t/before-3-test-invalid-ir-*.mlir

// A directory that does not exist.
// RUN: touch %t/file
// RUN: not %{func} %{breaks} --instrument='verify{save-dir=%t/file}' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: expected the module to be valid after pass 'test-invalid-ir', but: {{.*}}; expected to open '{{.*}}/file/before-3-test-invalid-ir.mlir' to write to, but: Not a directory
