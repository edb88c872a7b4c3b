// RUN: partita-opt %s --relax-legalize-ops --relax-annotate-tir-op-pattern --relax-fuse-ops --split-input-file | FileCheck %s
// RUN: partita-opt %s --relax-legalize-ops --relax-annotate-tir-op-pattern --relax-fuse-ops='fuse-opt-level=0' --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-legalize-ops --relax-annotate-tir-op-pattern --relax-fuse-ops --split-input-file --pass-config='relax.FuseOps.max_depth=2' | FileCheck %s --check-prefix=DEPTH
// RUN: partita-opt %s --relax-legalize-ops --relax-annotate-tir-op-pattern --relax-fuse-ops -O0 --split-input-file | FileCheck %s --check-prefix=OFF
// Fused functions stay as they are.
// RUN: partita-opt %s --relax-legalize-ops --relax-annotate-tir-op-pattern --relax-fuse-ops --relax-fuse-ops --split-input-file | FileCheck %s

// OFF-NOT: @fused

// Functions that are the same are one. Constants are passed; the size n comes
// with a parameter.
partita.module @products {
  // CHECK-LABEL: relax.func @main
  // CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32, {{.*}}>, %[[W:.*]]: tensor<4x4xf32>
  // CHECK: %[[C:.*]] = relax.constant dense<[1.0
  // CHECK: relax.dataflow
  // CHECK-NEXT: %[[A:.*]] = relax.call @fused_matmul_add_relu(%[[X]], %[[W]], %[[C]])
  // CHECK-NEXT: %[[B:.*]] = relax.call @fused_matmul_add_relu(%[[A]], %[[W]], %[[C]])
  // CHECK-NEXT: relax.output %[[B]]
  // CHECK: relax.func private @fused_matmul_add_relu(
  // CHECK-SAME: %c: tensor<4xf32>)
  // CHECK-SAME: attributes {Primitive = true}
  // CHECK: relax.call_tir @matmul(%x, %w)
  // CHECK-NOT: relax.func
  // DEPTH-LABEL: relax.func @main
  // DEPTH: relax.call @fused_matmul_add(
  // DEPTH-NEXT: relax.call_tir @relu(
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %w: tensor<4x4xf32>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> attributes {kept = 1 : i64} {
    %c = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %y = relax.dataflow -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
      %0 = relax.matmul %x, %w : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4x4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %1 = relax.add %0, %c : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %2 = relax.nn.relu %1 : tensor<?x4xf32, #relax.shape<["n", 4]>>
      %3 = relax.matmul %2, %w : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4x4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %4 = relax.add %3, %c : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32> -> tensor<?x4xf32, #relax.shape<["n", 4]>>
      %5 = relax.nn.relu %4 : tensor<?x4xf32, #relax.shape<["n", 4]>>
      relax.output %5 : tensor<?x4xf32, #relax.shape<["n", 4]>>
    }
    relax.return %y : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }
}

// -----

// No parameter gives n.
partita.module @sizes {
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[S:.*]] = relax.shape ["n"]
  // CHECK: relax.call @fused_full_tir_exp(%{{.*}}, %[[S]])
  // CHECK: relax.func private @fused_full_tir_exp(%v: tensor<f32>, %tir_vars: !relax.shape<["n"]>)
  relax.func @main(%s: !relax.shape<["n"]>, %v: tensor<f32>) -> tensor<?xf32, #relax.shape<["n"]>> {
    %y = relax.dataflow -> tensor<?xf32, #relax.shape<["n"]>> {
      %n = relax.shape ["n"]
      %0 = relax.full %n, %v : (!relax.shape<["n"]>, tensor<f32>) -> tensor<?xf32, #relax.shape<["n"]>>
      %1 = relax.exp %0 : tensor<?xf32, #relax.shape<["n"]>>
      relax.output %1 : tensor<?xf32, #relax.shape<["n"]>>
    }
    relax.return %y : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// -----

// A value that leaves the block ends its group. An op of the block that is no
// kernel stays between the groups, and outside of blocks nothing is fused.
partita.module @ends {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.dataflow
  // CHECK-NEXT: %[[A:.*]] = relax.call @fused_tir_exp_tir_negative(
  // CHECK-NEXT: %[[F:.*]] = relax.extern_func "f"
  // CHECK-NEXT: %[[P:.*]] = relax.call_pure_packed(%[[F]], %[[A]])
  // CHECK-NEXT: %[[B:.*]] = relax.call @fused_tir_exp_tir_negative(%[[P]])
  // CHECK-NEXT: relax.output %[[A]], %[[B]]
  // CHECK: relax.call_tir @tir_exp
  // CHECK-NEXT: relax.call_tir @tir_negative
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %y:2 = relax.dataflow -> tensor<4xf32>, tensor<4xf32> {
      %0 = relax.exp %x : tensor<4xf32>
      %1 = relax.negative %0 : tensor<4xf32>
      %f = relax.extern_func "f"
      %2 = relax.call_pure_packed(%f, %1) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      %3 = relax.exp %2 : tensor<4xf32>
      %4 = relax.negative %3 : tensor<4xf32>
      relax.output %1, %4 : tensor<4xf32>, tensor<4xf32>
    }
    %5 = relax.exp %y#0 : tensor<4xf32>
    %6 = relax.negative %5 : tensor<4xf32>
    relax.return %6, %y#1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Two results of a kernel are fields: each joins the kernel that reads it.
partita.module @fields {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.call @fused_split_tir_exp_tir_negative_add(%{{.*}})
  relax.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
    %y = relax.dataflow -> tensor<4xf32> {
      %0:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %1 = relax.exp %0#0 : tensor<4xf32>
      %2 = relax.negative %0#1 : tensor<4xf32>
      %3 = relax.add %1, %2 : tensor<4xf32>
      relax.output %3 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
}

// -----

// A variable that is a field is read again in front of the call, as in TVM.
partita.module @variables {
  // CHECK-LABEL: relax.func @main
  // CHECK: %[[T:.*]]:2 = relax.call_tir @two
  // CHECK-NEXT: %[[P:.*]] = relax.alias %[[T]]#0
  // CHECK-NEXT: %[[Y:.*]] = relax.call @fused_k_k(%[[P]])
  // CHECK-NEXT: %[[Q:.*]] = relax.alias %[[T]]#1
  // CHECK-NEXT: %[[Z:.*]] = relax.call @fused_k_k(%[[Q]])
  // CHECK-NEXT: relax.output %[[Y]], %[[Z]]
  relax.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %y:2 = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %0:2 = relax.call_tir @two(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      %p = relax.alias %0#0 : tensor<8xf32>
      %q = relax.alias %0#1 : tensor<8xf32>
      %1 = relax.call_tir @k(%p) : (tensor<8xf32>) -> tensor<8xf32>
      %2 = relax.call_tir @k(%1) : (tensor<8xf32>) -> tensor<8xf32>
      %3 = relax.call_tir @k(%q) : (tensor<8xf32>) -> tensor<8xf32>
      %4 = relax.call_tir @k(%3) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %2, %4 : tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
  }
  tir.prim_func private @k(memref<8xf32>, memref<8xf32>) attributes {op_pattern = 0 : i64}
  tir.prim_func private @two(memref<8xf32>, memref<8xf32>, memref<8xf32>) attributes {op_pattern = 8 : i64}
}

// -----

// A group that nothing uses goes, as in TVM. A function that opts out stays.
partita.module @dead {
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.dataflow
  // CHECK-NEXT: relax.call_tir @tir_negative
  // CHECK-NEXT: relax.output
  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.call_tir
  // CHECK-NEXT: relax.call_tir
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.exp %0 : tensor<8xf32>
      %2 = relax.negative %x : tensor<8xf32>
      relax.output %2 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization = true} {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.call_tir @k(%x) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = relax.call_tir @k(%0) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  tir.prim_func private @k(memref<8xf32>, memref<8xf32>) attributes {op_pattern = 0 : i64}
}
