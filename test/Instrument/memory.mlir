// The memory of the process around each pass.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-owner),func.func(cse) name=Inner},test-d,test-b)'
// DEFINE: %{check} = %python %S/Inputs/check_memory_json.py %other-allocator

// RUN: %{nested} --instrument=memory 2>&1 | FileCheck %s --strict-whitespace --match-full-lines --implicit-check-not={{.}}
//      CHECK:    before     after    change      peak      heap    change  pass (resident and malloc's KiB)
// CHECK-NEXT:{{ +[0-9]+ +[0-9]+ +[+-]?[0-9]+ +[0-9-]+ +([0-9]+|-) +([+-]?[0-9]+|-)}}  sequential
// CHECK-NEXT:{{.*}}    cse
// CHECK-NEXT:{{.*}}    canonicalize
// CHECK-NEXT:{{.*}}    Inner
// CHECK-NEXT:{{.*}}      TestD
// CHECK-NEXT:{{.*}}      TestMiddle
// CHECK-NEXT:{{.*}}      TestA
// CHECK-NEXT:{{.*}}      TestD
// CHECK-NEXT:{{.*}}      TestMiddle
// CHECK-NEXT:{{.*}}      TestOwner
// CHECK-NEXT:{{.*}}      cse
// CHECK-NEXT:{{.*}}    TestB

// RUN: %{nested} --instrument='memory{json output=-}' | %{check} \
// RUN:   sequential cse canonicalize Inner TestD TestMiddle TestA TestD TestMiddle TestOwner cse TestB
// RUN: %{func} --cse --instrument='memory{json output=- peak=false}' | %{check} --no-peak sequential cse
// Two instruments that both find peaks.
// RUN: %{func} --cse --instrument='memory{json output=%t.1}' --instrument='memory{json output=%t.2}'
// RUN: %{check} sequential cse < %t.1 && %{check} sequential cse < %t.2

// Up to a pass that fails, and without a vetoed pass.
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,sequential{passes=any(test-a),func.func(test-fail{on=g})},test-b)' \
// RUN:   --instrument='memory{json output=%t.json}' --instrument=memory --instrument='test-trace{name=T skip=TestB}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL
// RUN: %{check} 'sequential!' 'sequential!' TestA 'test-fail!' < %t.json
// FAIL: {{ sequential \(failed\)$}}
// FAIL: {{ sequential \(failed\)$}}
// FAIL: {{ TestA$}}
// FAIL: {{ test-fail \(failed\)$}}

// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument='memory{json output=-}' | %{check} \
// RUN:   DefaultO1 CanonicalizeBindings EliminateCommonSubexpr DeadCodeElimination

// RUN: %{func} --cse --instrument='memory{print=false}' 2>&1 | count 0
// RUN: not %{func} --cse --instrument='memory{output=%t.json/none}' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: instrument 'memory' failed to enter the pass context: expected to open '{{.*}}/none' to write to, but: Not a directory
