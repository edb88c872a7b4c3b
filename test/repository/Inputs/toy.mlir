func.func @f(%x: i32) -> i32 {
  %0 = toy.twice %x
  %1 = toy.twice %x
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
func.func private @unused(%x: i32) -> i32 {
  return %x : i32
}
