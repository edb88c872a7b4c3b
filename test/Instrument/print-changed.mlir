// A diff for each pass that changed something, a line for each other pass.
// Renamed values are no change.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// RUN: %{func} -O2 --disabled-pass=TestMiddle --instrument=print-changed \
// RUN:   --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-middle,test-owner),func.func(cse) name=Inner},test-d,test-b)' 2>&1 \
// RUN:   | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:// 1 cse: +1 -2
// CHECK-NEXT:@@ -1,8 +1,7 @@
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @f(%arg0: i32) -> i32 {
// CHECK-NEXT:     %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:-    %1 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:-    %2 = arith.muli %0, %1 : i32
// CHECK-NEXT:+    %1 = arith.muli %0, %0 : i32
// CHECK-NEXT:     return %1 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @g(%arg0: i32) -> i32 {
// CHECK-NEXT:// 2 canonicalize: no change
// CHECK-NEXT:// 3 TestD: +1 -1
// CHECK-NEXT:@@ -1,4 +1,4 @@
// CHECK-NEXT:-module {
// CHECK-NEXT:+module attributes {test.ran = ["test-d"]} {
//      CHECK:// 4 TestMiddle: +1 -1
//      CHECK:// 8 TestOwner: +1 -1
//      CHECK:// 9 cse: no change
// CHECK-NEXT:// 10 TestB: +1 -1

// With a filter, changes of other passes are not attributed to the printed
// ones.
// RUN: %{func} --cse --test-a --cse --instrument='print-changed{passes=cse,TestA context=0}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: %{func} --cse --test-a --cse --instrument='print-changed{passes=cse context=0}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOME --implicit-check-not=TestA --implicit-check-not=test-a
// ALL: // 1 cse: +1 -2
// ALL-NEXT: @@ -4,2 +4,1 @@
// ALL: // 2 TestA: +1 -1
// ALL-NEXT: @@ -1,1 +1,1 @@
// ALL: // 3 cse: no change
// SOME: // 1 cse: +1 -2
// SOME: // 3 cse: no change

// A vetoed or failed pass has no line; passes before it do.
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,func.func(cse,test-fail{on=g}),test-a)' \
// RUN:   --instrument='print-changed{context=0}' --instrument='test-trace{name=T skip=TestB}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAIL --implicit-check-not='// {{[0-9]}}'
// FAIL: // 2 cse: +1 -2
// FAIL: error: test-fail was here

// Colours, in a file.
// RUN: %{func} --cse --test-b --instrument='print-changed{color=always output=%t}'
// RUN: FileCheck %s --check-prefix=COLOR < %t
// COLOR: // 1 cse: +1 -2
// COLOR-NEXT: {{^.}}[0;36m@@ -1,8 +1,7 @@{{.}}[0m
// COLOR-NEXT: {{^}} module {
// COLOR: {{^.}}[0;31m-    %1 = arith.addi %arg0, %arg0 : i32{{.}}[0m
// COLOR: {{^.}}[0;32m+    %1 = arith.muli %0, %0 : i32{{.}}[0m
// RUN: %{func} --cse --instrument='print-changed{output=%t.plain}' && %{func} --cse --instrument='print-changed{color=never}' 2>&1 | diff - %t.plain
// RUN: %{func} --cse --instrument='print-changed{print=false}' 2>&1 | count 0

// RUN: not %{func} --cse --instrument='print-changed{output=%t/none}' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: instrument 'print-changed' failed to enter the pass context: expected to open '{{.*}}/none' to write to, but: Not a directory
// RUN: not %{func} --cse --instrument='print-changed{output=/dev/full}' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: error: instrument 'print-changed' failed run_after_pass of pass 'cse': expected to write to '/dev/full', but: No space left on device

// Locations do not count, whatever MLIR prints.
// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument='print-changed{context=0}' --mlir-print-debuginfo 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RELAX --match-full-lines
// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null -O1 --instrument='print-changed{context=0}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RELAX --match-full-lines
// RELAX: // 1 CanonicalizeBindings: no change
// RELAX-NEXT: // 2 EliminateCommonSubexpr: +1 -2
// RELAX: -      %3 = relax.multiply %1, %2 : tensor<2x3xf32>
// RELAX: +      %2 = relax.multiply %1, %1 : tensor<2x3xf32>
// RELAX: // 3 DeadCodeElimination: +0 -5

// Elided constants that differ print differently, wherever they are in an op.
// RUN: partita-opt %S/Inputs/elided.mlir --allow-unregistered-dialect -o /dev/null --canonicalize \
// RUN:   --instrument='print-changed{context=0 output=%t.elided}'
// RUN: FileCheck %s --check-prefix=CONSTANT < %t.elided
// CONSTANT: // 1 canonicalize: +1 -2
// CONSTANT: {{^}}-{{.*}} = arith.constant dense_resource<__elided__.[[OLD:[0-9a-f]+]]> : tensor<17xi8>
// CONSTANT: {{^}}-{{.*}} = arith.addi
// CONSTANT: {{^}}+{{.*}} = arith.constant dense_resource<__elided__.
// CONSTANT-NOT: [[OLD]]
// CONSTANT: > : tensor<17xi8>
// RUN: partita-opt %S/Inputs/elided.mlir --allow-unregistered-dialect -o /dev/null --canonicalize --instrument=print-ir-before 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ORDER
// ORDER: arith.constant dense_resource<__elided__.[[A:[0-9a-f]+]]> : tensor<17xi8>
// ORDER: arith.constant dense_resource<__elided__.[[B:[0-9a-f]+]]> : tensor<17xf32>
// ORDER: "test.both"() {a = dense_resource<__elided__.[[B]]> : tensor<17xf32>, b = [dense_resource<__elided__.[[A]]> : tensor<17xi8>], text = "dense_resource<none>"}
