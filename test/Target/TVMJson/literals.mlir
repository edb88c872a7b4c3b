// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s

partita.module {
  // A shape or a dtype without a name is no variable of a block: for some TVM
  // ops, it must be where it is used.
  // CHECK-LABEL: relax.func @unnamed(
  // CHECK-NEXT: relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>> {
  // CHECK:        relax.output %{{.*}} : tensor<?xf32, #relax.shape<["n"]>>
  // CHECK-NEXT: }
  // CHECK-NEXT: %[[S:[0-9]+]] = relax.shape ["n"]
  // CHECK-NEXT: %[[D:[0-9]+]] = relax.dtype f32
  // CHECK:      relax.builtin.alloc_tensor %[[S]], %[[D]]
  relax.func @unnamed(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>) {
    %0:4 = relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<["n"]>, !relax.object, !relax.object {
      %1 = relax.shape ["n"]
      %2 = relax.dtype f32
      %3 = relax.string "global"
      %4 = relax.zeros %1 {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
      relax.output %4, %1, %2, %3 : tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<["n"]>, !relax.object, !relax.object
    }
    %5 = relax.prim_value 0 : i64
    %6 = relax.builtin.alloc_tensor %0#1, %0#2, %5, %0#3 : (!relax.shape<["n"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0#0, %6 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>>
  }

  // CHECK-LABEL: relax.func @named(
  // CHECK-NEXT: %s = relax.shape ["n"]
  // CHECK-NEXT: %[[S:[0-9]+]] = relax.shape ["n"]
  // CHECK-NEXT: %[[D:[0-9]+]] = relax.dtype f32
  // CHECK:      relax.builtin.alloc_tensor %[[S]], %[[D]]
  // CHECK:      relax.return %s
  relax.func @named(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (!relax.shape<["n"]>, tensor<?xf32, #relax.shape<["n"]>>) {
    %s = relax.shape ["n"]
    %0 = relax.dtype f32
    %1 = relax.prim_value 0 : i64
    %2 = relax.string "global"
    %3 = relax.builtin.alloc_tensor %s, %0, %1, %2 : (!relax.shape<["n"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %s, %3 : !relax.shape<["n"]>, tensor<?xf32, #relax.shape<["n"]>>
  }
}
