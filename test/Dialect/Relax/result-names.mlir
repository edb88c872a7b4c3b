// Several results have their names in the text, with any tokens between them.
//
// RUN: partita-opt %s --no-implicit-module | FileCheck %s

partita.module {
  // CHECK: %first, %second, %third = relax.dataflow
  // CHECK: relax.return %second, %third
  relax.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %first, // , %none
    %second ,
        %third = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      relax.output %0, %x, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    relax.return %second, %third : tensor<8xf32>, tensor<8xf32>
  }
}
