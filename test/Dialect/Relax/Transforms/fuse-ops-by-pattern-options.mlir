// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)"' | FileCheck %s --check-prefixes=CHECK,BIND
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" bind-constants=false' | FileCheck %s --check-prefixes=CHECK,LIFT
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" entry-functions=other' | FileCheck %s --check-prefix=ENTRY
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" annotate-codegen' | FileCheck %s --check-prefix=CODEGEN
// Functions for compilers stay as they are:
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" annotate-codegen' > %t
// RUN: partita-opt %t --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" annotate-codegen' | diff %t -
// The host looks at the marked calls, and leaves the marks of some:
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" candidates=mark' | FileCheck %s --check-prefix=MARK
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" candidates=mark' | sed 's/{relax.pattern_match = 0 : i64}//; s/relax.pattern_match = 1 : i64/relax.pattern_match = {level = 3 : i64}/' | partita-opt --relax-fuse-ops-by-pattern='patterns="dnnl.add: relax.add(*, *)" candidates=marked' | FileCheck %s --check-prefix=MARKED

// MARK: relax.add %{{.*}} {relax.pattern_match = 0 : i64}
// MARK: relax.add %{{.*}} {relax.pattern_match = 1 : i64}
// MARKED-NOT: relax.pattern_match
// MARKED: relax.func private @fused_relax_add{{.*}} attributes {Composite = "dnnl.add", Primitive = true, level = 3 : i64}
// MARKED-NOT: relax.func private
partita.module @options {
  // CHECK-LABEL: relax.func @main
  // BIND: relax.call @fused_relax_add(%x)
  // LIFT: relax.call @fused_relax_add(%x, %{{.*}})
  // ENTRY-LABEL: relax.func @main
  // ENTRY: relax.add
  // CODEGEN-LABEL: relax.func @main
  // CODEGEN: relax.call @fused_relax_add_dnnl(%x)
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.constant dense<1.0> : tensor<8xf32>
      %1 = relax.add %x, %0 : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  // ENTRY-LABEL: relax.func @other
  // ENTRY: relax.call @fused_relax_add(
  // CODEGEN-LABEL: relax.func @other
  // CODEGEN: relax.call @fused_relax_add1_dnnl(%x)
  relax.func @other(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    %y = relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>> {
      %1 = relax.add %x, %x : tensor<?xf32, #relax.shape<["n"]>>
      relax.output %1 : tensor<?xf32, #relax.shape<["n"]>>
    }
    relax.return %y : tensor<?xf32, #relax.shape<["n"]>>
  }
  // BIND: relax.func private @fused_relax_add(%x: tensor<8xf32>)
  // BIND: relax.constant
  // LIFT: relax.func private @fused_relax_add(%x: tensor<8xf32>, %{{.*}}: tensor<8xf32>)
  // LIFT-NOT: relax.constant
  // CODEGEN-NOT: relax.func private
  // CODEGEN: relax.func @fused_relax_add_dnnl(%[[X:.*]]: tensor<8xf32>) -> tensor<8xf32> attributes {Codegen = "dnnl", global_symbol = "fused_relax_add_dnnl"}
  // CODEGEN-NEXT: %[[F:.*]] = relax.local_func %{{.*}}(%[[Y:.*]]) : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>> attributes {Composite = "dnnl.add"}
  // CODEGEN: relax.add %[[Y]]
  // CODEGEN: %[[R:.*]] = relax.call_value(%[[F]], %[[X]]) {is_pure = true}
  // CODEGEN-NEXT: relax.return %[[R]]
}
