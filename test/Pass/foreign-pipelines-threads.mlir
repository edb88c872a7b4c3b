// Sequentials that run beside each other, with passes that run Sequentials on
// threads of their own. Each inner Sequential belongs to the pass that has
// started it, whatever else the thread is in. A thread that waits takes up the
// work of any other.

// DEFINE: %{run} = partita-opt %s -o /dev/null --instrument=timing --pass-pipeline='builtin.module(composite-fixed-point-pass{name=FP pipeline=any(sequential{name=N passes=builtin.module(inline{op-pipelines=func.func(cse,sequential{name=M passes=func.func(cse)})})})},canonicalize)'
// DEFINE: %{names} = sed 's/: .*//'
// RUN: %{run} --mlir-disable-threading 2>&1 | %{names} > %t.one
// RUN: FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.one
// RUN: %{run} 2>&1 | %{names} | diff %t.one -
// RUN: %{run} --instrument='bisect{print=false}' 2>&1 | %{names} | diff %t.one -
// RUN: %{run} 2>&1 | %{names} | diff %t.one -
// RUN: %{run} --instrument='bisect{print=false}' 2>&1 | %{names} | diff %t.one -
//      CHECK:sequential
// CHECK-NEXT:	composite-fixed-point-pass
// CHECK-NEXT:		N
// CHECK-NEXT:			inline
// CHECK-NEXT:				M
// CHECK-NEXT:					cse
//  CHECK-NOT:	composite-fixed-point-pass
//      CHECK:	canonicalize

module @m0 {
  func.func private @g(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @f(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @g(%0) : (i32) -> i32
    return %1 : i32
  }
  func.func @h(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @f(%0) : (i32) -> i32
    return %1 : i32
  }
}
module @m1 {
  func.func private @g(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @f(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @g(%0) : (i32) -> i32
    return %1 : i32
  }
  func.func @h(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @f(%0) : (i32) -> i32
    return %1 : i32
  }
}
module @m2 {
  func.func private @g(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @f(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @g(%0) : (i32) -> i32
    return %1 : i32
  }
  func.func @h(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @f(%0) : (i32) -> i32
    return %1 : i32
  }
}
module @m3 {
  func.func private @g(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  func.func @f(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @g(%0) : (i32) -> i32
    return %1 : i32
  }
  func.func @h(%x: i32) -> i32 {
    %0 = func.call @g(%x) : (i32) -> i32
    %1 = func.call @f(%0) : (i32) -> i32
    return %1 : i32
  }
}
