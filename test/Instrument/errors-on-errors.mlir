// Errors while another error is handled: both are reported, the first one
// first, and nothing aborts.

// DEFINE: %{opt} = not partita-test-opt %s -o /dev/null
// DEFINE: %{check} = FileCheck %s --match-full-lines --strict-whitespace \
// DEFINE:   --implicit-check-not='{{[ABCD]\.(enter|should|before|after|exit).*}}' --check-prefix

// RUN: %{opt} --pass-pipeline='builtin.module(test-a)' \
// RUN:   --instrument='test-trace{name=A fail=exit}' --instrument='test-trace{name=B fail=exit}' \
// RUN:   --instrument='test-trace{name=C}' --instrument='test-trace{name=D fail=enter}' 2>&1 \
// RUN:   | %{check} UNWIND
// RUN: %{opt} --pass-pipeline='builtin.module(test-fail)' \
// RUN:   --instrument='test-trace{name=A}' --instrument='test-trace{name=B fail=exit}' \
// RUN:   --instrument='test-trace{name=C}' 2>&1 | %{check} PASS
// RUN: %{opt} --pass-pipeline='builtin.module(test-a)' \
// RUN:   --instrument='test-trace{name=A fail=after,exit fail-at=TestA}' --instrument='test-trace{name=B}' 2>&1 \
// RUN:   | %{check} AFTER
// RUN: %{opt} --pass-pipeline='builtin.module(func.func(test-fail{on=g}))' \
// RUN:   --instrument='test-trace{name=A}' 2>&1 | %{check} FUNC

func.func @f() {
  return
}
func.func @g() {
  return
}

// UNWIND:A.enter
// UNWIND-NEXT:B.enter
// UNWIND-NEXT:C.enter
// UNWIND-NEXT:D.enter
// UNWIND-NEXT:C.exit
// UNWIND-NEXT:B.exit
// UNWIND-NEXT:A.exit
// UNWIND-NEXT:error: instrument 'D' failed to enter the pass context: told to fail in enter
// UNWIND-NEXT:error: instrument 'B' failed to exit the pass context after that: told to fail in exit
// UNWIND-NEXT:error: instrument 'A' failed to exit the pass context after that: told to fail in exit

// If the pass fails, no after callback is called, and every exit up to the one
// that fails.
// PASS:A.enter
// PASS-NEXT:B.enter
// PASS-NEXT:C.enter
// PASS-NEXT:A.should sequential
// PASS-NEXT:B.should sequential
// PASS-NEXT:C.should sequential
// PASS-NEXT:A.before sequential
// PASS-NEXT:B.before sequential
// PASS-NEXT:C.before sequential
// PASS-NEXT:A.should test-fail
// PASS-NEXT:B.should test-fail
// PASS-NEXT:C.should test-fail
// PASS-NEXT:A.before test-fail
// PASS-NEXT:B.before test-fail
// PASS-NEXT:C.before test-fail
// PASS-NEXT:{{.*}}error: test-fail was here
// PASS:A.exit
// PASS-NEXT:B.exit
// PASS-NEXT:error: instrument 'B' failed to exit the pass context: told to fail in exit

// AFTER:A.enter
// AFTER-NEXT:B.enter
// AFTER-NEXT:A.should sequential
// AFTER-NEXT:B.should sequential
// AFTER-NEXT:A.before sequential
// AFTER-NEXT:B.before sequential
// AFTER-NEXT:A.should TestA
// AFTER-NEXT:B.should TestA
// AFTER-NEXT:A.before TestA
// AFTER-NEXT:B.before TestA
// AFTER-NEXT:A.after TestA
// AFTER-NEXT:{{.*}}error: instrument 'A' failed run_after_pass of pass 'TestA': told to fail in after
// AFTER-NEXT:A.exit
// AFTER-NEXT:error: instrument 'A' failed to exit the pass context: told to fail in exit

// A function that a pass fails on is named by its location.
// FUNC:A.enter
// FUNC-NEXT:A.should sequential
// FUNC-NEXT:A.before sequential
// FUNC-NEXT:A.should test-fail
// FUNC-NEXT:A.before test-fail
// FUNC-NEXT:{{.*}}errors-on-errors.mlir:[[#@LINE-58]]:1: error: test-fail was here
// FUNC:A.exit
