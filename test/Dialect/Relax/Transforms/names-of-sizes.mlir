// Names of sizes that are functions or dtypes of expressions, or have a point,
// are names like others in every pass.

// RUN: partita-opt %s -O3 | FileCheck %s
// RUN: partita-opt %s --relax-canonicalize-bindings | FileCheck %s
// RUN: partita-opt %s '--relax-bind-symbolic-vars=binding-map=max=5,n.1=7,int64=3' \
// RUN:   | FileCheck %s --check-prefix=BOUND
// RUN: partita-opt %s '--relax-bind-symbolic-vars=binding-map=cast=k' | FileCheck %s --check-prefix=RENAMED
// RUN: partita-translate --export-tvm-json %s | partita-translate --import-tvm-json | FileCheck %s --check-prefix=TVM

partita.module {
  // CHECK-LABEL: relax.func @main(
  // CHECK-SAME: tensor<?x?x?x?xf32, #relax.shape<["max", "cast", "n.1", "int64"]>>
  // CHECK-SAME: !relax.shape<["max(max, 1)", "cast * n.1", "int64"]>
  // BOUND-LABEL: relax.func @main(
  // BOUND-SAME: tensor<5x?x7x3xf32, #relax.shape<[5, "cast", 7, 3]>>
  // BOUND-SAME: !relax.shape<[5, "cast * 7", 3]>
  // RENAMED-LABEL: relax.func @main(
  // RENAMED-SAME: #relax.shape<["max", "k", "n.1", "int64"]>
  // RENAMED-SAME: !relax.shape<["max(max, 1)", "k * n.1", "int64"]>
  // TVM-LABEL: relax.func @main(
  // TVM-SAME: #relax.shape<["max", "cast", "n_1", "int64"]>
  // TVM-SAME: !relax.shape<["max(max, 1)", "cast * n_1", "int64"]>
  relax.func @main(%x: tensor<?x?x?x?xf32, #relax.shape<["max", "cast", "n.1", "int64"]>>)
      -> !relax.shape<["max(max, 1)", "cast * n.1", "int64"]> attributes {global_symbol = "main"} {
    %lv = relax.dataflow -> !relax.shape<["max(max, 1)", "cast * n.1", "int64"]> {
      %y = relax.match_cast %x : tensor<?x?x?x?xf32, #relax.shape<["max", "cast", "n.1", "int64"]>>
        -> tensor<?x?x?x?xf32, #relax.shape<["a", "b", "c", "d"]>>
      %s = relax.shape ["max(a, 1)", "b * c", "d"]
      %t = relax.match_cast %s : !relax.shape<["max(a, 1)", "b * c", "d"]>
        -> !relax.shape<["max(max, 1)", "cast * n.1", "int64"]>
      relax.output %t : !relax.shape<["max(max, 1)", "cast * n.1", "int64"]>
    }
    relax.return %lv : !relax.shape<["max(max, 1)", "cast * n.1", "int64"]>
  }
}
