// The progress bar, on a pseudo terminal and without a terminal.

// DEFINE: %{terminal} = %python %S/Inputs/run_in_terminal.py
// DEFINE: %{opt} = partita-test-opt %S/Inputs/func.mlir
// DEFINE: %{passes} = --pass-pipeline='builtin.module(test-a,sequential{passes=any(test-b),func.func(cse) name=Inner},test-c)'

// RUN: %{terminal} 80 %{opt} -O2 %{passes} --instrument='progress{interval=0}' | FileCheck %s --match-full-lines
//      CHECK:1/4 [....................] 0:00 TestA
// CHECK-NEXT:2/4 [#####...............] 0:00, 0:00 left TestB
// CHECK-NEXT:3/4 [##########..........] 0:00, 0:00 left cse
// CHECK-NEXT:4/4 [###############.....] 0:00, 0:00 left TestC
// CHECK-NEXT:left: ''
// CHECK-NEXT:exit code: 0

// A narrow terminal, which the line must fit in.
// RUN: %{terminal} 20 %{opt} -O2 %{passes} --instrument='progress{interval=0}' | FileCheck %s --check-prefix=NARROW --match-full-lines
//      NARROW:1/4 [..............
// NARROW-NEXT:2/4 [#####.........

// Not more often than the interval; the first pass is shown at once.
// RUN: %{terminal} 80 %{opt} -O2 %{passes} --instrument='progress{interval=3600000}' | FileCheck %s --check-prefix=SLOW --match-full-lines
//      SLOW:1/4 [....................] 0:00 TestA
// SLOW-NEXT:left: ''

// Diagnostics have their own lines, and the bar is erased after a failure.
// RUN: %{terminal} 80 %{opt} -O2 --pass-pipeline='builtin.module(test-a,func.func(test-fail{on=g}),test-c)' --instrument='progress{interval=0}' | FileCheck %s --check-prefix=FAIL
//      FAIL: {{^}}1/3 [....................] 0:00 TestA
// FAIL-NEXT: {{^}}2/3 [######..............] 0:00, 0:00 left test-fail
// FAIL-NEXT: {{^}}{{.*}}func.mlir:7:1: error: test-fail was here
//      FAIL: left: ''
// FAIL-NEXT: exit code: 1

// The output of other instruments has its own lines, too.
// RUN: %{terminal} 80 %{opt} --pass-pipeline='builtin.module(test-a,test-c)' --instrument='progress{interval=0}' --instrument=bisect --instrument=op-statistics | FileCheck %s --check-prefix=OTHERS --match-full-lines
//      OTHERS:1/2 [....................] 0:00 TestA
// OTHERS-NEXT:BISECT: running pass (1) TestA on builtin.module
// OTHERS-NEXT:2/2 [##########..........] 0:00, 0:00 left TestC
// OTHERS-NEXT:BISECT: running pass (2) TestC on builtin.module
// OTHERS-NEXT:step pass ops change by name
//      OTHERS:left: ''

// The numbers are the plan's steps: required passes count, disabled passes do
// not, and a vetoed pass is passed over.
// RUN: %{terminal} 80 %{opt} -O2 --disabled-pass=TestMiddle,test-b --pass-pipeline='builtin.module(test-b,test-owner,test-c)' \
// RUN:   --instrument='progress{interval=0}' --instrument='bisect{disable=TestA,test-c print=false}' | FileCheck %s --check-prefix=PLAN --match-full-lines
//      PLAN:1/7 [....................] 0:00 TestD
// PLAN-NEXT:2/7 [##..................] 0:00, 0:00 left TestMiddle
// PLAN-NEXT:4/7 [########............] 0:00, 0:00 left TestD
// PLAN-NEXT:5/7 [###########.........] 0:00, 0:00 left TestMiddle
// PLAN-NEXT:6/7 [##############......] 0:00, 0:00 left TestOwner
// PLAN-NEXT:left: ''

// The outer of two nested runs.
// RUN: %{terminal} 80 partita-opt %S/Inputs/relax.mlir -O1 --instrument='progress{interval=0}' | FileCheck %s --check-prefix=RELAX --match-full-lines
//      RELAX:1/3 [....................] 0:00 CanonicalizeBindings
// RELAX-NEXT:2/3 [######..............] 0:00, 0:00 left EliminateCommonSubexpr
// RELAX-NEXT:3/3 [#############.......] 0:00, 0:00 left DeadCodeElimination
// RELAX-NEXT:left: ''

// No terminal: no output. Passes run merged, and MLIR's output appears.
// RUN: %{opt} -O2 %{passes} --instrument=progress -o %t.mlir 2>&1 | count 0
// RUN: %{opt} -O2 %{passes} | diff - %t.mlir
// RUN: %{opt} -O2 %{passes} --dump-pass-pipeline -o /dev/null 2> %t.pipeline
// RUN: %{opt} -O2 %{passes} --dump-pass-pipeline -o /dev/null --instrument=progress 2>&1 | diff - %t.pipeline
// RUN: not %{opt} --cse --instrument='progress{interval=-1}' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expected option 'interval' of instrument 'progress' to be an integer of 0 or more, but found '-1'
