// numerics with a command as the runner.

// DEFINE: %{how} =
// DEFINE: %{more} =
// DEFINE: %{module} = %S/Inputs/numerics/add.mlir
// DEFINE: %{passes} = test-a,test-planted-drop{op=arith.addi},cse,test-planted-drop{op=arith.addi},test-b
// DEFINE: %{run} = partita-test-opt %{module} -o %t.out.mlir --pass-pipeline='builtin.module(%{passes})' \
// DEFINE:   --instrument="numerics{runner='%python %S/Inputs/numerics/runner.py %{how}' save-dir=%t.dir %{more}}"

// The first pass that changes the result, with the element, and the files.
// REDEFINE: %{how} = plain %%s
// RUN: rm -rf %t.dir && not %{run} 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: error: instrument 'numerics' failed run_after_pass of pass 'test-planted-drop': expected the same outputs after pass 'test-planted-drop' (step 2), but found 1 at [0] of output 0 in place of 2 (1 of 3 elements differ); the modules before and after it are in '{{.*}}before-2-test-planted-drop.mlir' and '{{.*}}after-2-test-planted-drop.mlir'
// RUN: ls %t.dir | FileCheck %s --check-prefix=FILES --match-full-lines --implicit-check-not={{.}}
// FILES: after-2-test-planted-drop.mlir
// FILES-NEXT: before-2-test-planted-drop.mlir
// RUN: grep -c arith.addi %t.dir/before-2-test-planted-drop.mlir | FileCheck %s --check-prefix=TWO
// RUN: grep -c arith.addi %t.dir/after-2-test-planted-drop.mlir | FileCheck %s --check-prefix=ONE
// TWO: 2
// ONE: 1

// After each third step, or after some passes only; the first one is still found.
// REDEFINE: %{more} = every=3
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FIRST-LATE
// REDEFINE: %{more} = every=100
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: instrument 'numerics' failed to end the run: expected the same outputs after pass 'test-planted-drop' (step 2), but found 1 at [0]
// REDEFINE: %{more} = passes=cse
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FIRST-LATE
// FIRST-LATE: failed run_after_pass of pass 'cse': expected the same outputs after pass 'test-planted-drop' (step 2), but found 1 at [0]
// REDEFINE: %{more} = passes=test-a
// RUN: %{run} 2>&1 | count 0

// Inside a pass, and for the passes that a pass runs.
// RUN: not partita-test-opt %S/Inputs/numerics/add.mlir -o %t.out.mlir --instrument=print-passes \
// RUN:   --pass-pipeline="builtin.module(cse,sequential{passes=test-a,test-planted-drop{op=arith.addi} instruments=\"numerics{runner='%python %S/Inputs/numerics/runner.py plain %%s' save-dir=%t.dir}\"})" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INSIDE
// INSIDE: error: instrument 'numerics' failed run_after_pass of pass 'test-planted-drop': expected the same outputs after pass 'test-planted-drop' (step 2), but found 1 at [0]

// Tolerances.
// REDEFINE: %{more} = atol=2 rtol=0
// RUN: %{run} 2>&1 | count 0
// REDEFINE: %{more} = atol=1 rtol=0.25
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=TOLERANCE
// TOLERANCE: after pass 'test-planted-drop' (step 4), but found 0 at [0] of output 0 in place of 2 (1 of 3

// Arrays in files: inputs that are given, or made for the function.
// REDEFINE: %{how} = dump %%s %%i %%o
// REDEFINE: %{more} =
// RUN: rm -rf %t.dir && not %{run} 2>&1 | FileCheck %s --check-prefix=ARRAYS
// ARRAYS: expected the same outputs after pass 'test-planted-drop' (step 2), but found {{-?0.[0-9]+}} at [{{[01], [0-2]}}] of output 0 in place of {{-?[01].[0-9]+}} (6 of 6 elements differ)
// RUN: %python -c "import numpy, sys; a = numpy.load(sys.argv[1]); print(*[(n, a[n].shape, a[n].dtype) for n in a])" %t.dir/inputs.npz | FileCheck %s --check-prefix=INPUTS
// INPUTS: ('in_0', (2, 3), dtype('float32')) ('in_1', (), dtype('int32'))
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], x=numpy.array([1, 7], 'float32'))" %t.npz
// REDEFINE: %{more} = inputs=%t.npz
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: found 7 at [1] of output 0 in place of 14 (2 of 2 elements differ)
// RUN: cmp %t.npz %t.dir/inputs.npz
// NumPy's files do not tell floats of 8 bits apart; the module does.
// RUN: sed 's/-> i32/-> tensor<1xf8E5M2>/; s/return .*/%%f = arith.constant dense<1.0> : tensor<1xf8E5M2>\n  return %%f : tensor<1xf8E5M2>/' %{module} > %t.float8.mlir
// REDEFINE: %{how} = bytes %%s %%o
// REDEFINE: %{more} =
// REDEFINE: %{module} = %t.float8.mlir
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FLOAT8
// FLOAT8: but found 4 at [0] of output 0 in place of 8
// REDEFINE: %{how} = dump %%s %%i %%o
// REDEFINE: %{module} = %S/Inputs/numerics/add.mlir
// REDEFINE: %{more} = entry=none
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: expected a module that the runner of 'numerics' can run before or after a pass, but found none: expected a function 'none' to make inputs for, but found none

// The function is main, or the only one that others can call.
// REDEFINE: %{more} =
// REDEFINE: %{module} = %t.forward.mlir
// RUN: sed 's/@main/@forward/' %S/Inputs/numerics/add.mlir > %{module}
// RUN: echo 'func.func private @g() { return } func.func private @declared()' >> %{module}
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=ARRAYS
// RUN: echo 'func.func @other() { return }' >> %{module}
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=NO-MAIN
// NO-MAIN: expected a function 'main' to make inputs for, but found none
// REDEFINE: %{module} = %S/Inputs/numerics/add.mlir

// A crash, and a run that does not end, differ.
// REDEFINE: %{more} = atol=1
// REDEFINE: %{how} = crash %%s
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=CRASH
// CRASH: expected the same outputs after pass 'test-planted-drop' (step 4), but found that the runner was ended by a signal: Segmentation fault{{.*}}; the modules
// REDEFINE: %{more} = atol=1 time-limit=5
// REDEFINE: %{how} = hang %%s
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=HANG
// HANG: expected the same outputs after pass 'test-planted-drop' (step 4), but found that the runner took longer than 5 s; the modules

// Nobody is blamed for chance.
// REDEFINE: %{more} =
// REDEFINE: %{how} = chance %%s
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=CHANCE --implicit-check-not=error
// CHANCE: NUMERICS: the outputs differ from run to run: found {{[0-9.e+]+}} at [0] of output 0 in place of {{.*}}; no step is checked from step 1 on

// Modules that cannot be run are left out, and counted.
// REDEFINE: %{how} = refuse %%s
// REDEFINE: %{more} = atol=1
// RUN: %{run} 2>&1 | FileCheck %s --check-prefix=REFUSED --match-full-lines --implicit-check-not={{.}}
// REFUSED: NUMERICS: 2 modules could not be run: expected additions, but found none
// REDEFINE: %{more} = atol=1 print=false
// RUN: %{run} 2>&1 | count 0

// Looking changes nothing.
// REDEFINE: %{how} = plain %%s
// REDEFINE: %{more} = atol=2
// RUN: %{run} --check-inert
// RUN: partita-test-opt %S/Inputs/numerics/add.mlir --pass-pipeline='builtin.module(%{passes})' | diff - %t.out.mlir

// Nothing that runs.
// RUN: not partita-test-opt %S/Inputs/func.mlir --cse --instrument="numerics{runner='false %%s'}" 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: instrument 'numerics' failed to end the run: expected a module that the runner of 'numerics' can run before or after a pass, but found none: the runner exited with code 1
// RUN: not partita-test-opt %S/Inputs/func.mlir --cse --instrument="numerics{runner='true %%s'}" 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: but found none: expected numbers on the runner's stdout, but found none

// Options.
// DEFINE: %{options} =
// DEFINE: %{wrong} = not partita-test-opt %S/Inputs/func.mlir --cse -o %t.out.mlir --instrument="numerics{%{options}}" 2>&1 | FileCheck %s --check-prefix
// REDEFINE: %{options} = runner='true'
// RUN: %{wrong}=PLACE
// PLACE: expected option 'runner' of instrument 'numerics' to be a command with %s for the file of the module, but found 'true'
// REDEFINE: %{options} = runner='no-such-runner %%s'
// RUN: %{wrong}=COMMAND
// COMMAND: expected option 'runner' of instrument 'numerics' to be a command that can be run, but found 'no-such-runner %s'
// REDEFINE: %{options} = runner='\"\" %%s'
// RUN: %{wrong}=EMPTY
// EMPTY: to be a command that can be run, but found '"" %s'
// REDEFINE: %{options} = every=0
// RUN: %{wrong}=EVERY
// EVERY: expected option 'every' of instrument 'numerics' to be 1 or more, but found 0
// REDEFINE: %{options} = rtol=small
// RUN: %{wrong}=RTOL
// RTOL: expected option 'rtol' of instrument 'numerics' to be a number, but found 'small'
// REDEFINE: %{options} = time-limit=-1
// RUN: %{wrong}=TIME
// TIME: expected option 'time-limit' of instrument 'numerics' to be an integer of 0 or more, but found '-1'
