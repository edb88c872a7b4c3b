// A pass that breaks the IR is caught after it, before the next one, and no
// after callback is called for it.

// DEFINE: %{opt} = partita-test-opt %s -O2 --split-input-file -verify-diagnostics \
// DEFINE:   --pass-pipeline='builtin.module(test-a,func.func(cse,test-invalid-ir,test-b))'

// RUN: %{opt}
// RUN: %{opt} --mlir-disable-threading
// RUN: %{opt} --instrument=test-trace 2>&1 | FileCheck %s
// CHECK: trace.after cse
// CHECK: trace.before test-invalid-ir
// CHECK-NOT: trace.after test-invalid-ir
// CHECK-NOT: TestB
// CHECK: trace.exit

// Not with the verifier off, as in mlir-opt.
// RUN: partita-test-opt %s -O2 --verify-each=false --instrument=test-trace \
// RUN:   --pass-pipeline='builtin.module(func.func(test-invalid-ir,test-b))' 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: trace.after test-invalid-ir
// OFF: trace.after TestB

func.func @f(%x: i32) -> i32 {
  // expected-error @below {{block with no terminator}}
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}
