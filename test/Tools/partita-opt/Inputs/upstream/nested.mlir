// Modules in modules, other function-like ops, and a function that Partita's
// policy would leave alone.
module @outer {
  module @inner {
    func.func @f(%x: vector<4xf32>) -> vector<4xf32> {
      %0 = arith.addf %x, %x : vector<4xf32>
      %1 = arith.addf %x, %x : vector<4xf32>
      %2 = vector.shuffle %0, %1 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
      return %2 : vector<4xf32>
    }
  }
  gpu.module @kernels {
    gpu.func @k(%x: f32, %out: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %0 = arith.mulf %x, %x : f32
      %1 = arith.mulf %x, %x : f32
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %out[%c0] : memref<1xf32>
      gpu.return
    }
  }
  func.func @g(%x: i32) -> i32 attributes {SkipOptimization} {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
}
