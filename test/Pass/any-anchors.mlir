// A pass in an `any(...)` runs on the ops that it can run on, and on no others:
// bare, under a policy, and observed.

// DEFINE: %{pipeline} =
// DEFINE: %{opt} = partita-opt %s --pass-pipeline='%{pipeline}'
// DEFINE: %{same} = %{opt} -o %t.bare && %{opt} -o %t.policy -O2 && cmp %t.bare %t.policy \
// DEFINE:   && %{opt} -o %t.seen --instrument=verify && cmp %t.bare %t.seen \
// DEFINE:   && %{opt} -o %t.both -O2 --instrument=verify --mlir-disable-threading && cmp %t.bare %t.both \
// DEFINE:   && %{opt} -o %t.timed -O2 --instrument=timing 2>%t.time && cmp %t.bare %t.timed \
// DEFINE:   && %{opt} -o %t.first -O2 --mlir-generate-reproducer=%t.repro.mlir && partita-opt %t.repro.mlir --run-reproducer -o %t.again && cmp %t.bare %t.again \
// DEFINE:   && FileCheck %s --input-file=%t.bare

// REDEFINE: %{pipeline} = builtin.module(any(affine-parallelize))
// RUN: %{same} --check-prefix=OUTER
// RUN: %{opt} -O2 --explain | FileCheck %s --check-prefix=PLAN
// PLAN: pipeline: builtin.module(any(affine-parallelize{{.*}}))

// A function pass keeps the passes beside it from running on a module.
// REDEFINE: %{pipeline} = builtin.module(any(cse,affine-parallelize))
// RUN: %{same} --check-prefixes=OUTER,INNERKEPT
// REDEFINE: %{pipeline} = builtin.module(any(cse,any(canonicalize),affine-parallelize))
// RUN: %{same} --check-prefixes=OUTER,INNERKEPT
// REDEFINE: %{pipeline} = builtin.module(any(cse),any(affine-parallelize))
// RUN: %{same} --check-prefixes=OUTER,INNERDONE
// REDEFINE: %{pipeline} = builtin.module(any(affine-parallelize),any(cse))
// RUN: %{same} --check-prefixes=OUTER,INNERDONE

// Nested, beside anchors, and at the root.
// REDEFINE: %{pipeline} = builtin.module(any(any(affine-parallelize)))
// RUN: %{same} --check-prefix=INNER
// REDEFINE: %{pipeline} = builtin.module(any(func.func(affine-parallelize)))
// RUN: %{same} --check-prefix=INNER
// REDEFINE: %{pipeline} = any(any(affine-parallelize))
// RUN: %{same} --check-prefix=OUTER
// REDEFINE: %{pipeline} = any(func.func(affine-parallelize))
// RUN: %{same} --check-prefix=OUTER
// REDEFINE: %{pipeline} = any(convert-func-to-llvm)
// RUN: %{same} --check-prefix=LLVM
// REDEFINE: %{pipeline} = builtin.module(any(convert-func-to-llvm))
// RUN: %{same} --check-prefix=INNERLLVM

// In a Sequential, and around one.
// REDEFINE: %{pipeline} = builtin.module(sequential{passes=any(any(cse,affine-parallelize))})
// RUN: %{same} --check-prefixes=OUTER,INNERKEPT
// REDEFINE: %{pipeline} = builtin.module(sequential{passes=any(any(cse)),any(any(affine-parallelize))})
// RUN: %{same} --check-prefixes=OUTER,INNERDONE
// REDEFINE: %{pipeline} = builtin.module(func.func(sequential{passes=any(affine-parallelize)}))
// RUN: %{same} --check-prefix=OUTER
// REDEFINE: %{pipeline} = builtin.module(any(sequential{passes=func.func(affine-parallelize)}))
// RUN: %{same} --check-prefixes=OUTER,INNER
// REDEFINE: %{pipeline} = builtin.module(any(sequential{passes=affine-parallelize}))
// RUN: %{same} --check-prefixes=OUTER,INNER

// If it can't run on the root, that is an error.
// DEFINE: %{error} = 2>&1 | FileCheck %s --check-prefix
// REDEFINE: %{pipeline} = any(affine-parallelize)
// RUN: not %{opt} %{error}=CANT
// RUN: not %{opt} -O2 %{error}=ROOT
// RUN: not %{opt} --instrument=verify %{error}=ROOT
// CANT: error: 'builtin.module' op trying to schedule
// ROOT: error: expected pass 'affine-parallelize' to be put on 'func.func', which it runs on, but found it on 'builtin.module'; nest it in func.func(...)

// OUTER-LABEL: func.func @f(
// OUTER: affine.parallel
// LLVM: llvm.func @f(
// INNER-LABEL: module @inner
// INNER: affine.parallel
// INNERKEPT-LABEL: module @inner
// INNERKEPT-COUNT-2: arith.addi
// INNERDONE-LABEL: module @inner
// INNERDONE-COUNT-1: arith.addi
// INNERDONE-NOT: arith.addi
// INNERLLVM: func.func @f(
// INNERLLVM-LABEL: module @inner
// INNERLLVM: llvm.func @g(
func.func @f(%m: memref<10xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    affine.store %v, %m[%i] : memref<10xf32>
  }
  return
}
module @inner {
  func.func @g(%m: memref<10xf32>, %v: f32, %x: i32) -> (i32, i32) {
    affine.for %i = 0 to 10 {
      affine.store %v, %m[%i] : memref<10xf32>
    }
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    return %0, %1 : i32, i32
  }
}
