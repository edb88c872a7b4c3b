// RUN: partita-opt %s --relax-convert-to-dataflow --mlir-pass-statistics 2>%t | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=1 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=0 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: partita-opt %s --relax-convert-to-dataflow=min-size=4 | FileCheck %s --check-prefix=FOUR

// STATS: ConvertToDataflow
// STATS: (S) 14 blocks

partita.module @m {
  // A constant is no binding: it stays in front.
  // CHECK-LABEL: relax.func @run
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  // FOUR-LABEL: relax.func @run
  // FOUR-NOT: relax.dataflow
  relax.func @run(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant
    // CHECK-NEXT: %[[Y:.*]]:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
    // CHECK-NEXT:   %[[A:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   %[[B:.*]] = relax.add %[[A]], %[[C]]
    // CHECK-NEXT:   relax.output %[[A]], %[[B]] : tensor<8xf32>, tensor<8xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]]#1, %[[Y]]#0
    %0 = relax.exp %x : tensor<8xf32>
    %c = relax.constant dense<1.0> : tensor<8xf32>
    %1 = relax.add %0, %c : tensor<8xf32>
    relax.return %1, %0 : tensor<8xf32>, tensor<8xf32>
  }

  // A run of bindings ends at an impure call, which stays outside. Values that
  // only the run uses are no outputs.
  // CHECK-LABEL: relax.func @impure
  // FOUR-LABEL: relax.func @impure
  relax.func @impure(%x: tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false} {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[A:.*]] = relax.exp
    // CHECK-NEXT:   %[[B:.*]] = relax.log %[[A]]
    // CHECK-NEXT:   relax.output %[[B]]
    // CHECK-NEXT: }
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    // CHECK-NEXT: %[[P:.*]] = relax.call @print(%[[Y]])
    %2 = relax.call @print(%1) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    // ONE-NEXT: %[[Z:.*]] = relax.dataflow -> tensor<8xf32> {
    // ONE-NEXT:   relax.sqrt %[[P]]
    // ONE-NEXT:   relax.output
    // ONE-NEXT: }
    // TWO-NEXT: relax.sqrt %[[P]]
    %3 = relax.sqrt %2 : tensor<8xf32>
    // CHECK-NEXT: relax.call @print
    %4 = relax.call @print(%3) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: relax.return
    relax.return %4 : tensor<8xf32>
  }
  relax.func private @print(tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false}

  // Blocks are merged into the run around them.
  // CHECK-LABEL: relax.func @join
  // FOUR-LABEL: relax.func @join
  relax.func @join(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[C:.*]] = relax.constant
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[A:.*]] = relax.exp
    // CHECK-NEXT:   %[[B:.*]] = relax.multiply %[[A]], %[[C]]
    // CHECK-NEXT:   %[[D:.*]] = relax.add %[[B]], %[[A]]
    // CHECK-NEXT:   relax.call @pure(%[[D]])
    // CHECK-NEXT:   relax.output
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]]
    // FOUR: relax.dataflow
    // FOUR: relax.return
    %0 = relax.exp %x : tensor<8xf32>
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %c = relax.constant dense<2.0> : tensor<8xf32>
      %1 = relax.multiply %0, %c : tensor<8xf32>
      relax.output %1, %0 : tensor<8xf32>, tensor<8xf32>
    }
    %2 = relax.add %y#0, %y#1 : tensor<8xf32>
    %3 = relax.call @pure(%2) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %3 : tensor<8xf32>
  }
  relax.func private @pure(tensor<8xf32>) -> tensor<8xf32>

  // A single block stays, whatever its size, and outputs its used values.
  // CHECK-LABEL: relax.func @alone
  // FOUR-LABEL: relax.func @alone
  relax.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: relax.dataflow -> tensor<8xf32> attributes {note = "mine"} {
    // FOUR-NEXT: relax.dataflow -> tensor<8xf32> attributes {note = "mine"} {
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> attributes {note = "mine"} {
      %0 = relax.exp %x : tensor<8xf32>
      relax.output %0, %x : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#0 : tensor<8xf32>
  }

  // These ops are unknown, or control flow.
  // CHECK-LABEL: relax.func @unknown
  relax.func @unknown(%x: tensor<8xf32>, %b: i1) -> tensor<8xf32> {
    // CHECK-NOT: relax.dataflow
    // CHECK: func.call @elsewhere
    // CHECK-NOT: relax.dataflow
    // CHECK: relax.return
    func.call @elsewhere() : () -> ()
    %1 = scf.if %b -> tensor<8xf32> {
      scf.yield %x : tensor<8xf32>
    } else {
      %2 = relax.exp %x : tensor<8xf32>
      %3 = relax.exp %2 : tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    }
    relax.return %1 : tensor<8xf32>
  }
  func.func private @elsewhere()

  // Uses in regions of later ops count.
  // CHECK-LABEL: relax.func @region
  relax.func @region(%x: tensor<8xf32>, %b: i1) -> tensor<8xf32> {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK: relax.output
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    // CHECK: scf.if
    // CHECK-NEXT: scf.yield %[[Y]]
    %2 = scf.if %b -> tensor<8xf32> {
      scf.yield %1 : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    relax.return %2 : tensor<8xf32>
  }

  // Casts and symbolic shapes can be in a block.
  // CHECK-LABEL: relax.func @symbolic
  relax.func @symbolic(%x: tensor<?xf32>) -> tensor<?xf32> {
    // CHECK-NEXT: %[[S:.*]] = relax.shape [16]
    // CHECK-NEXT: relax.dataflow -> tensor<?xf32> {
    // CHECK-NEXT:   relax.match_cast
    // CHECK-NEXT:   relax.exp
    // CHECK-NEXT:   relax.reshape %{{.*}}, %[[S]]
    // CHECK-NEXT:   relax.match_cast
    // CHECK-NEXT:   relax.output
    %0 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    %1 = relax.exp %0 : tensor<?xf32, #relax.shape<["n"]>>
    %s = relax.shape [16]
    %2 = relax.reshape %1, %s : tensor<?xf32, #relax.shape<["n"]>> -> tensor<16xf32>
    %3 = relax.match_cast %2 : tensor<16xf32> -> tensor<?xf32>
    relax.return %3 : tensor<?xf32>
  }
  // A shape with names that a match_cast introduces stays after it.
  // CHECK-LABEL: relax.func @shape_of_cast
  relax.func @shape_of_cast(%x: tensor<?x?xf32>) -> tensor<?xf32> {
    // CHECK-NEXT: relax.dataflow -> tensor<?xf32> {
    // CHECK-NEXT:   relax.match_cast
    // CHECK-NEXT:   %[[S:.*]] = relax.shape ["n"]
    // CHECK-NEXT:   relax.reshape %{{.*}}, %[[S]]
    // CHECK-NEXT:   relax.match_cast
    // CHECK-NEXT:   relax.output
    %0 = relax.match_cast %x : tensor<?x?xf32> -> tensor<?x1xf32, #relax.shape<["n", 1]>>
    %s = relax.shape ["n"]
    %1 = relax.reshape %0, %s : tensor<?x1xf32, #relax.shape<["n", 1]>> -> tensor<?xf32, #relax.shape<["n"]>>
    %2 = relax.match_cast %1 : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
    relax.return %2 : tensor<?xf32>
  }

  // Tuples and their fields count only if they have a name, as other names for
  // values do.
  // CHECK-LABEL: relax.func @tuples
  relax.func @tuples(%x: tensor<8xf32>) -> tensor<8xf32> {
    // TWO-NEXT: relax.tuple
    // TWO-NEXT: relax.exp
    // ONE-NEXT: relax.dataflow
    // CHECK: relax.return
    %0 = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
    %1 = relax.tuple_get_item %0[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %2 = relax.exp %1 : tensor<8xf32>
    relax.return %2 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @fields
  relax.func @fields(%x: tuple<tensor<8xf32>, tensor<8xf32>>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[Y:.*]]:2 = relax.dataflow
    // CHECK-NEXT:   relax.tuple_get_item
    // CHECK-NEXT:   relax.exp
    // CHECK-NEXT:   relax.output
    %a = relax.tuple_get_item %x[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %1 = relax.exp %a : tensor<8xf32>
    relax.return %a, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // Ops that only take a result apart stay after the block.
  // CHECK-LABEL: relax.func @result
  relax.func @result(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[T:.*]] = relax.dataflow -> tuple<tensor<8xf32>, tensor<8xf32>> {
    // CHECK-NEXT:   relax.exp
    // CHECK-NEXT:   %[[U:.*]] = relax.tuple
    // CHECK-NEXT:   relax.output %[[U]]
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[A:.*]] = relax.tuple_get_item %[[T]][0]
    // CHECK-NEXT: %[[B:.*]] = relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: relax.return %[[A]], %[[B]]
    %0 = relax.exp %x : tensor<8xf32>
    %t = relax.tuple(%x, %0) : tensor<8xf32>, tensor<8xf32>
    %1 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %2 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    relax.return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }

  // A tuple of values in a block comes along, also where nothing uses it.
  // CHECK-LABEL: relax.func @unused_tuple
  relax.func @unused_tuple(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[R:.*]] = relax.dataflow
    // CHECK-NEXT:   %[[A:.*]] = relax.exp
    // CHECK-NEXT:   relax.tuple(%[[A]]
    // CHECK-NEXT:   relax.log
    // CHECK-NEXT:   relax.output
    // CHECK:      relax.return %[[R]]
    %0 = relax.dataflow -> tensor<8xf32> {
      %1 = relax.exp %x : tensor<8xf32>
      %t = relax.tuple(%1, %x) : tensor<8xf32>, tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    %2 = relax.log %0 : tensor<8xf32>
    relax.return %2 : tensor<8xf32>
  }

  // At the end bindings are canonicalized: a block that only passes values on
  // is removed.
  // CHECK-LABEL: relax.func @passed_on
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @passed_on(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: relax.return %[[X]]
    %0 = relax.alias %x : tensor<8xf32>
    %1 = relax.match_cast %0 : tensor<8xf32> -> tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @aliases
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @aliases(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   relax.output %[[E]]
    %0 = relax.alias %x : tensor<8xf32>
    %1 = relax.exp %0 : tensor<8xf32>
    relax.return %1 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @branches
  relax.func @branches(%b: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: relax.if
    // CHECK-NEXT: %[[T:.*]] = relax.dataflow
    // CHECK:      relax.yield %[[T]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: relax.yield
    %0 = relax.if %b : tensor<i1> -> tensor<8xf32> {
      %1 = relax.exp %x : tensor<8xf32>
      %2 = relax.exp %1 : tensor<8xf32>
      relax.yield %2 : tensor<8xf32>
    } else {
      relax.yield %x : tensor<8xf32>
    }
    relax.return %0 : tensor<8xf32>
  }
  // CHECK: relax.func private @declared(tensor<8xf32>)
  relax.func private @declared(tensor<8xf32>)

  // A branch that import has kept opaque stays outside, as others do.
  // CHECK-LABEL: relax.func @kept
  relax.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: relax.dataflow
    // CHECK:   relax.output
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.opaque_expr "relax.expr.If"
    // CHECK-NEXT: relax.dataflow
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    %2 = relax.opaque_expr "relax.expr.If"(%1) json = dense<123> : tensor<2xui8> {is_pure = true} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = relax.exp %2 : tensor<8xf32>
    %4 = relax.log %3 : tensor<8xf32>
    relax.return %4 : tensor<8xf32>
  }
}
