// Passes see the same analyses with and without instruments. A pass manager
// keeps preserved analyses; on functions, until the last of the merged passes
// has run.

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

// In the first manager for any op, the second pass finds the analyses of all
// functions. The second manager finds none.
// DEFINE: %{any} = --pass-pipeline='builtin.module(any(test-analyze,test-analyze),any(test-analyze))'
// RUN: %{opt} %{any} 2>&1 | sort | FileCheck %s --check-prefix=ANY
// RUN: %{opt} %{any} --instrument=verify 2>&1 | sort | FileCheck %s --check-prefix=ANY
// RUN: %{opt} %{any} --instrument='print-ir-after{passes=none}' 2>&1 | sort | FileCheck %s --check-prefix=ANY
// ANY-COUNT-4: remark: analyzed
// ANY-NOT: remark: analyzed

// Functions lose their analyses after each group of function passes, the module
// after the first such pass that changes something.
// CHECK-COUNT-6: remark: analyzed
// CHECK-NOT: remark: analyzed
module {
  // CHECK: func.func @f() attributes {test.analyzed}
  func.func @f() { return }
  // CHECK: func.func @g() attributes {test.analyzed}
  func.func @g() { return }
}
