func.func @first(%x: i1) -> i1 {
  %0 = arith.andi %x, %x : i1
  return %0 : i1
}

// -----

func.func @second(%x: complex<f32>) -> f32 {
  %0 = complex.re %x : complex<f32>
  %1 = complex.re %x : complex<f32>
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}
