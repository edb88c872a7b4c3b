// The pipeline of a reproducer has the passes with their options, also where
// others stand in for them.
// DEFINE: %{passes} = partita-opt %s --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-sizes=8,8,4}),canonicalize{top-down=false})' -o /dev/null --mlir-generate-reproducer=%t.mlir
// RUN: %{passes} --skip-unchanged
// RUN: FileCheck %s < %t.mlir
// RUN: partita-opt %t.mlir --run-reproducer -o /dev/null
// RUN: %{passes} --nest-in-functions
// RUN: FileCheck %s < %t.mlir
// RUN: %{passes} --verify=end
// RUN: FileCheck %s < %t.mlir
// RUN: %{passes} --pass-cache=%t.cache
// RUN: FileCheck %s < %t.mlir

// CHECK: pipeline: "builtin.module(func.func(affine-loop-tile{tile-sizes={8,8,4}}),canonicalize{top-down=false})"

// The last value of a key counts.
// RUN: %{passes} --skip-unchanged --pass-config=partita.skip_unchanged=false
// RUN: FileCheck %s --check-prefix=KEY < %t.mlir
// RUN: partita-opt %t.mlir --run-reproducer -o /dev/null
// KEY: config = {\22partita.skip_unchanged\22 = true}

func.func @f(%m: memref<64x64xf32>, %v: f32) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.store %v, %m[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
