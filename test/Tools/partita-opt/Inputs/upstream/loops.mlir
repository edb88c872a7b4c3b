// Loops of scf and affine over memrefs.
#even = affine_map<(d0) -> (d0 * 2)>

memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

func.func @sum(%buffer: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %invariant = arith.addf %zero, %zero : f32
    %0 = memref.load %buffer[%i] : memref<?xf32>
    %1 = arith.addf %acc, %0 : f32
    %2 = arith.addf %1, %invariant : f32
    scf.yield %2 : f32
  }
  return %sum : f32
}

func.func @evens(%in: memref<8xf32>, %out: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %j = affine.apply #even(%i)
    %0 = affine.load %in[%j] : memref<8xf32>
    %1 = affine.load %in[%j] : memref<8xf32>
    %2 = arith.mulf %0, %1 : f32
    affine.store %2, %out[%i] : memref<4xf32>
  }
  return
}

func.func @pick(%cond: i1) -> f32 {
  %c2 = arith.constant 2 : index
  %table = memref.get_global @table : memref<4xf32>
  %0 = scf.if %cond -> f32 {
    %1 = memref.load %table[%c2] : memref<4xf32>
    scf.yield %1 : f32
  } else {
    %2 = arith.constant -1.0 : f32
    scf.yield %2 : f32
  }
  return %0 : f32
}
