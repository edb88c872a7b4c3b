// RUN: partita-opt %s --split-input-file --verify-diagnostics \
// RUN:     '--relax-bind-symbolic-vars=binding-map=n=3' | FileCheck %s
// RUN: partita-opt %s --split-input-file -O0 \
// RUN:     '--relax-bind-symbolic-vars=binding-map=n=3' 2>&1 | FileCheck %s --check-prefix=OFF

// As in TVM, the pass has level 1.
// OFF-LABEL: relax.func @computed(
// OFF: relax.shape ["min(

partita.module {
  // Conditions and casts of numbers are computed. A number that is no integer
  // of its type stays, and so does an expression with other names.
  // CHECK-LABEL: relax.func @computed(
  // CHECK: relax.shape [3, 8, 2, 1, 9]
  // CHECK-NEXT: relax.shape [7, 1, 0]
  // CHECK-NEXT: relax.shape ["cast:int8(3 * 100)", "cast:int64(prim.ceil:float32(3))"]
  // CHECK-NEXT: relax.shape ["prim.if_then_else:int64(3 < m, 3, 1)", "2:float32 + 3"]
  relax.func @computed(%x: tensor<?x?xf32, #relax.shape<["n", "m"]>>) attributes {is_pure = false} {
    %0 = relax.shape ["min(max(prim.if_then_else:int64(n < 0, n + 8, n), 0), 8)",
                      "prim.if_then_else:int64(n - 4 < 0, n + 5, n)",
                      "select(n >= 4 || !(n == 3) && n != 0, 1, 2)",
                      "select((n > 2 && n <= 3) == (1 < 2), 1, 2)",
                      "select(n != n, n * 2, n) * 3"]
    %1 = relax.shape ["cast:int64(n) * 2:int32 + 1", "cast:bool(n // 2)",
                      "cast:uint8(n - 3:int64)"]
    %2 = relax.shape ["cast:int8(n * 100)", "cast:int64(prim.ceil:float32(n))"]
    %3 = relax.shape ["prim.if_then_else:int64(n < m, n, 1)", "2:float32 + n"]
    relax.print %0, %1, %2, %3 : !relax.shape<["min(max(prim.if_then_else:int64(n < 0, n + 8, n), 0), 8)", "prim.if_then_else:int64(n - 4 < 0, n + 5, n)", "select(n >= 4 || !(n == 3) && n != 0, 1, 2)", "select((n > 2 && n <= 3) == (1 < 2), 1, 2)", "select(n != n, n * 2, n) * 3"]>, !relax.shape<["cast:int64(n) * 2:int32 + 1", "cast:bool(n // 2)", "cast:uint8(n - 3:int64)"]>, !relax.shape<["cast:int8(n * 100)", "cast:int64(prim.ceil:float32(n))"]>, !relax.shape<["prim.if_then_else:int64(n < m, n, 1)", "2:float32 + n"]>
    relax.return
  }
}

// -----

// Types that were unknown follow from the sizes.
partita.module {
  // CHECK-LABEL: relax.func @narrowed(
  // CHECK-SAME:      -> tensor<3x4xf32>
  // CHECK: relax.dataflow -> tensor<3x4xf32>
  // CHECK: relax.add %{{.*}}, %{{.*}} : tensor<3x4xf32>
  relax.func @narrowed(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<3x4xf32>) -> tensor<?x?xf32> {
    %0 = relax.dataflow -> tensor<?x?xf32> {
      %1 = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<3x4xf32> -> tensor<?x?xf32>
      relax.output %1 : tensor<?x?xf32>
    }
    relax.return %0 : tensor<?x?xf32>
  }

  // CHECK-LABEL: relax.func @caller(
  // CHECK: relax.call @narrowed(
  relax.func @caller(%x: tensor<3x4xf32>) -> tensor<?x?xf32> {
    %0 = relax.call @narrowed(%x, %x) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
    relax.return %0 : tensor<?x?xf32>
  }
}

// -----

// A number has the parameter's type.
partita.module {
  // CHECK-LABEL: relax.func @float(
  // CHECK: relax.prim_value 3.000000e+00 : f16
  relax.func @float(%n: f16 {relax.dim = "n"}) -> f16 {
    relax.return %n : f16
  }
  // CHECK-LABEL: relax.func @narrow(
  // CHECK: relax.dim [3] : i3
  relax.func @narrow(%n: i3 {relax.dim = "n"}) -> i3 {
    relax.return %n : i3
  }
  // CHECK-LABEL: relax.func @unsigned(
  // CHECK: relax.dim [3] : ui2
  relax.func @unsigned(%n: ui2 {relax.dim = "n"}) -> ui2 {
    relax.return %n : ui2
  }
}

// -----

partita.module {
  // expected-error @+1 {{expected dimension "n" to be a number of type 'i1', as parameter 0 of @flag is, but found 3}}
  relax.func @flag(%n: i1 {relax.dim = "n"}) -> i1 {
    relax.return %n : i1
  }
}

// -----

partita.module {
  // expected-error @+1 {{expected dimension "n" to be a number of type 'i2', as parameter 0 of @signless is, but found 3}}
  relax.func @signless(%n: i2 {relax.dim = "n"}) -> i2 {
    relax.return %n : i2
  }
}

// -----

partita.module {
  // A size that is a number now bounds a slice.
  // CHECK-LABEL: relax.func @slice(
  // CHECK: %y = relax.strided_slice {{.*}} -> tensor<1x16xf32>
  // CHECK-NEXT: relax.return %y : tensor<1x16xf32>
  relax.func @slice(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x16xf32> {
    %axis = relax.prim_value 0 : i64
    %0 = relax.dim ["n - 1"] : i64
    %1 = relax.dim ["n"] : i64
    %axes = relax.tuple(%axis) : i64
    %begin = relax.tuple(%0) : i64
    %end = relax.tuple(%1) : i64
    %y = relax.strided_slice %x, %axes, %begin, %end : (tensor<?x16xf32, #relax.shape<["n", 16]>>, tuple<i64>, tuple<i64>, tuple<i64>) -> tensor<?x16xf32>
    relax.return %y : tensor<?x16xf32>
  }
}
