// b += a * by. Returns the number of elements.
partita.module {
  tir.prim_func @accumulate(%a: memref<?xf32>, %b: memref<?xf32>, %by: f32) attributes {tir.ret_type = i64} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %n = tir.var : i64
    tir.buffer %a shape(%n : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %b shape(%n : i64) {index_type = i64} : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 : i64 {
      %0 = arith.index_cast %i : i64 to index
      %1 = memref.load %a[%0] : memref<?xf32>
      %2 = arith.mulf %1, %by : f32
      %3 = memref.load %b[%0] : memref<?xf32>
      %4 = arith.addf %3, %2 : f32
      memref.store %4, %b[%0] : memref<?xf32>
    }
    tir.ret %n : i64
    tir.return
  }
}
