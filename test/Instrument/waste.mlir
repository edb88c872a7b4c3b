// What passes did for nothing.

// DEFINE: %{passes} = canonicalize,func.func(cse),canonicalize,func.func(cse),canonicalize
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{passes})' --instrument='waste{json output=%t.json}'
// RUN: FileCheck %s < %t.json
// CHECK:      "pass": "canonicalize",
// CHECK-NEXT: "runs": 3,
// CHECK-NEXT: "skippable": {{[1-9][0-9]*}},
// CHECK-NEXT: "steps": [
// CHECK-NEXT:   1,
// CHECK-NEXT:   3,
// CHECK-NEXT:   5
// CHECK-NEXT: ],
// CHECK-NEXT: "time": {{[1-9][0-9]*}},
// CHECK-NEXT: "unchanged": 2,
// CHECK:      "pass": "cse",
// CHECK-NEXT: "runs": 4,
// CHECK:      "unchanged": 3,
// DEFINE: %{five} = canonicalize,canonicalize,canonicalize,canonicalize,canonicalize
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{five},%{five},%{five},%{five},func.func(cse))' --instrument=waste 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT:     time [ms]  unchanged [ms]     runs  unchanged  pass
// TEXT-DAG: {{ 20 +19 +canonicalize$}}
// TEXT-DAG: {{ 2 +1 +cse$}}
// TEXT:     went to passes on ops that they had left as they were: partita.skip_unchanged (--skip-unchanged) saves it
// TEXT:     went to local passes on the module, on one thread: partita.nest_in_functions (--nest-in-functions) uses all

// Skipped runs are no waste.
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{passes})' --skip-unchanged --instrument='waste{json output=%t.skip.json}'
// RUN: FileCheck %s --check-prefix=SKIP < %t.skip.json
// SKIP: "skippable": 0,
// SKIP: "skippable": 0,

// It changes nothing, and does not keep passes from running merged.
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{passes})' --check-inert --instrument='waste{print=false}'
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(cse,canonicalize))' --mlir-disable-threading \
// RUN:   --instrument='waste{print=false}' --mlir-print-ir-before-all 2>&1 | FileCheck %s --check-prefix=MERGED
// MERGED: IR Dump Before CSE
// MERGED: IR Dump Before Canonicalizer
// MERGED: IR Dump Before CSE
// MERGED: IR Dump Before Canonicalizer

func.func @changed(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %x, %c0 : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %0, %x : i32
  %3 = arith.addi %1, %2 : i32
  return %3 : i32
}
func.func @same(%x: i32) -> i32 {
  return %x : i32
}
