// Function passes leave functions with SkipOptimization alone, whichever pass
// it is: MLIR's or a Sequential's, one by one or merged.

// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(cse,test-func-mark))' | FileCheck %s
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(any(cse),func.func(test-func-mark))' | FileCheck %s
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(sequential{passes=any(cse,test-func-mark)}))' | FileCheck %s
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(sequential{passes=func.func(cse),func.func(test-func-mark)})' | FileCheck %s
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(cse,test-func-mark))' --instrument=test-trace | FileCheck %s
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(cse,test-func-mark))' --instrument='timing{print=false}' | FileCheck %s
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(func.func(sequential{passes=any(cse,test-func-mark)}))' | FileCheck %s
// RUN: partita-test-opt %s -O2 --emit-bytecode -o %t.mlirbc --pass-pipeline='builtin.module(test-a)'
// RUN: partita-test-opt %t.mlirbc -O2 --pass-pipeline='builtin.module(func.func(cse,test-func-mark))' | FileCheck %s

// A function in a nested module is not below func.func of the root, as in
// mlir-opt. Below its own anchors, the attribute counts, too.
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(builtin.module(func.func(test-func-mark)))' \
// RUN:   | FileCheck %s --check-prefix=INNER

// Passes on the module may change every function.
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(cse)' | FileCheck %s --check-prefix=MODULE

// The timing report has the runs on the other functions.
// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(func.func(cse,test-print-context))' --instrument=timing -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMES

// mlir-opt, and partita-opt without a policy, do not know the attribute.
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(func.func(cse,test-func-mark))' | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func @f
// CHECK-SAME: attributes {test.touched}
// CHECK-COUNT-1: arith.addi
// CHECK-NEXT: arith.muli
// MODULE-LABEL: func.func @f
// TIMES: sequential:
// TIMES: 	cse:
// TIMES: 	TestPrintContext:
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}

// CHECK-LABEL: func.func @skipped
// CHECK-SAME: attributes {SkipOptimization} {
// CHECK-COUNT-2: arith.addi
// MODULE-LABEL: func.func @skipped
// MODULE-COUNT-1: arith.addi
// MODULE-NEXT: arith.muli
// PLAIN-LABEL: func.func @skipped
// PLAIN-SAME: attributes {SkipOptimization, test.touched} {
// PLAIN-COUNT-1: arith.addi
// PLAIN-NEXT: arith.muli
func.func @skipped(%x: i32) -> i32 attributes {SkipOptimization} {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}

// CHECK-LABEL: func.func @false
// CHECK-SAME: attributes {SkipOptimization = false, test.touched}
func.func @false() attributes {SkipOptimization = false} {
  return
}

// CHECK-LABEL: func.func @one
// CHECK-SAME: attributes {SkipOptimization = 1 : i64} {
func.func @one() attributes {SkipOptimization = 1} {
  return
}

// INNER-LABEL: module @inner
module @inner {
  // CHECK-LABEL: func.func @nested() {
  // INNER: func.func @nested() attributes {test.touched}
  func.func @nested() {
    return
  }
  // INNER: func.func @nested_skipped() attributes {SkipOptimization} {
  func.func @nested_skipped() attributes {SkipOptimization} {
    return
  }
}
