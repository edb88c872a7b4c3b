// A tool without default pipelines runs nothing if no pipeline is named, at any
// level; partita-opt has default pipelines.

// RUN: partita-test-opt %s -O2 | FileCheck %s --check-prefix=SAME
// RUN: partita-test-opt %s -O2 --explain | FileCheck %s --check-prefix=NOTHING
// RUN: partita-opt %s -O2 --explain | FileCheck %s --check-prefix=DEFAULT
// RUN: partita-test-opt --help | FileCheck %s --check-prefix=HELP

// SAME: arith.addi
//      NOTHING: sequential {{ *}}runs: requested directly
// NOTHING-NEXT: pipeline: builtin.module()
// DEFAULT: 1 {{ *}}CanonicalizeBindings
// HELP: without a pipeline, the tool's default one at that level runs, if any

func.func @f(%x: i32) {
  %0 = arith.addi %x, %x : i32
  return
}
