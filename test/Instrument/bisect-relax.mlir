// Steps on Relax functions, in a module that is not the root: each is counted
// once for the file's module, and runs in all functions or in none.

// RUN: partita-opt %s --relax-canonicalize-bindings --relax-dead-code-elimination --relax-fold-constant \
// RUN:   --instrument='bisect{limit=1}' -O3 2>%t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --implicit-check-not=BISECT < %t.log
// LOG:      BISECT: running pass (1) CanonicalizeBindings on builtin.module
// LOG-NEXT: BISECT: NOT running pass (2) DeadCodeElimination on builtin.module
// LOG-NEXT: BISECT: NOT running pass (3) FoldConstant on builtin.module

// RUN: partita-opt %s --relax-canonicalize-bindings --relax-dead-code-elimination --relax-fold-constant \
// RUN:   --instrument='bisect{steps=2}' -O3 2>/dev/null | FileCheck %s --check-prefix=DCE --implicit-check-not=relax.add

partita.module @m {
  // CHECK-LABEL: relax.func @f
  // CHECK: relax.add
  // DCE-LABEL: relax.func @f
  relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    relax.return %x : tensor<4xf32>
  }
  // CHECK-LABEL: relax.func @g
  // CHECK: relax.add
  // DCE-LABEL: relax.func @g
  relax.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    relax.return %x : tensor<4xf32>
  }
}
