partita.module @m {
  tir.prim_func @f(%m: memref<8xf32>, %v: f32, %i: index) {
    %zero = arith.constant 0 : i128
    %one = arith.constant 1 : i128
    %huge = arith.constant 36893488147419103232 : i128
    %huger = arith.constant 36893488147419103234 : i128
    scf.for COMPARE%k = %huge to %huger step %one : i128 {
      memref.store %v, %m[%i] : memref<8xf32>
    }
    scf.for COMPARE%k = %zero to %huge step %huge : i128 {
      memref.store %v, %m[%i] : memref<8xf32>
    }
    scf.for COMPARE%k = %zero to %huge step %one : i128 {
      memref.store %v, %m[%i] : memref<8xf32>
    }
    tir.return
  }
}
