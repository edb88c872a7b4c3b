// What the verifier says about valid ops it says as often as in a plain run, and
// in the same order: no work of the verifier is saved then.

// DEFINE: %{module} = %s
// DEFINE: %{passes} = canonicalize
// DEFINE: %{run} = partita-opt %{module} --pass-pipeline='builtin.module(%{passes})' -o /dev/null
// DEFINE: %{compare} = rm -rf %t.cache && %{run} 2> %t.plain && \
// DEFINE:   %{run} --nest-in-functions 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --skip-unchanged 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --skip-unchanged --nest-in-functions 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --skip-unchanged --verify=each 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --verify=changed 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --verify=changed --nest-in-functions 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --pass-cache=%t.cache 2>&1 | diff %t.plain - && \
// DEFINE:   %{run} --pass-cache=%t.cache 2>&1 | diff %t.plain -

// RUN: %{compare} && FileCheck %s < %t.plain
// CHECK-COUNT-4: warning: op argument #0 is not consumed
// REDEFINE: %{passes} = cse,canonicalize,cse,canonicalize,cse
// RUN: %{compare}
// REDEFINE: %{passes} = func.func(canonicalize),func.func(cse),canonicalize,func.func(cse),func.func(canonicalize)
// RUN: %{compare}

// The same beside an op that is not isolated, so that passes run on the module.
// RUN: sed 's/^\/\/ LOOSE: //' %s > %t.loose.mlir
// REDEFINE: %{module} = %t.loose.mlir
// RUN: %{compare}
// REDEFINE: %{passes} = cse,canonicalize,cse,canonicalize,cse
// RUN: %{compare}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @f(%op: !transform.any_op {transform.consumed}) {
    transform.yield
  }
  func.func @g(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %0 = arith.addi %x, %zero : i32
    return %0 : i32
  }
  func.func @h() {
    return
  }
// LOOSE: transform.sequence failures(propagate) {
// LOOSE: ^bb0(%op: !transform.any_op):
// LOOSE:   transform.include @f failures(propagate) (%op) : (!transform.any_op) -> ()
// LOOSE: }
}
