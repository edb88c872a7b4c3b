// RUN: partita-opt %s --split-input-file --verify-diagnostics

relax.func @parameters(%x: tensor<4xf32>) {
  // expected-error @below {{expected a type of 1 parameters, found 2}}
  %f = relax.local_func %self(%y) : !relax.callable<(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>> {
    relax.yield %y : tensor<4xf32>
  }
  relax.return
}

// -----

relax.func @type(%x: tensor<4xf32>) {
  // expected-error @below {{expected a !relax.callable, found 'tensor<4xf32>'}}
  %f = relax.local_func %self(%y) : tensor<4xf32> {
    relax.yield %y : tensor<4xf32>
  }
  relax.return
}

// -----

relax.func @result(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.local_func' op expected its body to yield a value of type 'tensor<8xf32>'}}
  %f = relax.local_func %self(%y) : !relax.callable<(tensor<4xf32>) -> tensor<8xf32>> {
    relax.yield %y : tensor<4xf32>
  }
  relax.return
}

// -----

relax.func @arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.local_func' op expected its body to take the function itself and 1 parameters of the types in '!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>', found 'tensor<4xf32>'}}
  %f = "relax.local_func"() ({
  ^bb0(%y: tensor<4xf32>):
    relax.yield %y : tensor<4xf32>
  }) : () -> !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
  relax.return
}

// -----

relax.func private @impure() attributes {is_pure = false} {
  relax.return
}
relax.func @purity() attributes {is_pure = false} {
  %f = relax.local_func %self() : !relax.callable<() -> tuple<>> {
    // expected-error @below {{'relax.call' op expected a pure call in a pure function, found 'is_pure = false'; say in the function's type that it is impure}}
    relax.call @impure() {is_pure = false} : () -> ()
    %t = relax.tuple()
    relax.yield %t : tuple<>
  }
  relax.return
}

// -----

// expected-error @below {{expected no types beside '*'}}
relax.func @any(%f: !relax.callable<(*, tensor<f32>) -> tensor<f32>>) {
  relax.return
}

// -----

// expected-error @below {{expected no dimensions in a tensor whose 'shape' is '?', found some}}
relax.func @shape(%x: !relax.tensor<[4], f32, shape = ?>) {
  relax.return
}

// -----

// expected-error @below {{expected no dimensions in a shape without values, found an unknown number}}
relax.func @values(%x: !relax.shape<*, ?>) {
  relax.return
}

// -----

// expected-error @below {{expected the index of a vdevice, or its fields, found "cuda"}}
relax.func @vdevice(%x: !relax.tensor<[4], f32, vdevice = "cuda">) {
  relax.return
}

// -----

relax.func @condition(%x: tensor<f32>) {
  // expected-error @below {{'relax.if' op operand #0 must be boolean, or tensor of booleans or an unknown element type, but got 'tensor<f32>'}}
  %0 = relax.if %x : tensor<f32> -> tensor<f32> {
    relax.yield %x : tensor<f32>
  } else {
    relax.yield %x : tensor<f32>
  }
  relax.return
}
