// One callback of one of three instruments fails: which callbacks still follow,
// and which errors the user sees. Exit callbacks run forwards, unless an enter
// failed. After an error no more callbacks at passes follow.

// DEFINE: %{opt} = not partita-test-opt %s -o %t.mlir \
// DEFINE:   --pass-pipeline='builtin.module(test-a,func.func(cse))'
// DEFINE: %{A} = --instrument='test-trace{name=A}'
// DEFINE: %{B} = --instrument='test-trace{name=B}'
// DEFINE: %{C} = --instrument='test-trace{name=C}'
// DEFINE: %{check} = FileCheck %s --match-full-lines --strict-whitespace \
// DEFINE:   --implicit-check-not='{{[ABC]\.(enter|should|before|after|exit).*}}' --check-prefix

// RUN: rm -f %t.mlir
// RUN: %{opt} --instrument='test-trace{name=A fail=enter}' %{B} %{C} 2>&1 \
// RUN:   | %{check} ENTER-A
// RUN: %{opt} %{A} --instrument='test-trace{name=B fail=enter}' %{C} 2>&1 \
// RUN:   | %{check} ENTER-B
// RUN: %{opt} %{A} %{B} --instrument='test-trace{name=C fail=enter}' 2>&1 \
// RUN:   | %{check} ENTER-C
// RUN: %{opt} --instrument='test-trace{name=A fail=exit}' %{B} %{C} 2>&1 \
// RUN:   | %{check} EXIT-A
// RUN: %{opt} %{A} --instrument='test-trace{name=B fail=exit}' %{C} 2>&1 \
// RUN:   | %{check} EXIT-B
// RUN: %{opt} %{A} %{B} --instrument='test-trace{name=C fail=exit}' 2>&1 \
// RUN:   | %{check} EXIT-C
// RUN: %{opt} --instrument='test-trace{name=A fail=should fail-at=TestA}' %{B} %{C} 2>&1 \
// RUN:   | %{check} SHOULD-A
// RUN: %{opt} %{A} --instrument='test-trace{name=B fail=should fail-at=TestA}' %{C} 2>&1 \
// RUN:   | %{check} SHOULD-B
// RUN: %{opt} %{A} %{B} --instrument='test-trace{name=C fail=should fail-at=TestA}' 2>&1 \
// RUN:   | %{check} SHOULD-C
// RUN: %{opt} --instrument='test-trace{name=A fail=before fail-at=TestA}' %{B} %{C} 2>&1 \
// RUN:   | %{check} BEFORE-A
// RUN: %{opt} %{A} --instrument='test-trace{name=B fail=before fail-at=TestA}' %{C} 2>&1 \
// RUN:   | %{check} BEFORE-B
// RUN: %{opt} %{A} %{B} --instrument='test-trace{name=C fail=before fail-at=TestA}' 2>&1 \
// RUN:   | %{check} BEFORE-C
// RUN: %{opt} --instrument='test-trace{name=A fail=after fail-at=TestA}' %{B} %{C} 2>&1 \
// RUN:   | %{check} AFTER-A
// RUN: %{opt} %{A} --instrument='test-trace{name=B fail=after fail-at=TestA}' %{C} 2>&1 \
// RUN:   | %{check} AFTER-B
// RUN: %{opt} %{A} %{B} --instrument='test-trace{name=C fail=after fail-at=TestA}' 2>&1 \
// RUN:   | %{check} AFTER-C

// Nothing was written.
// RUN: not ls %t.mlir

func.func @f() {
  return
}

// ENTER-A:A.enter
// ENTER-A-NEXT:error: instrument 'A' failed to enter the pass context: told to fail in enter

// ENTER-B:A.enter
// ENTER-B-NEXT:B.enter
// ENTER-B-NEXT:A.exit
// ENTER-B-NEXT:error: instrument 'B' failed to enter the pass context: told to fail in enter

// ENTER-C:A.enter
// ENTER-C-NEXT:B.enter
// ENTER-C-NEXT:C.enter
// ENTER-C-NEXT:B.exit
// ENTER-C-NEXT:A.exit
// ENTER-C-NEXT:error: instrument 'C' failed to enter the pass context: told to fail in enter

// EXIT-A:A.enter
// EXIT-A-NEXT:B.enter
// EXIT-A-NEXT:C.enter
// EXIT-A-NEXT:A.should sequential
// EXIT-A-NEXT:B.should sequential
// EXIT-A-NEXT:C.should sequential
// EXIT-A-NEXT:A.before sequential
// EXIT-A-NEXT:B.before sequential
// EXIT-A-NEXT:C.before sequential
// EXIT-A-NEXT:A.should TestA
// EXIT-A-NEXT:B.should TestA
// EXIT-A-NEXT:C.should TestA
// EXIT-A-NEXT:A.before TestA
// EXIT-A-NEXT:B.before TestA
// EXIT-A-NEXT:C.before TestA
// EXIT-A-NEXT:A.after TestA
// EXIT-A-NEXT:B.after TestA
// EXIT-A-NEXT:C.after TestA
// EXIT-A-NEXT:A.should cse
// EXIT-A-NEXT:B.should cse
// EXIT-A-NEXT:C.should cse
// EXIT-A-NEXT:A.before cse
// EXIT-A-NEXT:B.before cse
// EXIT-A-NEXT:C.before cse
// EXIT-A-NEXT:A.after cse
// EXIT-A-NEXT:B.after cse
// EXIT-A-NEXT:C.after cse
// EXIT-A-NEXT:A.after sequential
// EXIT-A-NEXT:B.after sequential
// EXIT-A-NEXT:C.after sequential
// EXIT-A-NEXT:A.exit
// EXIT-A-NEXT:error: instrument 'A' failed to exit the pass context: told to fail in exit

// EXIT-B:A.enter
// EXIT-B-NEXT:B.enter
// EXIT-B-NEXT:C.enter
// EXIT-B-NEXT:A.should sequential
// EXIT-B-NEXT:B.should sequential
// EXIT-B-NEXT:C.should sequential
// EXIT-B-NEXT:A.before sequential
// EXIT-B-NEXT:B.before sequential
// EXIT-B-NEXT:C.before sequential
// EXIT-B-NEXT:A.should TestA
// EXIT-B-NEXT:B.should TestA
// EXIT-B-NEXT:C.should TestA
// EXIT-B-NEXT:A.before TestA
// EXIT-B-NEXT:B.before TestA
// EXIT-B-NEXT:C.before TestA
// EXIT-B-NEXT:A.after TestA
// EXIT-B-NEXT:B.after TestA
// EXIT-B-NEXT:C.after TestA
// EXIT-B-NEXT:A.should cse
// EXIT-B-NEXT:B.should cse
// EXIT-B-NEXT:C.should cse
// EXIT-B-NEXT:A.before cse
// EXIT-B-NEXT:B.before cse
// EXIT-B-NEXT:C.before cse
// EXIT-B-NEXT:A.after cse
// EXIT-B-NEXT:B.after cse
// EXIT-B-NEXT:C.after cse
// EXIT-B-NEXT:A.after sequential
// EXIT-B-NEXT:B.after sequential
// EXIT-B-NEXT:C.after sequential
// EXIT-B-NEXT:A.exit
// EXIT-B-NEXT:B.exit
// EXIT-B-NEXT:error: instrument 'B' failed to exit the pass context: told to fail in exit

// EXIT-C:A.enter
// EXIT-C-NEXT:B.enter
// EXIT-C-NEXT:C.enter
// EXIT-C-NEXT:A.should sequential
// EXIT-C-NEXT:B.should sequential
// EXIT-C-NEXT:C.should sequential
// EXIT-C-NEXT:A.before sequential
// EXIT-C-NEXT:B.before sequential
// EXIT-C-NEXT:C.before sequential
// EXIT-C-NEXT:A.should TestA
// EXIT-C-NEXT:B.should TestA
// EXIT-C-NEXT:C.should TestA
// EXIT-C-NEXT:A.before TestA
// EXIT-C-NEXT:B.before TestA
// EXIT-C-NEXT:C.before TestA
// EXIT-C-NEXT:A.after TestA
// EXIT-C-NEXT:B.after TestA
// EXIT-C-NEXT:C.after TestA
// EXIT-C-NEXT:A.should cse
// EXIT-C-NEXT:B.should cse
// EXIT-C-NEXT:C.should cse
// EXIT-C-NEXT:A.before cse
// EXIT-C-NEXT:B.before cse
// EXIT-C-NEXT:C.before cse
// EXIT-C-NEXT:A.after cse
// EXIT-C-NEXT:B.after cse
// EXIT-C-NEXT:C.after cse
// EXIT-C-NEXT:A.after sequential
// EXIT-C-NEXT:B.after sequential
// EXIT-C-NEXT:C.after sequential
// EXIT-C-NEXT:A.exit
// EXIT-C-NEXT:B.exit
// EXIT-C-NEXT:C.exit
// EXIT-C-NEXT:error: instrument 'C' failed to exit the pass context: told to fail in exit

// SHOULD-A:A.enter
// SHOULD-A-NEXT:B.enter
// SHOULD-A-NEXT:C.enter
// SHOULD-A-NEXT:A.should sequential
// SHOULD-A-NEXT:B.should sequential
// SHOULD-A-NEXT:C.should sequential
// SHOULD-A-NEXT:A.before sequential
// SHOULD-A-NEXT:B.before sequential
// SHOULD-A-NEXT:C.before sequential
// SHOULD-A-NEXT:A.should TestA
// SHOULD-A-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'A' failed should_run of pass 'TestA': told to fail in should
// SHOULD-A-NEXT:A.exit
// SHOULD-A-NEXT:B.exit
// SHOULD-A-NEXT:C.exit

// SHOULD-B:A.enter
// SHOULD-B-NEXT:B.enter
// SHOULD-B-NEXT:C.enter
// SHOULD-B-NEXT:A.should sequential
// SHOULD-B-NEXT:B.should sequential
// SHOULD-B-NEXT:C.should sequential
// SHOULD-B-NEXT:A.before sequential
// SHOULD-B-NEXT:B.before sequential
// SHOULD-B-NEXT:C.before sequential
// SHOULD-B-NEXT:A.should TestA
// SHOULD-B-NEXT:B.should TestA
// SHOULD-B-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'B' failed should_run of pass 'TestA': told to fail in should
// SHOULD-B-NEXT:A.exit
// SHOULD-B-NEXT:B.exit
// SHOULD-B-NEXT:C.exit

// SHOULD-C:A.enter
// SHOULD-C-NEXT:B.enter
// SHOULD-C-NEXT:C.enter
// SHOULD-C-NEXT:A.should sequential
// SHOULD-C-NEXT:B.should sequential
// SHOULD-C-NEXT:C.should sequential
// SHOULD-C-NEXT:A.before sequential
// SHOULD-C-NEXT:B.before sequential
// SHOULD-C-NEXT:C.before sequential
// SHOULD-C-NEXT:A.should TestA
// SHOULD-C-NEXT:B.should TestA
// SHOULD-C-NEXT:C.should TestA
// SHOULD-C-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'C' failed should_run of pass 'TestA': told to fail in should
// SHOULD-C-NEXT:A.exit
// SHOULD-C-NEXT:B.exit
// SHOULD-C-NEXT:C.exit

// BEFORE-A:A.enter
// BEFORE-A-NEXT:B.enter
// BEFORE-A-NEXT:C.enter
// BEFORE-A-NEXT:A.should sequential
// BEFORE-A-NEXT:B.should sequential
// BEFORE-A-NEXT:C.should sequential
// BEFORE-A-NEXT:A.before sequential
// BEFORE-A-NEXT:B.before sequential
// BEFORE-A-NEXT:C.before sequential
// BEFORE-A-NEXT:A.should TestA
// BEFORE-A-NEXT:B.should TestA
// BEFORE-A-NEXT:C.should TestA
// BEFORE-A-NEXT:A.before TestA
// BEFORE-A-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'A' failed run_before_pass of pass 'TestA': told to fail in before
// BEFORE-A-NEXT:A.exit
// BEFORE-A-NEXT:B.exit
// BEFORE-A-NEXT:C.exit

// BEFORE-B:A.enter
// BEFORE-B-NEXT:B.enter
// BEFORE-B-NEXT:C.enter
// BEFORE-B-NEXT:A.should sequential
// BEFORE-B-NEXT:B.should sequential
// BEFORE-B-NEXT:C.should sequential
// BEFORE-B-NEXT:A.before sequential
// BEFORE-B-NEXT:B.before sequential
// BEFORE-B-NEXT:C.before sequential
// BEFORE-B-NEXT:A.should TestA
// BEFORE-B-NEXT:B.should TestA
// BEFORE-B-NEXT:C.should TestA
// BEFORE-B-NEXT:A.before TestA
// BEFORE-B-NEXT:B.before TestA
// BEFORE-B-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'B' failed run_before_pass of pass 'TestA': told to fail in before
// BEFORE-B-NEXT:A.exit
// BEFORE-B-NEXT:B.exit
// BEFORE-B-NEXT:C.exit

// BEFORE-C:A.enter
// BEFORE-C-NEXT:B.enter
// BEFORE-C-NEXT:C.enter
// BEFORE-C-NEXT:A.should sequential
// BEFORE-C-NEXT:B.should sequential
// BEFORE-C-NEXT:C.should sequential
// BEFORE-C-NEXT:A.before sequential
// BEFORE-C-NEXT:B.before sequential
// BEFORE-C-NEXT:C.before sequential
// BEFORE-C-NEXT:A.should TestA
// BEFORE-C-NEXT:B.should TestA
// BEFORE-C-NEXT:C.should TestA
// BEFORE-C-NEXT:A.before TestA
// BEFORE-C-NEXT:B.before TestA
// BEFORE-C-NEXT:C.before TestA
// BEFORE-C-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'C' failed run_before_pass of pass 'TestA': told to fail in before
// BEFORE-C-NEXT:A.exit
// BEFORE-C-NEXT:B.exit
// BEFORE-C-NEXT:C.exit

// AFTER-A:A.enter
// AFTER-A-NEXT:B.enter
// AFTER-A-NEXT:C.enter
// AFTER-A-NEXT:A.should sequential
// AFTER-A-NEXT:B.should sequential
// AFTER-A-NEXT:C.should sequential
// AFTER-A-NEXT:A.before sequential
// AFTER-A-NEXT:B.before sequential
// AFTER-A-NEXT:C.before sequential
// AFTER-A-NEXT:A.should TestA
// AFTER-A-NEXT:B.should TestA
// AFTER-A-NEXT:C.should TestA
// AFTER-A-NEXT:A.before TestA
// AFTER-A-NEXT:B.before TestA
// AFTER-A-NEXT:C.before TestA
// AFTER-A-NEXT:A.after TestA
// AFTER-A-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'A' failed run_after_pass of pass 'TestA': told to fail in after
// AFTER-A-NEXT:A.exit
// AFTER-A-NEXT:B.exit
// AFTER-A-NEXT:C.exit

// AFTER-B:A.enter
// AFTER-B-NEXT:B.enter
// AFTER-B-NEXT:C.enter
// AFTER-B-NEXT:A.should sequential
// AFTER-B-NEXT:B.should sequential
// AFTER-B-NEXT:C.should sequential
// AFTER-B-NEXT:A.before sequential
// AFTER-B-NEXT:B.before sequential
// AFTER-B-NEXT:C.before sequential
// AFTER-B-NEXT:A.should TestA
// AFTER-B-NEXT:B.should TestA
// AFTER-B-NEXT:C.should TestA
// AFTER-B-NEXT:A.before TestA
// AFTER-B-NEXT:B.before TestA
// AFTER-B-NEXT:C.before TestA
// AFTER-B-NEXT:A.after TestA
// AFTER-B-NEXT:B.after TestA
// AFTER-B-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'B' failed run_after_pass of pass 'TestA': told to fail in after
// AFTER-B-NEXT:A.exit
// AFTER-B-NEXT:B.exit
// AFTER-B-NEXT:C.exit

// AFTER-C:A.enter
// AFTER-C-NEXT:B.enter
// AFTER-C-NEXT:C.enter
// AFTER-C-NEXT:A.should sequential
// AFTER-C-NEXT:B.should sequential
// AFTER-C-NEXT:C.should sequential
// AFTER-C-NEXT:A.before sequential
// AFTER-C-NEXT:B.before sequential
// AFTER-C-NEXT:C.before sequential
// AFTER-C-NEXT:A.should TestA
// AFTER-C-NEXT:B.should TestA
// AFTER-C-NEXT:C.should TestA
// AFTER-C-NEXT:A.before TestA
// AFTER-C-NEXT:B.before TestA
// AFTER-C-NEXT:C.before TestA
// AFTER-C-NEXT:A.after TestA
// AFTER-C-NEXT:B.after TestA
// AFTER-C-NEXT:C.after TestA
// AFTER-C-NEXT:{{.*}}order-and-failure.mlir:0:0: error: instrument 'C' failed run_after_pass of pass 'TestA': told to fail in after
// AFTER-C-NEXT:A.exit
// AFTER-C-NEXT:B.exit
// AFTER-C-NEXT:C.exit
