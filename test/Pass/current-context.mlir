// Passes that read the PassContext see the run's: on worker threads, on the
// thread of a crash reproducer, merged and step by step.

// DEFINE: %{opt} = partita-test-opt %s -O1 --required-pass=cse --disabled-pass=test-b --pass-config=test.count=3 -o /dev/null \
// DEFINE:   --pass-pipeline='builtin.module(test-print-context,func.func(test-print-context))'
// DEFINE: %{check} = FileCheck %s --check-prefix

// RUN: %{opt} 2>&1 | %{check} CHECK -D#INSTRUMENTS=0
// RUN: %{opt} --mlir-disable-threading 2>&1 | %{check} CHECK -D#INSTRUMENTS=0
// RUN: %{opt} --instrument='print-ir-after{passes=none}' 2>&1 | %{check} CHECK -D#INSTRUMENTS=1
// RUN: %{opt} --instrument='timing{print=false}' 2>&1 | %{check} CHECK -D#INSTRUMENTS=1
// RUN: %{opt} --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | %{check} CHECK -D#INSTRUMENTS=0
// RUN: %{opt} --mlir-pass-pipeline-crash-reproducer=%t.mlir --instrument='print-ir-after{passes=none}' 2>&1 \
// RUN:   | %{check} CHECK -D#INSTRUMENTS=1

//     CHECK: builtin.module: opt_level 1, required [cse], disabled [test-b], test.count = 3 : i64, instruments [[#INSTRUMENTS]]
// CHECK-DAG: func.func @f: opt_level 1, required [cse], disabled [test-b], test.count = 3 : i64, instruments [[#INSTRUMENTS]]
// CHECK-DAG: func.func @g: opt_level 1, required [cse], disabled [test-b], test.count = 3 : i64, instruments [[#INSTRUMENTS]]
// CHECK-DAG: func.func @h: opt_level 1, required [cse], disabled [test-b], test.count = 3 : i64, instruments [[#INSTRUMENTS]]
// CHECK-DAG: func.func @i: opt_level 1, required [cse], disabled [test-b], test.count = 3 : i64, instruments [[#INSTRUMENTS]]

// Without a policy they see the default context.
// RUN: partita-test-opt %s --test-print-context -o /dev/null 2>&1 | %{check} DEFAULT
// DEFAULT: builtin.module: opt_level 2, required [], disabled [], instruments 0

func.func @f() { return }
func.func @g() { return }
func.func @h() { return }
func.func @i() { return }
