// The page about a run: its reasons for passes that run, are required, are
// disabled or vetoed, and its changes. A diff leaves out lines in which only
// numbers of values changed (~).

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{show} = %python %S/Inputs/show_report.py

// RUN: %{func} -O2 --disabled-pass=TestMiddle,test-b --required-pass=TestOwner \
// RUN:   --instrument='test-trace{name=A skip=TestA,Vetoed}' --instrument='report{output=%t.html title="What ran"}' \
// RUN:   --pass-pipeline='builtin.module(func.func(cse),sequential{passes=any(test-owner),func.func(canonicalize) name=Inner},sequential{passes=any(test-c) name=Vetoed},sequential{passes=any(test-c) name=High opt-level=3},test-b,test-d)' 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --match-full-lines --strict-whitespace

//      CHECK:title What ran
// CHECK-NEXT:run sequential on {{.*}}func.mlir opt_level=2 required=['TestOwner'] disabled=['TestMiddle', 'test-b'] good
// CHECK-NEXT:0 sequential: ran (runs: requested directly) ops 8->7
// CHECK-NEXT:  1 cse: ran (runs: opt_level 0 <= 2) ops 8->7 arith.addi-1 changed
// CHECK-NEXT:@@ @f 1 1
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @f(%arg0: i32) -> i32 {
// CHECK-NEXT:     %0 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:-    %1 = arith.addi %arg0, %arg0 : i32
// CHECK-NEXT:-    %2 = arith.muli %0, %1 : i32
// CHECK-NEXT:+    %1 = arith.muli %0, %0 : i32
// CHECK-NEXT:~    return %2 : i32 =>     return %1 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @g(%arg0: i32) -> i32 {
// CHECK-NEXT:  0 Inner: ran (runs: opt_level 0 <= 2) ops 7->7
// CHECK-NEXT:    2 TestD: ran (runs: required by 'TestMiddle') ops 7->7 changed
// CHECK-NEXT:@@  1 1
// CHECK-NEXT:-module {
// CHECK-NEXT:+module attributes {test.ran = ["test-d"]} {
//      CHECK:    3 TestMiddle: ran (runs: required by 'TestOwner', although named in disabled_pass) disabled ops 7->7 changed
//      CHECK:    4 TestA: vetoed (runs: required by 'TestOwner') by A
//      CHECK:    7 TestOwner: ran (runs: named in required_pass) ops 7->7 changed
//      CHECK:    8 canonicalize: ran (runs: opt_level 0 <= 2) ops 7->7
// CHECK-NEXT:  0 Vetoed: vetoed (runs: opt_level 0 <= 2) by A
// CHECK-NEXT:    9 TestC: vetoed (runs: opt_level 2 <= 2)
// CHECK-NEXT:  0 High: skipped (skipped: opt_level 3 > 2)
// CHECK-NEXT:  0 TestB: skipped (skipped: named in disabled_pass)
// CHECK-NEXT:  0 TestD: skipped (skipped: opt_level 3 > 2)
// CHECK-NEXT:span 1: f g
// CHECK-NEXT:span 8: f g
//  CHECK-NOT:{{.}}

// A should_run fails after the report's was asked, or before.
// DEFINE: %{asked} = not %{func} --pass-pipeline='builtin.module(test-b,test-a,test-c)'
// DEFINE: %{failing} = --instrument='test-trace{name=A skip=TestB fail=should fail-at=TestA}'
// RUN: %{asked} --instrument='report{output=%t.html}' %{failing} 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --check-prefix=ASKED -DSTATUS=failed
// RUN: %{asked} %{failing} --instrument='report{output=%t.html}' 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --check-prefix=ASKED -DSTATUS='not reached'
// ASKED: 1 TestB: vetoed ({{.*}}) by A
// ASKED: 2 TestA: [[STATUS]]
// ASKED: 3 TestC: not reached
// ASKED: instrument 'A' failed should_run of pass 'TestA'

// On Relax; the constants are too large for the page.
// RUN: partita-opt --no-implicit-module %S/Inputs/relax.mlir -o /dev/null -O2 --relax-fold-constant \
// RUN:   --relax-convert-to-dataflow --relax-dead-code-elimination --instrument='report{output=%t.html elide=2}'
// RUN: %{show} %t.html | FileCheck %s --check-prefix=RELAX --match-full-lines --strict-whitespace
//      RELAX:title Pass report
// RELAX-NEXT:run sequential on m {{.*}}
//      RELAX:  1 FoldConstant: {{.*}} ops 12->11 relax.add-1 changed
// RELAX-NEXT:@@ @main 1 1
// RELAX-NEXT: partita.module @m {
// RELAX-NEXT:   relax.func @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
// RELAX-NEXT:-    %cst = relax.constant dense<2.000000e+00> : tensor<2x3xf32>
// RELAX-NEXT:-    %0 = relax.add %cst, %cst : tensor<2x3xf32>
// RELAX-NEXT:+    %cst = relax.constant dense<4.000000e+00> : tensor<2x3xf32>
// RELAX-NEXT:~    %1 = relax.add %arg0, %0 : tensor<2x3xf32> =>     %0 = relax.add %arg0, %cst : tensor<2x3xf32>
// A block around ops indents them.
//      RELAX:  2 ConvertToDataflow: {{.*}} changed
//      RELAX:+    %0 = relax.dataflow{{.*}}
//      RELAX:~    %0 = relax.add %arg0, %cst : tensor<2x3xf32> =>       %{{.*}} = relax.add %arg0, %cst : tensor<2x3xf32>
//      RELAX:  3 DeadCodeElimination: {{.*}} linalg.fill-1 {{.*}} changed
// RELAX-NEXT:@@ @main {{.*}}
//      RELAX:-  tir.prim_func private @loop(%out: memref<8xf32>) {

// A failed pass, with its diagnostics and its changes up to then. No text in
// the IR can end the data, and invalid UTF-8 is escaped.
// RUN: not partita-test-opt %s --cse --test-fail --test-a -O2 -o /dev/null \
// RUN:   --instrument='report{output=%t.html title="</title>{{data}}&"}' 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --check-prefix=FAIL --match-full-lines
//      FAIL: title </title>{{.*data.*}}&
// FAIL-NEXT: run sequential on {{.*}}m opt_level=2 required=[] disabled=[] failed
// FAIL-NEXT: 0 sequential: failed (runs: requested directly) ops 5->4
// FAIL-NEXT:   1 cse: ran (runs: opt_level 0 <= 2) ops 5->4 arith.addi-1 changed
// FAIL-NEXT: @@ @"\FE</script><!--" 1 1
//      FAIL: +{{.*}}arith.muli %0, %0 {a = "</script> %1 \FF"} : i32
//      FAIL:   2 test-fail: failed (runs: opt_level 0 <= 2) ops 4->4
// FAIL-NEXT:   3 TestA: not reached (runs: opt_level 0 <= 2)
//      FAIL: error | loc("</script>") | test-fail was here | in pass 'test-fail'

// IR that the verifier rejects is in the page, too.
// RUN: not partita-test-opt %s --test-invalid-ir --test-a -o /dev/null \
// RUN:   --instrument='report{output=%t.html}' 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --check-prefix=INVALID
// INVALID: test-invalid-ir: failed ({{.*}} changed
// INVALID: TestA: not reached

// So is IR that no verifier has seen, because the pass says that it has changed
// nothing, also in nested modules. It is in the generic form, which needs no
// valid IR.
// RUN: echo 'func.func @outer() { return } module { func.func @inner() { return } }' > %t.inner.mlir
// RUN: not partita-test-opt %t.inner.mlir -o /dev/null --instrument='report{output=%t.html}' \
// RUN:   --pass-pipeline='builtin.module(func.func(test-invalid-ir{preserves}),builtin.module(func.func(test-invalid-ir{preserves})),test-fail)' 2>/dev/null
// RUN: %{show} %t.html | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: test-invalid-ir: ran ({{.*}} changed
// UNSEEN: +  "func.func"() <{{.*}}sym_name = "outer"
// UNSEEN: test-invalid-ir: ran ({{.*}} changed
// UNSEEN-NEXT: @@
// UNSEEN: +    "func.func"() <{{.*}}sym_name = "inner"
// UNSEEN: test-fail: failed

// Very long diffs and lines are cut; the page has their beginning.
// RUN: %python -c "print('func.func @g() attributes {a = \"' + 'x' * 5000 + '\"} { %%0 = arith.constant 1 : i32 return }'); \
// RUN:   [print(f'func.func @f{i}() {{ %%0 = arith.constant 1 : i32 return }}') for i in range(5000)]" > %t.long.mlir
// RUN: partita-opt %t.long.mlir --cse -o /dev/null --instrument='report{output=%t.html}'
// RUN: %{show} %t.html | FileCheck %s --check-prefix=LONG
// LONG: func.func @g() attributes {a = "{{x+}} ...{{$}}
// LONG: cut: 4000 of 5001

// Without diffs, and to stdout.
// RUN: %{func} --cse --instrument='report{output=- diffs=false}' > %t.html
// RUN: %{show} %t.html | FileCheck %s --check-prefix=PLAIN --implicit-check-not=@@
// PLAIN: 1 cse: ran {{.*}} arith.addi-1 changed

// RUN: not %{func} --cse --instrument='report{output=%t.none/page.html}' 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: instrument 'report' failed to enter the pass context: expected to open '{{.*}}.none/page.html' to write to, but: {{[Nn]}}o such file or directory

module @"\FFm" {
  func.func @"\FE</script><!--"(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 {a = "</script> %1 \FF"} : i32
    return %2 : i32
  }
} loc("</script>")

// Different elided constants are a change.
// RUN: partita-opt %S/Inputs/elided.mlir --allow-unregistered-dialect -o /dev/null --canonicalize --instrument='report{output=%t.html}'
// RUN: %{show} %t.html | FileCheck %s --check-prefix=ELIDED
// ELIDED: 1 canonicalize: {{.*}} arith.addi-1 changed
// ELIDED: {{^}}-{{.*}} = arith.constant dense_resource<__elided__.[[OLD:[0-9a-f]+]]> : tensor<17xi8>
// ELIDED: {{^}}+{{.*}} = arith.constant dense_resource<__elided__.
// ELIDED-NOT: [[OLD]]
// ELIDED: > : tensor<17xi8>
