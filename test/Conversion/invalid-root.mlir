// RUN: not partita-opt --pass-pipeline='builtin.module(func.func(convert-partita-to-func))' %s 2>&1 | FileCheck %s
// RUN: not partita-opt --pass-pipeline='builtin.module(func.func(memref-widen-bools))' %s 2>&1 | FileCheck %s
// RUN: not partita-opt --pass-pipeline='builtin.module(func.func(partita-lower-to-func))' %s 2>&1 | FileCheck %s --check-prefix=SEQUENTIAL

// SEQUENTIAL: [[#@LINE+2]]:1: error: expected a root that holds 'partita.module' for pass 'LambdaLift', but it is 'func.func'
// CHECK: [[#@LINE+1]]:1: error: 'func.func' op can't be lowered: expected a builtin.module
func.func @f() {
  return
}
