// RUN: partita-opt %s --split-input-file --verify-diagnostics \
// RUN:     '--relax-bind-symbolic-vars=binding-map=n=16,k=m*2' | FileCheck %s
// RUN: not partita-opt %s --split-input-file \
// RUN:     '--relax-bind-symbolic-vars=binding-map=n=16 func-name=main' \
// RUN:     2>/dev/null | FileCheck %s --check-prefix=MAIN
// RUN: not partita-opt %s --split-input-file \
// RUN:     '--relax-bind-symbolic-vars=binding-map=n=m,m=n' \
// RUN:     2>/dev/null | FileCheck %s --check-prefix=SWAP
// RUN: not partita-opt %s '--relax-bind-symbolic-vars=binding-map=n' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-SIZE
// RUN: not partita-opt %s '--relax-bind-symbolic-vars=binding-map=n=1,n=2' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: not partita-opt %s '--relax-bind-symbolic-vars=func-name=none' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-FUNCTION
// NO-SIZE: error: expected each of binding-map to be the name of a dimension and a size, such as n=16, but found 'n'
// TWICE: error: expected one size for dimension "n", but found two in binding-map
// NO-FUNCTION: error: expected a relax.func 'none', as func-name says, but found none

partita.module {
  // Types, shapes and numbers have the size, and expressions are computed.
  // CHECK-LABEL: relax.func @main(
  // CHECK-SAME:      %x: tensor<16x4xf32>,
  // CHECK-SAME:      %y: tensor<?x?xf32, #relax.shape<["m * 2", "m"]>>,
  // CHECK-SAME:      %n: i64, %k: i64) -> tensor<64xf32>
  // CHECK-DAG: %[[N:.*]] = relax.dim [16] : i64
  // CHECK-DAG: %[[K:.*]] = relax.dim ["m * 2"] : i64
  // CHECK:   %s = relax.shape [64]
  // CHECK:   relax.reshape %x, %s : tensor<16x4xf32> -> tensor<64xf32>
  // CHECK:   relax.print %[[N]], %[[K]] : i64, i64
  // Names replace each other, also as numbers.
  // SWAP-LABEL: relax.func @main(
  // SWAP-SAME:      %x: tensor<?x4xf32, #relax.shape<["m", 4]>>,
  // SWAP-SAME:      %y: tensor<?x?xf32, #relax.shape<["k", "n"]>>,
  // SWAP-SAME:      %n: i64 {relax.dim = "m"}, %k: i64 {relax.dim = "k"})
  // MAIN-LABEL: relax.func @main(
  // MAIN-SAME:      %x: tensor<16x4xf32>,
  // MAIN-SAME:      %y: tensor<?x?xf32, #relax.shape<["k", "m"]>>,
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>,
                   %y: tensor<?x?xf32, #relax.shape<["k", "m"]>>,
                   %n: i64 {relax.dim = "n"},
                   %k: i64 {relax.dim = "k"}) -> tensor<?xf32, #relax.shape<["n * 4"]>>
      attributes {is_pure = false} {
    %s = relax.shape ["n * 4"]
    %0 = relax.reshape %x, %s : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?xf32, #relax.shape<["n * 4"]>>
    relax.print %n, %k : i64, i64
    relax.return %0 : tensor<?xf32, #relax.shape<["n * 4"]>>
  }

  // CHECK-LABEL: relax.func @other(
  // CHECK-SAME:      %x: tensor<16xf32>) -> !relax.shape<[15, "c"]>
  // MAIN-LABEL: relax.func @other(
  // MAIN-SAME:      %x: tensor<?xf32, #relax.shape<["n"]>>)
  relax.func @other(%x: tensor<?xf32, #relax.shape<["n"]>>) -> !relax.shape<["n - 1", "c"]> {
    // CHECK: relax.match_cast %x : tensor<16xf32> -> tensor<?xf32, #relax.shape<["c"]>>
    %c = relax.match_cast %x : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32, #relax.shape<["c"]>>
    // 16 plus the padding to a multiple of 3.
    // CHECK: relax.shape [6]
    %p = relax.shape ["(n - n % -3) // 3"]
    // CHECK: relax.shape [15, "c"]
    %s = relax.shape ["n - 1", "c"]
    relax.return %s : !relax.shape<["n - 1", "c"]>
  }

  // CHECK: relax.func private @declared(tensor<16xf32>, i64) -> tensor<16xf32>
  relax.func private @declared(tensor<?xf32, #relax.shape<["n"]>>, i64 {relax.dim = "n"})
      -> tensor<?xf32, #relax.shape<["n"]>>

  // A function without such a name is left alone.
  // CHECK-LABEL: relax.func @static(
  // CHECK-SAME:      %x: tensor<?xf32, #relax.shape<["l"]>>)
  relax.func @static(%x: tensor<?xf32, #relax.shape<["l"]>>) -> tensor<?xf32, #relax.shape<["l"]>> {
    relax.return %x : tensor<?xf32, #relax.shape<["l"]>>
  }
}

// -----

// A name that only a match_cast introduces.
partita.module {
  // CHECK-LABEL: relax.func @cast(
  // CHECK-SAME:      -> tensor<16xf32>
  // CHECK: relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<16xf32>
  // CHECK: relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<?xf32, #relax.shape<["m * 2"]>>
  // CHECK: relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<?xf32, #relax.shape<["m"]>>
  relax.func @cast(%x: tensor<?xf32, #relax.shape<["l"]>>) -> tensor<?xf32, #relax.shape<["n"]>>
      attributes {is_pure = false} {
    %c = relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<?xf32, #relax.shape<["n"]>>
    %k = relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<?xf32, #relax.shape<["k"]>>
    %m = relax.match_cast %x : tensor<?xf32, #relax.shape<["l"]>> -> tensor<?xf32, #relax.shape<["m"]>>
    relax.print %k, %m : tensor<?xf32, #relax.shape<["k"]>>, tensor<?xf32, #relax.shape<["m"]>>
    relax.return %c : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// -----

// expected-error @+1 {{expected dimension "n", which binding-map binds to 16, to be one of a parameter or a match_cast, but found none of this name}}
partita.module {
  relax.func @main(%x: tensor<?xf32, #relax.shape<["k"]>>, %y: tensor<?xf32, #relax.shape<["m"]>>) {
    relax.return
  }
}
