// --skip-unchanged: a pass does not run again on an op that it has left as it
// is. What the pass can see must be the same: the op, and the attributes around.

// DEFINE: %{passes} = func.func(cse),canonicalize,func.func(cse),canonicalize
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(%{passes})' --explain | FileCheck %s --check-prefix=PLAN
// PLAN:      1    cse           runs: requested directly{{$}}
// PLAN-NEXT: 2    canonicalize  runs: requested directly{{$}}
// PLAN-NEXT: 3    cse           runs: requested directly, skipped where unchanged since step 1{{$}}
// PLAN-NEXT: 4    canonicalize  runs: requested directly, skipped where unchanged since step 2{{$}}

// A pass on the module is skipped on the whole, or on some of the functions.
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(%{passes},%{passes})' --instrument=timing -o %t.skipped.mlir 2>&1 | FileCheck %s --check-prefix=SKIPPED
// SKIPPED:      // cse: skipped on 1 of 2 ops, unchanged since it left them as they are
// SKIPPED-NEXT: // canonicalize: skipped on 1 of 2 ops
// SKIPPED-NEXT: // cse: skipped on 2 of 2 ops
// SKIPPED-NEXT: // canonicalize: skipped on 1 of 1 ops
// SKIPPED-NEXT: // cse: skipped on 2 of 2 ops
// SKIPPED-NEXT: // canonicalize: skipped on 1 of 1 ops
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(%{passes},%{passes})' -o %t.plain.mlir
// RUN: diff %t.plain.mlir %t.skipped.mlir

// Records tell it, too, and observing changes nothing.
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(func.func(cse),func.func(cse,cse))' \
// RUN:   --instrument='timing{format=json output=%t.json}' --instrument='print-changed{output=%t.changed}' --mlir-disable-threading -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// JSON: "pass": "cse"
// JSON: "runs": 2
// JSON: "unchanged": 0
// JSON: "pass": "cse"
// JSON: "runs": 1
// JSON: "unchanged": 1
// JSON: "pass": "cse"
// JSON: "runs": 0
// JSON: "unchanged": 2

// A pass that prints in a pipeline that is an option of another pass.
// DEFINE: %{inline} = inline{op-pipelines=func.func(print-op-stats)}
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(%{inline},%{inline})' 2>&1 | FileCheck %s --check-prefix=IN-OPTION
// IN-OPTION-COUNT-4: Operations encountered

// A pass that changes the attributes around an op, although it preserves all
// analyses, makes passes run again.
// DEFINE: %{copy} = func.func(test-copy-attribute)
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(%{copy},test-set-attribute{value=1},%{copy},%{copy},%{copy},test-set-attribute{value=2},%{copy})' \
// RUN:   --instrument=timing 2>&1 | FileCheck %s --check-prefix=AROUND
// AROUND:      // test-copy-attribute: skipped on 2 of 2 ops
// AROUND-NOT:  skipped
// AROUND:      func.func @changed({{.*}}test.value = 2
// AROUND:      func.func @same({{.*}}test.value = 2

// So does a pass that changes the op: only there.
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(canonicalize,canonicalize,test-set-attribute{on=same},canonicalize)' \
// RUN:   --instrument=timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONLY
// ONLY:      // canonicalize: skipped on 1 of 2 ops
// ONLY-NEXT: // canonicalize: skipped on 1 of 2 ops

// So does a pass that changes the order of uses, which bytecode keeps.
// DEFINE: %{uses} = partita-test-opt %s --pass-pipeline='builtin.module(func.func(test-reverse-uses,test-reverse-uses,test-reverse-uses))' --emit-bytecode
// RUN: %{uses} -o %t.plain && %{uses} --skip-unchanged -o %t.skipped && diff %t.plain %t.skipped

// A pass that says something says it again, and passes that print run.
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(func.func(test-remark,test-remark),print-op-stats,print-op-stats)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// SAID-COUNT-4: remark: a remark
// SAID-COUNT-2: Operations encountered

// A Sequential among the passes runs, with passes and instruments of its own.
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(cse,cse,sequential{passes=func.func(test-copy-attribute,test-copy-attribute)},cse)' \
// RUN:   --instrument=timing --instrument=verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSIDE
// INSIDE:      test-copy-attribute:
// INSIDE-NEXT: test-copy-attribute:
// INSIDE:      // test-copy-attribute: skipped on 2 of 2 ops
// RUN: partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(cse,cse,sequential{passes=func.func(test-copy-attribute,test-copy-attribute)},cse)' \
// RUN:   --instrument=timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=INSIDE

// A single function, observed.
// RUN: partita-test-opt %S/Inputs/one-function.mlir --skip-unchanged --pass-pipeline='builtin.module(func.func(cse,cse))' \
// RUN:   --instrument=timing --instrument='print-changed{print=false}' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: // cse: skipped on 1 of 1 ops

// An error is an error, and a pass that fails is not skipped.
// RUN: not partita-test-opt %s --skip-unchanged --pass-pipeline='builtin.module(cse,cse,func.func(test-fail{on=same}),cse)' 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error: test-fail was here

// --nest-in-functions runs local passes on functions. sccp is not local.
// RUN: partita-test-opt %s --nest-in-functions --pass-pipeline='builtin.module(cse,sccp)' --instrument='timing{format=json output=%t.nest.json}' -o /dev/null
// RUN: FileCheck %s --check-prefix=NEST < %t.nest.json
// NEST: "pass": "cse"
// NEST: "runs": 2
// NEST: "pass": "sccp"
// NEST: "runs": 1
// Other ops in the module keep the pass on the module.
// RUN: sed 's/^\/\/ TOP: //' %s | partita-test-opt --allow-unregistered-dialect --nest-in-functions --pass-pipeline='builtin.module(cse)' --instrument='timing{format=json output=%t.top.json}' -o /dev/null
// RUN: FileCheck %s --check-prefix=TOP-LEVEL < %t.top.json
// TOP-LEVEL: "pass": "cse"
// TOP-LEVEL: "runs": 1

// --check-nest finds a pass that claims to be local, and is not.
// RUN: not partita-test-opt %s --check-nest --pass-pipeline='builtin.module(test-planted-first)' 2>&1 | FileCheck %s --check-prefix=PLANTED
// PLANTED: error: expected line {{[0-9]+}} of the module of '{{.*}}' to be the same when run bare and with nest_in_functions, but found
// RUN: partita-test-opt %s --check-nest --pass-pipeline='builtin.module(canonicalize,cse,canonicalize)' -o /dev/null

// A limit on the rewrites of canonicalize is for the whole module.
// DEFINE: %{limited} = canonicalize{max-iterations=1 max-num-rewrites=1}
// RUN: partita-test-opt %S/Inputs/chains.mlir --check-nest --pass-pipeline='builtin.module(%{limited},%{limited},%{limited})' -o /dev/null

// Both are config options.
// RUN: partita-test-opt %s --pass-config=partita.skip_unchanged=true --pass-pipeline='builtin.module(cse,cse,cse)' --instrument=timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG: // cse: skipped on
// RUN: partita-test-opt --list-pass-configs | FileCheck %s --check-prefix=KEYS
// KEYS: partita.nest_in_functions
// KEYS: partita.skip_unchanged

// TOP: "test.op"() : () -> ()
func.func @changed(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.addi %0, %1 : i32
  %c0 = arith.constant 0 : i32
  %3 = arith.addi %2, %c0 : i32
  return %3 : i32
}
func.func @same(%x: i32) -> i32 {
  return %x : i32
}
