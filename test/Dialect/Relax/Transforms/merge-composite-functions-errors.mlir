// RUN: partita-opt %s --relax-merge-composite-functions -split-input-file -verify-diagnostics

// expected-error @below {{expected a relax.func @main to be in the module, but found none}}
partita.module @no_main {
  relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    relax.return %x : tensor<8xf32>
  }
}

// -----

partita.module @no_dot {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.call @relu(%x) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  // expected-error @below {{expected its attribute 'Composite' to be the name of a compiler, a dot and a name, but found 'relu'}}
  relax.func private @relu(%x: tensor<8xf32>) -> tensor<8xf32> attributes {Composite = "relu"} {
    %0 = relax.nn.relu %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
}
