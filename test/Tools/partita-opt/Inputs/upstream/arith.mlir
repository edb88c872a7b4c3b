// Folding, common subexpressions, dead code, calls to inline, private symbols.
func.func private @double(%x: i32) -> i32 {
  %two = arith.constant 2 : i32
  %0 = arith.muli %x, %two : i32
  return %0 : i32
}

func.func private @unused(%x: f32) -> f32 {
  return %x : f32
}

func.func @main(%x: i32, %y: i32) -> (i32, i32) {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c7 = arith.addi %c3, %c4 : i32
  %0 = arith.addi %x, %y : i32
  %1 = arith.addi %x, %y : i32
  %2 = arith.muli %0, %1 : i32
  %dead = arith.subi %2, %c7 : i32
  %3 = call @double(%2) : (i32) -> i32
  %4 = call @double(%c7) : (i32) -> i32
  return %3, %4 : i32, i32
}

func.func @branches(%cond: i1, %x: i64) -> i64 {
  cf.cond_br %cond, ^bb1(%x : i64), ^bb2
^bb1(%a: i64):
  %c1 = arith.constant 1 : i64
  %b = arith.addi %a, %c1 : i64
  cf.br ^bb3(%b : i64)
^bb2:
  %c0 = arith.constant 0 : i64
  cf.br ^bb3(%c0 : i64)
^bb3(%result: i64):
  return %result : i64
}
