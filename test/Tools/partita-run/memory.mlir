// REQUIRES: runtime
// Sizes of memory that the module plans are checked before memory is touched.
// DEFINE: %{run} = partita-run -O0 %s --seed 1 --entry

// RUN: %{run} part --size n=4 | FileCheck %s --check-prefix=PART
// PART: out_0: float32[4]
// RUN: not %{run} part --size n=5 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL: error: expected a tensor in 'part' to fit into its storage, but found too large or negative sizes: tensor<?xf32, #relax.shape<["n"]>>
// RUN: not %{run} bytes --size n=4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: expected storage in 'bytes' to fit into memory, but found too many or negative bytes
// RUN: not %{run} offset --size n=2 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: error: expected the offset of a tensor in 'offset' to be a multiple of 4
// RUN: not %{run} before --size n=2 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: expected the offset of a tensor in 'before' to be at least 0
// RUN: %{run} empty | FileCheck %s --check-prefix=EMPTY
// EMPTY: out_0: float32[0, 4]
// RUN: %{run} flat --size n=2 --size m=8 | FileCheck %s --check-prefix=FLAT
// FLAT: out_0: float32[8]
// RUN: not %{run} flat --size n=2 --size m=9 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: error: expected a reshape in 'flat' to keep the number of elements

partita.module {
  tir.prim_func private @copy(%a: memref<?xf32>, %b: memref<?xf32>) {
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    tir.return
  }
  relax.func @part(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    %bytes = relax.shape [16]
    %n = relax.shape ["n"]
    %zero = relax.prim_value 0 : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %f = relax.global @copy
    %storage = relax.memory.alloc_storage %bytes, %zero, %scope, %dtype : (!relax.shape<[16]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %zero, %n, %dtype, %zero : (!relax.object, i64, !relax.shape<["n"]>, !relax.object, i64) -> tensor<?xf32, #relax.shape<["n"]>>
    %0 = relax.call_value(%f, %x, %a) : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>) -> tuple<>
    relax.return %a : tensor<?xf32, #relax.shape<["n"]>>
  }
  relax.func @bytes(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<1xf32> {
    %bytes = relax.shape ["n - 16"]
    %one = relax.shape [1]
    %zero = relax.prim_value 0 : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %storage = relax.memory.alloc_storage %bytes, %zero, %scope, %dtype : (!relax.shape<["n - 16"]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %zero, %one, %dtype, %zero : (!relax.object, i64, !relax.shape<[1]>, !relax.object, i64) -> tensor<1xf32>
    relax.return %a : tensor<1xf32>
  }
  relax.func @offset(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<1xf32> {
    %bytes = relax.shape [16]
    %one = relax.shape [1]
    %zero = relax.prim_value 0 : i64
    %n = relax.dim ["n"] : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %storage = relax.memory.alloc_storage %bytes, %zero, %scope, %dtype : (!relax.shape<[16]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %n, %one, %dtype, %zero : (!relax.object, i64, !relax.shape<[1]>, !relax.object, i64) -> tensor<1xf32>
    relax.return %a : tensor<1xf32>
  }
  relax.func @before(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<1xf32> {
    %bytes = relax.shape [16]
    %one = relax.shape [1]
    %zero = relax.prim_value 0 : i64
    %n = relax.dim ["n - 6"] : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %storage = relax.memory.alloc_storage %bytes, %zero, %scope, %dtype : (!relax.shape<[16]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %n, %one, %dtype, %zero : (!relax.object, i64, !relax.shape<[1]>, !relax.object, i64) -> tensor<1xf32>
    relax.return %a : tensor<1xf32>
  }
  relax.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
    %bytes = relax.shape [0]
    %shape = relax.shape [0, 4]
    %zero = relax.prim_value 0 : i64
    %scope = relax.string "global"
    %dtype = relax.dtype f32
    %storage = relax.memory.alloc_storage %bytes, %zero, %scope, %dtype : (!relax.shape<[0]>, i64, !relax.object, !relax.object) -> !relax.object
    %a = relax.memory.alloc_tensor %storage, %zero, %shape, %dtype, %zero : (!relax.object, i64, !relax.shape<[0, 4]>, !relax.object, i64) -> tensor<0x4xf32>
    relax.return %a : tensor<0x4xf32>
  }
  relax.func @flat(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<?xf32, #relax.shape<["m"]>>) -> tensor<?xf32, #relax.shape<["m"]>> {
    %m = relax.shape ["m"]
    %r = relax.reshape %x, %m : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return %r : tensor<?xf32, #relax.shape<["m"]>>
  }
}
