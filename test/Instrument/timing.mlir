// The timing report as a tree, a list and JSON, merged and step by step.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-owner),func.func(cse) name=Inner},test-d,test-b)'
// DEFINE: %{step} = --instrument='print-ir-after{passes=none}'
// DEFINE: %{check} = %python %S/Inputs/check_timing_json.py

// RUN: %{nested} --instrument=timing 2>&1 | FileCheck %s --check-prefix=TREE --strict-whitespace --match-full-lines
// RUN: %{nested} --instrument=timing %{step} 2>&1 | FileCheck %s --check-prefix=TREE --strict-whitespace --match-full-lines
//      TREE:sequential: {{[0-9]+}}us [{{[0-9]+}}us] (100.00%; 100.00%)
// TREE-NEXT:	cse: {{[0-9]+}}us [{{[0-9]+}}us] ({{[0-9]+\.[0-9][0-9]}}%; {{[0-9]+\.[0-9][0-9]}}%)
// TREE-NEXT:	canonicalize: {{.*}}
// TREE-NEXT:	Inner: {{.*}}
// TREE-NEXT:		TestD: {{.*}}
// TREE-NEXT:		TestMiddle: {{.*}}
// TREE-NEXT:		TestA: {{.*}}
// TREE-NEXT:		TestD: {{.*}}
// TREE-NEXT:		TestMiddle: {{.*}}
// TREE-NEXT:		TestOwner: {{.*}}
// TREE-NEXT:		cse: {{.*}}
// TREE-NEXT:	TestB: {{.*}}
// Passes that ran although they are disabled.
// TREE-NEXT:// TestMiddle: runs: required by 'TestOwner', although named in disabled_pass
// TREE-NEXT:// TestMiddle: runs: required by 'TestOwner', although named in disabled_pass

// Runs are counted by function. With threads, the sum of times differs from the
// time that a pass was at work.
// RUN: %{nested} --instrument='timing{format=json output=-}' | %{check} \
// RUN:   sequential cse=2 canonicalize=2 Inner TestD 'TestMiddle*' TestA TestD 'TestMiddle*' TestOwner cse=2 TestB
// RUN: %{nested} --instrument='timing{format=json output=- cpu}' %{step} | %{check} --cpu \
// RUN:   sequential cse=2 canonicalize=2 Inner TestD 'TestMiddle*' TestA TestD 'TestMiddle*' TestOwner cse=2 TestB

// A pass that fails is the last; a vetoed pass has a note.
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,sequential{passes=any(test-a),func.func(test-fail{on=g})},test-b)' \
// RUN:   --instrument='timing{format=json output=%t.json}' --instrument=timing --instrument='test-trace{name=T skip=TestB}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL
// RUN: %{check} 'sequential!' 'TestB?=0' 'sequential!' TestA 'test-fail!=2' < %t.json
// FAIL: {{^}}sequential: 
// FAIL-NEXT: {{^}}	sequential: 
// FAIL-NEXT: {{^}}		TestA: 
// FAIL-NEXT: {{^}}		test-fail: 
// FAIL-NEXT: // TestB: skipped by should_run of 'T'

// The list has a line for each name.
// RUN: %{nested} --instrument='timing{format=list sort=name}' 2>&1 | FileCheck %s --check-prefix=LIST --strict-whitespace --match-full-lines
//      LIST:   time [us]    self [us]       %    wall [us]     cpu [us]     runs  pass
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +1  Inner}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +1  TestA}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +1  TestB}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +2  TestD}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +2  TestMiddle}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +1  TestOwner}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +2  canonicalize}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +4  cse}}
// LIST-NEXT:{{ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9]+ +- +1  sequential}}
// LIST-NEXT:// TestMiddle: {{.*}}
// RUN: %{nested} --instrument='timing{format=list cpu}' 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: pass
// TIME-NEXT: {{ 100.00 +[0-9]+ +[0-9]+ +1  sequential$}}
// RUN: %{nested} --instrument='timing{format=list sort=cpu}' 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: pass
// CPU-NEXT: {{[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+  }}
// RUN: %{nested} --instrument='timing{format=list sort=runs}' 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: pass
// RUNS-NEXT: {{ 4  cse$}}

// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument='timing{format=json output=-}' | %{check} \
// RUN:   DefaultO1 CanonicalizeBindings EliminateCommonSubexpr DeadCodeElimination

// RUN: not %{func} --cse --instrument='timing{output=%t.json/none}' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: instrument 'timing' failed to enter the pass context: expected to open '{{.*}}/none' to write to, but: Not a directory
// RUN: not %{func} --cse --instrument='timing{format=xml}' 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: expected option 'format' of instrument 'timing' to be tree, list or json, but found 'xml'
