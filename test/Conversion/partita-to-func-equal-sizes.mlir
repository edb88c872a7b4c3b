// RUN: partita-opt %s --convert-partita-to-func | FileCheck %s

// A size that two buffers of a called function share is checked, unless types
// show that the arguments have it.

// CHECK-DAG: "expected dimension 0 of 'B' of 'copy', which 'differ' calls, to be as large as the other 'n'\00"
// CHECK-DAG: "expected dimension 0 of 'A' of 'three', which 'number' calls, to be 3\00"

partita.module {
  tir.prim_func private @copy(%A: memref<?xf32>, %B: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = tir.var : i64
    tir.buffer %A shape(%n : i64) : memref<?xf32>
    tir.buffer %B shape(%n : i64) : memref<?xf32>
    %end = arith.index_cast %n : i64 to index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %end step %c1 {
      %0 = memref.load %A[%i] : memref<?xf32>
      memref.store %0, %B[%i] : memref<?xf32>
    }
    tir.return
  }
  tir.prim_func private @three(%A: memref<3xf32>, %B: memref<3xf32>) {
    linalg.copy ins(%A : memref<3xf32>) outs(%B : memref<3xf32>)
    tir.return
  }

  // CHECK-LABEL: func.func @partita.differ
  // CHECK: memref.alloc
  // CHECK: arith.cmpi eq
  // CHECK: call @partita_runtime_fail
  // CHECK: call @partita.copy
  relax.func @differ(%x: tensor<?xf32, #relax.shape<["n"]>>, %s: !relax.shape<["m"]>)
      -> tensor<?xf32, #relax.shape<["m"]>> {
    %0 = relax.call_tir @copy(%x) : (tensor<?xf32, #relax.shape<["n"]>>)
        -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["m"]>>
  }

  // CHECK-LABEL: func.func @partita.same
  // CHECK: memref.alloc
  // CHECK-NOT: partita_runtime_fail
  // CHECK: call @partita.copy
  relax.func @same(%x: tensor<?xf32, #relax.shape<["n * 2"]>>, %s: !relax.shape<["n"]>)
      -> tensor<?xf32, #relax.shape<["n * 2"]>> {
    %0 = relax.call_tir @copy(%x) : (tensor<?xf32, #relax.shape<["n * 2"]>>)
        -> tensor<?xf32, #relax.shape<["n * 2"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n * 2"]>>
  }

  // CHECK-LABEL: func.func @partita.number
  // CHECK: arith.cmpi eq
  // CHECK: call @partita.three
  relax.func @number(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<3xf32> {
    %0 = relax.call_tir @three(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
}
