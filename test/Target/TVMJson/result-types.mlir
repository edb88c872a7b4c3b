// The type of a function has the names of its parameters alone in TVM, and
// what it returns has others, too.

// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s

partita.module {
  // CHECK: relax.func @named(%x: tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[VALUE:.*]] = relax.exp %{{.*}} : tensor<?xf32, #relax.shape<["m"]>>
  // CHECK: %[[RESULT:.*]] = relax.match_cast %[[VALUE]] {{.*}} -> tensor<?xf32>
  // CHECK: relax.return %[[RESULT]]
  relax.func @named(%x: tensor<?xf32>) -> tensor<?xf32, #relax.shape<["m"]>> {
    %0 = relax.match_cast %x : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
    %1 = relax.exp %0 : tensor<?xf32, #relax.shape<["m"]>>
    relax.return %1 : tensor<?xf32, #relax.shape<["m"]>>
  }

  // CHECK: relax.func @parameters(%y: tensor<?xf32, #relax.shape<["n"]>>, %i: i64 {relax.dim = "i"}, %t: {{[^)]*}})
  // CHECK-SAME: -> (tensor<?x?xf32, #relax.shape<["n", "i"]>>, tensor<?xf32, #relax.shape<["n * 2"]>>)
  // CHECK-NOT: relax.match_cast
  relax.func @parameters(%y: tensor<?xf32, #relax.shape<["n"]>>, %i: i64 {relax.dim = "i"}, %t: tensor<?x?xf32, #relax.shape<["n", "i"]>>) -> (tensor<?x?xf32, #relax.shape<["n", "i"]>>, tensor<?xf32, #relax.shape<["n * 2"]>>) {
    %0 = relax.concat %y, %y axis = 0 : tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32, #relax.shape<["n * 2"]>>
    relax.return %t, %0 : tensor<?x?xf32, #relax.shape<["n", "i"]>>, tensor<?xf32, #relax.shape<["n * 2"]>>
  }
}
