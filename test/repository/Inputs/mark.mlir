func.func @value(%x: i32) -> i32 {
  return %x : i32
}
func.func @nothing(%x: i32) {
  %0 = arith.addi %x, %x : i32
  return
}
