func.func private @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}

func.func @main(%x: i32) -> i32 {
  %0 = call @twice(%x) : (i32) -> i32
  %1 = call @twice(%x) : (i32) -> i32
  %2 = arith.subi %0, %1 : i32
  return %2 : i32
}
