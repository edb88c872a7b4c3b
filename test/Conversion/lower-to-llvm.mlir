// The three Sequentials lower a module from TVM's ops to LLVM IR.
// RUN: partita-opt --partita-lower-to-func %s | FileCheck %s --check-prefix=FUNC
// RUN: partita-opt --partita-lower-to-func --partita-lower-to-loops %s | FileCheck %s --check-prefix=LOOPS
// RUN: partita-opt --partita-lower-to-llvm %s | partita-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR
// RUN: partita-opt --partita-lower-to-llvm --explain %s | FileCheck %s --check-prefix=PLAN

// FUNC: linalg.generic
// FUNC-NOT: partita.module
// LOOPS-LABEL: func.func @partita.main
// LOOPS: memref.alloc
// LOOPS-NOT: tensor.
// LOOPS: func.func private @partita_parallel_1_body(
// LOOPS: scf.for
// LOOPS: arith.cmpf
// LOOPS-LABEL: func.func private @partita.greater(
// LOOPS-SAME: memref<?x4xi8>
// LOOPS: call @partita_parallel_1(
// LOOPS-NOT: memref<{{.*}}i1
// IR: @partita_metadata = constant
// IR: define {{.*}} @_mlir_ciface_partita.main(
// PLAN: LowerToLLVM
// PLAN: LegalizeOps
// PLAN: one-shot-bufferize
// PLAN: reconcile-unrealized-casts
partita.module {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<4xf32>)
      -> tensor<?x4xi1, #relax.shape<["n", 4]>> {
    %0 = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>
      -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %1 = relax.greater %0, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>
      -> tensor<?x4xi1, #relax.shape<["n", 4]>>
    relax.return %1 : tensor<?x4xi1, #relax.shape<["n", 4]>>
  }
}
