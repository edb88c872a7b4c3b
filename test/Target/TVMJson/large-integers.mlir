// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: partita-translate --import-tvm-json --strict %t.json | FileCheck %s
// RUN: sed 's/"18446744073709551615"/"5"/' %t.json | not partita-translate --import-tvm-json --strict 2>&1 | FileCheck --check-prefix=SMALL %s
// RUN: sed 's/"uint64"/"int64"/' %t.json | not partita-translate --import-tvm-json --strict 2>&1 | FileCheck --check-prefix=SIGNED %s

// TVM has an ffi.BigInt for what a uint64 can hold, but an int64 can't.

// JSON: {"type": "int", "data": 9223372036854775807}
// JSON: {"type": "ffi.BigInt", "data": "9223372036854775808"}
// JSON: {"type": "ffi.BigInt", "data": "18446744073709551615"}

// SMALL: expected an unsigned integer of 64 bits that is no int, found '5', at node {{.*}} (ffi.BigInt) in @large
// SIGNED: expected a number of its integer type, found 9223372036854775808, at node {{.*}} (ir.IntImm) in @large

// CHECK-LABEL: tir.prim_func private @large(
// CHECK: tir.constant 9223372036854775807 : ui64
// CHECK: tir.constant 9223372036854775808 : ui64
// CHECK: tir.constant 18446744073709551615 : ui64
partita.module {
  tir.prim_func private @large(%a: memref<3xui64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0 = tir.constant 9223372036854775807 : ui64 -> ui64
    memref.store %0, %a[%c0] : memref<3xui64>
    %1 = tir.constant 9223372036854775808 : ui64 -> ui64
    memref.store %1, %a[%c1] : memref<3xui64>
    %2 = tir.constant 18446744073709551615 : ui64 -> ui64
    memref.store %2, %a[%c2] : memref<3xui64>
    tir.return
  }
}
