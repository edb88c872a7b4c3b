// Required passes run before their owners: transitively, depth first, and each
// time anew, with any opt_level and disabled_pass.

// RUN: partita-test-opt %s -O1 --test-owner | FileCheck %s --check-prefix=ALL
// RUN: partita-test-opt %s -O1 --test-owner --disabled-pass=TestD,TestMiddle,TestA | FileCheck %s --check-prefix=ALL
// RUN: partita-test-opt %s -O1 --test-owner --instrument='test-trace{name=A}' 2>/dev/null | FileCheck %s --check-prefix=ALL
// ALL: module attributes {test.ran = ["test-d", "test-middle", "test-a", "test-d", "test-middle", "test-owner"]}

// An owner that does not run requires nothing.
// RUN: partita-test-opt %s -O0 --test-owner | FileCheck %s --check-prefix=NONE
// RUN: partita-test-opt %s -O1 --test-owner --disabled-pass=test-owner | FileCheck %s --check-prefix=NONE
// NONE: module {
// NONE-NOT: test.ran

// should_run is asked of required passes; if it vetoes one, its owner still
// runs.
// RUN: partita-test-opt %s -O1 --test-owner --instrument='test-trace{name=A skip=TestMiddle,test-a}' 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=VETO
// VETO: module attributes {test.ran = ["test-d", "test-d", "test-owner"]}
// It is not asked of passes in required_pass.
// RUN: partita-test-opt %s -O1 --test-owner --required-pass=test-middle \
// RUN:   --instrument='test-trace{name=A skip=TestMiddle,test-a}' 2>/dev/null | FileCheck %s --check-prefix=FORCED
// FORCED: module attributes {test.ran = ["test-d", "test-middle", "test-d", "test-middle", "test-owner"]}

// A veto of the owner comes after its required passes have run.
// RUN: partita-test-opt %s -O1 --test-owner --instrument='test-trace{name=A skip=TestOwner}' 2>/dev/null \
// RUN:   | FileCheck %s --check-prefix=OWNER
// OWNER: module attributes {test.ran = ["test-d", "test-middle", "test-a", "test-d", "test-middle"]}

// Without a policy, passes are mlir-opt's, and require nothing.
// RUN: partita-test-opt %s --test-owner | FileCheck %s --check-prefix=PLAIN
// PLAIN: module attributes {test.ran = ["test-owner"]}

// In functions, where the owner runs.
// RUN: partita-test-opt %s -O1 --pass-pipeline='builtin.module(func.func(test-owner))' | FileCheck %s --check-prefix=FUNC
//      FUNC: module {
// FUNC-NEXT: func.func @f() attributes {test.ran = ["test-d", "test-middle", "test-a", "test-d", "test-middle", "test-owner"]}

func.func @f() {
  return
}
