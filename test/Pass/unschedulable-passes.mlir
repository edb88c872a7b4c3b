// A pass on an op that it can't run on is an error before any pass runs, also
// where the module has no such op: bare, under a policy, and observed.

// DEFINE: %{opt} = partita-opt %s --pass-pipeline='builtin.module(func.func(cse),any(cse,scf.for(affine-loop-unroll)))'
// RUN: not %{opt} 2>&1 | FileCheck %s
// RUN: not %{opt} -O2 2>&1 | FileCheck %s
// RUN: not %{opt} --instrument=print-passes 2>&1 | FileCheck %s
// RUN: not %{opt} --instrument=verify --skip-unchanged 2>&1 | FileCheck %s
// CHECK-NOT: {{CSE|cse}}
// CHECK: error: unable to schedule pass 'AffineLoopUnroll' on a PassManager intended to run on 'scf.for'!

// RUN: not partita-opt %s --pass-pipeline='cse,builtin.module(cse)' -O2 2>&1 | FileCheck %s --check-prefix=ROOTS
// ROOTS: error: expected one op with passes in it, such as builtin.module(cse), but found 'cse,builtin.module(cse)'

func.func @loop(%n: index, %step: index) {
  scf.for %i = %n to %n step %step {
  }
  return
}
