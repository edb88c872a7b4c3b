// RUN: partita-opt --convert-partita-to-func --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @partita.main(
// CHECK-SAME: %[[X:.*]]: memref<?x4xf32>) -> memref<?x4xf32>
// CHECK-SAME: attributes {llvm.emit_c_interface}
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[DIM:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK: %[[N:.*]] = arith.index_cast %[[DIM]] : index to i64
// CHECK: arith.cmpi sge, %[[N]], %{{.*}} : i64
// CHECK: arith.cmpf ole, %{{.*}}, %{{.*}} : f64
// CHECK: call @partita_runtime_fail
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: %[[OUT:.*]] = memref.alloc(%[[SIZE]]) : memref<?x4xf32>
// CHECK: call @partita.exp(%[[X]], %[[OUT]]) : (memref<?x4xf32>, memref<?x4xf32>) -> ()
// CHECK: return %[[OUT]]

// CHECK: func.func private @partita.exp(%{{.*}}: memref<?x4xf32>, %{{.*}}: memref<?x4xf32>) {
// CHECK-NOT: llvm.emit_c_interface
// CHECK: return
// CHECK: llvm.mlir.global external constant @partita_metadata(
// CHECK-SAME: {\22functions\22:{\22main\22:{\22params\22:[{\22dtype\22:\22float32\22,\22kind\22:\22tensor\22,\22name\22:\22x\22,\22shape\22:[\22n\22,4]}]
// CHECK-NOT: partita.module
partita.module @calls {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>)
      -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    %0 = relax.call_tir @exp(%x)
      : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    relax.return %0 : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
  tir.prim_func private @exp(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
    linalg.exp ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
    tir.return
  }
}

// -----

// Expressions, shapes, numbers and tuples.

// CHECK-LABEL: func.func @partita.sizes(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[S0:.*]]: i64, %[[S1:.*]]: i64, %[[K:.*]]: i64) -> (memref<?xf32>, i64, i64, i64)
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[DOUBLE:.*]] = arith.muli %[[S0]], %[[C2]] : i64
// CHECK-DAG: %[[DIFFERENCE:.*]] = arith.subi %[[C8]], %[[S0]] : i64
// CHECK: %[[MAX:.*]] = arith.maxsi %[[DIFFERENCE]], %[[C0]] : i64
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: return %{{.*}}, %[[DOUBLE]], %[[MAX]], %[[K]]
partita.module @values {
  relax.func @sizes(%x: tensor<?xf32, #relax.shape<["m"]>>, %s: !relax.shape<["n", 4]>,
                    %k: i64 {relax.dim = "k"})
      -> (tensor<?xf32, #relax.shape<["m"]>>, !relax.shape<["n * 2", "max(8 - n, 0)"]>, i64) {
    %0 = relax.shape ["n * 2", "max(8 - n, 0)"]
    %t = relax.tuple(%x, %0) : tensor<?xf32, #relax.shape<["m"]>>, !relax.shape<["n * 2", "max(8 - n, 0)"]>
    %1 = relax.tuple_get_item %t[0] : tuple<tensor<?xf32, #relax.shape<["m"]>>, !relax.shape<["n * 2", "max(8 - n, 0)"]>>
    %2 = relax.tuple_get_item %t[1] : tuple<tensor<?xf32, #relax.shape<["m"]>>, !relax.shape<["n * 2", "max(8 - n, 0)"]>>
    %n = relax.dim ["k"] : i64
    %copy = relax.call_tir @copy(%1) : (tensor<?xf32, #relax.shape<["m"]>>) -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return %copy, %2, %n : tensor<?xf32, #relax.shape<["m"]>>, !relax.shape<["n * 2", "max(8 - n, 0)"]>, i64
  }
  tir.prim_func private @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
    tir.return
  }
}

// -----

// A cast checks sizes when the code runs; so does a parameter.

// CHECK: llvm.mlir.global internal constant @[[ARG:.*]]("expected dimension 0 of argument 'y' of 'casts' to be n * 2\00")
// CHECK: func.func private @partita_runtime_fail(!llvm.ptr)
// CHECK: llvm.mlir.global internal constant @[[CAST:.*]]("expected dimension 0 of a match_cast in 'casts' to be 4\00")
// CHECK-LABEL: func.func @partita.casts(
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i64
// CHECK: scf.if
// CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[ARG]] : !llvm.ptr
// CHECK: func.call @partita_runtime_fail(%[[TEXT]]) : (!llvm.ptr) -> ()
// CHECK: scf.if
// CHECK: %[[TEXT1:.*]] = llvm.mlir.addressof @[[CAST]] : !llvm.ptr
// CHECK: func.call @partita_runtime_fail(%[[TEXT1]])
// CHECK: memref.cast %{{.*}} : memref<?xf32> to memref<4xf32>
partita.module @checks {
  relax.func @casts(%x: tensor<?xf32, #relax.shape<["n"]>>,
                    %y: tensor<?xf32, #relax.shape<["n * 2"]>>, %z: tensor<?xf32>)
      -> tensor<4xf32> {
    %0 = relax.match_cast %z : tensor<?xf32> -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: func.func @partita.branch(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[C:.*]]: memref<i1>) -> memref<4xf32>
// CHECK: %[[CONDITION:.*]] = memref.load %[[C]][]
// CHECK: %[[R:.*]] = scf.if %[[CONDITION]] -> (memref<4xf32>) {
// CHECK: %[[CALL:.*]] = func.call @partita.branch(%[[X]], %[[C]])
// CHECK: scf.yield %[[CALL]]
// CHECK: } else {
// CHECK: scf.yield %[[X]]
// CHECK: return %[[R]]
partita.module @control {
  relax.func @branch(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
    %r = relax.if %c : tensor<i1> -> tensor<4xf32> {
      %0 = relax.call @branch(%x, %c) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
      relax.yield %0 : tensor<4xf32>
    } else {
      relax.yield %x : tensor<4xf32>
    }
    relax.return %r : tensor<4xf32>
  }
}

// -----

// Each result has memory of its own. Unsigned numbers lose their sign.

// CHECK: memref.global "private" constant @partita_constant : memref<2xi8> = dense<[-56, 3]>
// CHECK-LABEL: func.func @partita.twice() -> (memref<2xi8>, memref<2xi8>)
// CHECK: %[[C:.*]] = memref.get_global @partita_constant : memref<2xi8>
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<2xi8>
// CHECK: memref.copy %[[C]], %[[COPY]]
// CHECK: return %[[C]], %[[COPY]]
partita.module @results {
  relax.func @twice() -> (tensor<2xui8>, tensor<2xui8>) {
    %c = relax.constant dense<[200, 3]> : tensor<2xui8>
    relax.return %c, %c : tensor<2xui8>, tensor<2xui8>
  }
}

// -----

// A function outside of partita.modules stays.

// CHECK-LABEL: func.func @other(%{{.*}}: tensor<4xui8>) -> tensor<4xui8>
func.func @other(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}

// -----

// So it does beside a partita.module, with the signs of its integers.

// CHECK: memref.global "private" constant @partita_constant : memref<1xi8>
// CHECK: memref.global "private" constant @partita_constant_0 : memref<1xi8>
// CHECK-LABEL: func.func private @partita_constant_1(tensor<4xui8>)
// CHECK-LABEL: func.func @beside(%{{.*}}: tensor<4xui8>) -> tensor<4xui8>
// CHECK-LABEL: func.func @partita.one() -> memref<1xi8>
// CHECK: memref.get_global @partita_constant :
// CHECK-LABEL: func.func @partita.two() -> memref<1xi8>
// CHECK: memref.get_global @partita_constant_0 :
// CHECK-LABEL: func.func @partita.three() -> memref<1xi8>
// CHECK: memref.get_global @partita_constant_2 :
func.func private @partita_constant_1(tensor<4xui8>)
func.func @beside(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}
partita.module @m {
  relax.func @one() -> tensor<1xui8> {
    %c = relax.constant dense<1> : tensor<1xui8>
    relax.return %c : tensor<1xui8>
  }
  relax.func @two() -> tensor<1xui8> {
    %c = relax.constant dense<2> : tensor<1xui8>
    relax.return %c : tensor<1xui8>
  }
  relax.func @three() -> tensor<1xui8> {
    %c = relax.constant dense<3> : tensor<1xui8>
    relax.return %c : tensor<1xui8>
  }
}

// -----

// CHECK-LABEL: func.func @partita.to_shape(
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2xi64>
// CHECK: return %{{.*}}, %{{.*}} : i64, i64
partita.module {
  relax.func @to_shape(%s: tensor<2xi64>) -> !relax.shape<["m", "n"]> {
    %0 = relax.tensor_to_shape %s : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %1 = relax.match_cast %0 : !relax.shape<[?, ?]> -> !relax.shape<["m", "n"]>
    relax.return %1 : !relax.shape<["m", "n"]>
  }
}

// -----

// The runtime checks the stack where calls can lead back to.
// CHECK-LABEL: func.func @partita.even(
// CHECK-NEXT: call @partita_runtime_check_stack() : () -> ()
// CHECK-LABEL: func.func private @partita.odd(
// CHECK-NEXT: call @partita_runtime_check_stack() : () -> ()
// CHECK-LABEL: func.func @partita.caller(
// CHECK-NOT: check_stack
// CHECK: return
partita.module @recursion {
  relax.func @even(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}
