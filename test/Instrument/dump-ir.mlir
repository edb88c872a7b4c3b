// A numbered file for each pass that ran; other files of the directory are not
// touched.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-owner),func.func(cse) name=Inner},test-d,test-b)'

// RUN: rm -rf %t && mkdir -p %t
// RUN: %{nested} --instrument='dump-ir{dump-dir=%t/a/b}'
// RUN: ls %t/a/b | FileCheck %s --check-prefix=FILES --match-full-lines --implicit-check-not={{.}}
// FILES: 000_cse.mlir
// FILES-NEXT: 001_canonicalize.mlir
// Passes that others require.
// FILES-NEXT: 002_TestD.mlir
// FILES-NEXT: 003_TestMiddle.mlir
// FILES-NEXT: 004_TestA.mlir
// FILES-NEXT: 005_TestD.mlir
// FILES-NEXT: 006_TestMiddle.mlir
// FILES-NEXT: 007_TestOwner.mlir
// FILES-NEXT: 008_cse.mlir
// The level of TestD itself is too high.
// FILES-NEXT: 009_TestB.mlir
// FILES-NEXT: dump-ir.jsonl
// RUN: FileCheck %s --check-prefix=INDEX < %t/a/b/dump-ir.jsonl
// INDEX: {"file":"000_cse.mlir","pass":"cse","step":1}
// INDEX: {"file":"009_TestB.mlir","pass":"TestB","step":10}

// Each is the module after its pass, and can be the input of the next run.
// RUN: FileCheck %s --check-prefix=FIRST < %t/a/b/000_cse.mlir
// FIRST: func.func @f
// FIRST-NEXT: arith.addi
// FIRST-NEXT: arith.muli
// RUN: partita-test-opt %t/a/b/007_TestOwner.mlir -o /dev/null --pass-pipeline='builtin.module(func.func(cse),test-b)' --instrument='dump-ir{dump-dir=%t/resumed}'
// RUN: diff %t/resumed/001_TestB.mlir %t/a/b/009_TestB.mlir

// A second run adds files; refresh deletes the files in the index.
// RUN: touch %t/a/b/notes.txt %t/a/b/011_mine.mlir
// RUN: %{func} -O2 --test-b --instrument='dump-ir{dump-dir=%t/a/b}'
// RUN: test -f %t/a/b/000_cse.mlir && test -f %t/a/b/012_TestB.mlir
// RUN: echo '{"file":"../../precious","step":1,"pass":"x"}' >> %t/a/b/dump-ir.jsonl
// RUN: echo '{"file":"notes.txt"} {' >> %t/a/b/dump-ir.jsonl
// RUN: touch %t/precious
// RUN: %{func} -O2 --test-a --instrument='dump-ir{dump-dir=%t/a/b refresh}'
// RUN: ls %t/a/b | FileCheck %s --check-prefix=REFRESHED --match-full-lines --implicit-check-not={{.}}
// RUN: test -f %t/precious
// REFRESHED: 011_mine.mlir
// REFRESHED-NEXT: 012_TestA.mlir
// REFRESHED-NEXT: dump-ir.jsonl
// REFRESHED-NEXT: notes.txt

// The files stay if no pass runs, because the input can't be read.
// RUN: not partita-test-opt %t/nothing.mlir --test-a --instrument='dump-ir{dump-dir=%t/a/b refresh}'
// RUN: ls %t/a/b | FileCheck %s --check-prefix=REFRESHED --match-full-lines --implicit-check-not={{.}}
// RUN: echo mistyped > %t/mistyped.mlir
// RUN: not partita-test-opt %t/mistyped.mlir --test-a --instrument='dump-ir{dump-dir=%t/a/b refresh}'
// RUN: ls %t/a/b | FileCheck %s --check-prefix=REFRESHED --match-full-lines --implicit-check-not={{.}}

// Up to a pass that fails, and without a vetoed pass.
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,func.func(cse,test-fail{on=g}),test-a)' \
// RUN:   --instrument='dump-ir{dump-dir=%t/failing}' --instrument='test-trace{name=T skip=TestB}' 2> /dev/null
// RUN: ls %t/failing | FileCheck %s --check-prefix=FAILING --match-full-lines --implicit-check-not={{.}}
// FAILING: 000_cse.mlir
// FAILING-NEXT: dump-ir.jsonl

// Only some passes, as bytecode, which can be read back.
// RUN: partita-opt %S/Inputs/relax.mlir -o %t/relax.mlir --relax-fold-constant --cse \
// RUN:   --instrument='dump-ir{dump-dir=%t/relax passes=FoldConstant bytecode}'
// RUN: ls %t/relax | FileCheck %s --check-prefix=BYTECODE --match-full-lines --implicit-check-not={{.}}
// BYTECODE: 000_FoldConstant.mlirbc
// BYTECODE-NEXT: dump-ir.jsonl
// RUN: partita-opt %t/relax/000_FoldConstant.mlirbc --cse | diff - %t/relax.mlir

// Nothing is elided, whatever MLIR's flags say.
// RUN: partita-opt %S/print-ir.mlir -o /dev/null --cse --instrument='dump-ir{dump-dir=%t/whole passes=cse}' --mlir-elide-elementsattrs-if-larger=2
// RUN: FileCheck %s --check-prefix=WHOLE < %t/whole/000_cse.mlir
// WHOLE: dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]>

// Paths that are no directories.
// RUN: not %{func} --cse --instrument='dump-ir' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: instrument 'dump-ir' failed to enter the pass context: expected dump-dir to be a directory to write to, but it is empty
// RUN: not %{func} --cse --instrument='dump-ir{dump-dir=%t/precious}' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: instrument 'dump-ir' failed to enter the pass context: expected to {{.*}}precious
