// RUN: partita-opt %s --split-input-file --verify-diagnostics

relax.func @name(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_op' op expected the name of an op, found an empty one}}
  %0 = relax.call_op ""(%x) : (tensor<4xf32>) -> tensor<4xf32>
  relax.return
}

// -----

relax.func @bytes() {
  // expected-error @below {{'relax.opaque_expr' op expected 'json' to be bytes, of a type such as tensor<100xui8>, found 'tensor<2xi8>'}}
  %0 = relax.opaque_expr "relax.expr.If"() json = dense<0> : tensor<2xi8> : () -> tensor<4xf32>
  relax.return
}

// -----

// Neither may be in a pure block, unless it is marked as pure.
relax.func @dataflow(%x: tensor<4xf32>) {
  relax.dataflow {
    // expected-error @below {{'relax.call_op' op expected an op without side effects in a 'relax.dataflow'; move it out of the block}}
    %0 = relax.call_op "relax.print"(%x) : (tensor<4xf32>) -> tuple<>
    relax.output
  }
  relax.return
}

// -----

tir.prim_func @body() {
  // expected-error @below {{'tir.opaque_body' op expected 'json' to be bytes, of a type such as tensor<100xui8>, found 'tensor<1x1xui8>'}}
  tir.opaque_body json = dense<0> : tensor<1x1xui8>
  tir.return
}

// -----

relax.func @symbols() {
  // expected-error @below {{'relax.opaque_expr' op expected a function of name @none, found none}}
  %0 = relax.opaque_expr "relax.expr.If"() symbols = [@none] json = dense<0> : tensor<2xui8> : () -> tensor<4xf32>
  relax.return
}

// -----

tir.prim_func @symbols() {
  // expected-error @below {{'tir.opaque_body' op expected a function of name @none, found none}}
  tir.opaque_body symbols = [@none] json = dense<0> : tensor<2xui8>
  tir.return
}
