// RUN: partita-opt %s | FileCheck %s --check-prefixes=CHECK,O0
// RUN: partita-opt %s -O0 | FileCheck %s --check-prefixes=CHECK,O0
// RUN: partita-opt %s -O1 | FileCheck %s --check-prefixes=CHECK,O1
// RUN: partita-opt %s -O2 | FileCheck %s --check-prefixes=CHECK,O1
// RUN: partita-opt %s -O3 | FileCheck %s --check-prefixes=CHECK,O1
// RUN: partita-opt %s --opt-level=1 --disabled-pass=DeadCodeElimination | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: partita-opt -O1 --explain | FileCheck %s --check-prefix=EXPLAIN

// EXPLAIN: DefaultO1
// EXPLAIN: CanonicalizeBindings {{ *}}runs
// EXPLAIN: EliminateCommonSubexpr {{ *}}runs
// EXPLAIN: DeadCodeElimination {{ *}}runs

// RUN: partita-opt -O3 --explain | FileCheck %s --check-prefix=EXPLAIN3
// EXPLAIN3: DefaultO3
// EXPLAIN3: CanonicalizeBindings {{ *}}runs
// EXPLAIN3: FoldBatchnormToConv2D {{ *}}runs
// EXPLAIN3: FoldConstant {{ *}}runs
// EXPLAIN3-NEXT: FoldScaleAxis {{ *}}runs
// EXPLAIN3-NEXT: BackwardFoldScaleAxis {{ *}}runs
// EXPLAIN3-NEXT: ForwardFoldScaleAxis {{ *}}runs
// EXPLAIN3-NEXT: FoldConstant {{ *}}runs
// EXPLAIN3: EliminateCommonSubexpr {{ *}}runs
// EXPLAIN3: DeadCodeElimination {{ *}}runs
// EXPLAIN3: tir.UnrollLoop {{ *}}runs

// CHECK-LABEL: relax.func @main
partita.module @m {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // O0-NEXT: %[[Y:.*]]:2 = relax.dataflow
    // O0-COUNT-2: relax.exp
    // O0: relax.call @twice
    // O1-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // O1-NEXT:   %[[E:.*]] = relax.exp
    // O1-NEXT:   %[[A:.*]] = relax.add %[[E]], %[[E]]
    // O1-NEXT:   relax.output %[[A]]
    // O1-NEXT: }
    // O1-NEXT: relax.return %[[Y]]
    // O1-NOT: @twice
    // KEPT: relax.return
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.exp %x : tensor<8xf32>
      %t = relax.tuple(%0, %1) : tensor<8xf32>, tensor<8xf32>
      %2 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
      %3 = relax.add %0, %2 : tensor<8xf32>
      %4 = relax.call @twice(%3) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %4, %3 : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#1 : tensor<8xf32>
  }
  // O0: relax.func private @twice
  // KEPT: relax.func private @twice
  relax.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.add %x, %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
}
