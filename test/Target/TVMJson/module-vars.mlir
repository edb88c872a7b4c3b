// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s

// In TVM, two Relax functions, such as a function and its copy, must not share
// a variable; prim_funcs may share it.
partita.module {
  // CHECK-LABEL: tir.prim_func private @prim
  // CHECK-SAME: %n: i64 {tir.module_var = 0 : i64}
  tir.prim_func private @prim(%x: memref<?xf32>, %n: i64 {tir.module_var = 7 : i64}) {
    tir.buffer %x shape(%n : i64) {index_type = i64} : memref<?xf32>
    tir.return
  }
  // CHECK-LABEL: relax.func private @first
  // CHECK-SAME: attributes {relax.module_vars = {n = 0 : i64}}
  relax.func private @first(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {relax.module_vars = {n = 7 : i64}} {
    relax.return %x : tensor<?xf32, #relax.shape<["n"]>>
  }
  // CHECK-LABEL: relax.func private @copy
  // CHECK-NOT: attributes
  // CHECK-SAME: {
  relax.func private @copy(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> attributes {relax.module_vars = {n = 7 : i64}} {
    relax.return %x : tensor<?xf32, #relax.shape<["n"]>>
  }
}
