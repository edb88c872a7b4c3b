// While a thread verifies the functions of a module, it takes passes on other
// functions. Errors of these passes are no errors of the verifier.

// DEFINE: %{saving} =
// DEFINE: %{run} = partita-opt %s %{saving} -verify-diagnostics -o /dev/null --pass-pipeline='builtin.module(any(convert-arith-to-emitc))'
// DEFINE: %{runs} = %{run} && %{run} && %{run} && %{run} && %{run}
// REDEFINE: %{saving} = --verify=changed
// RUN: %{runs} && %{runs}
// REDEFINE: %{saving} = --skip-unchanged
// RUN: %{runs} && %{runs}
// REDEFINE: %{saving} = --verify=changed --pass-cache=%t.cache
// RUN: %{runs} && %{runs}

module @nested {
  func.func @f(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
  func.func @g(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
}
func.func @fails(%x: vector<2xi16>) {
  // expected-error @below {{failed to legalize operation 'arith.divui'}}
  %0 = arith.divui %x, %x : vector<2xi16>
  return
}
