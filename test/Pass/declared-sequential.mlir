// Members of a declared Sequential have options, and say where they run.

// RUN: partita-test-opt --explain -O3 --test-declared | FileCheck %s --match-full-lines
// RUN: partita-test-opt %s -O2 --test-declared | FileCheck %s --check-prefix=DONE
// RUN: partita-test-opt %s --pass-pipeline='builtin.module(test-declared)' | FileCheck %s --check-prefix=DONE

// CHECK:   TestDeclared    runs: opt_level 0 <= 3
// CHECK:   1      canonicalize  runs: opt_level 0 <= 3
// CHECK:   4      TestD         runs: opt_level 3 <= 3
// CHECK: pipeline: builtin.module(func.func(canonicalize{{.*}}top-down=false{{.*}},cse),test-a,any(test-d))

// DONE-LABEL: func.func @f
// DONE-NEXT: return

func.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  return
}
