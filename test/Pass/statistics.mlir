// REQUIRES: asserts

// --mlir-pass-statistics: merged passes have their own statistics. Steps have
// the statistics of the pass that runs them, under the names of the passes.

// DEFINE: %{opt} = partita-test-opt %s -o /dev/null --mlir-pass-statistics --disabled-pass=canonicalize \
// DEFINE:   --pass-pipeline='builtin.module(cse,func.func(canonicalize),test-a)'

// RUN: %{opt} 2>&1 | FileCheck %s --check-prefix=MERGED
//      MERGED: CSE
// MERGED-NEXT:   (S) 4 num-cse'd - Number of operations CSE'd
// MERGED-NEXT:   (S) 1 num-dce'd - Number of operations DCE'd
// MERGED-NEXT: {{.*}}MarkPass
// MERGED-NEXT:   (S) 1 num-runs - Number of operations marked

// RUN: %{opt} --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: %{opt} --instrument='print-ir-after{passes=none}' --mlir-disable-threading 2>&1 | FileCheck %s --check-prefix=STEPS
//      STEPS: sequential
// STEPS-NEXT:   (S) 4 cse.num-cse'd   - Number of operations CSE'd
// STEPS-NEXT:   (S) 1 cse.num-dce'd   - Number of operations DCE'd
// STEPS-NEXT:   (S) 1 test-a.num-runs - Number of operations marked

// RUN: %{opt} --instrument='print-ir-after{passes=none}' --mlir-pass-statistics-display=list 2>&1 | FileCheck %s --check-prefix=LIST
//      LIST: sequential
// LIST-NEXT:     (S) 4 cse.num-cse'd

// Function passes add up as they do bare. cse sets its statistics anew on each
// function, so that each MLIR thread's last function counts.
// DEFINE: %{func} = partita-test-opt %s -o /dev/null --mlir-pass-statistics --mlir-disable-threading \
// DEFINE:   --pass-pipeline='builtin.module(func.func(cse,test-a),canonicalize)'
// RUN: %{func} 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: %{func} -O2 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: %{func} --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=FUNC
// FUNC: (S) 2 {{(cse\.)?}}num-cse'd
// FUNC: (S) 1 {{(cse\.)?}}num-dce'd
// FUNC: (S) 2 {{(test-a\.)?}}num-runs

// On threads, too.
// RUN: partita-test-opt %s -o /dev/null --mlir-pass-statistics --pass-pipeline='builtin.module(func.func(test-a,test-b),test-c)' \
// RUN:   --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=THREADS
//      THREADS: sequential
// THREADS-NEXT:   (S) 2 test-a.num-runs
// THREADS-NEXT:   (S) 2 test-b.num-runs
// THREADS-NEXT:   (S) 1 test-c.num-runs

// Passes run and count as they stand, whatever could be saved.
// RUN: partita-opt %s -o /dev/null --pass-cache=%t.cache --cse
// RUN: partita-opt %s -o /dev/null --mlir-pass-statistics --pass-cache=%t.cache --cse 2>&1 | FileCheck %s --check-prefix=SAVED
// RUN: partita-opt %s -o /dev/null --mlir-pass-statistics --nest-in-functions --skip-unchanged --cse 2>&1 | FileCheck %s --check-prefix=SAVED
// SAVED: (S) 4 {{(cse\.)?}}num-cse'd
// SAVED: (S) 1 {{(cse\.)?}}num-dce'd

// Passes that a pass runs have no statistics, as bare.
// RUN: partita-test-opt %s -o /dev/null --mlir-pass-statistics --pass-pipeline='builtin.module(inline{op-pipelines=func.func(cse)},test-a)' \
// RUN:   --instrument='print-ir-after{passes=none}' 2>&1 | FileCheck %s --check-prefix=INNER
//  INNER-NOT: num-cse'd
//      INNER: test-a.num-runs
//  INNER-NOT: num-cse'd

func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  %dead = arith.muli %2, %2 : i32
  return %2 : i32
}
