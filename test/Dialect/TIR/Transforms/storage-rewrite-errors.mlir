// RUN: partita-opt %s -allow-unregistered-dialect --tir-storage-rewrite \
// RUN:     --split-input-file --verify-diagnostics

partita.module {
tir.prim_func @vectorized() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{expected no loop that runs as vectors; run tir.VectorizeLoop first}}
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    %b = tir.alloc_buffer : memref<8xf32>
    "test.use"(%b) : (memref<8xf32>) -> ()
  } {tir.kind = "vectorized"}
  tir.return
}
}

// -----

partita.module {
tir.prim_func @vectorized() {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{expected no loop that runs as vectors; run tir.VectorizeLoop first}}
  tir.for "vectorized" %c0, %c0 : i32, i32 {
  ^bb0(%i: i32):
    tir.yield
  }
  tir.return
}
}

// -----

// Blocks without a structure, and sizes that are 0, negative or huge.
partita.module {
tir.prim_func @blocks(%p: i1) {
  %b = tir.alloc_buffer : memref<8xf32>
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  cf.br ^bb2
^bb2:
  tir.return
}

tir.prim_func @sizes() {
  %n = arith.constant -1 : i32
  %a = tir.alloc_buffer shape(%n : i32) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  %b = tir.alloc_buffer shape(%n : i32) : memref<?xf32>
  "test.use"(%b) : (memref<?xf32>) -> ()
  %c = tir.alloc_buffer : memref<0xf32>
  "test.use"(%c) : (memref<0xf32>) -> ()
  %d = tir.alloc_buffer : memref<9223372036854775807xf32>
  "test.use"(%d) : (memref<9223372036854775807xf32>) -> ()
  %e = tir.alloc_buffer : memref<9223372036854775807x9223372036854775807xf32>
  "test.use"(%e) : (memref<9223372036854775807x9223372036854775807xf32>) -> ()
  %f = tir.alloc_buffer : memref<4611686018427387904xi8, "local.X">
  "test.use"(%f) : (memref<4611686018427387904xi8, "local.X">) -> ()
  tir.return
}
}
