// Results that depend on more than passes and their input are not kept.
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{passes} = partita-test-opt %s --pass-pipeline='builtin.module(func.func(canonicalize))'
// RUN: %{passes} -o %t/plain.mlir

// An action handler, such as a limit of rewrites or a debug counter, skips some.
// RUN: %{passes} --pass-cache=%t/cache --rewrite-limit=0 -o %t/limited.mlir
// RUN: not diff %t/plain.mlir %t/limited.mlir
// RUN: %{passes} --pass-cache=%t/cache | diff %t/plain.mlir -
// RUN: %{passes} --pass-cache=%t/cache --rewrite-limit=0 | diff %t/limited.mlir -
// RUN: %{passes} --pass-cache=%t/other --mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count=0 -o /dev/null
// RUN: %{passes} --pass-cache=%t/other | diff %t/plain.mlir -

// The verifier refuses what a run without it has kept.
// DEFINE: %{invalid} = partita-test-opt %s --pass-pipeline='builtin.module(func.func(cse,test-invalid-ir))' --pass-cache=%t/cache
// RUN: %{invalid} --verify-each=0 -o /dev/null
// RUN: not %{invalid} 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: error: block with no terminator

// What MLIR's passes read from files, and print, is not kept, either.
// RUN: sed 's/TAG/first/' %S/Inputs/transform-library.mlir > %t/library.mlir
// DEFINE: %{library} = partita-opt %s --pass-cache=%t/cache --pass-pipeline='builtin.module(transform-preload-library{transform-library-paths=%t/library.mlir},transform-interpreter)'
// RUN: %{library} | FileCheck %s --check-prefix=FIRST
// RUN: sed 's/TAG/second/' %S/Inputs/transform-library.mlir > %t/library.mlir
// RUN: %{library} | FileCheck %s --check-prefix=SECOND
// FIRST: arith.addi {{.*}} {first}
// SECOND: arith.addi {{.*}} {second}

func.func @f(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %a, %c1 : i32
  %1 = arith.addi %0, %c1 : i32
  return %1 : i32
}
