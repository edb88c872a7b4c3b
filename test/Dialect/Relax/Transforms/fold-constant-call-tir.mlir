// RUN: partita-opt %s --relax-fold-constant --split-input-file | FileCheck %s

// A call of a prim_func with constant operands is evaluated; the prim_func
// stays. Variable sizes come from the operands.
partita.module @folded {
  // CHECK: tir.prim_func @addone
  tir.prim_func @addone(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1.0 : f32
    %n = tir.var : i32
    %m = tir.var : i32
    tir.buffer %a shape(%n, %m : i32, i32) : memref<?x?xf32>
    tir.buffer %b shape(%n, %m : i32, i32) : memref<?x?xf32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %j = %c0 to %m step %c1 : i32 {
        tir.block "addone" ["spatial", "spatial"](%i, %j : i32, i32) from(%c0, %c0 : i32, i32) extent(%n, %m : i32, i32) where %true {
        ^bb0(%vi: i32, %vj: i32):
          %0 = arith.index_cast %vi : i32 to index
          %1 = arith.index_cast %vj : i32 to index
          %2 = memref.load %a[%0, %1] : memref<?x?xf32>
          %3 = arith.addf %2, %one : f32
          memref.store %3, %b[%0, %1] : memref<?x?xf32>
        }
      }
    }
    tir.return
  }

  // A result that a call writes in place is no constant.
  // CHECK-LABEL: relax.func @written
  // CHECK: relax.call_tir @addone
  // CHECK: relax.call_tir_inplace
  relax.func @written() -> tensor<1x3xf32> {
    %c = relax.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
    %0 = relax.call_tir @addone(%c) : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %update = relax.global @addone
    %t = relax.tuple(%0) : tensor<1x3xf32>
    %1 = relax.call_tir_inplace(%update, %t) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} : (!relax.object, tuple<tensor<1x3xf32>>) -> tensor<1x3xf32>
    relax.return %1 : tensor<1x3xf32>
  }

  // Twice, and through an op of relax.
  // CHECK-LABEL: relax.func @hops
  // CHECK-NEXT: %[[C:.*]] = relax.constant dense<{{\[\[}}6.000000e+00, 8.000000e+00, 1.000000e+01]]> : tensor<1x3xf32>
  // CHECK-NEXT: relax.return %[[C]]
  relax.func @hops() -> tensor<1x3xf32> {
    %c = relax.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
    %r = relax.dataflow -> tensor<1x3xf32> {
      %0 = relax.call_tir @addone(%c) : (tensor<1x3xf32>) -> tensor<1x3xf32>
      %1 = relax.call_tir @addone(%0) : (tensor<1x3xf32>) -> tensor<1x3xf32>
      %2 = relax.add %1, %1 : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
      relax.output %2 : tensor<1x3xf32>
    }
    relax.return %r : tensor<1x3xf32>
  }

  // CHECK-LABEL: relax.func @splat
  // CHECK-NEXT: relax.constant dense<3.000000e+00> : tensor<2x2xf32>
  relax.func @splat() -> tensor<2x2xf32> {
    %c = relax.constant dense<2.0> : tensor<2x2xf32>
    %0 = relax.call_tir @addone(%c) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    relax.return %0 : tensor<2x2xf32>
  }

  // The sizes do not fit: the call would fail.
  // CHECK-LABEL: relax.func @sizes
  // CHECK: relax.call_tir @addone
  relax.func @sizes() -> tensor<2x3xf32> {
    %c = relax.constant dense<2.0> : tensor<2x2xf32>
    %0 = relax.call_tir @addone(%c) : (tensor<2x2xf32>) -> tensor<2x3xf32>
    relax.return %0 : tensor<2x3xf32>
  }

  // An unknown size, and an operand that is not constant.
  // CHECK-LABEL: relax.func @unknown
  // CHECK: relax.call_tir @addone(%{{.*}}) : (tensor<2x2xf32>) -> tensor<?x2xf32,
  // CHECK: relax.call_tir @addone(%{{.*}}) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  relax.func @unknown(%x: tensor<2x2xf32>, %s: !relax.shape<["n"]>) -> (tensor<?x2xf32, #relax.shape<["n", 2]>>, tensor<2x2xf32>) {
    %c = relax.constant dense<2.0> : tensor<2x2xf32>
    %0 = relax.call_tir @addone(%c) : (tensor<2x2xf32>) -> tensor<?x2xf32, #relax.shape<["n", 2]>>
    %1 = relax.call_tir @addone(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    relax.return %0, %1 : tensor<?x2xf32, #relax.shape<["n", 2]>>, tensor<2x2xf32>
  }
}

// -----

// Several results; the used ones become constants. Rows are summed by a
// reduction, in a buffer of the block; a loop ends early.
partita.module @several {
  tir.prim_func private @sums(%a: memref<2x3xi32>, %sum: memref<2xi32>, %first: memref<ui8>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    tir.block "root" [] where %true {
      %t = tir.block_buffer : memref<2xi32>
      scf.for %i = %c0 to %c2 step %c1 : i32 {
        scf.for %j = %c0 to %c3 step %c1 : i32 {
          tir.block "sum" ["spatial", "reduce"](%i, %j : i32, i32) from(%c0, %c0 : i32, i32) extent(%c2, %c3 : i32, i32) where %true {
          ^bb0(%vi: i32, %vj: i32):
            %0 = arith.index_cast %vi : i32 to index
            %1 = arith.index_cast %vj : i32 to index
            tir.init {
              memref.store %c0, %t[%0] : memref<2xi32>
            }
            %2 = memref.load %t[%0] : memref<2xi32>
            %3 = memref.load %a[%0, %1] : memref<2x3xi32>
            %4 = arith.addi %2, %3 : i32
            memref.store %4, %t[%0] : memref<2xi32>
          }
        }
      }
      scf.for %i = %c0 to %c2 step %c1 : i32 {
        %0 = arith.index_cast %i : i32 to index
        %1 = memref.load %t[%0] : memref<2xi32>
        %2 = tir.prim "FloorMod"(%1, %c3) : (i32, i32) -> i32
        memref.store %2, %sum[%0] : memref<2xi32>
      }
      tir.for "serial" %c0, %c3 : i32, i32 {
      ^bb0(%i: i32):
        %0 = tir.prim "Cast"(%i) : (i32) -> ui8
        memref.store %0, %first[] : memref<ui8>
        %1 = arith.cmpi eq, %i, %c1 : i32
        scf.if %1 {
          tir.break
        }
      }
    }
    tir.return
  }

  // CHECK-LABEL: relax.func @both
  // CHECK-DAG: relax.constant dense<[0, 2]> : tensor<2xi32>
  // CHECK-DAG: relax.constant dense<1> : tensor<ui8>
  // CHECK-NOT: call_tir
  // CHECK: relax.return
  relax.func @both() -> (tensor<2xi32>, tensor<ui8>) {
    %c = relax.constant dense<[[1, 2, 3], [-1, -2, -4]]> : tensor<2x3xi32>
    %0:2 = relax.call_tir @sums(%c) : (tensor<2x3xi32>) -> (tensor<2xi32>, tensor<ui8>)
    relax.return %0#0, %0#1 : tensor<2xi32>, tensor<ui8>
  }

  // CHECK-LABEL: relax.func @one
  // CHECK-NEXT: %[[C:.*]] = relax.constant dense<[0, 2]>
  // CHECK-NEXT: relax.return %[[C]]
  relax.func @one() -> tensor<2xi32> {
    %c = relax.constant dense<[[1, 2, 3], [-1, -2, -4]]> : tensor<2x3xi32>
    %0:2 = relax.call_tir @sums(%c) : (tensor<2x3xi32>) -> (tensor<2xi32>, tensor<ui8>)
    relax.return %0#0 : tensor<2xi32>
  }
}

// -----

// Calls that can't be evaluated stay.
// CHECK-LABEL: partita.module @refused
partita.module @refused {
  tir.prim_func private @declared(%a: memref<2xi32>, %b: memref<2xi32>)
  tir.prim_func private @unwritten(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : index
    %1 = memref.load %a[%0] : memref<2xi32>
    memref.store %1, %b[%0] : memref<2xi32>
    tir.return
  }
  tir.prim_func private @read_before_written(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : index
    %1 = memref.load %b[%0] : memref<2xi32>
    memref.store %1, %b[%0] : memref<2xi32>
    tir.return
  }
  tir.prim_func private @outside(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 2 : index
    %1 = memref.load %a[%0] : memref<2xi32>
    memref.store %1, %b[%0] : memref<2xi32>
    tir.return
  }
  tir.prim_func private @writes_operand(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 0 : i32
    memref.store %1, %a[%0] : memref<2xi32>
    tir.return
  }
  tir.prim_func private @divides_by_zero(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %zero = arith.constant 0 : i32
    scf.for %i = %0 to %2 step %1 {
      %3 = memref.load %a[%i] : memref<2xi32>
      %4 = arith.floordivsi %3, %zero : i32
      memref.store %4, %b[%i] : memref<2xi32>
    }
    tir.return
  }
  tir.prim_func private @endless(%a: memref<2xi32>, %b: memref<2xi32>) {
    %true = arith.constant true
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    }
    tir.return
  }
  tir.prim_func private @too_large(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = memref.alloc() : memref<9223372036854775807xi32>
    %1 = arith.constant 0 : index
    %2 = arith.constant 0 : i32
    memref.store %2, %0[%1] : memref<9223372036854775807xi32>
    tir.return
  }
  tir.prim_func private @threads(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : i32
    %2 = arith.constant 2 : i32
    tir.for "thread_binding" %0, %2 : i32, i32 {
    ^bb0(%i: i32):
      %3 = arith.index_cast %i : i32 to index
      memref.store %i, %b[%3] : memref<2xi32>
    } {thread = "threadIdx.x"}
    tir.return
  }
  tir.prim_func private @packed(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = tir.string "fill"
    tir.call_intrin "tirx.tvm_call_packed"(%0) : (!tir.string) -> ()
    tir.return
  }
  tir.prim_func private @backwards(%a: memref<2xi32>, %b: memref<2xi32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant -1 : index
    scf.for %i = %0 to %0 step %1 {
    }
    tir.return
  }
  // CHECK: relax.func @main
  // CHECK: relax.call_tir @declared
  // CHECK: relax.call_tir @unwritten
  // CHECK: relax.call_tir @read_before_written
  // CHECK: relax.call_tir @outside
  // CHECK: relax.call_tir @writes_operand
  // CHECK: relax.call_tir @divides_by_zero
  // CHECK: relax.call_tir @endless
  // CHECK: relax.call_tir @too_large
  // CHECK: relax.call_tir @threads
  // CHECK: relax.call_tir @packed
  // CHECK: relax.call_tir @backwards
  relax.func @main() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %c = relax.constant dense<[1, 2]> : tensor<2xi32>
    %0 = relax.call_tir @declared(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %1 = relax.call_tir @unwritten(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %2 = relax.call_tir @read_before_written(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %3 = relax.call_tir @outside(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %4 = relax.call_tir @writes_operand(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %5 = relax.call_tir @divides_by_zero(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %6 = relax.call_tir @endless(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %7 = relax.call_tir @too_large(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %8 = relax.call_tir @threads(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %9 = relax.call_tir @packed(%c) : (tensor<2xi32>) -> tensor<2xi32>
    %10 = relax.call_tir @backwards(%c) : (tensor<2xi32>) -> tensor<2xi32>
    relax.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
}

// -----

// TVM declares most buffers as row-major; in another order, the elements have
// other places.
#row_major = #tir.tile_layout<i32, [2 : 3, 3 : 1]>
#column_major = #tir.tile_layout<i32, [2 : 1, 3 : 2]>
#broken = #tir.node<"[]">
partita.module @layouts {
  tir.prim_func @rows(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    tir.buffer %a {layout = #row_major} : memref<2x3xf32>
    tir.buffer %b {layout = #row_major} : memref<2x3xf32>
    %t = tir.alloc_buffer {layout = #row_major} : memref<2x3xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %0 = memref.load %a[%i, %j] : memref<2x3xf32>
        memref.store %0, %t[%i, %j] : memref<2x3xf32>
        %1 = memref.load %t[%i, %j] : memref<2x3xf32>
        %2 = arith.addf %1, %one : f32
        memref.store %2, %b[%i, %j] : memref<2x3xf32>
      }
    }
    tir.return
  }
  tir.prim_func @columns(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    tir.buffer %a {layout = #column_major} : memref<2x3xf32>
    tir.buffer %b {layout = #column_major} : memref<2x3xf32>
    %t = tir.alloc_buffer {layout = #column_major} : memref<2x3xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %0 = memref.load %a[%i, %j] : memref<2x3xf32>
        memref.store %0, %t[%i, %j] : memref<2x3xf32>
        %1 = memref.load %t[%i, %j] : memref<2x3xf32>
        %2 = arith.addf %1, %one : f32
        memref.store %2, %b[%i, %j] : memref<2x3xf32>
      }
    }
    tir.return
  }
  tir.prim_func @broken(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1.0 : f32
    tir.buffer %a {layout = #broken} : memref<2x3xf32>
    tir.buffer %b {layout = #broken} : memref<2x3xf32>
    %t = tir.alloc_buffer {layout = #broken} : memref<2x3xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %0 = memref.load %a[%i, %j] : memref<2x3xf32>
        memref.store %0, %t[%i, %j] : memref<2x3xf32>
        %1 = memref.load %t[%i, %j] : memref<2x3xf32>
        %2 = arith.addf %1, %one : f32
        memref.store %2, %b[%i, %j] : memref<2x3xf32>
      }
    }
    tir.return
  }
  // CHECK-LABEL: relax.func @call_rows
  // CHECK-NEXT: relax.constant dense<{{\[\[}}2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00]]>
  relax.func @call_rows() -> tensor<2x3xf32> {
    %c = relax.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %0 = relax.call_tir @rows(%c) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    relax.return %0 : tensor<2x3xf32>
  }
  // CHECK-LABEL: relax.func @call_columns
  // CHECK: relax.call_tir @columns
  relax.func @call_columns() -> tensor<2x3xf32> {
    %c = relax.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %0 = relax.call_tir @columns(%c) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    relax.return %0 : tensor<2x3xf32>
  }
  // CHECK-LABEL: relax.func @call_broken
  // CHECK: relax.call_tir @broken
  relax.func @call_broken() -> tensor<2x3xf32> {
    %c = relax.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %0 = relax.call_tir @broken(%c) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    relax.return %0 : tensor<2x3xf32>
  }
}

// -----

// TVM rounds halves to even numbers.

// CHECK-LABEL: relax.func @round()
// CHECK: relax.constant dense<[0.000000e+00, 2.000000e+00]> : tensor<2xf32>
partita.module {
  tir.prim_func private @round_each(%a: memref<2xf32>, %b: memref<2xf32>) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    scf.for %i = %c0 to %c2 step %c1 : i64 {
      %0 = arith.index_cast %i : i64 to index
      %1 = memref.load %a[%0] : memref<2xf32>
      %2 = tir.call_intrin pure "tirx.round"(%1) : (f32) -> f32
      memref.store %2, %b[%0] : memref<2xf32>
    }
    tir.return
  }
  relax.func @round() -> tensor<2xf32> {
    %0 = relax.constant dense<[0.5, 2.5]> : tensor<2xf32>
    %1 = relax.call_tir @round_each(%0) : (tensor<2xf32>) -> tensor<2xf32>
    relax.return %1 : tensor<2xf32>
  }
}
