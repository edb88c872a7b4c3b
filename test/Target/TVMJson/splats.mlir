// TVM's JSON has all elements of a tensor, but a constant with one repeated
// element holds one. More elements than can be written are an error.
//
// RUN: not partita-translate --export-tvm-json %s -split-input-file 2>&1 | FileCheck %s

// CHECK: splats.mlir:1 offset :11:10: error: 'relax.constant' op expected constants of one repeated element, which TVM's JSON has in full, to take at most 1073741824 bytes together, but found 4398046511120 with this one of type 'tensor<1048576x1048576xf32>': use relax.full in its place
partita.module {
  relax.func @main() -> tensor<1048576x1048576xf32> {
    %c = relax.constant dense<1.0> : tensor<4xf32>
    %0 = relax.exp %c : tensor<4xf32>
    %b = relax.constant dense<0.0> : tensor<1048576x1048576xf32>
    relax.return %b : tensor<1048576x1048576xf32>
  }
}

// -----

// CHECK: but found 1099511627776 with this one of type 'tensor<1099511627776xi1>'
partita.module {
  relax.func @main() -> tensor<1099511627776xi1> {
    %b = relax.constant dense<true> : tensor<1099511627776xi1>
    relax.return %b : tensor<1099511627776xi1>
  }
}
