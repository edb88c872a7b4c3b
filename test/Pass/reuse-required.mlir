// A PassInfo that reuses required passes: such a pass does not run again if it
// has run in the same Sequential, and no pass since could undo it.

// DEFINE: %{explain} = partita-test-opt --explain -O3
// DEFINE: %{pipeline} = %{explain} --pass-pipeline

// Passes that have run in the listed order do not run again, nor do the passes
// that they require.
// RUN: %{explain} --test-a --test-b --test-reuse-ab | FileCheck %s --check-prefix=BOTH
//      BOTH: 1    TestA        runs: opt_level 0 <= 3
// BOTH-NEXT: 2    TestB        runs: opt_level 1 <= 3
// BOTH-NEXT: -    TestA        skipped: required by 'TestReuseAB', and has just run as step 1
// BOTH-NEXT: -    TestB        skipped: required by 'TestReuseAB', and has just run as step 2
// BOTH-NEXT: 3    TestReuseAB  runs: opt_level 0 <= 3
// BOTH-NEXT: pipeline: builtin.module(test-a,test-b,test-reuse-ab)
// RUN: %{explain} --test-middle --test-a --test-d --test-middle --test-reuser | FileCheck %s --check-prefix=CLOSURE
// CLOSURE: pipeline: builtin.module(test-d,test-middle,test-a,test-d,test-d,test-middle,test-reuser)

// Any other pass could undo it, and so could a pass listed before it.
// RUN: %{explain} --test-a --test-b --test-c --test-reuse-ab | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: 4    TestA        runs: required by 'TestReuseAB', repeats step 1
// BETWEEN: pipeline: builtin.module(test-a,test-b,test-c,test-a,test-b,test-reuse-ab)
// RUN: %{explain} --test-b --test-a --test-reuse-ab | FileCheck %s --check-prefix=ORDER
// ORDER: pipeline: builtin.module(test-b,test-a,test-b,test-reuse-ab)
// RUN: %{explain} --test-reuse-ab --test-reuse-ab | FileCheck %s --check-prefix=TWICE
// TWICE: pipeline: builtin.module(test-a,test-b,test-reuse-ab,test-a,test-b,test-reuse-ab)

// A skipped pass undoes nothing, and has not run.
// RUN: %{explain} --test-a --test-b --test-c --test-reuse-ab --disabled-pass=TestB,TestC | FileCheck %s --check-prefix=DISABLED
// DISABLED: pipeline: builtin.module(test-a,test-b,test-reuse-ab)

// The same pass has the same options, and runs in the same place.
// RUN: %{pipeline}='builtin.module(canonicalize,test-reuse-canonicalize)' | FileCheck %s --check-prefix=SAME
// SAME: pipeline: builtin.module(canonicalize{{[^(),]*}},test-reuse-canonicalize)
// RUN: %{pipeline}='builtin.module(func.func(canonicalize,test-reuse-canonicalize))' | FileCheck %s --check-prefix=FUNC
// FUNC: pipeline: builtin.module(func.func(canonicalize{{[^(),]*}},test-reuse-canonicalize))
// RUN: %{pipeline}='builtin.module(canonicalize{top-down=false},test-reuse-canonicalize)' | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: pipeline: builtin.module(canonicalize{{.*}},canonicalize{{.*}},test-reuse-canonicalize)
// RUN: %{pipeline}='builtin.module(func.func(canonicalize),test-reuse-canonicalize)' | FileCheck %s --check-prefix=PLACE
// PLACE: pipeline: builtin.module(func.func(canonicalize{{.*}}),canonicalize{{.*}},test-reuse-canonicalize)

// A run in a Sequential inside counts. A run in a Sequential around does not:
// its members would then depend on its place.
// RUN: %{pipeline}='builtin.module(sequential{passes=any(test-a),any(test-b)},test-reuse-ab)' | FileCheck %s --check-prefix=INSIDE
// INSIDE: pipeline: builtin.module(test-a,test-b,test-reuse-ab)
// RUN: %{pipeline}='builtin.module(test-a,test-b,sequential{passes=any(test-reuse-ab)})' | FileCheck %s --check-prefix=AROUND
// AROUND: pipeline: builtin.module(test-a,test-b,test-a,test-b,test-reuse-ab)

// Sequentials are required, and require.
// RUN: %{explain} --test-sequence --test-reuse-sequence | FileCheck %s --check-prefix=SEQUENTIAL
//      SEQUENTIAL: -    TestSequence {{ *}}skipped: required by 'TestReuseSequence', and has just run{{$}}
// SEQUENTIAL-NEXT: 4    TestReuseSequence
// RUN: %{explain} --test-a --test-d --test-c --test-reuse-sequence | FileCheck %s --check-prefix=MEMBERS
// MEMBERS: pipeline: builtin.module(test-a,test-d,test-c,test-a,test-d,test-c,test-reuse-sequence)
// RUN: %{pipeline}='builtin.module(test-a,sequential{passes=any(test-c) required=TestA reuse-required=true})' | FileCheck %s --check-prefix=OPTION
// OPTION: pipeline: builtin.module(test-a,test-c)

// A graph has the reused passes, too.
// RUN: partita-test-opt --print-plan-graph -O3 --test-a --test-b --test-reuse-ab | FileCheck %s --check-prefix=GRAPH
// GRAPH: n3 [label="TestA", tooltip="skipped: required by 'TestReuseAB', and has just run", style=dotted];
// GRAPH: n5 -> n3 [label="requires"

// The plan is the same bare and observed. A veto of the earlier run counts as a
// veto of the required pass.
// RUN: partita-test-opt %s -O1 --test-a --test-b --test-reuse-ab | FileCheck %s --check-prefix=RAN
// RUN: partita-test-opt %s -O1 --test-a --test-b --test-reuse-ab --instrument='test-trace{name=A}' 2>/dev/null | FileCheck %s --check-prefix=RAN
// RAN: test.ran = ["test-a", "test-b", "test-reuse-ab"]
// RUN: partita-test-opt %s -O1 --test-a --test-b --test-reuse-ab --instrument='test-trace{name=A skip=TestA}' 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=VETO
// VETO: test.ran = ["test-b", "test-reuse-ab"]

func.func @f() {
  return
}
