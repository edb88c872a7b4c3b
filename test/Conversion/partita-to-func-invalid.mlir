// RUN: partita-opt --convert-partita-to-func --split-input-file --verify-diagnostics %s

partita.module @op {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @below {{can't be compiled; expected relax-legalize-ops to replace it}}
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}

// -----

partita.module @rank {
  // expected-error @below {{can't be compiled: expected tensors with a known rank and dtype, shapes of a known rank, numbers and tuples of them, found 'tensor<*xf32>'}}
  relax.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {
    relax.return %x : tensor<*xf32>
  }
}

// -----

partita.module @size {
  relax.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    // expected-error @below {{can't be compiled: expected a known size, found ?}}
    %0 = relax.call_tir @copy(%x) : (tensor<?xf32>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  tir.prim_func private @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
    tir.return
  }
}

// -----

partita.module @threads {
  tir.prim_func private @kernel(%a: memref<128xf32>, %x: f32) {
    %c0 = arith.constant 0 : i32
    %c128 = arith.constant 128 : i32
    // expected-error @below {{can't be compiled: expected a loop of no thread, without break and continue}}
    tir.for "thread_binding" %c0, %c128 : i32, i32 {
    ^bb0(%i: i32):
      tir.store %x, %a[%i] : f32, memref<128xf32>, i32
    } {thread = "threadIdx.x"}
    tir.return
  }
}

// -----

partita.module @declared {
  // expected-error @below {{expected a prim_func with a body}}
  tir.prim_func private @kernel(memref<4xf32>)
}

// -----

partita.module @first {
  // expected-note @below {{here for the first time}}
  tir.prim_func private @f(%a: memref<4xf32>) {
    tir.return
  }
}
partita.module @second {
  // expected-error @below {{expected functions of all modules to have different names, found 'partita.f' twice}}
  tir.prim_func private @f(%a: memref<4xf32>) {
    tir.return
  }
}
