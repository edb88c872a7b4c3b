// UNSUPPORTED: sanitizer

// Partita's dialects and passes in a stock mlir-opt, and a Sequential with a
// context in its options.

// DEFINE: %{plugin} = %obj_root/lib/libPartitaPlugin.so
// DEFINE: %{opt} = mlir-opt %s --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin}
// DEFINE: %{members} = passes=partita.module(relax.func(relax-eliminate-common-subexpr),cse)

// RUN: %{opt} --pass-pipeline='builtin.module(partita.module(relax.func(relax-eliminate-common-subexpr)))' | FileCheck %s
// RUN: %{opt} --pass-pipeline='builtin.module(sequential{%{members} context-level=1})' | FileCheck %s
// RUN: %{opt} --pass-pipeline='builtin.module(sequential{%{members} disabled-pass=EliminateCommonSubexpr,cse})' | FileCheck %s --check-prefix=KEPT

// CHECK: relax.add
// CHECK-NOT: relax.add
// KEPT-COUNT-2: relax.add

// RUN: %{opt} --pass-pipeline='builtin.module(sequential{%{members} context-level=0 required-pass=cse explain=true})' | FileCheck %s --check-prefix=PLAN

//      PLAN: plan at opt_level 0:
// PLAN-NEXT:    sequential {{.*}}runs: requested directly
// PLAN-NEXT:  - EliminateCommonSubexpr  skipped: opt_level 1 > 0
// PLAN-NEXT:  1 cse {{.*}}runs: named in required_pass
// PLAN-COUNT-2: relax.add

// RUN: %{opt} --pass-pipeline='builtin.module(sequential{%{members} instruments=op-statistics{json},print-passes})' 2>&1 >%t.mlir | FileCheck %s --check-prefix=SEEN

// SEEN: Running pass: sequential
// SEEN: Running pass 1 of 2: EliminateCommonSubexpr
// SEEN: "pass": "EliminateCommonSubexpr"

// RUN: not %{opt} --pass-pipeline='builtin.module(sequential{passes=any(cse) instruments=nothing})' 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not %{opt} --pass-pipeline='builtin.module(sequential{passes=any(cse) context-level=-1})' 2>&1 | FileCheck %s --check-prefix=LEVEL

// RUN: not %{opt} --pass-pipeline='builtin.module(sequential{passes=any(cse) instruments=timing{output=/dev/full}})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL

// NOTHING: instrument, but found 'nothing'
// FULL: error: instrument 'timing' failed to exit the pass context: expected to write to '/dev/full'
// LEVEL: expected opt_level to be 0 or more, but found -1

partita.module @m {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>
    %1 = relax.add %x, %x : tensor<4xf32>
    %2 = relax.multiply %0, %1 : tensor<4xf32>
    relax.return %2 : tensor<4xf32>
  }
}
