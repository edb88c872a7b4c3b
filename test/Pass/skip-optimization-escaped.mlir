// The name SkipOptimization, with each character escaped in the text.

// RUN: partita-test-opt %s -O2 --split-input-file --pass-pipeline='builtin.module(func.func(test-func-mark))' | FileCheck %s
// RUN: partita-test-opt %s -O2 --split-input-file --instrument=test-trace --pass-pipeline='builtin.module(func.func(test-func-mark))' 2>/dev/null | FileCheck %s
// In bytecode, the name stands as it is.
// RUN: sed '1,/^\/\/ -----/!d' %s | partita-test-opt --emit-bytecode -o %t.mlirbc
// RUN: partita-test-opt %t.mlirbc -O2 --pass-pipeline='builtin.module(func.func(test-func-mark))' | FileCheck %s --check-prefix=BYTECODE
// Others stay with a pipeline that MLIR merges and times.
// RUN: echo 'module attributes {a.b = "Skip\\50\\22\\5C"} {}' | partita-test-opt -O2 --cse --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: builtin.module(
// OTHER-NEXT: {{^  cse$}}

// CHECK: func.func @one() attributes {SkipOptimization} {
// CHECK: func.func @other() attributes {test.touched} {
// BYTECODE: func.func @one() attributes {SkipOptimization} {
// BYTECODE: func.func @other() attributes {test.touched} {
func.func @one() attributes {"Skip\4Fptimization"} {
  return
}
func.func @other() {
  return
}

// -----

// CHECK: func.func @all() attributes {SkipOptimization} {
func.func @all() attributes {"\53\6b\69\70\4F\70\74\69\6D\69\7a\61\74\69\6F\6e"} {
  return
}

// -----

// CHECK: func.func @last() attributes {SkipOptimization = true} {
func.func @last() attributes {"SkipOptimizatio\6E" = true} {
  return
}
