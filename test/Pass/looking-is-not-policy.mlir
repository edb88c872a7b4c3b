// Users who only observe get all named passes as they stand: no level leaves a
// pass out, and no required pass is added.

// DEFINE: %{passes} = --pass-pipeline='builtin.module(test-d,test-owner,func.func(test-c))'
// DEFINE: %{look} =
// DEFINE: %{same} = partita-test-opt %s %{passes} %{look} -o %t.out 2>/dev/null && cmp %t.bare %t.out

// RUN: partita-test-opt %s %{passes} -o %t.bare
// RUN: FileCheck %s < %t.bare
// CHECK: module attributes {test.ran = ["test-d", "test-owner"]}
// CHECK: func.func @f() attributes {test.ran = ["test-c"]}

// REDEFINE: %{look} = --instrument=timing
// RUN: %{same}
// REDEFINE: %{look} = --instrument=print-passes --instrument=verify
// RUN: %{same}
// REDEFINE: %{look} = --pass-config=test.count=3
// RUN: %{same}
// REDEFINE: %{look} = --resume-from=%t.nowhere
// RUN: %{same}
// RUN: partita-test-opt %s %{passes} --explain | FileCheck %s --check-prefix=PLAN
// PLAN:      1 TestD runs: requested directly
// PLAN-NEXT: 2 TestOwner runs: requested directly
// PLAN-NEXT: 3 TestC runs: requested directly
// PLAN-NEXT: pipeline: builtin.module(test-d,test-owner,func.func(test-c))

// A nested Sequential is under a context, as it is without instruments.
// REDEFINE: %{passes} = --pass-pipeline='builtin.module(sequential{passes=test-owner,test-d,test-b},test-sequence,sequential{passes=test-a opt-level=3})'
// RUN: partita-test-opt %s %{passes} -o %t.bare
// RUN: FileCheck %s --check-prefix=INNER < %t.bare
// INNER: module attributes {test.ran = ["test-d", "test-middle", "test-a", "test-d", "test-middle", "test-owner", "test-b", "test-a", "test-c"]}
// REDEFINE: %{look} = --instrument=timing
// RUN: %{same}
// REDEFINE: %{look} = -O2
// RUN: %{same}

// An opt level or a list is policy.
// RUN: partita-test-opt %s --test-d -O2 | FileCheck %s --check-prefix=NONE
// RUN: partita-test-opt %s --test-d --required-pass=cse | FileCheck %s --check-prefix=NONE
// RUN: partita-test-opt %s --test-d --disabled-pass=cse | FileCheck %s --check-prefix=NONE
// NONE-NOT: test.ran

// The opt_level of a Sequential counts under its own context, too.
// DEFINE: %{sequential} = partita-test-opt %s --pass-pipeline=
// RUN: %{sequential}'builtin.module(sequential{passes=test-a opt-level=2 context-level=1})' | FileCheck %s --check-prefix=NONE
// RUN: %{sequential}'builtin.module(sequential{passes=test-a opt-level=2 context-level=2})' | FileCheck %s --check-prefix=RAN
// RUN: %{sequential}'builtin.module(sequential{passes=test-a opt-level=2 context-level=1 explain})' 2>&1 | FileCheck %s --check-prefix=LOW
// RAN: module attributes {test.ran = ["test-a"]}
// LOW: - sequential skipped: opt_level 2 > 1
module {
  func.func @f() {
    return
  }
}
