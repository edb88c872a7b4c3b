// After a function pass, the module is verified, too: also if the pass ran on
// some functions only, or on the only one.

// DEFINE: %{pipeline} = --pass-pipeline='builtin.module(func.func(test-rename-func{to=taken}),test-a)'
// RUN: partita-test-opt %s -O2 --split-input-file -verify-diagnostics %{pipeline}
// RUN: partita-test-opt %s -O2 --split-input-file -verify-diagnostics %{pipeline} --instrument=test-trace 2>&1 | FileCheck %s
// CHECK-NOT: {{after test-rename-func|TestA}}
// RUN: partita-test-opt %s -O2 --split-input-file --verify-each=false %{pipeline} | FileCheck %s --check-prefix=OFF
// OFF-COUNT-2: test.ran = ["test-a"]

// expected-note @below {{see existing symbol definition here}}
func.func @f() {
  return
}
// expected-error @below {{redefinition of symbol named 'taken'}}
func.func @taken() attributes {SkipOptimization} {
  return
}

// -----

// expected-note @below {{see existing symbol definition here}}
func.func @f() {
  return
}
// expected-error @below {{redefinition of symbol named 'taken'}}
module @taken {}
