// A reproducer holds the resolved plan, with required passes and without
// disabled ones, so that it runs without Partita's context.

// DEFINE: %{opt} = not partita-test-opt %s -O1 --disabled-pass=canonicalize -o /dev/null \
// DEFINE:   --mlir-pass-pipeline-crash-reproducer=%t.mlir
// DEFINE: %{pipeline} = builtin.module(func.func(cse,canonicalize,test-c),inline,test-middle,test-crash,symbol-dce)
// DEFINE: %{failing} = builtin.module(func.func(cse,canonicalize,test-c),inline,test-middle,test-fail,symbol-dce)

// RUN: rm -f %t.mlir
// RUN: %{opt} --pass-pipeline='%{pipeline}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=MERGED < %t.mlir
// RUN: rm -f %t.mlir
// RUN: %{opt} --pass-pipeline='%{pipeline}' --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=STEPS < %t.mlir
// Without threads, MLIR recovers from the crash on the thread of the tool.
// RUN: %{opt} --pass-pipeline='%{pipeline}' --instrument='print-ir-after{passes=none}' --mlir-disable-threading 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not='pass context'
// ERROR: error: Failures have been detected while processing an MLIR pass pipeline
// ERROR: Pipeline failed while executing [{{.*}}]: reproducer generated at
// MERGED: pipeline: "builtin.module(func.func(cse), inline{{.*}}, test-d, test-middle, test-crash, symbol-dce)"
// MERGED: pass_context: "#partita.pass_context<opt_level = 1, disabled_pass = [\22canonicalize\22]>"
// STEPS: pipeline: "builtin.module(func.func(cse),inline{{.*}},test-d,test-middle,test-crash,symbol-dce)"

// It crashes again when it is run, with and without a policy.
// RUN: not --crash partita-test-opt %t.mlir --run-reproducer
// RUN: not --crash partita-test-opt %t.mlir --run-reproducer -O3

// A pass that fails does the same.
// RUN: rm -f %t.mlir
// RUN: %{opt} --pass-pipeline='%{failing}' --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: FileCheck %s --check-prefix=FAILING < %t.mlir
// FAILS: error: test-fail was here
// FAILS: reproducer generated at
// FAILING: pipeline: "builtin.module(func.func(cse),inline{{.*}},test-d,test-middle,test-fail{on=},symbol-dce)"
// RUN: not partita-test-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: test-fail was here

// A local reproducer has only the failed pass, with the module before it.
// RUN: rm -f %t.mlir
// RUN: %{opt} --pass-pipeline='%{failing}' --instrument='print-ir-after{passes=none}' \
// RUN:   --mlir-pass-pipeline-local-reproducer --mlir-disable-threading
// RUN: FileCheck %s --check-prefix=LOCAL < %t.mlir
// LOCAL: module attributes {test.ran = ["test-d", "test-middle"]}
// LOCAL-COUNT-1: arith.addi
// LOCAL: pipeline: "builtin.module(test-fail{on=})"
// LOCAL: pass_context: "#partita.pass_context<opt_level = 1, disabled_pass = [\22canonicalize\22]>"

// A reproducer brings its PassContext, for passes that read it, and
// instruments. The plan is not resolved again: test-b is left out, and
// test-middle is not added. Instruments that chose by names and numbers of the
// first plan are left out.
// DEFINE: %{context} = -O1 --pass-config=test.count=7 --required-pass=test-c --disabled-pass=test-a
// DEFINE: %{reading} = builtin.module(test-a,test-b,test-c,test-d,test-print-context,test-fail)
// RUN: rm -f %t.mlir
// RUN: not partita-test-opt %s %{context} --pass-pipeline='%{reading}' -o /dev/null \
// RUN:   --instrument='bisect{disable=test-b print=false}' --instrument='print-ir-after{passes=none}' --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=READS
// RUN: FileCheck %s --check-prefix=CONTEXT < %t.mlir
// CONTEXT: pipeline: "builtin.module(test-c,test-print-context,test-fail)"
// CONTEXT: partita_reproducer: {
// CONTEXT-NEXT: pass_context: "#partita.pass_context<opt_level = 1, required_pass = [\22test-c\22], disabled_pass = [\22test-a\22], config = {\22test.count\22 = 7}, instruments = [\22print-ir-after{passes=none}\22]>"
// RUN: not partita-test-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=READS
// RUN: partita-test-opt %s %{context} --pass-pipeline='builtin.module(test-a,test-c,test-print-context)' -o /dev/null --mlir-generate-reproducer=%t.ok.mlir
// RUN: FileCheck %s --check-prefix=GENERATED < %t.ok.mlir
// GENERATED: pipeline: "builtin.module(test-c,test-print-context)"
// GENERATED: pass_context: "#partita.pass_context<opt_level = 1, required_pass = [\22test-c\22], disabled_pass = [\22test-a\22], config = {\22test.count\22 = 7}>"
// RUN: partita-test-opt %t.ok.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=READS-AGAIN
// READS-AGAIN: opt_level 1, required [test-c], disabled [test-a], test.count = 7 : i64, instruments 0
// A reproducer in bytecode, too. The output of neither has the context.
// RUN: mlir-opt %t.ok.mlir --no-implicit-module --allow-unregistered-dialect --emit-bytecode -o %t.ok.mlirbc
// RUN: partita-test-opt %t.ok.mlirbc --run-reproducer -o %t.out.bytecode 2>&1 | FileCheck %s --check-prefix=READS-AGAIN
// RUN: partita-test-opt %t.ok.mlir --run-reproducer -o %t.out.text 2>/dev/null
// RUN: cat %t.out.bytecode %t.out.text | FileCheck %s --check-prefix=NO-RESOURCE --implicit-check-not=partita_reproducer
// NO-RESOURCE-COUNT-2: test.ran
// READS: opt_level 1, required [test-c], disabled [test-a], test.count = 7 : i64, instruments {{[12]$}}
// READS-NEXT: error: test-fail was here
// RUN: partita-test-opt %t.mlir --run-reproducer -o /dev/null \
// RUN:   --instrument='bisect{limit=2}' --instrument='print-ir-after{passes=TestC}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STEPWISE
// STEPWISE: BISECT: running pass (1) TestC
// STEPWISE: module attributes {test.ran = ["test-c"]}
// STEPWISE: BISECT: running pass (2) TestPrintContext
// STEPWISE: opt_level 1, required [test-c], disabled [test-a], test.count = 7 : i64, instruments 3
// STEPWISE: BISECT: NOT running pass (3) test-fail

// The command line overrides the reproducer's context.
// RUN: not partita-test-opt %t.mlir --run-reproducer -O3 --disabled-pass=cse 2>&1 | FileCheck %s --check-prefix=REPLACED
// REPLACED: opt_level 3, required [test-c], disabled [cse], test.count = 7 : i64, instruments 1

// RUN: sed 's/opt_level = 1/opt_level = -1/' %t.mlir > %t.bad.mlir
// RUN: not partita-test-opt %t.bad.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: expected a reproducer's pass_context to be #partita.pass_context, but found '#partita.pass_context<opt_level = -1{{.*}}: expected an opt_level of at least 0, found -1
// RUN: sed 's/opt_level = 1/opt_level = 4294967296/' %t.mlir > %t.bad.mlir
// RUN: not partita-test-opt %t.bad.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: error: expected a reproducer's pass_context to be #partita.pass_context, {{.*}}: expected an opt_level of at most 2147483647, found 4294967296
// RUN: sed 's/pass_context: .*/pass_context: ""/' %t.mlir > %t.bad.mlir
// RUN: not partita-test-opt %t.bad.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=NO-CONTEXT
// NO-CONTEXT: error: expected a reproducer's pass_context to be #partita.pass_context, but found ''

// Passes that a should_run vetoed are left out of the pipeline, for any
// instrument and any way of choosing, and the failure is the same.
// RUN: printf 'func.func @f() { return }\nfunc.func @g() { return }\n' > %t.two.mlir
// DEFINE: %{inner} = builtin.module(test-a,sequential{name=inner passes=any(test-b,func.func(test-fail{on=f}))},func.func(test-fail{on=g}))
// DEFINE: %{run-inner} = not partita-test-opt %t.two.mlir -O2 --pass-pipeline='%{inner}' -o /dev/null --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: rm -f %t.mlir
// RUN: %{run-inner} --instrument='bisect{disable=inner}' 2>&1 | FileCheck %s --check-prefix=IN-G
// RUN: FileCheck %s --check-prefix=VETOED < %t.mlir
// RUN: not partita-test-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=IN-G
// RUN: rm -f %t.mlir
// RUN: %{run-inner} --instrument='test-trace{skip=inner}' 2>&1 | FileCheck %s --check-prefix=IN-G
// RUN: FileCheck %s --check-prefix=VETOED < %t.mlir
// RUN: not partita-test-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=IN-G
// IN-G: mlir:{{2:1|5:3}}: error: test-fail was here
// VETOED: pipeline: "builtin.module(test-a,func.func(test-fail{on=g}))"

// If an instrument fails at a pass that nobody has vetoed, the pass is in the
// pipeline.
// RUN: rm -f %t.mlir
// RUN: not partita-test-opt %t.two.mlir -O2 --test-a --test-b --test-c -o /dev/null --mlir-pass-pipeline-crash-reproducer=%t.mlir \
// RUN:   --instrument='test-trace{skip=test-a fail=should fail-at=TestB}' 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: FileCheck %s --check-prefix=ASKING < %t.mlir
// RUN: not partita-test-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: error: {{.*}}should
// ASKING: pipeline: "builtin.module(test-b,test-c)"

// After a checkpoint, the remaining steps have other numbers. Checkpoints and
// files are not written again.
// RUN: rm -rf %t.mlir %t.ck %t.dump
// DEFINE: %{resumed} = partita-test-opt %t.two.mlir -O2 --test-a --test-b --test-c --test-fail -o /dev/null
// RUN: not %{resumed} --instrument='checkpoint{dir=%t.ck keep=0}' --instrument='bisect{limit=1 print=false}' \
// RUN:   --required-pass=test-fail
// RUN: not %{resumed} --resume-from=%t.ck --required-pass=test-fail --instrument='bisect{disable=3}' \
// RUN:   --instrument='checkpoint{dir=%t.ck keep=0}' --instrument='dump-ir{dump-dir=%t.dump}' \
// RUN:   --instrument='op-statistics{output=%t.dump/ops}' --instrument='verify{save-dir=%t.dump}' \
// RUN:   --mlir-pass-pipeline-crash-reproducer=%t.mlir
// RUN: FileCheck %s --check-prefix=RESUMED < %t.mlir
// RESUMED: pipeline: "builtin.module(test-b,test-fail)"
// RESUMED: pass_context: "#partita.pass_context<opt_level = 2, required_pass = [\22test-fail\22], instruments = [\22verify\22]>"
// RUN: ls %t.ck %t.dump > %t.before
// RUN: not partita-test-opt %t.mlir --run-reproducer
// RUN: ls %t.ck %t.dump | diff %t.before -

// The reproducer of a run that succeeds also has the passes that ran.
// RUN: partita-test-opt %t.two.mlir -O2 --test-a --test-b --test-c --instrument='bisect{steps=1,3 print=false}' \
// RUN:   -o /dev/null --mlir-generate-reproducer=%t.mlir
// RUN: FileCheck %s --check-prefix=CHOSEN < %t.mlir
// CHOSEN: pipeline: "builtin.module(test-a,test-c)"
// RUN: partita-test-opt %t.two.mlir -O2 --test-a --instrument='bisect{limit=0 print=false}' \
// RUN:   -o /dev/null --mlir-generate-reproducer=%t.mlir
// RUN: FileCheck %s --check-prefix=EMPTY < %t.mlir

// A disk without room for it is an error.
// RUN: not partita-test-opt %t.two.mlir -O2 --test-fail -o /dev/null --mlir-pass-pipeline-crash-reproducer=/dev/full 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FULL
// FULL: error: expected to write the reproducer to '/dev/full': No space left on device

// With upstream's passes, mlir-opt runs it as it is.
// RUN: rm -f %t.mlir
// RUN: %{opt} --pass-pipeline='builtin.module(func.func(cse,canonicalize),func.func(inline))' \
// RUN:   --instrument='print-ir-after{passes=none}'
// RUN: not mlir-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: error: 'func.func' op  was scheduled to run under the inliner, but does not define a symbol table

// A plan in which nothing runs has a pipeline, too.
// RUN: partita-test-opt %s --disabled-pass=cse --cse --instrument='print-ir-after{passes=none}' -o /dev/null \
// RUN:   --mlir-generate-reproducer=%t.mlir
// RUN: FileCheck %s --check-prefix=EMPTY < %t.mlir
// EMPTY: pipeline: "builtin.module(sequential)"
// RUN: partita-test-opt %t.mlir --run-reproducer -o /dev/null

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
