// -mlir-timing gives one correct tree, whether passes run merged or step by
// step.

// DEFINE: %{opt} = partita-test-opt %s -O2 -o /dev/null -mlir-timing \
// DEFINE:   --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-a),func.func(cse) name=Inner},test-d,test-b)'
// DEFINE: %{check} = %python %S/../Tools/partita-opt/Inputs/check_timing.py

// Merged: MLIR's own report.
// RUN: %{opt} -mlir-disable-threading 2>&1 | %{check} CSE CSE Canonicalizer Rest
// RUN: %{opt} 2>&1 | %{check} CSE CSE Canonicalizer Rest
// RUN: %{opt} --instrument='timing{print=false}' 2>&1 | %{check} CSE CSE Canonicalizer Rest

// Step by step: passes under their PassInfo's names, inside their Sequentials.
// RUN: %{opt} --instrument='print-ir-after{passes=none}' 2>&1 | %{check} --rest sequential cse canonicalize Inner TestA cse TestB Rest
// RUN: %{opt} --instrument='print-ir-after{passes=none}' -mlir-disable-threading 2>&1 \
// RUN:   | %{check} --rest sequential cse canonicalize Inner TestA cse TestB Rest
// RUN: %{opt} --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --strict-whitespace --check-prefix=TREE
//      TREE: Total Execution Time
//      TREE: ({{.*}}%)  sequential
// TREE-NEXT: ({{.*}}%)    cse
// TREE-NEXT: ({{.*}}%)    canonicalize
// TREE-NEXT: ({{.*}}%)    Inner
// TREE-NEXT: ({{.*}}%)      TestA
// TREE-NEXT: ({{.*}}%)      cse
// TREE-NEXT: ({{.*}}%)    TestB
// TREE-NEXT: ({{.*}}%)  Rest
// TREE-NEXT: (100.0%)  Total

// RUN: %{opt} --instrument='print-ir-after{passes=none}' -mlir-timing-display=list 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: %{opt} -mlir-timing-display=list 2>&1 | FileCheck %s --check-prefix=MERGEDLIST
// LIST: Total Execution Time
// LIST-NOT: -0.
// LIST-DAG: ({{.*}}%)  sequential
// LIST-DAG: ({{.*}}%)  cse
// LIST-DAG: ({{.*}}%)  Inner
// LIST-DAG: ({{.*}}%)  TestA
// LIST: (100.0%)  Total
// MERGEDLIST: Total Execution Time
// MERGEDLIST-NOT: -0.
// MERGEDLIST-DAG: ({{.*}}%)  CSE
// MERGEDLIST-DAG: ({{.*}}%)  Canonicalizer
// MERGEDLIST: (100.0%)  Total

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
