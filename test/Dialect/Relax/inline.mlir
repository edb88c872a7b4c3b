// RUN: partita-opt %s --pass-pipeline="builtin.module(partita.module(inline))" | FileCheck %s

// CHECK-LABEL: partita.module @inlined
partita.module @inlined {
  // CHECK-NOT: @twice
  relax.func private @twice(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = relax.exp %x : tensor<3xf32>
    relax.return %0, %x : tensor<3xf32>, tensor<3xf32>
  }
  // CHECK-NOT: @chain
  relax.func private @chain(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0:2 = relax.call @twice(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %1 = relax.add %0#0, %0#1 : tensor<3xf32>
    relax.return %1 : tensor<3xf32>
  }

  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: %[[X:.*]]: tensor<3xf32>
  relax.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK-NEXT: %[[EXP:.*]] = relax.exp %[[X]]
    // CHECK-NEXT: %[[ADD:.*]] = relax.add %[[EXP]], %[[X]]
    %0 = relax.call @chain(%x) : (tensor<3xf32>) -> tensor<3xf32>
    // CHECK-NEXT: relax.return %[[ADD]]
    relax.return %0 : tensor<3xf32>
  }

  // CHECK-NOT: @block
  relax.func private @block(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.dataflow -> tensor<3xf32> {
      %1 = relax.log %x : tensor<3xf32>
      relax.output %1 : tensor<3xf32>
    }
    relax.return %0 : tensor<3xf32>
  }

  // CHECK-LABEL: relax.func @into_block
  // CHECK-SAME: %[[X:.*]]: tensor<3xf32>
  relax.func @into_block(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<3xf32> {
    // CHECK-NEXT:   %[[LOG:.*]] = relax.log %[[X]]
    // CHECK-NEXT:   relax.output %[[LOG]]
    // CHECK-NEXT: }
    %0 = relax.dataflow -> tensor<3xf32> {
      %1 = relax.call @block(%x) : (tensor<3xf32>) -> tensor<3xf32>
      relax.output %1 : tensor<3xf32>
    }
    // CHECK-NEXT: relax.return %[[Y]]
    relax.return %0 : tensor<3xf32>
  }

  // CHECK-NOT: @same_name
  relax.func private @same_name(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    %0 = relax.exp %x : tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
  }

  // CHECK-LABEL: relax.func @name
  relax.func @name(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    // CHECK-NEXT: relax.exp
    %0 = relax.call @same_name(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// CHECK-LABEL: partita.module @not_inlined
partita.module @not_inlined {
  // A public function stays, though it is inlined.
  // CHECK-LABEL: relax.func @public
  relax.func @public(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = relax.exp %x : tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }

  // CHECK-LABEL: relax.func private @recursive
  relax.func private @recursive(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK: relax.call @recursive
    %0 = relax.call @recursive(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }

  // CHECK-LABEL: relax.func private @declared
  relax.func private @declared(tensor<3xf32>) -> tensor<3xf32>

  // CHECK-LABEL: relax.func @calls
  relax.func @calls(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK: relax.exp
    %0 = relax.call @public(%x) : (tensor<3xf32>) -> tensor<3xf32>
    // CHECK: relax.call @declared
    %1 = relax.call @declared(%0) : (tensor<3xf32>) -> tensor<3xf32>
    // CHECK: relax.call @recursive
    %2 = relax.call @recursive(%1) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %2 : tensor<3xf32>
  }

  // The callee's "n" is the caller's 3.
  // CHECK-LABEL: relax.func private @symbolic
  relax.func private @symbolic(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    relax.return %x : tensor<?xf32, #relax.shape<["n"]>>
  }
  // CHECK-LABEL: relax.func @static
  relax.func @static(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK-NEXT: relax.call @symbolic
    %0 = relax.call @symbolic(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }

  // Each has its own "m".
  // CHECK-LABEL: relax.func private @introduces
  relax.func private @introduces(%x: tensor<?xf32>) -> !relax.shape<[?]> {
    %0 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
    %1 = relax.shape ["m"]
    %2 = relax.match_cast %1 : !relax.shape<["m"]> -> !relax.shape<[?]>
    relax.return %2 : !relax.shape<[?]>
  }
  // CHECK-LABEL: relax.func @other_name
  relax.func @other_name(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.shape<["m"]>>) -> !relax.shape<[?]> {
    // CHECK-NEXT: relax.call @introduces
    %0 = relax.call @introduces(%x) : (tensor<?xf32>) -> !relax.shape<[?]>
    relax.return %0 : !relax.shape<[?]>
  }

  // A pure function may hold ops that are not known to be pure.
  func.func private @unknown()
  // CHECK-LABEL: relax.func private @has_unknown
  relax.func private @has_unknown(%x: tensor<3xf32>) -> tensor<3xf32> {
    func.call @unknown() : () -> ()
    relax.return %x : tensor<3xf32>
  }
  // CHECK-LABEL: relax.func @unknown_into_block
  relax.func @unknown_into_block(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK-NEXT: relax.dataflow
    %0 = relax.dataflow -> tensor<3xf32> {
      // CHECK-NEXT: relax.call @has_unknown
      %1 = relax.call @has_unknown(%x) : (tensor<3xf32>) -> tensor<3xf32>
      relax.output %1 : tensor<3xf32>
    }
    relax.return %0 : tensor<3xf32>
  }

  // The callee counts as pure; its effects would not be allowed in a pure
  // function.
  // CHECK-LABEL: relax.func private @forced
  relax.func private @forced(%x: tensor<3xf32>) -> tensor<3xf32> attributes {relax.force_pure = true} {
    %0 = relax.call @effect(%x) {is_pure = false} : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
  relax.func private @effect(tensor<3xf32>) -> tensor<3xf32> attributes {is_pure = false}
  // CHECK-LABEL: relax.func @forced_into_pure
  relax.func @forced_into_pure(%x: tensor<3xf32>) -> tensor<3xf32> {
    // CHECK-NEXT: relax.call @forced
    %0 = relax.call @forced(%x) : (tensor<3xf32>) -> tensor<3xf32>
    relax.return %0 : tensor<3xf32>
  }
}

// Locations of inlined ops have the call site.

// RUN: partita-opt %s --pass-pipeline="builtin.module(partita.module(inline))" --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// LOC: callsite(
