func.func @f(%x: i32) -> i32 {
  %a = arith.constant 3 : i32
  %0 = arith.addi %x, %a : i32
  %1 = arith.addi %0, %a : i32
  %2 = arith.addi %1, %a : i32
  return %2 : i32
}
func.func @g(%x: i32) -> i32 {
  %a = arith.constant 3 : i32
  %0 = arith.addi %x, %a : i32
  %1 = arith.addi %0, %a : i32
  %2 = arith.addi %1, %a : i32
  return %2 : i32
}
