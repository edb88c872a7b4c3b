// A pass that adds a function with a name in use is caught right after it. The
// error is at the new function, its note at the old one.

// DEFINE: %{opt} = partita-test-opt %s -O2 -verify-diagnostics \
// DEFINE:   --pass-pipeline='builtin.module(test-add-func{name=taken},test-a)'
// RUN: %{opt}
// RUN: %{opt} --instrument=test-trace 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: trace.before test-add-func
// TRACE-NOT: {{after|TestA}}
// TRACE: trace.exit

// RUN: partita-test-opt %s -O2 --pass-pipeline='builtin.module(test-add-func{name=free},test-a)' | FileCheck %s
// CHECK: test.ran = ["test-a"]
// CHECK: func.func @copied
// CHECK: func.func @taken
// CHECK: func.func @free

// expected-error @below {{redefinition of symbol named 'taken'}}
func.func @copied() {
  return
}
// expected-note @below {{see existing symbol definition here}}
func.func @taken() {
  return
}
