// Functions that differ in the names of sizes alone are one, as in TVM.
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.exp(relax.nn.relu(*))"' | FileCheck %s
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='annotate-codegen=true patterns="c.p: relax.exp(relax.nn.relu(*))"' | FileCheck %s --check-prefix=CODEGEN

// CHECK-LABEL: relax.func @main
// CHECK: relax.call @[[ONE:fused_relax_nn_relu_relax_exp]](%x) : (tensor<?x?xf32, #relax.shape<["n", "k"]>>) -> tensor<?x?xf32, #relax.shape<["n", "k"]>>
// The names are the other way round.
// CHECK: relax.call @[[ONE]](%y) : (tensor<?x?xf32, #relax.shape<["k", "n"]>>) -> tensor<?x?xf32, #relax.shape<["k", "n"]>>
// CHECK: relax.call @[[TWO:fused_relax_nn_relu_relax_exp1]](%z) : (tensor<?x?xf32, #relax.shape<["n", "n"]>>)
// CHECK: relax.call @[[THREE:fused_relax_nn_relu_relax_exp2]](%u) : (tensor<?x4xf32, #relax.shape<["m", 4]>>)
// CHECK: relax.call @[[TWO]](%v) : (tensor<?x?xf32, #relax.shape<["m", "m"]>>) -> tensor<?x?xf32, #relax.shape<["m", "m"]>>
// CHECK-DAG: relax.func private @[[ONE]](%{{.*}}: tensor<?x?xf32, #relax.shape<["n", "k"]>>)
// CHECK-DAG: relax.func private @[[TWO]](%{{.*}}: tensor<?x?xf32, #relax.shape<["n", "n"]>>)
// CHECK-DAG: relax.func private @[[THREE]](%{{.*}}: tensor<?x4xf32, #relax.shape<["m", 4]>>)
// CHECK-NOT: relax.func

// CODEGEN-LABEL: relax.func @main
// CODEGEN: relax.call @[[ONE:fused_relax_nn_relu_relax_exp_c]](%x)
// CODEGEN: relax.call @[[ONE]](%y)
// CODEGEN: relax.call @[[TWO:fused_relax_nn_relu_relax_exp1_c]](%z)
// CODEGEN: relax.call @fused_relax_nn_relu_relax_exp2_c(%u)
// CODEGEN: relax.call @[[TWO]](%v)
partita.module @sizes {
  relax.func @main(%x: tensor<?x?xf32, #relax.shape<["n", "k"]>>, %y: tensor<?x?xf32, #relax.shape<["k", "n"]>>, %z: tensor<?x?xf32, #relax.shape<["n", "n"]>>, %u: tensor<?x4xf32, #relax.shape<["m", 4]>>, %v: tensor<?x?xf32, #relax.shape<["m", "m"]>>) -> (tensor<?x?xf32, #relax.shape<["n", "k"]>>, tensor<?x?xf32, #relax.shape<["k", "n"]>>, tensor<?x?xf32, #relax.shape<["n", "n"]>>, tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x?xf32, #relax.shape<["m", "m"]>>) {
    %0:5 = relax.dataflow -> tensor<?x?xf32, #relax.shape<["n", "k"]>>, tensor<?x?xf32, #relax.shape<["k", "n"]>>, tensor<?x?xf32, #relax.shape<["n", "n"]>>, tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x?xf32, #relax.shape<["m", "m"]>> {
      %a = relax.nn.relu %x : tensor<?x?xf32, #relax.shape<["n", "k"]>>
      %b = relax.exp %a : tensor<?x?xf32, #relax.shape<["n", "k"]>>
      %c = relax.nn.relu %y : tensor<?x?xf32, #relax.shape<["k", "n"]>>
      %d = relax.exp %c : tensor<?x?xf32, #relax.shape<["k", "n"]>>
      %e = relax.nn.relu %z : tensor<?x?xf32, #relax.shape<["n", "n"]>>
      %f = relax.exp %e : tensor<?x?xf32, #relax.shape<["n", "n"]>>
      %g = relax.nn.relu %u : tensor<?x4xf32, #relax.shape<["m", 4]>>
      %h = relax.exp %g : tensor<?x4xf32, #relax.shape<["m", 4]>>
      %i = relax.nn.relu %v : tensor<?x?xf32, #relax.shape<["m", "m"]>>
      %j = relax.exp %i : tensor<?x?xf32, #relax.shape<["m", "m"]>>
      relax.output %b, %d, %f, %h, %j : tensor<?x?xf32, #relax.shape<["n", "k"]>>, tensor<?x?xf32, #relax.shape<["k", "n"]>>, tensor<?x?xf32, #relax.shape<["n", "n"]>>, tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x?xf32, #relax.shape<["m", "m"]>>
    }
    relax.return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<?x?xf32, #relax.shape<["n", "k"]>>, tensor<?x?xf32, #relax.shape<["k", "n"]>>, tensor<?x?xf32, #relax.shape<["n", "n"]>>, tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x?xf32, #relax.shape<["m", "m"]>>
  }
}
