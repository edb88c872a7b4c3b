// Diagnostics of passes reach -verify-diagnostics, from merged passes and from
// steps, in each part of a split file.

// DEFINE: %{opt} = partita-test-opt %s --split-input-file -verify-diagnostics \
// DEFINE:   --pass-pipeline='builtin.module(func.func(test-fail{on=bad}),test-a)'
// RUN: %{opt} -O2 | FileCheck %s
// RUN: %{opt} -O2 --instrument='print-ir-after{passes=none}' | FileCheck %s
// RUN: %{opt} -O2 --instrument='timing{print=false}' --mlir-disable-threading | FileCheck %s

// The instruments see each part.
// RUN: %{opt} -O2 --instrument=test-trace 2>&1 >/dev/null | FileCheck %s --check-prefix=TRACE
//      TRACE: trace.enter
// TRACE-NEXT: trace.should sequential
// TRACE-NEXT: trace.before sequential
// TRACE-NEXT: trace.should test-fail
// TRACE-NEXT: trace.before test-fail
// TRACE-NEXT: trace.should sequential
// TRACE-NEXT: trace.before sequential
// TRACE-NEXT: trace.should test-fail
// TRACE-NEXT: trace.before test-fail
// TRACE-NEXT: trace.after test-fail
// TRACE-NEXT: trace.should TestA
// TRACE-NEXT: trace.before TestA
// TRACE-NEXT: trace.after TestA
// TRACE-NEXT: trace.after sequential
// TRACE-NEXT: trace.exit

// expected-error @below {{test-fail was here}}
func.func @bad() {
  return
}
func.func @good() {
  return
}

// -----

//     CHECK: module attributes {test.ran = ["test-a"]}
// CHECK-NOT: @bad
//     CHECK: func.func @fine
func.func @fine() {
  return
}
