// How each pass changed the number of ops, by name and function.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-middle,test-add-func),func.func(cse) name=Inner},test-d,test-b)'

// RUN: %{nested} --instrument='op-statistics{functions}' 2>&1 \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace --implicit-check-not={{.}}
// RUN: %{nested} --instrument='op-statistics{functions}' --mlir-disable-threading 2>&1 \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace --implicit-check-not={{.}}
//      CHECK:step  pass               ops  change  by name
// CHECK-NEXT:   1  cse                  7      -1  arith.addi -1
// CHECK-NEXT:                                      @f: arith.addi -1
// CHECK-NEXT:   2  canonicalize         7       0
// CHECK-NEXT:   3  test-add-func       11      +4  arith.addi +1, arith.muli +1, func.func +1, func.return +1
// CHECK-NEXT:                                      func.func +1
// CHECK-NEXT:                                      @added: arith.addi +1, arith.muli +1, func.return +1
// CHECK-NEXT:   4  cse                 11       0
// CHECK-NEXT:   5  TestB               11       0

// As JSON, up to a pass that fails, and without a vetoed pass.
// RUN: rm -f %t.json
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,func.func(cse,test-fail{on=g}),test-a)' \
// RUN:   --instrument='op-statistics{json output=%t.json}' --instrument='test-trace{name=T skip=TestB}' 2> /dev/null
// RUN: FileCheck %s --check-prefix=JSON --match-full-lines < %t.json
// JSON: [
// JSON-NEXT:  {
// JSON-NEXT:    "after": 7,
// JSON-NEXT:    "before": 8,
// JSON-NEXT:    "functions": {
// JSON-NEXT:      "f": {
// JSON-NEXT:        "arith.addi": -1
// JSON-NEXT:      }
// JSON-NEXT:    },
// JSON-NEXT:    "ops": {
// JSON-NEXT:      "arith.addi": -1
// JSON-NEXT:    },
// JSON-NEXT:    "pass": "cse",
// JSON-NEXT:    "step": 2
// JSON-NEXT:  }
// JSON-NEXT:]

// Functions of inner modules.
// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument='op-statistics{functions}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RELAX --match-full-lines
// RELAX: 2 EliminateCommonSubexpr 12 -1 relax.add -1
// RELAX-NEXT: @m::main: relax.add -1
// RELAX-NEXT: 3 DeadCodeElimination 7 -5 arith.constant -1, linalg.fill -1, linalg.yield -1, tir.prim_func -1, tir.return -1
// RELAX-NEXT: tir.prim_func -1
// RELAX-NEXT: @m::loop: arith.constant -1, linalg.fill -1, linalg.yield -1, tir.return -1

// RUN: %{func} --cse --instrument='op-statistics{print=false}' 2>&1 | count 0
// RUN: not %{func} --cse --instrument='op-statistics{output=%t.json/none}' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: instrument 'op-statistics' failed to enter the pass context: expected to open '{{.*}}/none' to write to, but: Not a directory
