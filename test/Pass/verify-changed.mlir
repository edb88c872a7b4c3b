// --verify=changed: the verifier runs on ops that have changed since it ran on
// them. --verify=end: it runs once, after the passes. The functions' attribute
// prints a line each time; the first two are the parser's.

// DEFINE: %{run} = partita-test-opt %s --mlir-disable-threading --mlir-print-assume-verified --pass-pipeline='builtin.module(canonicalize,test-add-func{name=h},symbol-dce)'

// RUN: %{run} -o %t.each.mlir 2> %t.each
// RUN: FileCheck %s --check-prefix=EACH < %t.each
// EACH-COUNT-10: verified
// EACH-NOT:      verified

// RUN: %{run} -o %t.changed.mlir --verify=changed 2> %t.changed
// RUN: FileCheck %s --check-prefix=CHANGED < %t.changed
// CHANGED:      verified "f"
// CHANGED:      verified "g"
// After canonicalize:
// CHANGED:      verified "f"
// CHANGED:      verified "g"
// After test-add-func, the copy of @f:
// CHANGED:      verified "f"
// CHANGED-NOT:  verified

// RUN: %{run} -o %t.end.mlir --verify=end 2> %t.end
// RUN: FileCheck %s --check-prefix=END < %t.end
// END-COUNT-5: verified
// END-NOT:     verified
// RUN: diff %t.each.mlir %t.changed.mlir
// RUN: diff %t.each.mlir %t.end.mlir

// --skip-unchanged does so, too, unless --verify says otherwise.
// RUN: %{run} -o %t.skip.mlir --skip-unchanged 2>&1 | diff %t.changed -
// RUN: %{run} -o %t.skip.mlir --skip-unchanged --verify=each 2>&1 | FileCheck %s --check-prefix=EACH
// RUN: diff %t.each.mlir %t.skip.mlir

// Where no pass comes again or runs on the module, hashes would save nothing.
// DEFINE: %{once} = partita-test-opt %s -o /dev/null --mlir-disable-threading --pass-pipeline='builtin.module(func.func(canonicalize,sccp))'
// RUN: %{once} 2> %t.once
// RUN: FileCheck %s --check-prefix=ONCE < %t.once
// ONCE-COUNT-8: verified
// ONCE-NOT:     verified
// RUN: %{once} --skip-unchanged 2>&1 | diff %t.once -
// RUN: %{once} --skip-unchanged --verify=changed 2>&1 | not diff %t.once -

// What a pass breaks is found, after the pass or at the end.
// DEFINE: %{break} = partita-test-opt %s -o /dev/null --pass-pipeline='builtin.module(canonicalize,func.func(test-invalid-ir),symbol-dce)'
// RUN: not %{break} --verify=changed 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN:     error: empty block: expect at least a terminator
// BROKEN-NOT: expected the module
// RUN: not %{break} --verify=end 2>&1 | FileCheck %s --check-prefix=BROKEN-END
// BROKEN-END: error: empty block: expect at least a terminator
// BROKEN-END: error: expected the module to be valid after the passes; set partita.verify to "changed" to stop after the pass that makes it invalid

// So is what a pass on functions breaks in the symbol table, and in the
// functions that use it.
// RUN: not partita-test-opt %s -o /dev/null --verify=changed --pass-pipeline='builtin.module(func.func(cse,test-rename-func{to=same}))' 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: redefinition of symbol named 'same'
// RUN: sed 's/^\/\/ CALL: //' %s > %t.call.mlir
// RUN: not partita-test-opt %t.call.mlir -o /dev/null --verify=changed --pass-pipeline='builtin.module(func.func(test-rename-func{to=other from=g}))' 2>&1 | FileCheck %s --check-prefix=USE
// USE: error: 'func.call' op 'g' does not reference a valid function

// All functions that are broken are reported, as without it.
// DEFINE: %{loops} = partita-opt %S/Inputs/loops.mlir --convert-func-to-spirv
// RUN: not %{loops} 2> %t.plain
// RUN: not %{loops} --verify=changed 2>&1 | diff %t.plain -
// RUN: not %{loops} --verify=changed --mlir-disable-threading 2>&1 | diff %t.plain -

// RUN: not partita-test-opt %s --verify=often --pass-pipeline='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=OFTEN
// OFTEN: expected config 'partita.verify' to be "each", "changed" or "end", but found "often"

func.func @f(%x: i32) -> i32 attributes {verified.note = "f"} {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %x, %zero : i32
  return %0 : i32
}
func.func @g(%x: i32) -> i32 attributes {verified.note = "g"} {
  return %x : i32
}
// CALL: func.func @h(%x: i32) -> i32 {
// CALL:   %0 = func.call @g(%x) : (i32) -> i32
// CALL:   return %0 : i32
// CALL: }
