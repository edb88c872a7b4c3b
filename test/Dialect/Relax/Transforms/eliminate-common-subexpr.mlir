// RUN: partita-opt %s --relax-eliminate-common-subexpr --mlir-pass-statistics 2>%t | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}
// RUN: partita-opt %s --relax-eliminate-common-subexpr=call-only | FileCheck %s --check-prefixes=CHECK,CALL

// STATS: EliminateCommonSubexpr
// STATS: (S) 26 erased

partita.module @m {
  // An output of a dataflow block is not computed again after it, also in
  // another block or a branch. A value that is no output, or is known in a
  // branch only, is computed again.
  // CHECK-LABEL: relax.func @outputs
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<i1>)
  relax.func @outputs(%x: tensor<8xf32>, %b: tensor<i1>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[Y:.*]]:3 = relax.dataflow
    // CHECK-NEXT:   %[[E:.*]] = relax.exp %[[X]]
    // CHECK-NEXT:   %[[L:.*]] = relax.log %[[E]]
    // CHECK-NEXT:   relax.sqrt %[[X]]
    // CHECK-NEXT:   %[[M:.*]] = relax.add
    // CHECK-NEXT:   relax.output %[[E]], %[[L]], %[[M]]
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[S:.*]] = relax.sqrt %[[X]]
    // CHECK-NEXT: %[[I:.*]] = relax.if %[[B]]
    // CHECK-NEXT:   %[[T:.*]] = relax.dataflow
    // CHECK-NEXT:     %[[A:.*]] = relax.add %[[Y]]#0, %[[Y]]#1
    // CHECK-NEXT:     relax.output %[[A]]
    // CHECK-NEXT:   }
    // CHECK-NEXT:   relax.yield %[[T]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT:   relax.yield %[[Y]]#1
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[A2:.*]] = relax.add %[[Y]]#0, %[[Y]]#1
    // CHECK-NEXT: relax.multiply %[[A2]], %[[I]]
    %y:3 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.log %0 : tensor<8xf32>
      %inner = relax.sqrt %x : tensor<8xf32>
      %m = relax.add %inner, %x : tensor<8xf32>
      relax.output %0, %1, %m : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    %s = relax.sqrt %x : tensor<8xf32>
    %i = relax.if %b : tensor<i1> -> tensor<8xf32> {
      %t = relax.dataflow -> tensor<8xf32> {
        %2 = relax.exp %x : tensor<8xf32>
        %3 = relax.log %2 : tensor<8xf32>
        %4 = relax.add %2, %3 : tensor<8xf32>
        relax.output %4 : tensor<8xf32>
      }
      relax.yield %t : tensor<8xf32>
    } else {
      %5 = relax.log %y#0 : tensor<8xf32>
      relax.yield %5 : tensor<8xf32>
    }
    %6 = relax.exp %x : tensor<8xf32>
    %7 = relax.add %6, %y#1 : tensor<8xf32>
    %8 = relax.multiply %7, %i : tensor<8xf32>
    %9 = relax.subtract %8, %s : tensor<8xf32>
    %10 = relax.subtract %9, %y#2 : tensor<8xf32>
    relax.return %10 : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @equal
  relax.func @equal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.add %[[X:.*]], %[[Y:.*]] :
    %0 = relax.add %x, %y : tensor<8xf32>
    %1 = relax.add %x, %y : tensor<8xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.multiply %[[A]], %[[A]]
    %2 = relax.multiply %0, %1 : tensor<8xf32>
    %3 = relax.multiply %1, %0 : tensor<8xf32>
    // CHECK-NEXT: %[[C:.*]] = relax.add %[[B]], %[[B]]
    %4 = relax.add %2, %3 : tensor<8xf32>
    // CHECK-NEXT: relax.return %[[C]]
    relax.return %4 : tensor<8xf32>
  }

  // Other operands, attributes or result types make other values.
  // CHECK-LABEL: relax.func @different
  relax.func @different(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK-NEXT: relax.subtract
    %0 = relax.subtract %x, %y : tensor<8x8xf32>
    // CHECK-NEXT: relax.subtract
    %1 = relax.subtract %y, %x : tensor<8x8xf32>
    // CHECK-NEXT: relax.nn.softmax %{{.*}} axis = 0
    %2 = relax.nn.softmax %0 axis = 0 : tensor<8x8xf32>
    // CHECK-NEXT: relax.nn.softmax
    %3 = relax.nn.softmax %0 : tensor<8x8xf32>
    // CHECK-NEXT: relax.astype {{.*}} -> tensor<8x8xf16>
    %4 = relax.astype %1 : tensor<8x8xf32> -> tensor<8x8xf16>
    // CHECK-NEXT: relax.astype {{.*}} -> tensor<8x8xf64>
    %5 = relax.astype %1 : tensor<8x8xf32> -> tensor<8x8xf64>
    // CHECK-NEXT: relax.astype
    %6 = relax.astype %4 : tensor<8x8xf16> -> tensor<8x8xf32>
    // CHECK-NEXT: relax.astype
    %7 = relax.astype %5 : tensor<8x8xf64> -> tensor<8x8xf32>
    // CHECK-COUNT-4: relax.add
    %8 = relax.add %2, %3 : tensor<8x8xf32>
    %9 = relax.add %6, %7 : tensor<8x8xf32>
    %10 = relax.add %8, %9 : tensor<8x8xf32>
    %11 = relax.add %8, %9 {note = "this one"} : tensor<8x8xf32>
    // CHECK-NEXT: relax.multiply
    %12 = relax.multiply %10, %11 : tensor<8x8xf32>
    relax.return %12 : tensor<8x8xf32>
  }

  // Constants are merged when they hold the same attribute.
  // CHECK-LABEL: relax.func @constants
  relax.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.constant dense<1.000000e+00>
    %0 = relax.constant dense<1.0> : tensor<2xf32>
    %1 = relax.constant dense<[1.0, 1.0]> : tensor<2xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.constant dense<2.000000e+00>
    %2 = relax.constant dense<2.0> : tensor<2xf32>
    // CHECK-NEXT: %[[C:.*]] = relax.add %{{.*}}, %[[A]]
    %3 = relax.add %x, %0 : tensor<2xf32>
    %4 = relax.add %x, %1 : tensor<2xf32>
    // CHECK-NEXT: %[[D:.*]] = relax.add %{{.*}}, %[[B]]
    %5 = relax.add %x, %2 : tensor<2xf32>
    // CHECK-NEXT: relax.multiply %[[C]], %[[C]]
    %6 = relax.multiply %3, %4 : tensor<2xf32>
    // CHECK-NEXT: relax.multiply
    %7 = relax.multiply %6, %5 : tensor<2xf32>
    relax.return %7 : tensor<2xf32>
  }

  // Impure calls stay apart; pure ops around them are still equal.
  // CHECK-LABEL: relax.func @impure
  relax.func @impure(%x: tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false} {
    // CHECK-NEXT: %[[A:.*]] = relax.exp
    %0 = relax.exp %x : tensor<8xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.call @draw(%[[A]]) {is_pure = false}
    %1 = relax.call @draw(%0) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = relax.exp %x : tensor<8xf32>
    // CHECK-NEXT: %[[C:.*]] = relax.call @draw(%[[A]]) {is_pure = false}
    %3 = relax.call @draw(%2) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: relax.add %[[B]], %[[C]]
    %4 = relax.add %1, %3 : tensor<8xf32>
    relax.return %4 : tensor<8xf32>
  }
  relax.func private @draw(tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false}

  // CHECK-LABEL: relax.func @calls
  relax.func @calls(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.call @pure
    %0 = relax.call @pure(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = relax.call @pure(%x) : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: %[[B:.*]] = relax.call_tir @kernel(%[[A]])
    %2 = relax.call_tir @kernel(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = relax.call_tir @kernel(%1) : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: relax.add %[[B]], %[[B]]
    %4 = relax.add %2, %3 : tensor<8xf32>
    relax.return %4 : tensor<8xf32>
  }
  relax.func private @pure(tensor<8xf32>) -> tensor<8xf32>
  tir.prim_func private @kernel(memref<8xf32>, memref<8xf32>)

  // A block knows the values around it, and earlier blocks' outputs.
  // CHECK-LABEL: relax.func @blocks
  relax.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.exp
    %0 = relax.exp %x : tensor<8xf32>
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    %y = relax.dataflow -> tensor<8xf32> {
      // CHECK-NEXT: %[[L:.*]] = relax.log %[[A]]
      %1 = relax.exp %x : tensor<8xf32>
      %2 = relax.log %1 : tensor<8xf32>
      // CHECK-NEXT: relax.output %[[L]]
      relax.output %2 : tensor<8xf32>
    }
    // CHECK: %[[Z:.*]] = relax.dataflow
    %z = relax.dataflow -> tensor<8xf32> {
      // CHECK-NEXT: relax.sqrt %[[Y]]
      %3 = relax.log %0 : tensor<8xf32>
      %4 = relax.sqrt %3 : tensor<8xf32>
      relax.output %4 : tensor<8xf32>
    }
    // CHECK: relax.add %[[Y]], %[[Z]]
    %5 = relax.add %y, %z : tensor<8xf32>
    relax.return %5 : tensor<8xf32>
  }

  // With call-only, tuples and their fields stay apart.
  // CHECK-LABEL: relax.func @tuples
  relax.func @tuples(%t: tuple<tensor<8xf32>, tensor<f32>>) -> tensor<8xf32> {
    // ALL-NEXT: %[[A:.*]] = relax.tuple_get_item
    // ALL-NEXT: relax.add %[[A]], %[[A]]
    // CALL-NEXT: %[[A:.*]] = relax.tuple_get_item %{{.*}}[0] : tuple<tensor<8xf32>, tensor<f32>>
    // CALL-NEXT: %[[B:.*]] = relax.tuple_get_item %{{.*}}[0] : tuple<tensor<8xf32>, tensor<f32>>
    // CALL-NEXT: relax.add %[[A]], %[[B]]
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<f32>>
    %1 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<f32>>
    %2 = relax.add %0, %1 : tensor<8xf32>
    relax.return %2 : tensor<8xf32>
  }

  // Each cast that introduces names says something about its value; a result
  // with a less specific shape is another value.
  // CHECK-LABEL: relax.func @symbolic
  relax.func @symbolic(%x: tensor<?xf32, #relax.shape<["n"]>>, %u: tensor<?xf32>) -> tensor<?xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.match_cast
    %0 = relax.match_cast %u : tensor<?xf32> -> tensor<?xf32, #relax.shape<["a"]>>
    // CHECK-NEXT: %[[B:.*]] = relax.match_cast
    %1 = relax.match_cast %u : tensor<?xf32> -> tensor<?xf32, #relax.shape<["b"]>>
    // CHECK-NEXT: relax.add %[[A]], %[[B]]
    %2 = relax.add %0, %1 : tensor<?xf32, #relax.shape<["a"]>>, tensor<?xf32, #relax.shape<["b"]>> -> tensor<?xf32>
    // CHECK-NEXT: %[[E:.*]] = relax.add %{{.*}}, %{{.*}} -> tensor<?xf32>
    %3 = relax.add %x, %2 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32> -> tensor<?xf32>
    %4 = relax.add %x, %2 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32> -> tensor<?xf32>
    // CHECK-NEXT: relax.add %[[E]], %[[E]]
    %5 = relax.add %3, %4 : tensor<?xf32>
    relax.return %5 : tensor<?xf32>
  }

  // Functions of other dialects stay as they are.
  // CHECK-LABEL: tir.prim_func @foreign
  tir.prim_func @foreign(%a: i32, %b: memref<2xi32>) {
    // CHECK-NEXT: arith.addi
    %0 = arith.addi %a, %a : i32
    // CHECK-NEXT: arith.addi
    %1 = arith.addi %a, %a : i32
    %c = arith.constant 0 : index
    memref.store %0, %b[%c] : memref<2xi32>
    memref.store %1, %b[%c] : memref<2xi32>
    tir.return
  }

  // Equal blocks are merged, also if they become equal only when their operands
  // do.
  // CHECK-LABEL: relax.func @equal_blocks
  relax.func @equal_blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
    // ALL-NEXT: %[[A:.*]] = relax.dataflow
    // ALL-NEXT: relax.exp
    // ALL-NEXT: relax.output
    // CALL-COUNT-5: relax.dataflow
    %a = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    %b = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    // ALL: %[[C:.*]] = relax.dataflow
    // ALL-NEXT: relax.log %[[A]]
    %c = relax.dataflow -> tensor<8xf32> {
      %0 = relax.log %a : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    %d = relax.dataflow -> tensor<8xf32> {
      %0 = relax.log %b : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    // ALL: %[[E:.*]] = relax.dataflow
    // ALL-NEXT: relax.sqrt %[[A]]
    %e = relax.dataflow -> tensor<8xf32> {
      %0 = relax.sqrt %b : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    // ALL: %[[F:.*]] = relax.add %[[C]], %[[C]]
    %f = relax.add %c, %d : tensor<8xf32>
    // ALL-NEXT: relax.add %[[F]], %[[E]]
    %g = relax.add %f, %e : tensor<8xf32>
    relax.return %g : tensor<8xf32>
  }

  // Casts that introduce names are merged, too, but not across branches.
  // CHECK-LABEL: relax.func @casts
  // CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<i1>)
  relax.func @casts(%x: tensor<?xf32>, %b: tensor<i1>) -> (tensor<?xf32>, tensor<?xf32, #relax.shape<["n"]>>) {
    // CHECK-NEXT: relax.if
    // CHECK-NEXT:   %[[M:.*]] = relax.match_cast %[[X]]
    // ALL-NEXT:     relax.add %[[M]], %[[M]]
    // CALL-NEXT:    relax.match_cast %[[X]]
    // CHECK:      } else {
    // CHECK-NEXT:   relax.match_cast %[[X]]
    // CHECK:      }
    // CHECK-NEXT: %[[N:.*]] = relax.match_cast %[[X]]
    // CHECK:      relax.return %{{.*}}, %[[N]]
    %0 = relax.if %b : tensor<i1> -> tensor<?xf32> {
      %1 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
      %2 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
      %3 = relax.add %1, %2 : tensor<?xf32, #relax.shape<["m"]>>
      %4 = relax.match_cast %3 : tensor<?xf32, #relax.shape<["m"]>> -> tensor<?xf32>
      relax.yield %4 : tensor<?xf32>
    } else {
      %1 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
      %2 = relax.exp %1 : tensor<?xf32, #relax.shape<["m"]>>
      %4 = relax.match_cast %2 : tensor<?xf32, #relax.shape<["m"]>> -> tensor<?xf32>
      relax.yield %4 : tensor<?xf32>
    }
    %5 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0, %5 : tensor<?xf32>, tensor<?xf32, #relax.shape<["n"]>>
  }

  // A value that is freed differs from one that is used afterwards.
  // CHECK-LABEL: relax.func @freed
  // CHECK-NEXT: %[[A:.*]] = relax.tuple_get_item %{{.*}}[0]
  // CHECK-NEXT: relax.vm.kill_object %[[A]]
  // CHECK-NEXT: %[[B:.*]] = relax.tuple_get_item %{{.*}}[0]
  // CHECK-NEXT: relax.return %[[B]]
  relax.func @freed(%t: tuple<tensor<4xf32>, tensor<2xf32>>) -> tensor<4xf32> attributes {is_pure = false} {
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<2xf32>>
    relax.vm.kill_object %0 : tensor<4xf32>
    %1 = relax.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<2xf32>>
    relax.return %1 : tensor<4xf32>
  }

  // The results of a call that writes belong to that call.
  // CHECK-LABEL: relax.func @written
  // CHECK: %[[A:.*]] = relax.dataflow
  // CHECK-NEXT: relax.call_tir @copy
  // CHECK: %[[B:.*]] = relax.call_tir @copy
  // CHECK: %[[T:.*]] = relax.tuple(%[[B]], %[[A]])
  // CHECK: %[[C:.*]] = relax.call_tir_inplace(%{{.*}}, %[[T]])
  // CHECK: relax.call_inplace_packed(%{{.*}}, %[[A]])
  // CHECK: relax.call_inplace_packed(%{{.*}}, %[[A]])
  relax.func @written(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a = relax.dataflow -> tensor<4xf32> {
      %0 = relax.call_tir @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
      relax.output %0 : tensor<4xf32>
    }
    %b = relax.call_tir @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %update = relax.global @update
    %t = relax.tuple(%b, %a) : tensor<4xf32>, tensor<4xf32>
    %c = relax.call_tir_inplace(%update, %t) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0, -1>} : (!relax.object, tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %append = relax.extern_func "append"
    %d = relax.call_inplace_packed(%append, %a) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    %e = relax.call_inplace_packed(%append, %a) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  tir.prim_func private @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
    tir.return
  }
  tir.prim_func private @update(%x: memref<4xf32>, %y: memref<4xf32>) {
    tir.return
  }

  // A shape without a name is no variable in TVM, and no op takes both.
  // CHECK-LABEL: relax.func @literals
  // CHECK-NEXT: %[[N:.*]] = relax.shape [4]
  // CHECK-NEXT: %[[S:.*]] = relax.shape [4]
  // CHECK-NEXT: relax.zeros %[[S]]
  // CHECK-NEXT: relax.ones %[[S]]
  // CHECK-NEXT: relax.full %[[N]]
  relax.func @literals(%x: tensor<f32>) -> (!relax.shape<[4]>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %named = relax.shape [4]
    %0 = relax.shape [4]
    %1 = relax.zeros %0 {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    %2 = relax.shape [4]
    %3 = relax.ones %2 {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    %other = relax.shape [4]
    %4 = relax.full %other, %x : (!relax.shape<[4]>, tensor<f32>) -> tensor<4xf32>
    relax.return %named, %1, %3, %4 : !relax.shape<[4]>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }

  // A tuple that is passed on whole stays one, also if its fields have variables.
  // CHECK-LABEL: relax.func @whole_tuple
  // CHECK: %first = relax.tuple_get_item %t[0]
  // CHECK: %[[A:.*]] = relax.tuple_get_item %t[0]
  // CHECK: %[[B:.*]] = relax.tuple_get_item %t[1]
  // CHECK: %joined = relax.concat %[[A]], %[[B]]
  // CHECK: %second = relax.tuple_get_item %t[1]
  // ALL: relax.return %[[A]], %[[B]] :
  relax.func @whole_tuple(%t: tuple<tensor<8xf32>, tensor<8xf32>>)
      -> (tensor<8xf32>, tensor<8xf32>) attributes {is_pure = false} {
    %first = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    relax.print %first : tensor<8xf32>
    %0 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %1 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %joined = relax.concat %0, %1 axis = 0 : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
    %second = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    relax.print %second, %joined : tensor<8xf32>, tensor<16xf32>
    %2 = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %3 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    relax.return %2, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
