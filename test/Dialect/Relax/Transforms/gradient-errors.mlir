// RUN: partita-opt %s --relax-gradient=func-name=main -split-input-file -verify-diagnostics

partita.module @vector {
  // expected-error@+1 {{expected the differentiated result to be a scalar tensor of floats, found 'tensor<3xf32>'}}
  relax.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %r = relax.dataflow -> tensor<3xf32> {
      %0 = relax.exp %x : tensor<3xf32>
      relax.output %0 : tensor<3xf32>
    }
    relax.return %r : tensor<3xf32>
  }
}

// -----

partita.module @integer {
  // expected-error@+1 {{expected the differentiated result to be a scalar tensor of floats, found 'tensor<i64>'}}
  relax.func @main(%x: tensor<3xi64>) -> tensor<i64> {
    %r = relax.dataflow -> tensor<i64> {
      %0 = relax.sum %x : tensor<3xi64> -> tensor<i64>
      relax.output %0 : tensor<i64>
    }
    relax.return %r : tensor<i64>
  }
}

// -----

partita.module @constant {
  // expected-error@+1 {{expected the differentiated result to be a value of the 'relax.dataflow' or a parameter, found another one}}
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    %c = relax.constant dense<1.0> : tensor<f32>
    %r = relax.dataflow -> tensor<f32> {
      %0 = relax.sum %x : tensor<3xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %c : tensor<f32>
  }
}

// -----

partita.module @none {
  // expected-error@+1 {{expected one 'relax.dataflow' in a function that is differentiated, found none}}
  relax.func @main(%x: tensor<f32>) -> tensor<f32> {
    relax.return %x : tensor<f32>
  }
}

// -----

partita.module @outside {
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    // expected-error@+1 {{expected one 'relax.dataflow' in a function that is differentiated, found another op}}
    %0 = relax.sum %x : tensor<3xf32> -> tensor<f32>
    relax.return %0 : tensor<f32>
  }
}

// -----

partita.module @two {
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<3xf32> {
      %0 = relax.exp %x : tensor<3xf32>
      relax.output %0 : tensor<3xf32>
    }
    // expected-error@+1 {{found another op}}
    %s = relax.dataflow -> tensor<f32> {
      %0 = relax.sum %r : tensor<3xf32> -> tensor<f32>
      relax.output %0 : tensor<f32>
    }
    relax.return %s : tensor<f32>
  }
}

// -----

partita.module @rule {
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      // expected-error@+1 {{expected an op that has a gradient, found one that has none}}
      %0 = relax.erf %x : tensor<3xf32>
      %1 = relax.sum %0 : tensor<3xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @opaque {
  relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      // expected-error@+1 {{expected an op that has a gradient, found one that has none}}
      %0 = relax.call_op "relax.other"(%x) {is_pure = true} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = relax.sum %0 : tensor<3xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @dynamic {
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      // expected-error@+1 {{expected an op whose gradient is known, found other operands or attributes}}
      %1 = relax.mean %x : tensor<?xf32, #relax.shape<["n"]>> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @empty {
  relax.func @main(%x: tensor<0xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      // expected-error@+1 {{expected an op whose gradient is known, found other operands or attributes}}
      %1 = relax.variance %x : tensor<0xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @layout {
  relax.func @main(%x: tensor<2x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      // expected-error@+1 {{expected an op whose gradient is known, found other operands or attributes}}
      %0 = relax.nn.conv2d %x, %w data_layout = "NHWC" : tensor<2x8x8x3xf32>, tensor<4x3x3x3xf32> -> tensor<2x6x6x4xf32>
      %1 = relax.sum %0 : tensor<2x6x6x4xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @unknown {
  relax.func @main(%x: tensor<3xf32>, %s: tensor<1xi64>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %0 = relax.match_cast %x : tensor<3xf32> -> tensor<?xf32>
      // expected-error@+1 {{expected operands and results whose shapes and element types are known}}
      %1 = relax.sum %0 : tensor<?xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}

// -----

partita.module @parameter {
  // expected-error@+1 {{expected parameter 1 to have a known shape and element type, found '!relax.shape<[3]>'}}
  relax.func @main(%x: tensor<3xf32>, %s: !relax.shape<[3]>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %1 = relax.sum %x : tensor<3xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
}
