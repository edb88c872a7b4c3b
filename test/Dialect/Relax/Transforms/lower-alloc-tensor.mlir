// RUN: partita-opt %s --relax-lower-alloc-tensor | FileCheck %s
// RUN: partita-opt %s --relax-lower-alloc-tensor --relax-lower-alloc-tensor | FileCheck %s

partita.module @m {
  // CHECK-LABEL: relax.func @sizes
  relax.func @sizes(%s: !relax.shape<["n", "m"]>) {
    // The size is written as TVM writes it.
    // CHECK: %[[SHAPE:.*]] = relax.shape [2, "n", 3]
    // CHECK-NEXT: %[[T:.*]] = relax.dtype f16
    // CHECK-NEXT: %[[D:.*]] = relax.prim_value 1 : i64
    // CHECK-NEXT: %[[G:.*]] = relax.string "global"
    // CHECK-NEXT: %[[SIZE:.*]] = relax.shape ["4 * n * 3"]
    // CHECK-NEXT: %[[U8:.*]] = relax.dtype ui8
    // CHECK-NEXT: %storage = relax.memory.alloc_storage %[[SIZE]], %[[D]], %[[G]], %[[U8]]
    // CHECK-NEXT: %[[OFFSET:.*]] = relax.prim_value 0 : i64
    // CHECK-NEXT: %x = relax.memory.alloc_tensor %storage, %[[OFFSET]], %[[SHAPE]], %[[T]], %[[D]] {mark}
    // CHECK-SAME: -> tensor<2x?x3xf16, #relax.shape<[2, "n", 3]>>
    %0 = relax.shape [2, "n", 3]
    %1 = relax.dtype f16
    %2 = relax.prim_value 1 : i64
    %3 = relax.string "global"
    %x = relax.builtin.alloc_tensor %0, %1, %2, %3 {mark} : (!relax.shape<[2, "n", 3]>, !relax.object, i64, !relax.object) -> tensor<2x?x3xf16, #relax.shape<[2, "n", 3]>>

    // A shape that is a variable, whose type knows the dimensions, of elements
    // of less than a byte.
    // CHECK: relax.shape ["n * m"]
    // CHECK: relax.memory.alloc_tensor %storage{{.*}}, %{{.*}}, %s, %{{.*}}, %[[D]]
    %4 = relax.dtype i1
    %y = relax.builtin.alloc_tensor %s, %4, %2, %3 : (!relax.shape<["n", "m"]>, !relax.object, i64, !relax.object) -> tensor<?x?xi1, #relax.shape<["n", "m"]>>

    // CHECK: relax.shape [8]
    // CHECK: relax.memory.alloc_tensor
    // CHECK-SAME: -> tensor<f64>
    %5 = relax.shape []
    %6 = relax.dtype f64
    %z = relax.builtin.alloc_tensor %5, %6, %2, %3 : (!relax.shape<[]>, !relax.object, i64, !relax.object) -> tensor<f64>
    // CHECK: relax.shape [0]
    // CHECK: relax.memory.alloc_storage
    %7 = relax.shape [0, "n"]
    %e = relax.builtin.alloc_tensor %7, %6, %2, %3 : (!relax.shape<[0, "n"]>, !relax.object, i64, !relax.object) -> tensor<0x?xf64, #relax.shape<[0, "n"]>>
    relax.return
  }

  // Sizes and element types that are not known, and too many bytes.
  // CHECK-LABEL: relax.func @unknown
  // CHECK-NOT: memory
  // CHECK: relax.return
  relax.func @unknown(%s: !relax.shape<*>, %t: !relax.object) {
    %0 = relax.shape [4]
    %1 = relax.dtype f32
    %2 = relax.prim_value 0 : i64
    %3 = relax.string "global"
    %x = relax.builtin.alloc_tensor %s, %1, %2, %3 : (!relax.shape<*>, !relax.object, i64, !relax.object) -> tensor<*xf32>
    %y = relax.builtin.alloc_tensor %0, %t, %2, %3 : (!relax.shape<[4]>, !relax.object, i64, !relax.object) -> !relax.tensor<[4], ?>
    %4 = relax.shape [4611686018427387904, 4]
    %z = relax.builtin.alloc_tensor %4, %1, %2, %3 : (!relax.shape<[4611686018427387904, 4]>, !relax.object, i64, !relax.object) -> tensor<4611686018427387904x4xf32>
    relax.return
  }
}
