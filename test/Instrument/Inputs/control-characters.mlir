module @"m\1B[31m" {
  func.func @"f\1B[31m\C2\9Bx\07"(%x: i32) -> i32 {
    %c = arith.constant 0 : i32
    %0 = arith.addi %x, %c : i32
    "a.\1Bb"() : () -> ()
    return %0 : i32
  }
}
