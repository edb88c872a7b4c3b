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

// Also by default, and in a folder.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && partita-test-driver %s --my-instrument=report >/dev/null
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.dir/report.html
// RUN: partita-test-driver %s --my-instrument='dump-ir{dump-dir=%t.dir refresh}' >/dev/null
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.dir/dump-ir.jsonl

// All flags can be in the environment.
// RUN: rm -rf %t.cache && env MY_FLAGS='--pass-cache=%t.cache --verify=changed' partita-test-driver %s | FileCheck %s --check-prefix=ONCE
// RUN: ls %t.cache | not count 0
// RUN: not env MY_FLAGS='--verify changing' partita-test-driver %s 2>&1 | FileCheck %s --check-prefix=VERIFY
// VERIFY: error: expected config 'partita.verify' to be "each", "changed" or "end", but found "changing"

// A config option on the command line leaves the others as they are.
// RUN: rm -rf %t.cache && env MY_FLAGS='--pass-cache=%t.cache' partita-test-driver %s --my-pass-config=partita.nest_in_functions=true | FileCheck %s --check-prefix=ONCE
// RUN: ls %t.cache | not count 0
// RUN: env MY_FLAGS='--skip-unchanged' partita-test-driver %s --my-explain --my-skip-unchanged=false | FileCheck %s --check-prefix=OFF
// OFF-NOT: skipped where unchanged

// Warnings are seen in contexts without a handler, too.
// RUN: partita-test-driver %s --my-disabled-pass=csse 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING: warning: expected the names in disabled_pass to be passes, but found 'csse' (did you mean 'cse'?)

// Files have what ran in both.
// RUN: partita-test-driver %s --my-instrument='trace{output=%t.json}' --my-instrument='report{output=%t.html}' >/dev/null
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.json
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.html
// BOTH-DAG: canonicalize
// BOTH-DAG: cse

// A report that is not written is no success, whatever the driver looks at.
// RUN: not partita-test-driver %s --my-instrument='timing{output=/dev/full}' 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: instrument 'timing' failed to exit the pass context: expected to write to '/dev/full', but: No space left on device
// RUN: not partita-test-driver %s --my-instrument='timing{output=%t.no/file}' 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: instrument 'timing' failed to enter the pass context: expected to open '{{.*}}file' to write to, but: No such file or directory
// RUN: not partita-test-driver %s --my-instrument='trace{output=%t.json}' --my-instrument='report{output=%t.json}' 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: instrument 'report' failed to enter the pass context: expected outputs with files of their own, but found 'trace' and 'report', which both write '{{.*}}.json'

// A module that can't be parsed leaves the old report.
// RUN: echo kept > %t.kept && echo 'func.func' > %t.bad && not partita-test-driver %t.bad --my-instrument='timing{output=%t.kept}'
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.kept
// KEPT: kept

// MLIR's flags show the passes of the driver, and no others.
// DEFINE: %{dumps} = partita-test-driver %s --mlir-print-ir-before-all --mlir-print-ir-after-all
// RUN: %{dumps} 2> %t.dumps && %{dumps} --my-verify=changed 2>&1 >/dev/null | diff - %t.dumps
// RUN: %{dumps} --my-skip-unchanged --my-nest-in-functions --my-pass-cache=%t.cache 2>&1 >/dev/null | diff - %t.dumps

func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %a = arith.muli %same, %same : i32
  %b = arith.muli %x, %x : i32
  %sum = arith.addi %a, %b : i32
  return %sum : i32
}
