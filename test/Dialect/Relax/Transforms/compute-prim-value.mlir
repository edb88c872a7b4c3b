// RUN: partita-opt %s --relax-compute-prim-value | FileCheck %s
// Names and numbers stay:
// RUN: partita-opt %s --relax-compute-prim-value > %t
// RUN: partita-opt %t --relax-compute-prim-value | diff %t -
// The calls are pure in TVM, too: the functions' types say so.
// RUN: partita-translate --export-tvm-json %t -o %t.json
// RUN: partita-translate --import-tvm-json %t.json | FileCheck %s --check-prefix=BACK
// BACK-COUNT-4: {is_pure = true}

partita.module @computed {
  // Two sizes that are the same are one function. Attributes are kept.
  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: attributes {num_input = 1 : i64}
  // CHECK-DAG: %[[N:.*]] = relax.dim ["n"] : i64
  // CHECK-DAG: %[[M:.*]] = relax.dim ["m"] : i64
  // CHECK: %[[F:.*]] = relax.global @compute_symbolic_expr
  // CHECK: relax.call_value(%[[F]], %[[N]], %[[M]]) {is_pure = true} : (!relax.object, i64, i64) -> i64
  // CHECK: relax.global @compute_symbolic_expr
  // CHECK-NOT: @compute_symbolic_expr1
  // CHECK: relax.add
  relax.func @main(%x: tensor<?x?xi64, #relax.shape<["n", "m"]>>) -> tensor<?x?xi64, #relax.shape<["n", "m"]>> attributes {num_input = 1 : i64} {
    %0 = relax.dim ["n * m"] : i64
    %1 = relax.add %x, %0 : tensor<?x?xi64, #relax.shape<["n", "m"]>>, i64 -> tensor<?x?xi64, #relax.shape<["n", "m"]>>
    %2 = relax.dim ["n * m"] : i64
    %3 = relax.add %1, %2 : tensor<?x?xi64, #relax.shape<["n", "m"]>>, i64 -> tensor<?x?xi64, #relax.shape<["n", "m"]>>
    relax.return %3 : tensor<?x?xi64, #relax.shape<["n", "m"]>>
  }
  // In branches and blocks.
  // CHECK-LABEL: relax.func @branch
  // CHECK: relax.global @compute_symbolic_expr1
  // CHECK: %[[C:.*]] = relax.call_value(%{{.*}}) {is_pure = true} : (!relax.object, i64) -> i1
  // CHECK-NEXT: relax.if %[[C]]
  // CHECK: relax.dataflow
  // CHECK: relax.global @compute_symbolic_expr2
  relax.func @branch(%x: tensor<?xi64, #relax.shape<["n"]>>) -> tensor<?xi64, #relax.shape<["n"]>> {
    %0 = relax.dim ["n % 16 == 0"] : i1
    %y = relax.if %0 : i1 -> tensor<?xi64, #relax.shape<["n"]>> {
      %1 = relax.dataflow -> tensor<?xi64, #relax.shape<["n"]>> {
        %2 = relax.dim ["n // 16"] : i64
        %3 = relax.add %x, %2 : tensor<?xi64, #relax.shape<["n"]>>, i64 -> tensor<?xi64, #relax.shape<["n"]>>
        relax.output %3 : tensor<?xi64, #relax.shape<["n"]>>
      }
      relax.yield %1 : tensor<?xi64, #relax.shape<["n"]>>
    } else {
      relax.yield %x : tensor<?xi64, #relax.shape<["n"]>>
    }
    relax.return %y : tensor<?xi64, #relax.shape<["n"]>>
  }
  // Names, sizes of shapes, and functions that are skipped stay.
  // CHECK-LABEL: relax.func @left_alone
  // CHECK-NEXT: relax.dim ["n"] : i64
  // CHECK-NEXT: relax.add
  // CHECK-NEXT: relax.shape ["n * 2"]
  // CHECK-NEXT: relax.return
  relax.func @left_alone(%x: tensor<?xi64, #relax.shape<["n"]>>) -> (tensor<?xi64, #relax.shape<["n"]>>, !relax.shape<["n * 2"]>) {
    %0 = relax.dim ["n"] : i64
    %1 = relax.add %x, %0 : tensor<?xi64, #relax.shape<["n"]>>, i64 -> tensor<?xi64, #relax.shape<["n"]>>
    %2 = relax.shape ["n * 2"]
    relax.return %1, %2 : tensor<?xi64, #relax.shape<["n"]>>, !relax.shape<["n * 2"]>
  }
  // CHECK-LABEL: relax.func @skipped
  // CHECK-NEXT: relax.dim ["n * 2"] : i64
  relax.func @skipped(%x: tensor<?xi64, #relax.shape<["n"]>>) -> i64 attributes {SkipOptimization = true} {
    %0 = relax.dim ["n * 2"] : i64
    relax.return %0 : i64
  }
  // CHECK: tir.prim_func private @compute_symbolic_expr(%n: i64, %m: i64) attributes {s_tir = true, tir.ret_type = i64, tirx.is_host_func = true}
  // CHECK-NEXT: %[[P:.*]] = arith.muli %n, %m
  // CHECK-NEXT: tir.ret %[[P]]
  // CHECK: tir.prim_func private @compute_symbolic_expr1(%n: i64) attributes {s_tir = true, tir.ret_type = i1, tirx.is_host_func = true}
  // CHECK: tir.prim_func private @compute_symbolic_expr2(%n: i64)
}
