// Config options: the values that passes read, set or not, and the list of
// options.

// RUN: partita-test-opt %s -O2 -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(test-print-config{keys=test.flag,test.count,test.scale,test.label,test.sizes,test.Unroll,test.nothing})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=DEFAULT
//      DEFAULT: test.flag = false
// DEFAULT-NEXT: test.count = 1 : i64
// DEFAULT-NEXT: test.scale = 5.000000e-01 : f64
// DEFAULT-NEXT: test.label = "none"
// DEFAULT-NEXT: test.sizes = []
// DEFAULT-NEXT: test.Unroll = {explicit_unroll = true, max_step = 8 : i64}
// DEFAULT-NEXT: test.nothing = not registered

// Values have the form that passes read; the last value of a key counts.
// RUN: partita-test-opt %s -o /dev/null --pass-config=test.flag=true --pass-config='test.count=5 : i8' \
// RUN:   --pass-config=test.scale=2 --pass-config='test.label="x, y"' --pass-config='test.sizes=array<i64: 1, 2>' \
// RUN:   --pass-config='test.Unroll={max_step = 16}' --pass-config='test.count = 7' \
// RUN:   --pass-pipeline='builtin.module(test-print-config{keys=test.flag,test.count,test.scale,test.label,test.sizes,test.Unroll})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=SET
//      SET: test.flag = true
// SET-NEXT: test.count = 7 : i64
// SET-NEXT: test.scale = 2.000000e+00 : f64
// SET-NEXT: test.label = "x, y"
// SET-NEXT: test.sizes = [1, 2]
// SET-NEXT: test.Unroll = {explicit_unroll = true, max_step = 16 : i64}

// As in TVM, a number is a bool, and a bool is a number.
// RUN: partita-test-opt %s -o /dev/null --pass-config='test.flag=2 : i8' --pass-config=test.count=true --pass-config=test.scale=true \
// RUN:   --pass-config='test.sizes=[true, 2, false]' --pass-config='test.Unroll={max_step = true, explicit_unroll = 0}' \
// RUN:   --pass-pipeline='builtin.module(test-print-config{keys=test.flag,test.count,test.scale,test.sizes,test.Unroll})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=EITHER
//      EITHER: test.flag = true
// EITHER-NEXT: test.count = 1 : i64
// EITHER-NEXT: test.scale = 1.000000e+00 : f64
// EITHER-NEXT: test.sizes = [1, 2, 0]
// EITHER-NEXT: test.Unroll = {explicit_unroll = false, max_step = 1 : i64}

// RUN: partita-test-opt --list-pass-configs | FileCheck %s --check-prefix=LIST
//      LIST: test.Unroll: UnrollConfig = {explicit_unroll = true, max_step = 8 : i64}
// LIST-NEXT:     A struct
// LIST-NEXT:     max_step: int = 8
// LIST-NEXT:         steps
// LIST-NEXT:     explicit_unroll: bool = true
// LIST-NEXT:         unroll, not annotate
// LIST-NEXT: test.count: int = 1 : i64
// LIST-NEXT:     A number

func.func @f() {
  return
}
