// RUN: partita-opt %s --split-input-file --verify-diagnostics --relax-alter-op-impl='op-impl-map={a = @new} op-buffer-transforms={a = [affine_map<(i) -> (i mod 16)>, affine_map<(i) -> (i mod 16)>], b = []}'

partita.module {
  // expected-note@+1 {{the replacement}}
  tir.prim_func private @new(%x: memref<16xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<16xf32>, %y: memref<16xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @few_parameters(%x: tensor<16xf32>) -> tensor<16xf32> {
    // expected-error@+1 {{expected the replacement for "a" to have 2 parameters, as @old has, but found 1}}
    %0 = relax.call_tir @old(%x) : (tensor<16xf32>) -> tensor<16xf32>
    relax.return %0 : tensor<16xf32>
  }
}

// -----

partita.module {
  tir.prim_func private @new(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<16xf32>, %y: memref<16xf32>, %z: memref<16xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @few_maps(%x: tensor<16xf32>) -> tensor<16xf32> {
    // expected-error@+1 {{expected no index map for "a", or one for each of the 3 parameters, but found 2}}
    %0 = relax.call_tir @old(%x, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    relax.return %0 : tensor<16xf32>
  }
}

// -----

partita.module {
  tir.prim_func private @new(%x: memref<4x4xf32>, %y: memref<16xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<4x4xf32>, %y: memref<16xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @other_rank(%x: tensor<4x4xf32>) -> tensor<16xf32> {
    // expected-error@+1 {{expected operand 0 to be a tensor of 1 dimensions, as its index map, but found 'tensor<4x4xf32>'}}
    %0 = relax.call_tir @old(%x) : (tensor<4x4xf32>) -> tensor<16xf32>
    relax.return %0 : tensor<16xf32>
  }
}

// -----

partita.module {
  tir.prim_func private @new(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<?xf32>, %y: memref<?xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @loses_elements(%x: tensor<17xf32>) -> tensor<17xf32> {
    // expected-error@+1 {{expected an index map that can be undone for result 0, but found affine_map<(d0) -> (d0 mod 16)> on [17]}}
    %0 = relax.call_tir @old(%x) : (tensor<17xf32>) -> tensor<17xf32>
    relax.return %0 : tensor<17xf32>
  }
}

// -----

// The size could be more than 16.
partita.module {
  tir.prim_func private @new(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<?xf32>, %y: memref<?xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @may_lose_elements(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    // expected-error@+1 {{expected an index map that can be undone for result 0, but found affine_map<(d0) -> (d0 mod 16)> on ["n"]}}
    %0 = relax.call_tir @old(%x) : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// -----

partita.module {
  tir.prim_func private @new(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<?xf32>, %y: memref<?xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @unknown_size(%x: tensor<16xf32>) -> tensor<?xf32> {
    // expected-error@+1 {{expected result 0 to be a tensor of 1 known dimensions, as its index map, but found 'tensor<?xf32>'}}
    %0 = relax.call_tir @old(%x) : (tensor<16xf32>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
}

// -----

partita.module {
  tir.prim_func private @new(%x: i64, %y: memref<16xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: i64, %y: memref<16xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @number(%x: i64) -> tensor<16xf32> {
    // expected-error@+1 {{expected operand 0 to be a tensor of 1 dimensions, as its index map, but found 'i64'}}
    %0 = relax.call_tir @old(%x) : (i64) -> tensor<16xf32>
    relax.return %0 : tensor<16xf32>
  }
}

// -----

// The verifier finds a replacement for other layouts.
partita.module {
  tir.prim_func private @new(%x: memref<4x4xf32>, %y: memref<4x4xf32>) attributes {fast} {
    tir.return
  }
  tir.prim_func private @old(%x: memref<14xf32>, %y: memref<14xf32>) attributes {operator_name = "a"} {
    tir.return
  }
  relax.func @other_layout(%x: tensor<14xf32>) -> tensor<14xf32> {
    // expected-error@+1 {{expected operand 0 to fit parameter 0 of @a_replacement, 'memref<4x4xf32>', found 'tensor<16xf32>'}}
    %0 = relax.call_tir @old(%x) : (tensor<14xf32>) -> tensor<14xf32>
    relax.return %0 : tensor<14xf32>
  }
}

// -----

// expected-error@+1 {{expected op-impl-map to have the symbol of a prim_func for 'a', but found @new}}
partita.module {
  relax.func @new() -> i64 {
    %0 = relax.prim_value 1 : i64
    relax.return %0 : i64
  }
}
