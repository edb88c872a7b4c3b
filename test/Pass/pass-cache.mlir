// --pass-cache: later runs take results of passes from a directory. The pass
// test-print-config shows where passes run: it prints, but is not known to.

// DEFINE: %{passes} = builtin.module(canonicalize,func.func(cse,test-print-config{keys=test.flag}))
// DEFINE: %{run} = partita-test-opt --pass-cache=%t.cache --mlir-disable-threading --pass-pipeline='%{passes}'
// RUN: rm -rf %t.cache
// RUN: partita-test-opt %s --pass-pipeline='%{passes}' -o %t.plain.mlir
// RUN: %{run} -o %t.cold.mlir < %s 2>&1 | count 2
// RUN: diff %t.plain.mlir %t.cold.mlir

// Nothing runs, with threads and without, and with other ways to save work.
// RUN: %{run} -o %t.warm.mlir < %s 2>&1 | count 0
// RUN: diff %t.plain.mlir %t.warm.mlir
// RUN: %{run} -o %t.warm.mlir --mlir-disable-threading=false --verify=changed < %s 2>&1 | count 0
// RUN: diff %t.plain.mlir %t.warm.mlir

// Passes run on new and changed functions alone, also if they are measured, and
// on functions with a root pass between.
// RUN: sed 's/^\/\/ MORE: //' %s > %t.more.mlir
// RUN: partita-test-opt --pass-pipeline='%{passes}' -o %t.plain.mlir %t.more.mlir
// RUN: cp -r %t.cache %t.copy
// RUN: %{run} -o %t.warm.mlir < %t.more.mlir 2>&1 | count 1
// RUN: diff %t.plain.mlir %t.warm.mlir
// RUN: sed 's/constant 0/constant 1/' %s > %t.changed.mlir
// RUN: partita-test-opt --pass-pipeline='%{passes}' -o %t.plain.mlir %t.changed.mlir
// RUN: %{run} -o %t.warm.mlir --instrument='timing{output=%t.time}' < %t.changed.mlir 2>&1 | count 1
// RUN: diff %t.plain.mlir %t.warm.mlir
// RUN: FileCheck %s --check-prefix=TIME < %t.time
// TIME:      // canonicalize: skipped on 1 of 2 ops
// TIME-NEXT: // cse: skipped on 1 of 2 ops

// What passes can read is part of the key: attributes around the function, the
// context, the options.
// RUN: sed 's/^module {/module attributes {test.value = 1} {/' %s > %t.around.mlir
// RUN: %{run} -o /dev/null < %t.around.mlir 2>&1 | count 2
// RUN: %{run} -o /dev/null --pass-config=test.flag=true < %s 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG-COUNT-2: test.flag = true
// RUN: %{run} -o /dev/null < %s 2>&1 | count 0

// So are the elements of constants around the function, if they are not printed.
// DEFINE: %{copy} = --mlir-elide-elementsattrs-if-larger=1 --pass-pipeline='builtin.module(func.func(test-copy-attribute))' --emit-bytecode
// RUN: sed 's/^module {/module attributes {test.value = dense<[1, 2]> : tensor<2xi32>} {/' %s > %t.12.mlir
// RUN: sed 's/^module {/module attributes {test.value = dense<[3, 4]> : tensor<2xi32>} {/' %s > %t.34.mlir
// RUN: partita-test-opt %{copy} -o %t.plain < %t.34.mlir
// RUN: partita-test-opt %{copy} -o /dev/null --pass-cache=%t.cache < %t.12.mlir
// RUN: partita-test-opt %{copy} -o %t.cached --pass-cache=%t.cache < %t.34.mlir
// RUN: diff %t.plain %t.cached

// A pass that changes nothing but the order of uses, which bytecode keeps.
// DEFINE: %{uses} = partita-test-opt %S/skip-unchanged.mlir --pass-pipeline='builtin.module(func.func(test-reverse-uses))' --emit-bytecode
// RUN: %{uses} -o %t.plain
// RUN: %{uses} -o %t.cached --pass-cache=%t.cache && diff %t.plain %t.cached
// RUN: %{uses} -o %t.cached --pass-cache=%t.cache && diff %t.plain %t.cached

// Damaged and cut files count for nothing.
// RUN: %python %S/Inputs/damage_cache.py %t.cache
// RUN: partita-test-opt %s --pass-pipeline='%{passes}' -o %t.plain.mlir
// RUN: %{run} -o %t.warm.mlir < %s 2>&1 | count 2
// RUN: diff %t.plain.mlir %t.warm.mlir
// RUN: %{run} -o %t.warm.mlir < %s 2>&1 | count 0
// RUN: diff %t.plain.mlir %t.warm.mlir

// Passes that emit diagnostics or print do so each time. Passes that are
// observed run.
// DEFINE: %{loud} = partita-test-opt --pass-cache=%t.cache --pass-pipeline='builtin.module(func.func(test-remark),print-op-stats)' -o /dev/null
// RUN: %{loud} < %s
// RUN: %{loud} < %s 2>&1 | FileCheck %s --check-prefix=LOUD
// LOUD-COUNT-2: remark: a remark
// LOUD:         Operations encountered

// So do passes in a pipeline that is an option of another pass.
// DEFINE: %{in-option} = partita-test-opt --pass-cache=%t.cache --pass-pipeline='builtin.module(composite-fixed-point-pass{pipeline=any(print-op-stats) name=fixed})' -o /dev/null
// RUN: %{in-option} < %s
// RUN: %{in-option} < %s 2>&1 | FileCheck %s --check-prefix=IN-OPTION
// IN-OPTION: Operations encountered

// RUN: %{run} -o /dev/null --instrument='print-changed{output=%t.observed}' < %s 2>&1 | count 2

// RUN: %{loud} -o - --explain < %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN:      test-remark     runs: requested directly{{$}}
// EXPLAIN-NEXT: print-op-stats  runs: requested directly, not kept in the pass cache

// Results that are verified at the end alone are not for others.
// DEFINE: %{break} = partita-test-opt --pass-cache=%t.cache --pass-pipeline='builtin.module(func.func(test-invalid-ir))' -o /dev/null
// RUN: not %{break} --verify=end < %s 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not %{break} < %s 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: error: empty block: expect at least a terminator

// A directory that can't be made is no error.
// RUN: partita-test-opt %s --pass-cache=%s/no --pass-pipeline='builtin.module(cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-DIR
// NO-DIR: warning: expected to make the directory '{{.*}}/no', but: Not a directory; results of this run are not kept

// A pass that depends on something else is found.
// RUN: partita-test-opt %s --check-cache --pass-pipeline='%{passes}' -o /dev/null
// DEFINE: %{check} = partita-test-opt %s -o /dev/null --check-cache
// RUN: not %{check} --pass-pipeline='builtin.module(canonicalize,func.func(test-planted-count))' 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: of the module of '{{.*}}' to be the same when run bare and with an empty pass cache, but found '{{.*}}test.count = 1
// RUN: not %{check} --pass-pipeline='builtin.module(canonicalize,func.func(test-planted-sibling))' 2>&1 | FileCheck %s --check-prefix=SIBLING
// SIBLING: when run without a pass cache and with the pass cache of other functions around, but found '{{.*}}test.siblings = 3

module {
  func.func @f(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %0 = arith.addi %x, %zero : i32
    return %0 : i32
  }
  func.func @g(%x: i32) -> i32 {
    return %x : i32
  }
// MORE: func.func @h(%x: i64) -> i64 { return %x : i64 }
}
