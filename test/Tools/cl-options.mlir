// Partita's flags in a driver that has flags of the same names, and two pass
// managers.

// RUN: partita-test-driver %s -O3 --explain | FileCheck %s --check-prefixes=OWN,BARE
// OWN: a compiler at level 3
// BARE: arith.addi %{{.*}}, %{{.*}} : i32
// BARE-NEXT: return

// RUN: partita-test-driver %s --my-disabled-pass=cse | FileCheck %s --check-prefix=TWICE
// RUN: env MY_FLAGS='--disabled-pass=cse' partita-test-driver %s | FileCheck %s --check-prefix=TWICE
// RUN: env MY_FLAGS='--my-disabled-pass=cse' partita-test-driver %s | FileCheck %s --check-prefix=TWICE
// TWICE-COUNT-2: arith.muli

// The command line goes before the environment.
// RUN: env MY_FLAGS='--disabled-pass=cse' partita-test-driver %s --my-disabled-pass= | FileCheck %s --check-prefix=ONCE
// RUN: env PARTITA_FLAGS='--disabled-pass=cse' partita-test-driver %s | FileCheck %s --check-prefix=ONCE
// ONCE: arith.muli
// ONCE-NOT: arith.muli

// RUN: partita-test-driver %s --my-explain | FileCheck %s --check-prefix=PLAN
// PLAN: plan at opt_level
// PLAN: canonicalize {{.*}}runs
// PLAN: plan at opt_level
// PLAN: cse {{.*}}runs

// RUN: not env MY_FLAGS='--opt-level=high' partita-test-driver %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: MY_FLAGS
// RUN: not env MY_FLAGS='--skip-unchanged=maybe' partita-test-driver %s 2>&1 | FileCheck %s --check-prefix=MAYBE
// MAYBE: error: expected --skip-unchanged in MY_FLAGS to be true or false, but found 'maybe'

// Warnings are seen in contexts without a handler, too.
// RUN: partita-test-driver %s --my-disabled-pass=csse 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING: warning: expected the names in disabled_pass to be passes, but found 'csse' (did you mean 'cse'?)

// Files have what ran in both.
// RUN: partita-test-driver %s --my-instrument='trace{output=%t.json}' --my-instrument='report{output=%t.html}' >/dev/null
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.json
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.html
// BOTH-DAG: canonicalize
// BOTH-DAG: cse

func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %a = arith.muli %same, %same : i32
  %b = arith.muli %x, %x : i32
  %sum = arith.addi %a, %b : i32
  return %sum : i32
}
