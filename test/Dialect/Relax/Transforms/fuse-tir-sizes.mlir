// RUN: partita-opt %s --split-input-file --relax-fuse-tir | FileCheck %s

// A size that is an expression is computed from the sizes that the kernel has.
partita.module {
  // CHECK-LABEL: tir.prim_func private @fused(%x: memref<?xf32>, %n: i64, %
  // CHECK: %[[SIZE:.*]] = arith.subi %n, %{{.*}} overflow<nsw> : i64
  // CHECK: tir.buffer %x shape(%[[SIZE]] : i64) {index_type = i64}
  // CHECK-NOT: tir.var
  // CHECK: tir.block_buffer shape(%{{.*}} : i64) {index_type = i64}
  tir.prim_func private @exp(%x: memref<?xf32>, %n: i64, %y: memref<?xf32>) attributes {s_tir = true} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %true = arith.constant true
    %size = arith.subi %n, %c1 : i64
    tir.buffer %x shape(%size : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %y shape(%size : i64) {index_type = i64} : memref<?xf32>
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %size step %c1 : i64 {
        tir.block "exp" ["spatial"](%i : i64) from(%c0 : i64) extent(%size : i64) where %true {
        ^bb0(%v: i64):
          %at = arith.index_cast %v : i64 to index
          %0 = memref.load %x[%at] : memref<?xf32>
          %1 = math.exp %0 : f32
          memref.store %1, %y[%at] : memref<?xf32>
        }
      }
    }
    tir.return
  }
  relax.func @fused(%x: tensor<?xf32, #relax.shape<["n - 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>> attributes {Primitive = true} {
    %gv = relax.dataflow -> tensor<?xf32, #relax.shape<["n - 1"]>> {
      %n = relax.dim ["n"] : i64
      %0 = relax.call_tir @exp(%x, %n) : (tensor<?xf32, #relax.shape<["n - 1"]>>, i64) -> tensor<?xf32, #relax.shape<["n - 1"]>>
      %1 = relax.call_tir @exp(%0, %n) : (tensor<?xf32, #relax.shape<["n - 1"]>>, i64) -> tensor<?xf32, #relax.shape<["n - 1"]>>
      relax.output %1 : tensor<?xf32, #relax.shape<["n - 1"]>>
    }
    relax.return %gv : tensor<?xf32, #relax.shape<["n - 1"]>>
  }
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n - 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>> {
    %0 = relax.call @fused(%x, %s) : (tensor<?xf32, #relax.shape<["n - 1"]>>, !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n - 1"]>>
  }
}

// -----

// A remainder is one op, as in a prim_func that comes from TVM.
partita.module {
  // CHECK-LABEL: tir.prim_func private @fused(%x: memref<?xf32>, %n: i64, %
  // CHECK: %[[REST:.*]] = tir.prim "FloorMod"(%n, %{{.*}}) : (i64, i64) -> i64
  // CHECK: %[[SIZE:.*]] = arith.addi %[[REST]], %{{.*}} overflow<nsw> : i64
  // CHECK: tir.buffer %x shape(%[[SIZE]] : i64) {index_type = i64}
  // CHECK-NOT: arith.floordivsi
  tir.prim_func private @exp(%x: memref<?xf32>, %n: i64, %y: memref<?xf32>) attributes {s_tir = true} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c4 = arith.constant 4 : i64
    %true = arith.constant true
    %rest = tir.prim "FloorMod"(%n, %c4) : (i64, i64) -> i64
    %size = arith.addi %rest, %c1 overflow<nsw> : i64
    tir.buffer %x shape(%size : i64) {index_type = i64} : memref<?xf32>
    tir.buffer %y shape(%size : i64) {index_type = i64} : memref<?xf32>
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %size step %c1 : i64 {
        tir.block "exp" ["spatial"](%i : i64) from(%c0 : i64) extent(%size : i64) where %true {
        ^bb0(%v: i64):
          %at = arith.index_cast %v : i64 to index
          %0 = memref.load %x[%at] : memref<?xf32>
          %1 = math.exp %0 : f32
          memref.store %1, %y[%at] : memref<?xf32>
        }
      }
    }
    tir.return
  }
  relax.func @fused(%x: tensor<?xf32, #relax.shape<["n % 4 + 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n % 4 + 1"]>> attributes {Primitive = true} {
    %gv = relax.dataflow -> tensor<?xf32, #relax.shape<["n % 4 + 1"]>> {
      %n = relax.dim ["n"] : i64
      %0 = relax.call_tir @exp(%x, %n) : (tensor<?xf32, #relax.shape<["n % 4 + 1"]>>, i64) -> tensor<?xf32, #relax.shape<["n % 4 + 1"]>>
      relax.output %0 : tensor<?xf32, #relax.shape<["n % 4 + 1"]>>
    }
    relax.return %gv : tensor<?xf32, #relax.shape<["n % 4 + 1"]>>
  }
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n % 4 + 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n % 4 + 1"]>> {
    %0 = relax.call @fused(%x, %s) : (tensor<?xf32, #relax.shape<["n % 4 + 1"]>>, !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n % 4 + 1"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n % 4 + 1"]>>
  }
}

// -----

// What computes sizes of a callee's buffers alone is not in the kernel.
partita.module {
  // CHECK-LABEL: tir.prim_func private @fused(%x: memref<?xf32>, %n: i64, %
  // CHECK:     tir.buffer %x shape
  // CHECK:     arith.subi
  // CHECK:     tir.buffer %{{.*}} shape
  // CHECK-NOT: arith.subi
  // CHECK:     tir.block "root"
  // CHECK:     arith.subi
  // CHECK-NOT: arith.subi
  tir.prim_func private @exp(%x: memref<?xf32>, %n: i64, %y: memref<?xf32>) attributes {s_tir = true} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %true = arith.constant true
    %size = arith.subi %n, %c1 overflow<nsw> : i64
    tir.buffer %x shape(%size : i64) {index_type = i64} : memref<?xf32>
    %other = arith.subi %n, %c1 overflow<nsw> : i64
    tir.buffer %y shape(%other : i64) {index_type = i64} : memref<?xf32>
    tir.block "root" [] where %true {
      %end = arith.subi %n, %c1 overflow<nsw> : i64
      scf.for %i = %c0 to %end step %c1 : i64 {
        tir.block "exp" ["spatial"](%i : i64) from(%c0 : i64) extent(%end : i64) where %true {
        ^bb0(%v: i64):
          %at = arith.index_cast %v : i64 to index
          %0 = memref.load %x[%at] : memref<?xf32>
          %1 = math.exp %0 : f32
          memref.store %1, %y[%at] : memref<?xf32>
        }
      }
    }
    tir.return
  }
  relax.func @fused(%x: tensor<?xf32, #relax.shape<["n - 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>> attributes {Primitive = true} {
    %gv = relax.dataflow -> tensor<?xf32, #relax.shape<["n - 1"]>> {
      %n = relax.dim ["n"] : i64
      %0 = relax.call_tir @exp(%x, %n) : (tensor<?xf32, #relax.shape<["n - 1"]>>, i64) -> tensor<?xf32, #relax.shape<["n - 1"]>>
      relax.output %0 : tensor<?xf32, #relax.shape<["n - 1"]>>
    }
    relax.return %gv : tensor<?xf32, #relax.shape<["n - 1"]>>
  }
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n - 1"]>>, %s: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>> {
    %0 = relax.call @fused(%x, %s) : (tensor<?xf32, #relax.shape<["n - 1"]>>, !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n - 1"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n - 1"]>>
  }
}
