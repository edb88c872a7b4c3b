func.func @main(%x: tensor<2x3xf32>, %n: i32) -> i32 {
  %a = arith.addi %n, %n : i32
  %b = arith.muli %a, %n : i32
  %c = arith.addi %b, %n : i32
  return %c : i32
}
