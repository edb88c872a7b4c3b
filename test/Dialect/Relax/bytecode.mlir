// Files of an earlier version can always be read; version-1.mlirbc is never
// written again. A file of a later version is an error with its name.
// version-2.mlirbc is the same file, except for the number.

// RUN: partita-opt %S/Inputs/version-1.mlirbc | FileCheck %s
// RUN: not partita-opt %S/Inputs/version-2.mlirbc 2>&1 | FileCheck %s --check-prefix=LATER

// CHECK:      partita.module @m attributes {
// CHECK-SAME:   context = #partita.pass_context<opt_level = 3, required_pass = ["A"], disabled_pass = ["B"], config = {a.b = 1 : i64}, instruments = ["print-ir-after{all}"]>,
// CHECK-SAME:   info = #partita.pass_info<"FuseOps", opt_level = 1, required = ["FoldConstant"]>
// CHECK-SAME: } {
// CHECK-NEXT:   relax.func @f(%{{.*}}: tensor<?x16x?xf32, #relax.shape<["n", 16, ?]>>, %{{.*}}: !relax.shape<["n", ?, 4]>, %{{.*}}: !relax.object) {
// CHECK-NEXT:     relax.return
// CHECK-NEXT:   }
// CHECK-NEXT:   tir.prim_func private @g(memref<8xf32>)
// CHECK-NEXT: }

// LATER: error: expected bytecode of dialect 'relax' of version 1 or earlier, found version 2; read it with the Partita that wrote it or a later one
