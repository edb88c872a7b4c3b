// RUN: partita-opt %s --split-input-file --verify-diagnostics

tir.prim_func @prim_kind(%x: i32) {
  // expected-error @below {{'tir.prim' op expected the name of a TVM expression, such as "FloorMod", found "Modulo"}}
  %0 = tir.prim "Modulo"(%x, %x) : (i32, i32) -> i32
  tir.return
}

// -----

tir.prim_func @prim_operands(%x: i32) {
  // expected-error @below {{'tir.prim' op expected 2 operands of "FloorMod", found 1}}
  %0 = tir.prim "FloorMod"(%x) : (i32) -> i32
  tir.return
}

// -----

tir.prim_func @let_takes(%x: i32) {
  // expected-error @below {{'tir.let' op expected its region to take the value, of type 'i32'}}
  %0 = tir.let %x : i32 to i32 {
    tir.yield %x : i32
  }
  tir.return
}

// -----

tir.prim_func @let_yields(%x: i32) {
  // expected-error @below {{'tir.let' op expected its region to yield a value of type 'i32'}}
  %0 = tir.let %x : i32 to i32 {
  ^bb0(%y: i32):
    tir.yield
  }
  tir.return
}

// -----

tir.prim_func @let_returns(%x: i32) {
  // expected-error @below {{'tir.let' op expected its region to yield a value of type 'i32'}}
  %0 = tir.let %x : i32 to i32 {
  ^bb0(%y: i32):
    tir.return
  }
  tir.return
}

// -----

tir.prim_func @constant() {
  // expected-error @below {{'tir.constant' op expected an integer of type 'ui8', or an f64 for a float, found 7 : i32}}
  %0 = tir.constant 7 : i32 -> ui8
  tir.return
}

// -----

partita.module {
  tir.prim_func @callee() {
    // expected-error @below {{'tir.call' op expected a function of name @missing, found none}}
    tir.call @missing() : () -> ()
    tir.return
  }
}

// -----

tir.prim_func @load(%a: memref<4x4xf32>, %i: i32) {
  // expected-error @below {{'tir.load' op expected 2 indices, one for each dimension of 'memref<4x4xf32>', found 1}}
  %0 = tir.load %a[%i] : memref<4x4xf32>, i32 -> f32
  tir.return
}

// -----

tir.prim_func @store(%a: memref<4x4xf32>, %x: f32) {
  // expected-error @below {{'tir.store' op expected 2 indices, one for each dimension of 'memref<4x4xf32>', found 0}}
  tir.store %x, %a[] : f32, memref<4x4xf32>
  tir.return
}

// -----

tir.prim_func @for_kind(%n: i32) {
  // expected-error @below {{'tir.for' op expected a kind of loop (serial, parallel, vectorized, unrolled, thread_binding), found "fast"}}
  tir.for "fast" %n, %n : i32, i32 {
  ^bb0(%i: i32):
  }
  tir.return
}

// -----

tir.prim_func @for_thread(%n: i32) {
  // expected-error @below {{'tir.for' op expected the axis of threads as 'thread', found none}}
  tir.for "thread_binding" %n, %n : i32, i32 {
  ^bb0(%i: i32):
  }
  tir.return
}

// -----

tir.prim_func @for_argument(%n: i32) {
  // expected-error @below {{'tir.for' op expected its region to take one integer}}
  tir.for "parallel" %n, %n : i32, i32 {
  }
  tir.return
}

// -----

tir.prim_func @attr_objects(%n: i32) {
  // expected-error @below {{'tir.attr' op expected one object, as 'of', 'node' or the region's argument, found several}}
  tir.attr "key" of %n : i32 = %n : i32 {
  } {node = "default"}
  tir.return
}

// -----

tir.prim_func @attr_thread(%n: i32) {
  // expected-error @below {{'tir.attr' op expected 'thread' and 'iter_type' of the region's argument}}
  tir.attr "thread_extent" = %n : i32 {
  ^bb0(%tx: i32):
  }
  tir.return
}

// -----

tir.prim_func @attr_domain(%n: i32) {
  // expected-error @below {{'tir.attr' op expected 'domain' to be the minimum and the extent of the region's argument}}
  tir.attr "key" = %n : i32 domain(%n : i32) {
  }
  tir.return
}

// -----

tir.prim_func @attr_node(%n: i32) {
  tir.attr "key" of %n : i32 = %n : i32 {
    // expected-error @below {{'tir.attr_node' op expected to be in 1 'tir.attr' without an object, found fewer}}
    tir.attr_node %n : i32
  }
  tir.return
}

// -----

tir.prim_func @sizes(%a: memref<4x?xf32>, %n: i64) {
  // expected-error @below {{'tir.buffer' op expected 2 sizes, one for each dimension of 'memref<4x?xf32>', found 1}}
  tir.buffer %a shape(%n : i64) : memref<4x?xf32>
  tir.return
}

// -----

tir.prim_func @size(%a: memref<4x?xf32>, %n: i64) {
  %c5 = arith.constant 5 : i64
  // expected-error @below {{'tir.buffer' op expected a buffer of size 5, as in 'shape', found 'memref<4x?xf32>'}}
  tir.buffer %a shape(%c5, %n : i64, i64) : memref<4x?xf32>
  tir.return
}

// -----

tir.prim_func @strides(%a: memref<4x4xf32>, %n: i64) {
  // expected-error @below {{'tir.buffer' op expected 2 strides, one for each dimension of 'memref<4x4xf32>', found 1}}
  tir.buffer %a strides(%n : i64) : memref<4x4xf32>
  tir.return
}

// -----

tir.prim_func @iterators(%n: i32, %p: i1) {
  // expected-error @below {{'tir.block' op expected a kind, a binding, a minimum and an extent for each of the region's 1 arguments}}
  tir.block "b" ["spatial"] (%n : i32) from(%n : i32) where %p {
  ^bb0(%i: i32):
  }
  tir.return
}

// -----

tir.prim_func @iterator_kind(%n: i32, %p: i1) {
  // expected-error @below {{'tir.block' op expected a kind of iterator (spatial, thread, reduce, scan, opaque, unroll, vectorize, parallel, tensorize), found "other"}}
  tir.block "b" ["other"] (%n : i32) from(%n : i32) extent(%n : i32) where %p {
  ^bb0(%i: i32):
  }
  tir.return
}

// -----

tir.prim_func @iterator_type(%n: i32, %p: i1) {
  // expected-error @below {{'tir.block' op expected iterators that are integers, found the type 'f32'}}
  tir.block "b" ["spatial"] (%n : i32) from(%n : i32) extent(%n : i32) where %p {
  ^bb0(%i: f32):
  }
  tir.return
}

// -----

tir.prim_func @inits(%p: i1) {
  // expected-error @below {{'tir.block' op expected at most one 'tir.init', found several}}
  tir.block "b" [] where %p {
    tir.init {
    }
    tir.init {
    }
  }
  tir.return
}

// -----

tir.prim_func @reads(%a: memref<4xf32>, %n: i32, %p: i1) {
  tir.block "b" [] where %p {
    // expected-error @below {{'tir.reads' op expected 1 minima, one for each dimension of 'memref<4xf32>', found 2}}
    tir.reads %a[%n, %n : i32, i32][%n : i32] : memref<4xf32>
  }
  tir.return
}

// -----

tir.prim_func @writes(%a: memref<4xf32>, %n: i32) {
  // expected-error @below {{'tir.writes' op expects parent op 'tir.block'}}
  tir.writes %a[%n : i32][%n : i32] : memref<4xf32>
  tir.return
}

// -----

tir.prim_func @match(%a: memref<4xf32>, %n: i32, %p: i1) {
  tir.block "b" [] where %p {
    // expected-error @below {{'tir.match_buffer' op expected 1 extents, one for each dimension of 'memref<4xf32>', found 0}}
    %0 = tir.match_buffer %a[%n : i32] : memref<4xf32> to memref<f32>
  }
  tir.return
}

// -----

tir.prim_func @scope_names(%x: i32) {
  // expected-error @below {{'tir.scope_id' op expected 2 names, one for each coordinate, found 1}}
  %0:2 = tir.scope_id 1 ["x"] : i32, i32
  tir.return
}

// -----

tir.prim_func @scope_extents(%x: i32) {
  // expected-error @below {{'tir.scope_id' op expected 2 extents, one for each coordinate, found 1}}
  %0:2 = tir.scope_id 1 ["x", "y"] extents(%x : i32) : i32, i32
  tir.return
}
