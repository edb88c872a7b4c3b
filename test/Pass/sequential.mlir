// sequential{...} in textual pipelines: as a Sequential of the plan under a
// policy, and as an MLIR pass without one.

// DEFINE: %{nested} = builtin.module(test-a,sequential{passes=any(test-b),func.func(cse,test-a,sequential{passes=any(test-c) name=Innermost}) name=Inner opt-level=1},test-d)

// Nesting, under a policy.
// RUN: partita-test-opt %s -O1 --pass-pipeline='%{nested}' --explain | FileCheck %s --check-prefix=PLAN
//      PLAN:     sequential
// PLAN-NEXT:  1    TestA runs: opt_level 0 <= 1
// PLAN-NEXT:       Inner runs: opt_level 1 <= 1
// PLAN-NEXT:  2      TestB runs: opt_level 1 <= 1
// PLAN-NEXT:  3      cse runs: opt_level 0 <= 1
// PLAN-NEXT:  4      TestA runs: opt_level 0 <= 1
// PLAN-NEXT:         Innermost runs: opt_level 0 <= 1
// PLAN-NEXT:  -        TestC skipped: opt_level 2 > 1
// PLAN-NEXT:  -    TestD skipped: opt_level 3 > 1
// PLAN-NEXT: pipeline: builtin.module(test-a,test-b,func.func(cse,test-a))

// A Sequential that is not enabled is skipped whole, without a callback.
// RUN: partita-test-opt %s -O2 --disabled-pass=Inner --pass-pipeline='%{nested}' --instrument=test-trace 2>&1 -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=DISABLED
// RUN: partita-test-opt %s -O0 --pass-pipeline='%{nested}' --instrument=test-trace 2>&1 -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=DISABLED
//      DISABLED: trace.enter
// DISABLED-NEXT: trace.should sequential
// DISABLED-NEXT: trace.before sequential
// DISABLED-NEXT: trace.should TestA
// DISABLED-NEXT: trace.before TestA
// DISABLED-NEXT: trace.after TestA
// DISABLED-NEXT: trace.after sequential
// DISABLED-NEXT: trace.exit

// So is a Sequential that an instrument vetoes, except for its should_run.
// RUN: partita-test-opt %s -O2 --pass-pipeline='%{nested}' --instrument='test-trace{skip=Inner}' 2>&1 -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=VETO
// VETO: trace.after TestA
// VETO-NEXT: trace.should Inner
// VETO-NEXT: trace.after sequential

// Without a policy it runs in place under the default context: opt_level 2.
// RUN: partita-test-opt %s --pass-pipeline='%{nested}' | FileCheck %s --check-prefix=PLAIN
// RUN: partita-test-opt %s --pass-pipeline='%{nested}' --mlir-disable-threading | FileCheck %s --check-prefix=PLAIN
// PLAIN: module attributes {test.ran = ["test-a", "test-b", "test-d"]} {
// PLAIN: func.func @f({{.*}}) -> i32 attributes {test.ran = ["test-a", "test-c"]} {
// PLAIN-COUNT-1: arith.addi
// PLAIN: func.func @g() attributes {test.ran = ["test-a", "test-c"]}

// In functions, with threads, and on the op that 'any' stands for.
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(func.func(sequential{passes=any(test-a,test-d,test-b)}))' | FileCheck %s --check-prefix=FUNC
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(any(sequential{passes=any(test-a,test-d,test-b)}))' | FileCheck %s --check-prefix=FUNC
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(sequential{passes=any(test-a,test-d,test-b)}))' | FileCheck %s --check-prefix=FUNC
// FUNC: module {
// FUNC: func.func @f({{.*}}) -> i32 attributes {test.ran = ["test-a", "test-b"]} {
// FUNC: func.func @g() attributes {test.ran = ["test-a", "test-b"]}

// Passes that members require run before them.
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(sequential{passes=any(test-owner)})' | FileCheck %s --check-prefix=REQUIRED
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(sequential{passes=any(sequential{passes=any(test-b) required=TestA,test-middle})})' \
// RUN:   | FileCheck %s --check-prefix=OWN
// REQUIRED: module attributes {test.ran = ["test-d", "test-middle", "test-a", "test-d", "test-middle", "test-owner"]}
// OWN: module attributes {test.ran = ["test-a", "test-d", "test-middle", "test-b"]}

// Printed, parsed and printed again it is the same.
// RUN: partita-test-opt %s --pass-pipeline='%{nested}' --dump-pass-pipeline -o /dev/null 2> %t.first
// RUN: %python -c "import sys; print(''.join(line.strip() for line in open(sys.argv[1]) if not line.startswith('Pass Manager')), end='')" %t.first > %t.pipeline
// RUN: FileCheck %s --check-prefix=PRINTED < %t.pipeline
// RUN: %python -c "import subprocess, sys; subprocess.run(['partita-test-opt', sys.argv[1], '-o', '/dev/null', '--dump-pass-pipeline', '--pass-pipeline=' + open(sys.argv[2]).read()], check=True)" %s %t.pipeline 2> %t.second
// RUN: diff %t.first %t.second
// PRINTED: builtin.module(test-a,sequential{ name=Inner opt-level=1 passes={any(test-b),func.func(cse,test-a,sequential{passes=any(test-c) name=Innermost})} },test-d)

// A registered Sequential is an MLIR pass by its argument, and a Sequential of
// the plan under a policy.
// RUN: partita-test-opt %s --test-sequence | FileCheck %s --check-prefix=REGISTERED
// RUN: partita-test-opt %s -O2 --test-sequence | FileCheck %s --check-prefix=REGISTERED
// REGISTERED: module attributes {test.ran = ["test-a", "test-c"]}
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(func.func(test-sequence))' | FileCheck %s --check-prefix=REGISTEREDFUNC
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(test-sequence))' | FileCheck %s --check-prefix=REGISTEREDFUNC
// REGISTEREDFUNC: module {
// REGISTEREDFUNC: func.func @f({{.*}}) -> i32 attributes {test.ran = ["test-a", "test-c"]} {

// Errors.
// RUN: not partita-test-opt %s --pass-pipeline='builtin.module(sequential{passes=any(test-required-a)})' 2>&1 | FileCheck %s --check-prefix=CYCLE
// CYCLE: error: expected no pass to require itself, but found 'TestRequiredA' -> 'TestRequiredB' -> 'TestRequiredC' -> 'TestRequiredA'
// RUN: not partita-test-opt %s --test-within-itself 2>&1 | FileCheck %s --check-prefix=ITSELF
// RUN: not partita-test-opt %s -O2 --test-within-itself 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: error: expected no Sequential to hold itself, but found 'TestWithinItself' -> 'TestWithinItself'
// RUN: not partita-test-opt %s --pass-pipeline='builtin.module(func.func(sequential{passes=gpu.func(cse),builtin.module(inline),any(inline)}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLACE
// PLACE: error: 'func.func' op  was scheduled to run under the inliner

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @g() {
  return
}
