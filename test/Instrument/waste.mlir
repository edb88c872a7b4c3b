// What passes did for nothing.

// DEFINE: %{passes} = canonicalize,func.func(cse),canonicalize,func.func(cse),canonicalize
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{passes})' --instrument='waste{json output=%t.json}'
// RUN: FileCheck %s < %t.json
// CHECK:      "made_anew": null,
// CHECK:      "pass": "canonicalize",
// CHECK-NEXT: "runs": 3,
// CHECK-NEXT: "set_up": 0,
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
// TEXT:     went to passes on ops that they had left as they were: partita.skip_unchanged (--skip-unchanged) saves it, and hashes for {{[0-9.]+}} ms
// TEXT:     went to local passes on the module, on one thread: partita.nest_in_functions (--nest-in-functions) uses all

// Skipped runs are no waste.
// RUN: partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(%{passes})' --skip-unchanged --instrument='waste{json output=%t.skip.json}'
// RUN: FileCheck %s --check-prefix=SKIP < %t.skip.json
// SKIP: "skippable": 0,
// SKIP: "skippable": 0,

// mlir-opt's library makes a pass manager for each module.
// RUN: cat %S/Inputs/func.mlir > %t.two.mlir && echo '// -----' >> %t.two.mlir && cat %S/Inputs/func.mlir >> %t.two.mlir
// RUN: partita-test-opt %t.two.mlir --split-input-file -o /dev/null --pass-pipeline='builtin.module(canonicalize)' --instrument='waste{json output=%t.two.json}'
// RUN: FileCheck %s --check-prefix=ANEW < %t.two.json
// ANEW:      "made_anew": "one_run",
// ANEW-NEXT: "nestable": 0,
// ANEW-NEXT: "pass": "sequential",
// ANEW-NEXT: "runs": 0,
// ANEW-NEXT: "set_up": {{[1-9][0-9]*}},
// ANEW-NOT:  "one_run"
// RUN: partita-test-opt %t.two.mlir --split-input-file -o /dev/null --pass-pipeline='builtin.module(canonicalize)' --instrument=waste 2>&1 | FileCheck %s --check-prefix=ANEW-TEXT
// ANEW-TEXT: went to making passes anew for 1 run, since earlier ones were kept for one run

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
