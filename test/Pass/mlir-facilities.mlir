// MLIR's own facilities work on merged passes and on steps.

// DEFINE: %{opt} = partita-test-opt %s -O1 --pass-pipeline='builtin.module(func.func(cse),test-c,test-b)'
// DEFINE: %{steps} = --instrument='print-ir-after{passes=none}'

// Printing: the passes that run, once for each function.
// RUN: %{opt} -o /dev/null --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: %{opt} -o /dev/null --mlir-print-ir-after-all %{steps} 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER-COUNT-2: IR Dump After CSE (cse)
// AFTER-NOT: (test-c)
// AFTER: IR Dump After {{.*}}MarkPass (test-b)
// The passes that run a plan are not among them, however it runs.
// DEFINE: %{dumps} = partita-test-opt %s -o %t.out.mlir --mlir-disable-threading --pass-pipeline='builtin.module(func.func(cse,canonicalize),canonicalize,test-b)'
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all 2> %t.plain
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all %{steps} 2>&1 | grep -c 'IR Dump' > %t.number
// RUN: grep -c 'IR Dump' %t.plain | diff - %t.number
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all --skip-unchanged 2>&1 | diff - %t.plain
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all --verify=changed 2>&1 | diff - %t.plain
// RUN: rm -rf %t.cache && %{dumps} --pass-cache=%t.cache
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all --pass-cache=%t.cache 2>&1 | diff - %t.plain
// RUN: %{dumps} --mlir-print-ir-after-all --mlir-print-ir-module-scope --mlir-print-ir-after-change 2> %t.changes
// RUN: %{dumps} --mlir-print-ir-after-all --mlir-print-ir-module-scope --mlir-print-ir-after-change --skip-unchanged --verify=changed 2>&1 | diff - %t.changes
// RUN: rm -rf %t.tree %t.other && %{dumps} --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t.tree
// RUN: %{dumps} --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t.other --skip-unchanged
// RUN: diff -r %t.tree %t.other
// Where a pass on the module runs on functions, it is shown there.
// RUN: %{dumps} --mlir-print-ir-before-all --mlir-print-ir-after-all --nest-in-functions 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED-COUNT-8: (canonicalize) {{.*}}
// NESTED-NOT: (canonicalize)
// Where it is named, it is shown as without that flag.
// RUN: %{dumps} --mlir-print-ir-before=canonicalize 2> %t.named
// RUN: %{dumps} --mlir-print-ir-before=canonicalize --nest-in-functions 2>&1 | diff - %t.named
// RUN: not partita-test-opt %s --cse --test-fail --mlir-print-ir-after-failure --skip-unchanged 2>&1 | FileCheck %s --check-prefix=FAILURE
// FAILURE: IR Dump After {{.*}} Failed (test-fail)
// FAILURE-NOT: IR Dump

// RUN: %{opt} -o /dev/null --mlir-print-ir-before=test-b 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: %{opt} -o /dev/null --mlir-print-ir-before=test-b %{steps} 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE-NOT: IR Dump
// BEFORE: IR Dump Before {{.*}}MarkPass (test-b)
// BEFORE: func.func @f
// BEFORE-COUNT-1: arith.addi
// BEFORE-NOT: IR Dump

// Actions; MLIR does not lock their log.
// RUN: %{opt} -o /dev/null --log-actions-to=- --mlir-disable-threading | FileCheck %s --check-prefix=ACTIONS
// RUN: %{opt} -o /dev/null --log-actions-to=- --mlir-disable-threading %{steps} | FileCheck %s --check-prefix=ACTIONS
// RUN: %{opt} -o /dev/null --log-actions-to=- --mlir-disable-threading --instrument='timing{print=false}' | FileCheck %s --check-prefix=ACTIONS
// ACTIONS: Action `pass-execution` running `CSE` on Operation `func.func`
// ACTIONS: Action `pass-execution` running `CSE` on Operation `func.func`
// ACTIONS: Action `pass-execution` running `{{.*}}MarkPass` on Operation `builtin.module`

// Debug counters: of three pass executions (the pipeline on functions counts),
// the second group is skipped. Steps are inside one more execution.
// RUN: %{opt} --mlir-disable-threading --mlir-debug-counter=pass-execution-skip=0,pass-execution-count=3 | FileCheck %s --check-prefix=COUNTER
// RUN: %{opt} --mlir-disable-threading --mlir-debug-counter=pass-execution-skip=0,pass-execution-count=4 %{steps} | FileCheck %s --check-prefix=COUNTER
//      COUNTER: module {
// COUNTER-NEXT: func.func @f
// COUNTER-COUNT-2: arith.addi

// The text of the pipeline is the plan's.
// RUN: %{opt} -o /dev/null --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: %{opt} -o /dev/null --dump-pass-pipeline %{steps} 2>&1 | FileCheck %s --check-prefix=DUMPSTEPS
//      DUMP: builtin.module(
// DUMP-NEXT:   func.func(
// DUMP-NEXT:     cse
// DUMP-NEXT:   ),
// DUMP-NEXT:   test-b
// DUMP-NEXT: )
// DUMP-NOT: builtin.module
//      DUMPSTEPS: builtin.module(
// DUMPSTEPS-NEXT:   func.func(cse),test-b
// DUMPSTEPS-NOT: builtin.module

// With and without threads.
// RUN: %{opt} > %t.threads.mlir
// RUN: %{opt} --mlir-disable-threading | diff - %t.threads.mlir
// RUN: %{opt} %{steps} | diff - %t.threads.mlir
// RUN: %{opt} %{steps} --mlir-disable-threading | diff - %t.threads.mlir
// RUN: FileCheck %s --check-prefix=RESULT < %t.threads.mlir
//      RESULT: module attributes {test.ran = ["test-b"]} {
// RESULT-NEXT:   func.func @f
// RESULT-NEXT:     arith.addi
// RESULT-NEXT:     arith.muli
// RESULT-NEXT:     return

// Bytecode in and out.
// RUN: %{opt} --emit-bytecode -o %t.mlirbc
// RUN: partita-test-opt %t.mlirbc --disabled-pass=cse --cse %{steps} | diff - %t.threads.mlir

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
