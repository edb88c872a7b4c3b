// The plan as a graph: a box for each Sequential, an arrow to the next pass,
// and a dashed arrow to a required pass; skipped passes stand alone.

// RUN: partita-test-opt --print-plan-graph -O1 --disabled-pass=cse,TestD \
// RUN:   --pass-pipeline='builtin.module(test-a,func.func(cse),sequential{passes=any(test-owner) name=In"ner},sequential{passes=any(test-a) name=High opt-level=3})' \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:digraph plan {
// CHECK-NEXT:  rankdir=LR;
// CHECK-NEXT:  node [shape=box];
// CHECK-NEXT:  subgraph cluster0 {
// CHECK-NEXT:    n0 [label="sequential", tooltip="runs: requested directly", style=bold];
// CHECK-NEXT:    n1 [label="1 TestA", tooltip="runs: opt_level 0 \<= 1", style=solid];
// CHECK-NEXT:    n2 [label="cse", tooltip="skipped: named in disabled_pass", style=dotted];
// CHECK-NEXT:    subgraph cluster3 {
// CHECK-NEXT:      n3 [label="In\"ner", tooltip="runs: opt_level 0 \<= 1", style=bold];
// CHECK-NEXT:      n4 [label="2 TestD", tooltip="runs: required by 'TestMiddle', although named in disabled_pass", style=solid];
// CHECK-NEXT:      n5 [label="3 TestMiddle", tooltip="runs: required by 'TestOwner'", style=solid];
// CHECK-NEXT:      n6 [label="4 TestA", tooltip="runs: required by 'TestOwner'", style=solid];
// CHECK-NEXT:      n7 [label="5 TestD", tooltip="runs: required by 'TestMiddle', although named in disabled_pass", style=solid];
// CHECK-NEXT:      n8 [label="6 TestMiddle", tooltip="runs: required by 'TestOwner'", style=solid];
// CHECK-NEXT:      n9 [label="7 TestOwner", tooltip="runs: opt_level 1 \<= 1", style=solid];
// CHECK-NEXT:    }
// CHECK-NEXT:    n10 [label="High", tooltip="skipped: opt_level 3 \> 1", style=dotted];
// CHECK-NEXT:  }
// CHECK-NEXT:  n1 -> n4;
// CHECK-NEXT:  n5 -> n4 [label="requires", style=dashed, constraint=false];
// CHECK-NEXT:  n4 -> n5;
// CHECK-NEXT:  n9 -> n5 [label="requires", style=dashed, constraint=false];
// CHECK-NEXT:  n5 -> n6;
// CHECK-NEXT:  n9 -> n6 [label="requires", style=dashed, constraint=false];
// CHECK-NEXT:  n6 -> n7;
// CHECK-NEXT:  n8 -> n7 [label="requires", style=dashed, constraint=false];
// CHECK-NEXT:  n7 -> n8;
// CHECK-NEXT:  n9 -> n8 [label="requires", style=dashed, constraint=false];
// CHECK-NEXT:  n8 -> n9;
// CHECK-NEXT:}

// The steps for tools, each with its own pipeline.
// RUN: partita-test-opt --print-plan-json -O1 --required-pass=TestD --pass-config=test.count=3 \
// RUN:   --pass-pipeline='builtin.module(func.func(cse),test-c,test-d)' | FileCheck %s --check-prefix=JSON
// JSON: "pass_context": "#partita.pass_context<opt_level = 1, required_pass = [\"TestD\"], config = {\"test.count\" = 3}>"
// JSON: "in_required_pass": false,
// JSON-NEXT: "name": "cse",
// JSON-NEXT: "number": 1,
// JSON-NEXT: "pipeline": "builtin.module(func.func(cse))"
// JSON: "in_required_pass": true,
// JSON-NEXT: "name": "TestD",
// JSON-NEXT: "number": 2,
// JSON-NEXT: "pipeline": "builtin.module(test-d)"
