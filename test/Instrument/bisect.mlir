// The first steps, listed steps, and all but some steps. Each counts once, with
// its number in the plan, whatever it runs on.

// DEFINE: %{opt} = partita-test-opt %s -o %t.mlir -O2 \
// DEFINE:   --pass-pipeline='builtin.module(test-a,func.func(cse,test-func-mark),sequential{name=Inner passes=any(test-b),func.func(test-c)},test-d,test-owner)'
// DEFINE: %{check} = FileCheck %s --implicit-check-not=BISECT --check-prefix

// RUN: %{opt} --instrument='bisect{limit=3}' 2>&1 | %{check} LIMIT
// RUN: FileCheck %s --check-prefix=FIRST < %t.mlir
// LIMIT:      BISECT: running pass (1) TestA on builtin.module @m
// LIMIT-NEXT: BISECT: running pass (2) cse on builtin.module @m
// LIMIT-NEXT: BISECT: running pass (3) test-func-mark on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (4) TestB on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (5) TestC on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (6) TestD on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (7) TestMiddle on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (8) TestA on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (9) TestD on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (10) TestMiddle on builtin.module @m
// LIMIT-NEXT: BISECT: NOT running pass (11) TestOwner on builtin.module @m
// FIRST: module @m attributes {test.ran = ["test-a"]}
// FIRST: func.func @f() attributes {test.touched}
// FIRST: func.func @g() attributes {test.touched}

// No step, and all steps, without output.
// RUN: %{opt} --instrument='bisect{limit=0 print=false}' 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=NOTHING --implicit-check-not=test. < %t.mlir
// NOTHING: module @m {
// RUN: %{opt} --instrument='bisect{print=false}' 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=ALL < %t.mlir
// ALL: test.ran = ["test-a", "test-b", "test-d", "test-middle", "test-a", "test-d", "test-middle", "test-owner"]

// Steps that are required by passes that do not run.
// RUN: %{opt} --instrument='bisect{steps=4-5,8,11-99 print=false}' 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=SOME < %t.mlir
// SOME: module @m attributes {test.ran = ["test-b", "test-a", "test-owner"]}
// SOME: func.func @f() attributes {test.ran = ["test-c"]}

// By number, by any name of a pass, and a whole Sequential.
// RUN: %{opt} --instrument='bisect{disable=2,test-a,Inner,TestMiddle}' 2>&1 | %{check} DISABLE
// DISABLE:      BISECT: NOT running pass (1) TestA
// DISABLE-NEXT: BISECT: NOT running pass (2) cse
// DISABLE-NEXT: BISECT: running pass (3)
// DISABLE-NEXT: BISECT: NOT running pass Inner on builtin.module @m
// DISABLE-NEXT: BISECT: running pass (6) TestD
// DISABLE-NEXT: BISECT: NOT running pass (7) TestMiddle
// DISABLE-NEXT: BISECT: NOT running pass (8) TestA
// DISABLE-NEXT: BISECT: running pass (9) TestD
// DISABLE-NEXT: BISECT: NOT running pass (10) TestMiddle
// DISABLE-NEXT: BISECT: running pass (11) TestOwner

// A pass that the plan skips has no number, and a pass in required_pass always
// runs. A pass that another instrument vetoes does not run, but counts.
// RUN: %{opt} -O1 --disabled-pass=cse --required-pass=TestD --instrument='bisect{limit=3}' \
// RUN:   --instrument='test-trace{skip=TestB name=T}' 2>&1 | grep BISECT | %{check} POLICY
// POLICY:      BISECT: running pass (1) TestA
// POLICY-NEXT: BISECT: running pass (2) test-func-mark
// POLICY-NEXT: BISECT: running pass (4) TestD
// POLICY-NEXT: BISECT: running pass (5) TestD
// POLICY-NEXT: BISECT: NOT running pass (6) TestMiddle
// POLICY-NEXT: BISECT: NOT running pass (7) TestA
// POLICY-NEXT: BISECT: running pass (8) TestD
// POLICY-NEXT: BISECT: NOT running pass (9) TestMiddle
// POLICY-NEXT: BISECT: NOT running pass (10) TestOwner

// A pass that fails is the last one printed; without it, all is well.
// DEFINE: %{failing} = partita-test-opt %s -o /dev/null \
// DEFINE:   --pass-pipeline='builtin.module(test-a,func.func(test-fail{on=g}),test-b)'
// RUN: not %{failing} --instrument=bisect 2>&1 | %{check} FAILS
// FAILS:      BISECT: running pass (1) TestA
// FAILS-NEXT: BISECT: running pass (2) test-fail
// FAILS-NEXT: error: test-fail was here
// RUN: %{failing} --instrument='bisect{disable=2}' 2>&1 | %{check} PASSES
// PASSES:      BISECT: running pass (1) TestA
// PASSES-NEXT: BISECT: NOT running pass (2) test-fail
// PASSES-NEXT: BISECT: running pass (3) TestB

// Passes that a pass runs belong to it, and have no numbers.
// RUN: partita-test-opt %s -o %t.mlir --instrument='bisect{limit=2}' \
// RUN:   --pass-pipeline='builtin.module(test-a,inline{op-pipelines=func.func(sequential{passes=any(test-func-mark)})},test-b)' 2>&1 \
// RUN:   | %{check} INNER
// RUN: FileCheck %s --check-prefix=FIRST < %t.mlir
// INNER:      BISECT: running pass (1) TestA
// INNER-NEXT: BISECT: running pass (2) inline
// INNER-NEXT: BISECT: NOT running pass (3) TestB

// Each module of a file is a run.
// RUN: printf 'module @a {}\n// -----\nmodule @b {}\n' > %t.split.mlir
// RUN: partita-test-opt %t.split.mlir --split-input-file --test-a --test-b \
// RUN:   --instrument='bisect{limit=1}' --mlir-disable-threading 2>&1 >/dev/null | %{check} SPLIT
// SPLIT:      BISECT: running pass (1) TestA on builtin.module @a
// SPLIT-NEXT: BISECT: NOT running pass (2) TestB on builtin.module @a
// SPLIT-NEXT: BISECT: running pass (1) TestA on builtin.module @b
// SPLIT-NEXT: BISECT: NOT running pass (2) TestB on builtin.module @b

// RUN: not %{opt} --instrument='bisect{steps=1-5,x}' 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not %{opt} --instrument='bisect{steps=5-1}' 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: not %{opt} --instrument='bisect{steps=0}' 2>&1 | FileCheck %s --check-prefix=STEPS
// STEPS: error: instrument 'bisect' failed to begin the run: expected steps as 1-5,8, but found '{{x|5-1|0}}'
// RUN: not %{opt} --instrument='bisect{disable=0}' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: expected the numbers in 'disable' to be 1 or more, as a plan counts, but found '0'
// RUN: not %{opt} --instrument='bisect{disable=TestAA}' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expected numbers of steps and names of passes in 'disable', but found 'TestAA' (did you mean 'TestA'

module @m {
  func.func @f() {
    return
  }
  func.func @g() {
    return
  }
}

// Numbers without a step.
// RUN: %{opt} --instrument='bisect{steps=12,15-17,2 disable=99}' 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: BISECT: no steps 12, 15-17, 99: 'sequential' has 11 steps
// MISSING-NEXT: BISECT: NOT running pass (1) TestA
// RUN: partita-opt %s -o /dev/null --cse --instrument='bisect{steps=9}' 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: BISECT: no step 9: '{{.*}}' has 1 step
