// --check-inert runs the passes bare, measured, observed, and with the given
// instruments, and fails if anything differs.

// DEFINE: %{check} = partita-test-opt %s --check-inert --pass-pipeline='builtin.module(func.func(cse,test-analyze),canonicalize)'

// RUN: %{check} 2>/dev/null | FileCheck %s
// RUN: %{check} -O2 --disabled-pass=canonicalize 2>/dev/null | FileCheck %s
// RUN: %{check} --instrument=verify --instrument=timing{print=false} 2>/dev/null | FileCheck %s
// CHECK: func.func @f
// CHECK-NEXT: %[[S:.*]] = arith.addi
// CHECK-NEXT: return %[[S]], %[[S]]

// It finds an instrument that changes the module.
// RUN: not %{check} --instrument=test-change -o %t.mlir 2>&1 | FileCheck %s --check-prefix=CHANGE
// CHANGE: error: expected line {{[0-9]+}} of the module of '{{.*}}check-inert.mlir' to be the same when run bare and with the instruments given, but found 'module {', then 'module attributes {test.changed} {'

// It finds an instrument that vetoes a pass, too.
// RUN: not %{check} --instrument='test-trace{skip=cse}' 2>&1 | FileCheck %s --check-prefix=VETO
// VETO: error: expected {{.*}} to be the same when run bare and with the instruments given

// RUN: not %{check} --run-reproducer 2>&1 | FileCheck %s --check-prefix=REPRODUCER
// REPRODUCER: error: expected --check-inert, --check-nest and --check-cache with passes of the command line, but found --run-reproducer or --resume-from

// A check that can't be made does not pass.
// DEFINE: %{tmp} = not env TMPDIR=%t.none partita-test-opt %s -o /dev/null
// RUN: %{tmp} --cse --check-cache 2>&1 | FileCheck %s --check-prefix=TMPDIR
// RUN: %{tmp} --pass-pipeline='builtin.module(partita-reduce{test=true})' 2>&1 | FileCheck %s --check-prefix=TMPDIR
// RUN: %{tmp} %s --cse --jobs=2 2>&1 | FileCheck %s --check-prefix=TMPDIR
// TMPDIR: error: expected to make a directory for temporary files in '{{.*}}.none', which TMPDIR can change, but: No such file or directory

func.func @f(%x: i32) -> (i32, i32) {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  return %0, %1 : i32, i32
}
