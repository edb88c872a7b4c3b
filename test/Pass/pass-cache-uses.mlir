// Results have the orders of uses that passes have left, of values and blocks.
// MLIR's bytecode gives back the inverse of some, and has none for blocks.

// DEFINE: %{uses} = partita-test-opt %s --emit-bytecode
// RUN: rm -rf %t.cache
// RUN: %{uses} --pass-pipeline='builtin.module(func.func(test-reverse-uses{third}))' -o %t.plain
// RUN: %{uses} --pass-pipeline='builtin.module(func.func(test-reverse-uses{third}))' -o %t.cold --pass-cache=%t.cache
// RUN: %{uses} --pass-pipeline='builtin.module(func.func(test-reverse-uses{third}))' -o %t.warm --pass-cache=%t.cache
// RUN: diff %t.plain %t.cold && diff %t.plain %t.warm

// The same pass twice: the second turns what the first has left once more.
// DEFINE: %{twice} = %{uses} --pass-pipeline='builtin.module(func.func(test-reverse-uses{third}),symbol-dce,func.func(test-reverse-uses{third}))'
// RUN: %{twice} -o %t.plain && %{twice} -o %t.warm --pass-cache=%t.cache && diff %t.plain %t.warm
// RUN: %{twice} -o %t.warm --pass-cache=%t.cache && diff %t.plain %t.warm

func.func @values(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  %2 = arith.addi %1, %x : i32
  %3 = arith.addi %2, %x : i32
  %4 = arith.addi %3, %x : i32
  %5 = arith.addi %4, %x : i32
  %6 = arith.addi %5, %x : i32
  return %6 : i32
}
