// RUN: partita-opt %s --relax-canonicalize-bindings --split-input-file --verify-diagnostics --mlir-pass-statistics 2>%t | FileCheck %s
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}

// STATS: CanonicalizeBindings
// STATS-NEXT: (S) 16 bindings
// STATS-NEXT: (S) 9 outputs

partita.module @m {
  // Values that stand for another one are replaced by it, also across blocks.
  // CHECK-LABEL: relax.func @tuples
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[P:.*]]: tuple<tensor<8xf32>, tensor<f32>>)
  relax.func @tuples(%x: tensor<8xf32>, %p: tuple<tensor<8xf32>, tensor<f32>>)
      -> (tensor<8xf32>, tuple<tensor<8xf32>, tensor<f32>>) {
    // CHECK-NEXT: relax.tuple(%[[X]], %[[X]])
    // CHECK-NEXT: %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT: %[[L:.*]] = relax.log %[[E]]
    // CHECK-NEXT: relax.tuple_get_item %[[P]][0]
    // CHECK-NEXT: relax.tuple_get_item %[[P]][1]
    // CHECK-NEXT: relax.return %[[L]], %[[P]]
    %t = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %1 = relax.exp %0 : tensor<8xf32>
    %2 = relax.match_cast %1 : tensor<8xf32> -> tensor<8xf32>
    %3 = relax.log %2 : tensor<8xf32>
    %4 = relax.tuple_get_item %p[0] : tuple<tensor<8xf32>, tensor<f32>>
    %5 = relax.tuple_get_item %p[1] : tuple<tensor<8xf32>, tensor<f32>>
    %6 = relax.tuple(%4, %5) : tensor<8xf32>, tensor<f32>
    relax.return %3, %6 : tensor<8xf32>, tuple<tensor<8xf32>, tensor<f32>>
  }

  // CHECK-LABEL: relax.func @aliases
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @aliases(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   relax.output %[[E]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]], %[[X]]
    %a = relax.alias %x : tensor<8xf32>
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %b = relax.alias %a : tensor<8xf32>
      %0 = relax.exp %b : tensor<8xf32>
      %1 = relax.alias %0 : tensor<8xf32>
      relax.output %1, %b : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
  }

  // Dead code and foldable ops are left to other passes.
  // CHECK-LABEL: relax.func @untouched
  relax.func @untouched(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {is_pure = false} {
    // CHECK-NEXT: relax.constant
    // CHECK-NEXT: relax.constant
    // CHECK-NEXT: relax.add
    // CHECK-NEXT: relax.permute_dims
    // CHECK-NEXT: relax.permute_dims
    // CHECK-NEXT: relax.exp
    // CHECK-NEXT: relax.call @print
    // CHECK-NEXT: relax.return
    %z = relax.constant dense<-0.0> : tensor<8x8xf32>
    %z2 = relax.constant dense<-0.0> : tensor<8x8xf32>
    %0 = relax.add %x, %z : tensor<8x8xf32>
    %1 = relax.permute_dims %0 : tensor<8x8xf32>
    %2 = relax.permute_dims %1 : tensor<8x8xf32>
    %3 = relax.exp %z2 : tensor<8x8xf32>
    %4 = relax.call @print(%2) {is_pure = false} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    relax.return %4 : tensor<8x8xf32>
  }
  relax.func private @print(tensor<8x8xf32>) -> tensor<8x8xf32> attributes {is_pure = false}

  // CHECK-LABEL: relax.func @outputs
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @outputs(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   %[[L:.*]] = relax.log %[[X]]
    // CHECK-NEXT:   %[[A:.*]] = relax.add %[[E]], %[[C]]
    // CHECK-NEXT:   relax.output %[[A]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]], %[[Y]], %[[X]], %[[C]]
    %y:5 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.log %x : tensor<8xf32>
      %c = relax.constant dense<1.0> : tensor<8xf32>
      %2 = relax.add %0, %c : tensor<8xf32>
      relax.output %1, %2, %x, %2, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#1, %y#3, %y#2, %y#4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }

  // A block whose values are another block's.
  // CHECK-LABEL: relax.func @blocks
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @blocks(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> {
    // CHECK-NEXT:   %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   %[[L:.*]] = relax.log %[[E]]
    // CHECK-NEXT:   relax.output %[[L]]
    // CHECK-NEXT: }
    // CHECK-NEXT: relax.return %[[Y]], %[[X]]
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %z = relax.dataflow -> tensor<8xf32> {
        %0 = relax.exp %x : tensor<8xf32>
        relax.output %0 : tensor<8xf32>
      }
      %1 = relax.log %z : tensor<8xf32>
      relax.output %1, %x : tensor<8xf32>, tensor<8xf32>
    }
    %w:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      relax.output %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %w#0, %w#1 : tensor<8xf32>, tensor<8xf32>
  }

  // In TVM these are `relax.concat(t)` and `return t`, and stay so.
  // CHECK-LABEL: relax.func @whole
  // CHECK-NEXT: %[[T:.*]] = relax.tuple(%x, %y)
  // CHECK-NEXT: %[[A:.*]] = relax.tuple_get_item %[[T]][0]
  // CHECK-NEXT: %[[B:.*]] = relax.tuple_get_item %[[T]][1]
  // CHECK-NEXT: relax.concat %[[A]], %[[B]]
  // CHECK-NEXT: relax.exp %x
  // CHECK-NEXT: relax.return %[[A]], %[[B]]
  relax.func @whole(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %t = relax.tuple(%x, %y) : tensor<8xf32>, tensor<8xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %c = relax.concat %0, %1 axis = 0 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
    %field = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %e = relax.exp %field : tensor<8xf32>
    relax.return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // Fields in another order, with names, or only some of them, do not become
  // the tuple.
  // CHECK-LABEL: relax.func @parts
  // CHECK-NEXT: relax.tuple
  // CHECK-NEXT: relax.concat %y, %x
  // CHECK-NEXT: relax.return %x, %y
  relax.func @parts(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %t = relax.tuple(%x, %y) : tensor<8xf32>, tensor<8xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %c = relax.concat %1, %0 axis = 0 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
    %a = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %b = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    relax.return %a, %b : tensor<8xf32>, tensor<8xf32>
  }

  // In TVM, a name for a field of an op's result is a value of its own.
  // CHECK-LABEL: relax.func @fields
  // CHECK-NEXT: %[[Y:.*]]:2 = relax.dataflow
  // CHECK-NEXT:   %[[S:.*]]:2 = relax.split
  // CHECK-NEXT:   %[[A:.*]] = relax.alias %[[S]]#0
  // CHECK-NEXT:   relax.output %[[A]], %[[S]]#1
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[B:.*]] = relax.alias %[[Y]]#1
  // CHECK-NEXT: relax.return %[[Y]]#0, %[[B]], %[[B]]
  relax.func @fields(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %y:2 = relax.dataflow -> tensor<4xf32>, tensor<4xf32> {
      %s:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %a = relax.alias %s#0 : tensor<4xf32>
      %b = relax.alias %a : tensor<4xf32>
      relax.output %b, %s#1 : tensor<4xf32>, tensor<4xf32>
    }
    %c = relax.alias %y#1 : tensor<4xf32>
    %d = relax.alias %c : tensor<4xf32>
    relax.return %y#0, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }

  // A second name for an op's whole result is dropped.
  // CHECK-LABEL: relax.func @renamed
  // CHECK-NEXT: %[[S:.*]]:2 = relax.split
  // CHECK-NEXT: relax.concat %[[S]]#0, %[[S]]#1
  // CHECK-NEXT: relax.return %[[S]]#0, %[[S]]#1
  relax.func @renamed(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %s:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %t = relax.tuple(%s#0, %s#1) : tensor<4xf32>, tensor<4xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    %c = relax.concat %0, %1 axis = 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
    relax.return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<?xf32, #relax.shape<["n"]>>) -> tensor<8xf32>
}

// -----

partita.module @symbolic {
  // A name of a known dimension is replaced everywhere, and the function's
  // result type becomes its body's.
  // CHECK-LABEL: relax.func @names
  // CHECK-SAME: (%[[X:.*]]: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x16xf32, #relax.shape<["n", 16]>> {
  relax.func @names(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x16xf32> {
    // CHECK-NEXT: %[[E:.*]] = relax.exp %[[X]] : tensor<?x16xf32, #relax.shape<["n", 16]>>
    // CHECK-NEXT: %[[S:.*]] = relax.shape ["n * 2", 8]
    // CHECK-NEXT: relax.reshape %[[E]], %[[S]] : tensor<?x16xf32, #relax.shape<["n", 16]>> -> tensor<?x8xf32, #relax.shape<["n * 2", 8]>>
    // CHECK-NEXT: relax.return %[[E]]
    %0 = relax.match_cast %x : tensor<?x16xf32, #relax.shape<["n", 16]>> -> tensor<?x?xf32, #relax.shape<["m", "k"]>>
    %1 = relax.exp %0 : tensor<?x?xf32, #relax.shape<["m", "k"]>>
    %s = relax.shape ["m * 2", 8]
    %2 = relax.reshape %1, %s : tensor<?x?xf32, #relax.shape<["m", "k"]>> -> tensor<?x8xf32, #relax.shape<["m * 2", 8]>>
    %3 = relax.match_cast %1 : tensor<?x?xf32, #relax.shape<["m", "k"]>> -> tensor<?x16xf32>
    relax.return %3 : tensor<?x16xf32>
  }

  // Ops with new operands are inferred again; other ops are left alone.
  // CHECK-LABEL: relax.func @inferred
  // CHECK-NEXT: %[[C:.*]] = relax.add %a, %a : tensor<?x16xf32, #relax.shape<["n", 16]>>
  // CHECK-NEXT: relax.return %[[C]]
  relax.func @inferred(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x16xf32, #relax.shape<["n", 16]>> {
    %b = relax.alias %a : tensor<?x16xf32, #relax.shape<["n", 16]>>
    %c = relax.add %b, %b : tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<?x16xf32, #relax.shape<["n", 16]>> -> tensor<?x?xf32>
    %0 = relax.match_cast %c {relax.assumed} : tensor<?x?xf32> -> tensor<?x16xf32, #relax.shape<["n", 16]>>
    relax.return %0 : tensor<?x16xf32, #relax.shape<["n", 16]>>
  }
  // CHECK-LABEL: relax.func @nothing_dropped
  // CHECK-SAME: -> tensor<?x?xf32>
  relax.func @nothing_dropped(%a: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x?xf32> {
    // CHECK-NEXT: relax.add %a, %a : {{.*}} -> tensor<?x?xf32>
    %c = relax.add %a, %a : tensor<?x16xf32, #relax.shape<["n", 16]>>, tensor<?x16xf32, #relax.shape<["n", 16]>> -> tensor<?x?xf32>
    relax.return %c : tensor<?x?xf32>
  }

  // A number that has a name needs no other.
  // CHECK-LABEL: relax.func @numbers
  // CHECK-SAME: -> (tensor<?xf32, #relax.shape<["n + 1"]>>, i64)
  relax.func @numbers(%n: i64 {relax.dim = "n"}, %x: tensor<*xf32>) -> (tensor<?xf32, #relax.shape<["l + 1"]>>, i64) {
    // CHECK-NEXT: %[[D:.*]] = relax.dim ["n * 2"]
    // CHECK-NEXT: %[[K:.*]] = relax.match_cast %[[D]] {relax.dim = "k"} : i64 -> i64
    // CHECK-NEXT: %[[S:.*]] = relax.shape ["n + 1"]
    // CHECK-NEXT: %[[Y:.*]] = relax.broadcast_to %x, %[[S]]
    // CHECK-NEXT: relax.return %[[Y]], %[[K]]
    %m = relax.alias %n : i64
    %m_0 = relax.match_cast %m {relax.dim = "m"} : i64 -> i64
    %again = relax.alias %m_0 : i64
    %l = relax.match_cast %again {relax.dim = "l"} : i64 -> i64
    %d = relax.dim ["m * 2"] : i64
    %k = relax.match_cast %d {relax.dim = "k"} : i64 -> i64
    %s = relax.shape ["l + 1"]
    %y = relax.broadcast_to %x, %s : (tensor<*xf32>, !relax.shape<["l + 1"]>) -> tensor<?xf32, #relax.shape<["l + 1"]>>
    relax.return %y, %k : tensor<?xf32, #relax.shape<["l + 1"]>>, i64
  }

  // Known names make result types more specific. A cast with a variable of its
  // own, and a size that parameters lack, are left alone.
  // CHECK-LABEL: relax.func @narrowed
  // CHECK-SAME: -> (tensor<?x?xf32, #relax.shape<["a", "b"]>>, tensor<?x?xf32>, tensor<?x4xf32>)
  relax.func @narrowed(%x: tensor<?x?xf32, #relax.shape<["a", "b"]>>, %y: tensor<*xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>) {
    // CHECK-NEXT: %[[Q:.*]] = relax.add %x, %x : tensor<?x?xf32, #relax.shape<["a", "b"]>>
    // CHECK-NEXT: %kept = relax.match_cast %x : {{.*}} -> tensor<?x?xf32>
    // CHECK-NEXT: %[[Z:.*]] = relax.match_cast %y : tensor<*xf32> -> tensor<?x4xf32, #relax.shape<["c", 4]>>
    // CHECK-NEXT: %[[C:.*]] = relax.match_cast %[[Z]] : {{.*}} -> tensor<?x4xf32>
    // CHECK-NEXT: relax.return %[[Q]], %kept, %[[C]]
    %0 = relax.match_cast %x : tensor<?x?xf32, #relax.shape<["a", "b"]>> -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
    %1 = relax.add %0, %x : tensor<?x?xf32, #relax.shape<["m", "n"]>>, tensor<?x?xf32, #relax.shape<["a", "b"]>> -> tensor<?x?xf32>
    %kept = relax.match_cast %x : tensor<?x?xf32, #relax.shape<["a", "b"]>> -> tensor<?x?xf32>
    %2 = relax.match_cast %y : tensor<*xf32> -> tensor<?x4xf32, #relax.shape<["c", 4]>>
    %3 = relax.match_cast %2 : tensor<?x4xf32, #relax.shape<["c", 4]>> -> tensor<?x4xf32>
    relax.return %1, %kept, %3 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>
  }

  // A name of an unknown dimension stays; other names are replaced, also in the
  // function's type.
  // CHECK-LABEL: relax.func @result
  // CHECK-SAME: %[[Y:[^:]*]]: tensor<?xf32, #relax.shape<["n"]>>, %[[Z:.*]]: tensor<4x4xf32>)
  // CHECK-SAME: -> (tensor<?x16xf32, #relax.shape<["m", 16]>>, tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>)
  relax.func @result(%x: tensor<?x16xf32>, %y: tensor<?xf32, #relax.shape<["n"]>>, %z: tensor<4x4xf32>)
      -> (tensor<?x?xf32, #relax.shape<["m", "k"]>>, tensor<?xf32, #relax.shape<["r"]>>, tensor<?x?xf32, #relax.shape<["p", "q"]>>) {
    // CHECK-NEXT: %[[C:.*]] = relax.match_cast %{{.*}} -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    // CHECK-NEXT: relax.return %[[C]], %[[Y]], %[[Z]]
    %0 = relax.match_cast %x : tensor<?x16xf32> -> tensor<?x?xf32, #relax.shape<["m", "k"]>>
    %1 = relax.match_cast %y : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32, #relax.shape<["r"]>>
    %2 = relax.match_cast %z : tensor<4x4xf32> -> tensor<?x?xf32, #relax.shape<["p", "q"]>>
    relax.return %0, %1, %2 : tensor<?x?xf32, #relax.shape<["m", "k"]>>, tensor<?xf32, #relax.shape<["r"]>>, tensor<?x?xf32, #relax.shape<["p", "q"]>>
  }

  // A caller may know less.
  relax.func @caller(%x: tensor<?x16xf32>, %y: tensor<?xf32, #relax.shape<["n"]>>, %z: tensor<4x4xf32>) -> tensor<?x?xf32> {
    // CHECK: relax.call @result
    %0:3 = relax.call @result(%x, %y, %z) : (tensor<?x16xf32>, tensor<?xf32, #relax.shape<["n"]>>, tensor<4x4xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>)
    relax.return %0#2 : tensor<?x?xf32>
  }

  // A name of a parameter is checked, not replaced.
  // CHECK-LABEL: relax.func @checked
  relax.func @checked(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<?xf32, #relax.shape<["m"]>>)
      -> tensor<?xf32, #relax.shape<["n"]>> {
    // CHECK-NEXT: %[[C:.*]] = relax.match_cast %{{.*}} : tensor<?xf32, #relax.shape<["m"]>> -> tensor<?xf32, #relax.shape<["n"]>>
    // CHECK-NEXT: relax.add %{{.*}}, %[[C]] : tensor<?xf32, #relax.shape<["n"]>>
    %0 = relax.match_cast %y : tensor<?xf32, #relax.shape<["m"]>> -> tensor<?xf32, #relax.shape<["n"]>>
    %1 = relax.add %x, %0 : tensor<?xf32, #relax.shape<["n"]>>
    relax.return %1 : tensor<?xf32, #relax.shape<["n"]>>
  }

  // Expressions, chains, tuples and shapes.
  // CHECK-LABEL: relax.func @chains
  // CHECK-SAME: (%[[T:.*]]: tuple<tensor<?xf32, #relax.shape<["n + 1"]>>, !relax.shape<[4]>>,
  relax.func @chains(%t: tuple<tensor<?xf32, #relax.shape<["n + 1"]>>, !relax.shape<[4]>>,
                     %n: tensor<?xf32, #relax.shape<["n"]>>) {
    // CHECK-NEXT: relax.tuple_get_item %[[T]][0] : tuple<tensor<?xf32, #relax.shape<["n + 1"]>>, !relax.shape<[4]>>
    // CHECK-NEXT: relax.tuple_get_item %[[T]][1]
    // CHECK-NEXT: relax.shape ["(n + 1) * 4", "aa + _a", 4]
    // CHECK-NEXT: relax.return
    %0 = relax.match_cast %t : tuple<tensor<?xf32, #relax.shape<["n + 1"]>>, !relax.shape<[4]>>
      -> tuple<tensor<?xf32, #relax.shape<["a"]>>, !relax.shape<["b"]>>
    %1 = relax.tuple_get_item %0[0] : tuple<tensor<?xf32, #relax.shape<["a"]>>, !relax.shape<["b"]>>
    %2 = relax.tuple_get_item %0[1] : tuple<tensor<?xf32, #relax.shape<["a"]>>, !relax.shape<["b"]>>
    %3 = relax.match_cast %2 : !relax.shape<["b"]> -> !relax.shape<["c"]>
    %4 = relax.shape ["a * b", "aa + _a", "c"]
    relax.return
  }

  // A freed value is still in the tuple that was made of it.
  // CHECK-LABEL: relax.func @freed
  // CHECK: %[[T:.*]] = relax.tuple(
  // CHECK-NEXT: relax.vm.kill_object
  // CHECK-NEXT: %[[A:.*]] = relax.tuple_get_item %[[T]][0]
  // CHECK-NEXT: relax.return %[[A]], %y
  relax.func @freed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {is_pure = false} {
    %t = relax.tuple(%x, %y) : tensor<4xf32>, tensor<4xf32>
    relax.vm.kill_object %x : tensor<4xf32>
    %a = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    %b = relax.tuple_get_item %t[1] : tuple<tensor<4xf32>, tensor<4xf32>>
    relax.return %a, %b : tensor<4xf32>, tensor<4xf32>
  }

  // CHECK-LABEL: relax.func @nested
  // CHECK: %[[T:.*]] = relax.tuple(
  // CHECK-NEXT: %[[U:.*]] = relax.tuple(%[[T]])
  // CHECK-NEXT: relax.vm.kill_object
  // CHECK-NEXT: %[[X:.*]] = relax.tuple_get_item %[[U]][0]
  // CHECK-NEXT: relax.return %[[X]]
  relax.func @nested(%x: !relax.object) -> tuple<!relax.object> attributes {is_pure = false} {
    %t = relax.tuple(%x) : !relax.object
    %u = relax.tuple(%t) : tuple<!relax.object>
    relax.vm.kill_object %x : !relax.object
    %0 = relax.tuple_get_item %u[0] : tuple<tuple<!relax.object>>
    relax.return %0 : tuple<!relax.object>
  }

  // Another name for a freed value is not freed with it.
  // CHECK-LABEL: relax.func @aliases
  // CHECK-NEXT: %[[A:.*]] = relax.alias %x
  // CHECK-NEXT: relax.vm.kill_object %[[A]]
  // CHECK-NEXT: %[[B:.*]] = relax.alias %y
  // CHECK-NEXT: relax.vm.kill_object %y
  // CHECK-NEXT: relax.vm.kill_object %z
  // CHECK-NEXT: relax.return %x, %[[B]]
  relax.func @aliases(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {is_pure = false} {
    %a = relax.alias %x : tensor<4xf32>
    relax.vm.kill_object %a : tensor<4xf32>
    %b = relax.alias %y : tensor<4xf32>
    relax.vm.kill_object %y : tensor<4xf32>
    %c = relax.alias %z : tensor<4xf32>
    relax.vm.kill_object %c : tensor<4xf32>
    relax.return %x, %b : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Types that do not follow from the operands are inferred again, in functions
// that change, and so are the functions' results.
partita.module @looser {
  // CHECK-LABEL: relax.func @names
  // CHECK-SAME: -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
  // CHECK-NEXT: %q = relax.add %x, %x : tensor<?x?xf32, #relax.shape<["m", "n"]>>
  // CHECK-NEXT: relax.return %q
  relax.func @names(%x: tensor<?x?xf32, #relax.shape<["m", "n"]>>) -> tensor<4x4xf32> {
    %z = relax.match_cast %x : tensor<?x?xf32, #relax.shape<["m", "n"]>> -> tensor<?x?xf32, #relax.shape<["o", "p"]>>
    %q = relax.add %z, %x : tensor<?x?xf32, #relax.shape<["o", "p"]>>, tensor<?x?xf32, #relax.shape<["m", "n"]>> -> tensor<4x4xf32>
    relax.return %q : tensor<4x4xf32>
  }
  // CHECK-LABEL: relax.func @result
  // CHECK-SAME: -> tensor<10x20xf32>
  // CHECK-NEXT: relax.return %a : tensor<10x20xf32>
  relax.func @result(%a: tensor<10x20xf32>) -> tensor<4x4xf32> {
    %lv = relax.match_cast %a : tensor<10x20xf32> -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
    %0 = relax.match_cast %lv {relax.assumed} : tensor<?x?xf32, #relax.shape<["m", "n"]>> -> tensor<4x4xf32>
    relax.return %0 : tensor<4x4xf32>
  }
  // A check that has a variable is left to the run; a variable has its value's type.
  // CHECK-LABEL: relax.func @check
  // CHECK-NEXT: %q = relax.exp %a : tensor<10x20xf32>
  // CHECK-NEXT: %[[ANY:.*]] = relax.match_cast %q : tensor<10x20xf32> -> !relax.object
  // CHECK-NEXT: %r = relax.match_cast %[[ANY]] : !relax.object -> tensor<4x4xf32>
  // CHECK-NEXT: relax.return %r
  relax.func @check(%a: tensor<10x20xf32>) -> tensor<4x4xf32> {
    %lv = relax.match_cast %a : tensor<10x20xf32> -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
    %q = relax.exp %lv : tensor<?x?xf32, #relax.shape<["m", "n"]>>
    %r = relax.match_cast %q : tensor<?x?xf32, #relax.shape<["m", "n"]>> -> tensor<4x4xf32>
    relax.return %r : tensor<4x4xf32>
  }
  // CHECK-LABEL: relax.func @variable
  // CHECK-SAME: -> tensor<10x20xf32>
  // CHECK-NEXT: %r = relax.exp %a : tensor<10x20xf32>
  // CHECK-NEXT: relax.return %r
  relax.func @variable(%a: tensor<10x20xf32>) -> tensor<4x4xf32> {
    %b = relax.alias %a : tensor<10x20xf32>
    %b_0 = relax.match_cast %b {relax.assumed} : tensor<10x20xf32> -> tensor<4x4xf32>
    %r = relax.exp %b_0 : tensor<4x4xf32>
    relax.return %r : tensor<4x4xf32>
  }
}

// -----

partita.module @invalid {
  // In TVM too, casts have to agree.
  relax.func @contradiction(%x: tensor<16xf32>, %y: tensor<8xf32>) {
    %0 = relax.match_cast %x : tensor<16xf32> -> tensor<?xf32, #relax.shape<["m"]>>
    // expected-error @below {{expected dimension "m" to be 16, as it was before, found 8}}
    %1 = relax.match_cast %y : tensor<8xf32> -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return
  }
}
