// What passes see of analyses is the same whoever looks. A pass manager keeps
// what passes preserve: on functions until the last of merged passes has run.

// DEFINE: %{opt} = partita-test-opt %s 
// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(test-analyze,func.func(test-use-parent-analysis,test-analyze,test-use-parent-analysis,test-analyze),test-analyze,func.func(test-use-parent-analysis,test-analyze))'

// RUN: %{opt} %{pipeline} 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} -O2 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument=timing{print=false} 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument=verify 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument='print-ir-after{passes=none}' 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument='print-ir-after{passes=none}' --mlir-disable-threading 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument='print-ir-after{passes=none}' --instrument=timing{print=false} 2>&1 | sort | FileCheck %s
// RUN: %{opt} %{pipeline} --instrument='report{output=%t.html}' 2>&1 | sort | FileCheck %s

// Functions lose theirs after each group of passes on functions, the module
// after the first of them that changes something.
// CHECK-COUNT-6: remark: analyzed
// CHECK-NOT: remark: analyzed
module {
  // CHECK: func.func @f() attributes {test.analyzed}
  func.func @f() { return }
  // CHECK: func.func @g() attributes {test.analyzed}
  func.func @g() { return }
}
