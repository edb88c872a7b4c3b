// RUN: partita-opt --pass-pipeline='builtin.module(partita.module(tir.prim_func(convert-linalg-to-tir)))' --split-input-file %s | FileCheck %s
// RUN: partita-opt --partita-lower-to-func --split-input-file %s -o /dev/null

// The fill is the block's init. Sizes that ops share are one variable.

// CHECK-LABEL: tir.prim_func @matmul(
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<4x3xf32>, %[[OUT:.*]]: memref<?x3xf32>) attributes {s_tir = true}
// CHECK-DAG: %[[N:.*]] = tir.var : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK: tir.buffer %[[A]] shape(%[[N]], %{{.*}} : i64, i64) {index_type = i64}
// CHECK: tir.buffer %[[B]] {index_type = i64}
// CHECK: tir.buffer %[[OUT]] shape(%[[N]], %{{.*}} : i64, i64)
// CHECK: tir.block "root" [] where
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C1]]  : i64
// CHECK: tir.block "matmul" ["spatial", "spatial", "reduce"](%[[I]],
// CHECK: ^bb0(%[[VI:.*]]: i64, %[[VJ:.*]]: i64, %[[VK:.*]]: i64):
// CHECK: tir.reads %[[A]][%[[VI]], %[[VK]] : i64, i64] [%[[C1]], %[[C1]] : i64, i64]
// CHECK: tir.reads %[[B]][%[[VK]], %[[VJ]] :
// CHECK-NOT: tir.reads
// CHECK: tir.writes %[[OUT]][%[[VI]], %[[VJ]] :
// CHECK: tir.init {
// CHECK-NEXT: memref.store %{{.*}}, %[[OUT]]
// CHECK-NOT: tir.block
// CHECK: tir.return
partita.module {
  tir.prim_func @matmul(%a: memref<?x4xf32>, %b: memref<4x3xf32>, %out: memref<?x3xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %out, %c0 : memref<?x3xf32>
    %0 = bufferization.to_tensor %a restrict : memref<?x4xf32> to tensor<?x4xf32>
    %1 = bufferization.to_tensor %b restrict : memref<4x3xf32> to tensor<4x3xf32>
    %2 = tensor.empty(%n) : tensor<?x3xf32>
    %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<?x3xf32>) -> tensor<?x3xf32>
    %4 = linalg.matmul ins(%0, %1 : tensor<?x4xf32>, tensor<4x3xf32>) outs(%3 : tensor<?x3xf32>) -> tensor<?x3xf32>
    bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<?x3xf32>, memref<?x3xf32>) -> ()
    tir.return
  }
}

// -----

// A sum that may have no terms keeps its fill, which TVM's init would not run.
// Steps in between have a buffer of the root block.

// CHECK-LABEL: tir.prim_func @sum(
// CHECK-SAME: %[[A:.*]]: memref<3x?xf32>, %[[OUT:.*]]: memref<3xf32>)
// CHECK: tir.block "root"
// CHECK-NEXT: %[[T:.*]] = tir.block_buffer {index_type = i64} : memref<3xf32>
// CHECK: tir.block "fill" ["spatial"]
// CHECK: tir.writes %[[T]]
// CHECK: tir.block "sum" ["spatial", "reduce"]
// CHECK: tir.reads %[[A]]
// CHECK: tir.reads %[[T]]
// CHECK: tir.writes %[[T]]
// CHECK-NOT: tir.init
// CHECK: tir.block "exp" ["spatial"]
// CHECK: tir.reads %[[T]]
// CHECK: tir.writes %[[OUT]]
partita.module {
  tir.prim_func @sum(%a: memref<3x?xf32>, %out: memref<3xf32>) {
    %zero = arith.constant 0.0 : f32
    %0 = bufferization.to_tensor %a restrict : memref<3x?xf32> to tensor<3x?xf32>
    %1 = tensor.empty() : tensor<3xf32>
    %2 = linalg.fill ins(%zero : f32) outs(%1 : tensor<3xf32>) -> tensor<3xf32>
    %3 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%0 : tensor<3x?xf32>) outs(%2 : tensor<3xf32>) {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %y, %x : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    %4 = tensor.empty() : tensor<3xf32>
    %5 = linalg.exp ins(%3 : tensor<3xf32>) outs(%4 : tensor<3xf32>) -> tensor<3xf32>
    bufferization.materialize_in_destination %5 in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
    tir.return
  }
}

// -----

// Views become indices. Padding is a choice in one block.

// CHECK-LABEL: tir.prim_func @views(
// CHECK-SAME: %[[A:.*]]: memref<6xf32>, %[[OUT:.*]]: memref<2x4xf32>)
// CHECK: tir.block "views" ["spatial", "spatial"]
// CHECK: ^bb0(%[[I:.*]]: i64, %[[J:.*]]: i64):
// CHECK: %[[X:.*]] = scf.if
// CHECK: memref.load %[[A]][
// CHECK: tir.block "square" ["spatial", "spatial"]
// CHECK: %[[X:.*]] = memref.load
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK: memref.store %{{.*}}, %[[OUT]][
partita.module {
  tir.prim_func @views(%a: memref<6xf32>, %out: memref<2x4xf32>) {
    %zero = arith.constant 0.0 : f32
    %0 = bufferization.to_tensor %a restrict : memref<6xf32> to tensor<6xf32>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %2 = tensor.pad %1 low[0, 1] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<2x3xf32> to tensor<2x4xf32>
    %3 = tensor.empty() : tensor<2x4xf32>
    %4 = linalg.square ins(%2 : tensor<2x4xf32>) outs(%3 : tensor<2x4xf32>) -> tensor<2x4xf32>
    bufferization.materialize_in_destination %4 in restrict writable %out : (tensor<2x4xf32>, memref<2x4xf32>) -> ()
    tir.return
  }
}

// -----

// Indices that are read declare all of a buffer. TVM's operators stand for ops
// that it lacks.

// CHECK-LABEL: tir.prim_func @gather(
// CHECK-SAME: %[[A:.*]]: memref<8xf32>, %[[I:.*]]: memref<3xi64>, %[[OUT:.*]]: memref<3xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG: tir.reads %[[I]][%{{.*}} : i64] [%{{.*}} : i64] : memref<3xi64>
// CHECK-DAG: tir.reads %[[A]][%[[C0]] : i64] [%[[C8]] : i64] : memref<8xf32>
// CHECK: tir.prim "Max"
// CHECK: tir.call_intrin pure "tirx.isnan"
partita.module {
  tir.prim_func @gather(%a: memref<8xf32>, %i: memref<3xi64>, %out: memref<3xf32>) {
    %zero = arith.constant 0.0 : f32
    %0 = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
    %1 = bufferization.to_tensor %i restrict : memref<3xi64> to tensor<3xi64>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
    } ins(%1 : tensor<3xi64>) outs(%2 : tensor<3xf32>) {
    ^bb0(%x: i64, %y: f32):
      %where = arith.index_cast %x : i64 to index
      %e = tensor.extract %0[%where] : tensor<8xf32>
      %m = arith.maximumf %e, %zero : f32
      %is_nan = arith.cmpf uno, %e, %e : f32
      %s = arith.select %is_nan, %zero, %m : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
    tir.return
  }
}

// -----

// Loops that write to a tensor are a block. No loop is left of an op without
// iterations. Functions without tensors stay.

// CHECK-LABEL: tir.prim_func @scatter(
// CHECK-SAME: %{{.*}}: memref<3xi64>, %[[OUT:.*]]: memref<8xf32>)
// CHECK: tir.block "root"
// CHECK: tir.block "scatter" [] where
// CHECK: tir.reads
// CHECK: tir.writes %[[OUT]]
// CHECK: scf.for
// CHECK-LABEL: tir.prim_func @empty(
// CHECK-NOT: scf.for
// CHECK-LABEL: tir.prim_func @plain(%{{.*}}: memref<?xf32>) {
// CHECK-NEXT: tir.return
partita.module {
  tir.prim_func @scatter(%i: memref<3xi64>, %out: memref<8xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    %0 = bufferization.to_tensor %i restrict : memref<3xi64> to tensor<3xi64>
    %1 = tensor.empty() : tensor<8xf32>
    %2 = linalg.fill ins(%one : f32) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
    %3 = scf.for %k = %c0 to %c3 step %c1 iter_args(%t = %2) -> (tensor<8xf32>) {
      %x = tensor.extract %0[%k] : tensor<3xi64>
      %where = arith.index_cast %x : i64 to index
      %4 = tensor.insert %one into %t[%where] : tensor<8xf32>
      scf.yield %4 : tensor<8xf32>
    }
    bufferization.materialize_in_destination %3 in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
    tir.return
  }
  tir.prim_func @empty(%a: memref<0x4xf32>, %out: memref<0x4xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<0x4xf32> to tensor<0x4xf32>
    %1 = tensor.empty() : tensor<0x4xf32>
    %2 = linalg.exp ins(%0 : tensor<0x4xf32>) outs(%1 : tensor<0x4xf32>) -> tensor<0x4xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<0x4xf32>, memref<0x4xf32>) -> ()
    tir.return
  }
  tir.prim_func @plain(%a: memref<?xf32>) {
    tir.return
  }
}

// -----

// A buffer of a loop is one of the root block.

// CHECK-LABEL: tir.prim_func @loop(
// CHECK: tir.block "root"
// CHECK-NEXT: %[[T:.*]] = tir.block_buffer {index_type = i64} : memref<4xf32>
// CHECK: scf.for
// CHECK: tir.block "exp"
// CHECK: tir.writes %[[T]]
// CHECK: tir.block "log"
// CHECK: tir.reads %[[T]]
partita.module {
  tir.prim_func @loop(%a: memref<4xf32>, %out: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
    %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %0) -> (tensor<4xf32>) {
      %2 = tensor.empty() : tensor<4xf32>
      %3 = linalg.exp ins(%t : tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
      %4 = linalg.log ins(%3 : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
      scf.yield %4 : tensor<4xf32>
    }
    bufferization.materialize_in_destination %1 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    tir.return
  }
}

// -----

// TVM finds blocks by name.

// CHECK-LABEL: tir.prim_func @names(
// CHECK: tir.block "exp" ["spatial"]
// CHECK: tir.block "exp_1" ["spatial"]
// CHECK: tir.block "exp_2" ["spatial"]
partita.module {
  tir.prim_func @names(%a: memref<4xf32>, %out: memref<4xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.exp ins(%0 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.exp ins(%2 : tensor<4xf32>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4xf32>
    %6 = linalg.exp ins(%4 : tensor<4xf32>) outs(%5 : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %6 in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    tir.return
  }
}

// -----

// A reshape of unknown sizes computes indices by the parameter's sizes.
partita.module @symbolic_reshape {
  // CHECK-LABEL: tir.prim_func private @flatten
  // CHECK: %[[N:.*]] = tir.var : i64
  // CHECK: tir.buffer %{{.*}} shape(%{{.*}}, %[[N]] : i64, i64)
  // CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : i64 to index
  // CHECK: ^bb0(%[[I:.*]]: i64):
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]]
  // CHECK-DAG: tir.prim "FloorMod"(%[[INDEX]], %[[SIZE]])
  // CHECK-DAG: arith.floordivsi %[[INDEX]], %[[SIZE]]
  // CHECK-NOT: memref.extract_strided_metadata
  tir.prim_func private @flatten(%a: memref<2x?xf32>, %out: memref<?xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<2x?xf32> to tensor<2x?xf32>
    %collapsed = tensor.collapse_shape %0 [[0, 1]] : tensor<2x?xf32> into tensor<?xf32>
    bufferization.materialize_in_destination %collapsed in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
    tir.return
  }
}

// -----

// A dimension is a product of any number of others.

// CHECK-LABEL: tir.prim_func private @flatten_three(
// CHECK: %[[N:.*]] = tir.var : i64
// CHECK: %[[M:.*]] = tir.var : i64
// CHECK: tir.buffer %{{.*}} shape(%[[N]], %[[M]], %{{.*}} : i64, i64, i64)
// CHECK-NOT: memref.dim
partita.module {
  tir.prim_func private @flatten_three(%a: memref<?x?x3xf32>, %out: memref<?xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<?x?x3xf32> to tensor<?x?x3xf32>
    %collapsed = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<?x?x3xf32> into tensor<?xf32>
    bufferization.materialize_in_destination %collapsed in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
    tir.return
  }
}

// -----

// A buffer whose size has a name is there before it is accessed, also where a
// number that a loop carries makes all of the code one block.

// CHECK-LABEL: tir.prim_func private @of_n(
// CHECK: tir.block "of_n" []
// CHECK-NOT: tir.writes %T_0
// CHECK: %[[T:.*]] = tir.block_buffer shape(%{{.*}} : i64) {{.*}}memref<?xf32>
// CHECK: memref.store %{{.*}}, %[[T]]
partita.module {
  tir.prim_func private @of_n(%a: memref<?xf32>, %out: memref<f32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %n = memref.dim %a, %c0 : memref<?xf32>
    %x = bufferization.to_tensor %a restrict : memref<?xf32> to tensor<?xf32>
    %count = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (i64) {
      %next = arith.addi %sofar, %one : i64
      scf.yield %next : i64
    }
    %end = arith.index_cast %count : i64 to index
    %empty = tensor.empty(%n) : tensor<?xf32>
    %copy = scf.for %i = %c0 to %end step %c1 iter_args(%t = %empty) -> (tensor<?xf32>) {
      %e = tensor.extract %x[%i] : tensor<?xf32>
      %u = tensor.insert %e into %t[%i] : tensor<?xf32>
      scf.yield %u : tensor<?xf32>
    }
    %first = tensor.extract %copy[%c0] : tensor<?xf32>
    %scalar = tensor.empty() : tensor<f32>
    %result = tensor.insert %first into %scalar[] : tensor<f32>
    bufferization.materialize_in_destination %result in restrict writable %out : (tensor<f32>, memref<f32>) -> ()
    tir.return
  }
}

// -----

// Blocks that are there keep what they say, and their own buffers are nothing
// to the blocks around them.

// CHECK-LABEL: tir.prim_func @mixed(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK: tir.block "root" []
// CHECK-NEXT: tir.block "root_1" []
// CHECK-NEXT: tir.reads %[[X]]
// CHECK-NEXT: tir.writes %[[Y]]
// CHECK-NEXT: %[[T:.*]] = tir.block_buffer : memref<8xf32>
// CHECK: tir.block "first"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tir.writes %[[T]]
// CHECK-NEXT: arith.index_cast
// CHECK-NEXT: memref.store
partita.module {
  tir.prim_func @mixed(%x: memref<8xf32>, %y: memref<8xf32>) attributes {s_tir = true, tirx.noalias = true} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    %true = arith.constant true
    %f = arith.constant 0.0 : f32
    tir.block "root" [] where %true {
      %t = tir.block_buffer : memref<8xf32>
      scf.for %i = %c0 to %c8 step %c1 : i64 {
        tir.block "first" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64) where %true {
        ^bb0(%vi: i64):
          tir.writes %t[%vi : i64] [%c1 : i64] : memref<8xf32>
          %0 = arith.index_cast %vi : i64 to index
          memref.store %f, %t[%0] : memref<8xf32>
        }
      }
      linalg.add ins(%t, %x : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
    }
    tir.return
  }
}

// -----

// A loop keeps the numbers that it carries in buffers of its block.

// CHECK-LABEL: tir.prim_func @carried
// CHECK: tir.block "carried"
// CHECK: %[[T:.*]] = tir.block_buffer {{.*}}memref<1xf32>
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[^ ]*}} {
// CHECK: %[[SUM:.*]] = memref.load %[[T]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]],
// CHECK: memref.store %[[NEXT]], %[[T]]
// CHECK: memref.load %[[T]]
partita.module {
  tir.prim_func @carried(%A: memref<4x8xf32>, %out: memref<4xf32>) {
    %a = bufferization.to_tensor %A restrict : memref<4x8xf32> to tensor<4x8xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
    ^bb0(%unused: f32):
      %i = linalg.index 0 : index
      %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = tensor.extract %a[%i, %k] : tensor<4x8xf32>
        %n = arith.addf %sum, %x : f32
        scf.yield %n : f32
      }
      linalg.yield %s : f32
    } -> tensor<4xf32>
    bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
    tir.return
  }
}

// -----

// A choice of a number or a bound uses the number once. If both are numbers,
// NaN makes a difference to some of TVM's targets.

// CHECK-LABEL: tir.prim_func @clamped(
// CHECK: %[[X:.*]] = memref.load
// CHECK-NEXT: %[[MAX:.*]] = tir.prim "Max"(%[[X]], %cst{{.*}}) : (f32, f32) -> f32
// CHECK-NEXT: %[[MIN:.*]] = tir.prim "Min"(%[[MAX]], %cst{{.*}}) : (f32, f32) -> f32
// CHECK: arith.select %{{.*}}, %[[MIN]], %[[X]] : f32
partita.module {
  tir.prim_func @clamped(%a: memref<3xf32>, %out: memref<3xf32>) {
    %least = arith.constant -1.0 : f32
    %most = arith.constant 1.0 : f32
    %0 = bufferization.to_tensor %a restrict : memref<3xf32> to tensor<3xf32>
    %1 = tensor.empty() : tensor<3xf32>
    %2 = linalg.map ins(%0 : tensor<3xf32>) outs(%1 : tensor<3xf32>)
      (%x: f32, %y: f32) {
        %above = arith.cmpf olt, %least, %x : f32
        %3 = arith.select %above, %x, %least : f32
        %below = arith.cmpf olt, %3, %most : f32
        %4 = arith.select %below, %3, %most : f32
        %less = arith.cmpf olt, %4, %x : f32
        %5 = arith.select %less, %4, %x : f32
        linalg.yield %5 : f32
      }
    bufferization.materialize_in_destination %2 in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
    tir.return
  }
}
