// In TVM, the type of a function has only the names of its parameters; the
// returned value has other names, too.

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

  // Names that a parameter has only in an expression are known, too; dtypes are
  // no names.
  // CHECK: relax.func @expressions
  // CHECK-SAME: -> (tensor<?xf32, #relax.shape<["m"]>>, tensor<?xf32, #relax.shape<["cast:int64(prim.ceil:float32(f - 1.0:float32))"]>>)
  relax.func @expressions(%x: tensor<?xf32, #relax.shape<["m * 4"]>>, %y: tensor<?xf32>, %f: f32 {relax.dim = "f"})
      -> (tensor<?xf32, #relax.shape<["m"]>>, tensor<?xf32, #relax.shape<["cast:int64(prim.ceil:float32(f - 1.0:float32))"]>>) {
    %0 = relax.match_cast %y : tensor<?xf32> -> tensor<?xf32, #relax.shape<["m"]>>
    %1 = relax.prim_value 1 : i64
    %2 = relax.arange %1, %f, %1 {dtype = f32} : (i64, f32, i64) -> tensor<?xf32, #relax.shape<["cast:int64(prim.ceil:float32(f - 1.0:float32))"]>>
    relax.return %0, %2 : tensor<?xf32, #relax.shape<["m"]>>, tensor<?xf32, #relax.shape<["cast:int64(prim.ceil:float32(f - 1.0:float32))"]>>
  }
}
