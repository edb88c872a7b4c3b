// RUN: partita-opt %s --split-input-file --relax-legalize-ops | FileCheck %s

// Equal ops share a function; others are numbered as in TVM. The names of sizes
// do not matter to it.

// CHECK-LABEL: partita.module @names
// CHECK: %[[A:.*]] = relax.call_tir @add1(%{{.*}}, %{{.*}}) : (tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>)
// CHECK: relax.call_tir @add1(%[[A]], %{{.*}})
// CHECK: relax.call_tir @add2(
// CHECK: relax.call_tir @tir_exp(
// CHECK: @other
// CHECK: relax.call_tir @add1(
// CHECK: tir.prim_func @add(
// CHECK: tir.prim_func private @add1(%A: memref<?x4xf32>, %B: memref<4xf32>, %out: memref<?x4xf32>) attributes {tirx.noalias = true} {
// CHECK: %[[N:.*]] = memref.dim %out
// CHECK: %[[X:.*]] = bufferization.to_tensor %A restrict : memref<?x4xf32> to tensor<?x4xf32>
// CHECK: %[[Y:.*]] = bufferization.to_tensor %B restrict : memref<4xf32> to tensor<4xf32>
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[Y]] : tensor<?x4xf32>, tensor<4xf32>) outs(%[[E]] : tensor<?x4xf32>)
// CHECK: arith.addf
// CHECK: bufferization.materialize_in_destination %[[R]] in restrict writable %out : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
// CHECK-NEXT: tir.return
// CHECK: tir.prim_func private @add2(
// CHECK-NOT: tir.prim_func private @add3
partita.module @names {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<4xf32>)
      -> tensor<4xf32> {
    %0 = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %1 = relax.add %0, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %2 = relax.add %y, %y : tensor<4xf32>
    %3 = relax.exp %2 : tensor<4xf32>
    relax.return %3 : tensor<4xf32>
  }
  relax.func @other(%x: tensor<?x4xf32, #relax.shape<["m", 4]>>, %y: tensor<4xf32>)
      -> tensor<?x4xf32, #relax.shape<["m", 4]>> {
    %0 = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["m", 4]>>
    relax.return %0 : tensor<?x4xf32, #relax.shape<["m", 4]>>
  }
  tir.prim_func @add(%a: memref<4xf32>) {
    tir.return
  }
}

// -----

// A constant of rank 0 is a number of the function. Other numbers are passed, and
// so are sizes that no buffer has.

// CHECK-LABEL: partita.module @numbers
// CHECK: relax.call_tir @multiply(%{{.*}}) : (tensor<4xf16>) -> tensor<4xf16>
// CHECK: %[[N:.*]] = relax.dim ["n"] : i64
// CHECK: relax.call_tir @strided_slice(%[[N]], %{{.*}}) : (i64, tensor<8xf32>)
// CHECK: relax.call_tir @ones() : () -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK: tir.prim_func private @multiply(%A: memref<4xf16>
// CHECK: %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[P:.*]] = arith.mulf %[[W]], %[[C]] : f32
// CHECK: arith.truncf %[[P]] : f32 to f16
partita.module @numbers {
  relax.func @main(%x: tensor<4xf16>, %y: tensor<8xf32>, %z: tensor<?xf32, #relax.shape<["n"]>>)
      -> (tensor<4xf16>, tensor<?xf32, #relax.shape<["max(8 - n, 0)"]>>, tensor<?xf32, #relax.shape<["n"]>>) {
    %c = relax.constant dense<2.5> : tensor<f16>
    %0 = relax.multiply %x, %c : tensor<4xf16>, tensor<f16> -> tensor<4xf16>
    %axis = relax.prim_value 0 : i64
    %begin = relax.dim ["n"] : i64
    %end = relax.prim_value 8 : i64
    %axes = relax.tuple(%axis) : i64
    %begins = relax.tuple(%begin) : i64
    %ends = relax.tuple(%end) : i64
    %1 = "relax.strided_slice"(%y, %axes, %begins, %ends) : (tensor<8xf32>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?xf32, #relax.shape<["max(8 - n, 0)"]>>
    %s = relax.shape ["n"]
    %2 = relax.ones %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0, %1, %2 : tensor<4xf16>, tensor<?xf32, #relax.shape<["max(8 - n, 0)"]>>, tensor<?xf32, #relax.shape<["n"]>>
  }
}

// -----

// Upstream's named ops are used; products of unsigned integers, and of groups, are
// a linalg.generic.

// CHECK-LABEL: partita.module @named
// CHECK: tir.prim_func private @matmul(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x5xf32>) outs(
// CHECK: tir.prim_func private @matmul1(
// CHECK: linalg.batch_matmul
// CHECK: tir.prim_func private @matmul2(
// CHECK: linalg.generic
// CHECK: builtin.unrealized_conversion_cast %{{.*}} : ui8 to i8
// CHECK: tir.prim_func private @conv2d(
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: tir.prim_func private @conv2d1(
// CHECK: tensor.expand_shape
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape
partita.module @named {
  relax.func @main(%x: tensor<?x8xf32, #relax.shape<["n", 8]>>, %w: tensor<8x5xf32>,
                   %b: tensor<2x3x4xf16>, %c: tensor<2x4x3xf16>, %u: tensor<2x2xui8>)
      -> (tensor<?x5xf32, #relax.shape<["n", 5]>>, tensor<2x3x3xf16>, tensor<2x2xui8>) {
    %0 = relax.matmul %x, %w : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<8x5xf32> -> tensor<?x5xf32, #relax.shape<["n", 5]>>
    %1 = relax.matmul %b, %c : tensor<2x3x4xf16>, tensor<2x4x3xf16> -> tensor<2x3x3xf16>
    %2 = relax.matmul %u, %u : tensor<2x2xui8>
    relax.return %0, %1, %2 : tensor<?x5xf32, #relax.shape<["n", 5]>>, tensor<2x3x3xf16>, tensor<2x2xui8>
  }
  relax.func @conv(%x: tensor<1x4x8x8xf32>, %w: tensor<2x4x3x3xf32>, %g: tensor<2x2x3x3xf32>)
      -> (tensor<1x2x8x8xf32>, tensor<1x2x6x6xf32>) {
    %0 = relax.nn.conv2d %x, %w padding = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<2x4x3x3xf32> -> tensor<1x2x8x8xf32>
    %1 = relax.nn.conv2d %x, %g groups = 2 : tensor<1x4x8x8xf32>, tensor<2x2x3x3xf32> -> tensor<1x2x6x6xf32>
    relax.return %0, %1 : tensor<1x2x8x8xf32>, tensor<1x2x6x6xf32>
  }
}

// -----

// Several results are several outputs.

// CHECK-LABEL: partita.module @results
// CHECK: %{{.*}}:2 = relax.call_tir @split(%{{.*}}) : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
// CHECK: tir.prim_func private @split(%A: memref<4x6xf32>, %out0: memref<4x3xf32>, %out1: memref<4x3xf32>)
partita.module @results {
  relax.func @main(%x: tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
    %0:2 = "relax.split"(%x) {axis = 1 : i64, indices_or_sections = 2 : i64} : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
    relax.return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xf32>
  }
}

// -----

// Inside of blocks, branches and functions, too.

// CHECK-LABEL: partita.module @inner
// CHECK: relax.dataflow
// CHECK: relax.call_tir @relu
// CHECK: relax.if
// CHECK: relax.call_tir @tir_exp
// CHECK: relax.local_func
// CHECK: relax.call_tir @relu
partita.module @inner {
  relax.func @main(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.nn.relu %x : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    %z = relax.if %c : tensor<i1> -> tensor<8xf32> {
      %0 = relax.exp %y : tensor<8xf32>
      relax.yield %0 : tensor<8xf32>
    } else {
      relax.yield %y : tensor<8xf32>
    }
    %f = relax.local_func %self(%a) : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>> {
      %0 = relax.nn.relu %a : tensor<8xf32>
      relax.yield %0 : tensor<8xf32>
    }
    relax.return %z : tensor<8xf32>
  }
}

// -----

// Ops whose sizes are unknown, ops without a lowering, and calls stay.

// CHECK-LABEL: partita.module @left
// CHECK-NOT: call_tir @{{[^k]}}
// CHECK: relax.add
// CHECK: relax.exp
// CHECK: relax.nn.conv2d
// CHECK: relax.call_tir @kernel
// CHECK: relax.sort
// CHECK: relax.call_pure_packed
// CHECK: @skipped
// CHECK: relax.nn.relu
// CHECK: tir.prim_func private @kernel
// CHECK-NOT: tir.prim_func
partita.module @left {
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32, #relax.shape<["m"]>>,
                   %z: tensor<*xf32>, %d: tensor<1x1x8x8x4xf32>, %w: tensor<1x1x3x3x4x4xf32>)
      -> tensor<?xf32> {
    %0 = relax.add %x, %y : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["m"]>> -> tensor<?xf32>
    %1 = relax.exp %z : tensor<*xf32>
    %2 = relax.nn.conv2d %d, %w data_layout = "NCHW4c" kernel_layout = "OIHW4i4o" : tensor<1x1x8x8x4xf32>, tensor<1x1x3x3x4x4xf32> -> tensor<1x1x6x6x4xf32>
    %3 = relax.call_tir @kernel(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
    %4 = "relax.sort"(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
    %f = relax.extern_func "f"
    %5 = relax.call_pure_packed(%f, %x) ty_args = [tensor<?xf32>] : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization = true} {
    %0 = relax.nn.relu %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @kernel(%a: memref<?xf32>, %b: memref<?xf32>) {
    tir.return
  }
}
