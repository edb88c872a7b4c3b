// RUN: partita-opt %s --split-input-file --verify-diagnostics \
// RUN:     --relax-bind-symbolic-vars=binding-map=n=16 | FileCheck %s

// As in TVM, a check that can succeed is left to the run: a call whose argument
// may have another size, and a cast that only fails if it is reached.
partita.module {
  // CHECK-LABEL: relax.func @callee(%x: tensor<16xf32>, %y: tensor<?xf32>)
  relax.func @callee(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32>)
      -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>) {
    relax.return %x, %y : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32>
  }

  // CHECK-LABEL: relax.func @caller(
  // CHECK: %[[F:.*]] = relax.global @callee
  // CHECK: %[[CALL:.*]] = relax.call_value(%[[F]], %x, %x) {is_pure = true} : (!relax.object, tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32, #relax.shape<["l"]>>) -> tuple<tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32>>
  // CHECK: %a = relax.tuple_get_item %[[CALL]][0]
  // CHECK: %b = relax.tuple_get_item %[[CALL]][1]
  // CHECK: relax.return %a, %b
  relax.func @caller(%x: tensor<?xf32, #relax.shape<["l"]>>)
      -> (tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32>) {
    %a, %b = relax.call @callee(%x, %x)
      : (tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32, #relax.shape<["l"]>>)
      -> (tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32>)
    relax.return %a, %b : tensor<?xf32, #relax.shape<["l"]>>, tensor<?xf32>
  }

  // CHECK-LABEL: relax.func @fits(
  // CHECK: relax.call @callee(%x, %x)
  relax.func @fits(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<?xf32>) {
    %a, %b = relax.call @callee(%x, %x) : (tensor<16xf32>, tensor<16xf32>)
      -> (tensor<16xf32>, tensor<?xf32>)
    relax.return %a, %b : tensor<16xf32>, tensor<?xf32>
  }

  // CHECK-LABEL: relax.func @impossible(
  // CHECK: %[[ANY:.*]] = relax.match_cast %x : tensor<16xf32> -> !relax.object
  // CHECK: relax.match_cast %[[ANY]] : !relax.object -> tensor<8xf32>
  relax.func @impossible(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<8xf32> {
    %y = relax.match_cast %x : tensor<?xf32, #relax.shape<["n"]>> -> tensor<8xf32>
    relax.return %y : tensor<8xf32>
  }
}

// -----

// An argument that can't fit is an error.
partita.module {
  relax.func @callee(%x: tensor<?xf32, #relax.shape<["n"]>>) {
    relax.return
  }
  relax.func @caller(%x: tensor<8xf32>) {
    // expected-error @+1 {{expected argument 0 of @callee to have type 'tensor<16xf32>', found 'tensor<8xf32>'}}
    relax.call @callee(%x) : (tensor<8xf32>) -> ()
    relax.return
  }
}

// -----

// An opaque expression from import can't be changed.
partita.module {
  // expected-error @+1 {{expected a function whose body was imported, but the body of @kept is kept as TVM's JSON}}
  relax.func @kept(%x: tensor<?xf32, #relax.shape<["n"]>>) {
    relax.opaque_expr "relax.expr.Function"() json = dense<32> : tensor<1xui8> : () -> ()
    relax.return
  }
}
