// RUN: partita-opt %s --relax-dead-code-elimination --split-input-file --mlir-pass-statistics 2>%t | FileCheck %s
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}
// RUN: partita-opt %s --relax-dead-code-elimination=entry-functions=only_listed --split-input-file | FileCheck %s --check-prefixes=CHECK,ENTRY
// RUN: not partita-opt %s --relax-dead-code-elimination=entry-functions=only_listed,missing --split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: partita-opt %s --relax-dead-code-elimination -O0 --split-input-file | FileCheck %s --check-prefix=OFF

// At opt_level 0 a pass of level 1 is not enabled.
// OFF: relax.log

// STATS: DeadCodeElimination
// STATS-NEXT: (S) 1 functions
// STATS-NEXT: (S) 6 ops
// STATS-NEXT: (S) 2 outputs
// STATS: (S) 5 functions
// STATS-NEXT: (S) 3 ops
// STATS-NEXT: (S) 0 outputs

// MISSING: dead-code-elimination.mlir:[[@LINE+2]]:1: error: expected entry function @missing to be in the module, found none of this name

partita.module @ops {
  // ENTRY: relax.func private @only_listed
  relax.func private @only_listed() {
    relax.return
  }

  // A whole chain goes in one walk.
  // CHECK-LABEL: relax.func @chain
  relax.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[EXP:.*]] = relax.exp
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.log %0 : tensor<8xf32>
    %2 = relax.add %1, %0 : tensor<8xf32>
    %t = relax.tuple(%2, %1) : tensor<8xf32>, tensor<8xf32>
    // CHECK-NEXT: relax.return %[[EXP]]
    relax.return %0 : tensor<8xf32>
  }

  // Impure calls, their operands, and unknown ops stay.
  // CHECK-LABEL: relax.func @impure
  relax.func @impure(%x: tensor<8xf32>) attributes {is_pure = false} {
    // CHECK-NEXT: %[[EXP:.*]] = relax.exp
    %0 = relax.exp %x : tensor<8xf32>
    // CHECK-NEXT: relax.call @print(%[[EXP]])
    %1 = relax.call @print(%0) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: func.call @elsewhere
    func.call @elsewhere() : () -> ()
    // CHECK-NEXT: relax.return
    relax.return
  }
  // CHECK: relax.func private @print
  relax.func private @print(tensor<8xf32>) -> tensor<8xf32> attributes {is_pure = false}
  func.func private @elsewhere()

  // Unused outputs are removed, with the ops that compute them.
  // CHECK-LABEL: relax.func @dataflow
  relax.func @dataflow(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow -> tensor<8xf32> attributes {note = "kept"} {
    // CHECK-NEXT:   relax.sqrt
    // CHECK-NEXT:   relax.output %{{.*}} : tensor<8xf32>
    // CHECK-NEXT: }
    %y:3 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
        attributes {note = "kept"} {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.sqrt %x : tensor<8xf32>
      relax.output %0, %1, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    %z = relax.dataflow -> tensor<8xf32> {
      %0 = relax.log %y#1 : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    // CHECK-NEXT: relax.return %[[Y]]
    relax.return %y#1 : tensor<8xf32>
  }

  // A match_cast that introduces a name stays; one that does not can be
  // removed.
  // CHECK-LABEL: relax.func @symbolic
  relax.func @symbolic(%x: tensor<?x16xf32>) -> tensor<?x16xf32> {
    // CHECK-NEXT: relax.match_cast %{{.*}} -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    %0 = relax.match_cast %x : tensor<?x16xf32> -> tensor<?x16xf32, #relax.shape<["m", 16]>>
    // CHECK-NEXT: relax.return
    %1 = relax.match_cast %0 : tensor<?x16xf32, #relax.shape<["m", 16]>> -> tensor<?x16xf32>
    relax.return %x : tensor<?x16xf32>
  }

  // CHECK-LABEL: relax.func @skipped
  relax.func @skipped(%x: tensor<8xf32>) attributes {SkipOptimization} {
    // CHECK-NEXT: relax.exp
    %0 = relax.exp %x : tensor<8xf32>
    relax.return
  }

  // Functions of other dialects stay as they are.
  // CHECK-LABEL: func.func private @foreign
  func.func private @foreign(%a: i32) {
    // CHECK-NEXT: arith.addi
    %0 = arith.addi %a, %a : i32
    return
  }
  // CHECK-LABEL: tir.prim_func @kernel
  tir.prim_func @kernel(%a: i32) {
    // CHECK-NEXT: arith.addi
    %0 = arith.addi %a, %a : i32
    tir.return
  }
}

// -----

// CHECK-LABEL: partita.module @functions
// CHECK-SAME: entry = @named_by_module
partita.module @functions attributes {entry = @named_by_module} {
  // CHECK: relax.func @main
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32>
      attributes {fallback = @named_by_attribute} {
    // CHECK-NEXT: relax.call @used
    %0 = relax.call @used(%x) : (tensor<8xf32>) -> tensor<8xf32>
    // The call is dead, so its callee becomes unreachable.
    // CHECK-NEXT: relax.return
    %1 = relax.call @unused(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  // CHECK: relax.func private @used
  relax.func private @used(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: relax.call_tir @used_kernel
    %0 = relax.call_tir @used_kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  // CHECK: tir.prim_func private @used_kernel
  tir.prim_func private @used_kernel(memref<8xf32>, memref<8xf32>)
  // CHECK-NOT: @unused
  // CHECK-NOT: @loop
  relax.func private @unused(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.call_tir @unused_kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @unused_kernel(memref<8xf32>, memref<8xf32>)
  // Functions that call each other are not entered from elsewhere.
  relax.func private @loop_a() {
    relax.call @loop_b() : () -> ()
    relax.return
  }
  relax.func private @loop_b() {
    relax.call @loop_a() : () -> ()
    relax.return
  }
  // ENTRY: relax.func private @only_listed
  relax.func private @only_listed() {
    relax.return
  }
  // CHECK: relax.func nested @nested
  relax.func nested @nested() {
    relax.return
  }
  // CHECK: relax.func private @named_by_attribute
  relax.func private @named_by_attribute() {
    relax.return
  }
  // CHECK: relax.func private @named_by_module
  relax.func private @named_by_module() {
    relax.return
  }
  // CHECK: relax.func private @named_by_argument
  relax.func private @named_by_argument() {
    relax.return
  }
  // CHECK: relax.func @callback
  relax.func @callback(%x: !relax.object {relax.callback = @named_by_argument}) {
    relax.return
  }
  // A function that another op names, by any attribute, is reachable, too.
  // CHECK: relax.func private @named_by_table
  relax.func private @named_by_table() {
    relax.return
  }
  func.func private @table() attributes {entries = [{f = @named_by_table}]}
}
