// RUN: partita-test-opt %s --cse --test-a --symbol-dce --disabled-pass=TestA \
// RUN:   --instrument=print-passes -o /dev/null 2>&1 | FileCheck %s --match-full-lines
//      CHECK: Running pass: sequential
// CHECK-NEXT: Running pass 1 of 2: cse
// CHECK-NEXT: Running pass 2 of 2: symbol-dce
//  CHECK-NOT: {{.+}}

// The last printed pass is the one that ends the run.
// RUN: not partita-test-opt %s --cse --test-fail --test-a \
// RUN:   --instrument=print-passes -o /dev/null 2>&1 | FileCheck %s --check-prefix=FAIL
//      FAIL: Running pass 2 of 3: test-fail
// FAIL-NEXT: error: {{.*}}
//  FAIL-NOT: Running

// A nested Sequential is a pass, without a number.
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(sequential{passes=any(cse) name=Inner},symbol-dce)' \
// RUN:   --instrument=print-passes -o /dev/null 2>&1 | FileCheck %s --check-prefix=NESTED
//      NESTED: Running pass: sequential
// NESTED-NEXT: Running pass: Inner
// NESTED-NEXT: Running pass 1 of 2: cse
// NESTED-NEXT: Running pass 2 of 2: symbol-dce

func.func @f() {
  return
}
