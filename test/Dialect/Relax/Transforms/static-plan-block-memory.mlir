// RUN: partita-opt %s --relax-static-plan-block-memory -split-input-file -verify-diagnostics | FileCheck %s
// RUN: partita-opt %s --relax-static-plan-block-memory --relax-static-plan-block-memory -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: partita.module @m
partita.module @m {
  tir.prim_func private @f(%a: memref<?xf32>, %b: memref<?xf32>)
  tir.prim_func private @g(%a: memref<?xf16>, %b: memref<?xf16>)

  // b takes over the storage of x, which has grown. c is larger than 16 times,
  // h has another element type, and l another scope. r is returned.
  // CHECK-LABEL: relax.func @reuse
  // CHECK: %[[S0:.*]] = relax.shape [40]
  // CHECK: %storage = relax.memory.alloc_storage %[[S0]]
  // CHECK: %a = relax.memory.alloc_tensor %storage, {{.*}} {mark}
  // CHECK: %[[S1:.*]] = relax.memory.alloc_storage
  // CHECK-NEXT: {{.*}} = relax.prim_value 0
  // CHECK-NEXT: %x = relax.memory.alloc_tensor %[[S1]]
  // CHECK: %b = relax.memory.alloc_tensor %storage
  // CHECK: relax.shape [10000]
  // CHECK: %[[S2:.*]] = relax.memory.alloc_storage
  // CHECK: %c = relax.memory.alloc_tensor %[[S2]]
  // CHECK: %[[S3:.*]] = relax.memory.alloc_storage
  // CHECK: %h = relax.memory.alloc_tensor %[[S3]]
  // CHECK: %[[S4:.*]] = relax.memory.alloc_storage
  // CHECK: %l = relax.memory.alloc_tensor %[[S4]]
  // CHECK: %r = relax.builtin.alloc_tensor
  relax.func @reuse(%arg: tensor<?xf32>) -> tensor<10xf32> attributes {relax.force_pure = true} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %local = relax.string "local"
    %f32 = relax.dtype f32
    %f16 = relax.dtype f16
    %f = relax.global @f
    %g = relax.global @g
    %s8 = relax.shape [8]
    %s10 = relax.shape [10]
    %s2500 = relax.shape [2500]
    %a = relax.builtin.alloc_tensor %s8, %f32, %d, %global {mark} : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %0 = relax.call_value(%f, %arg, %a) : (!relax.object, tensor<?xf32>, tensor<8xf32>) -> tuple<>
    %x = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %1 = relax.call_value(%f, %a, %x) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %b = relax.builtin.alloc_tensor %s10, %f32, %d, %global : (!relax.shape<[10]>, !relax.object, i64, !relax.object) -> tensor<10xf32>
    %2 = relax.call_value(%f, %x, %b) : (!relax.object, tensor<8xf32>, tensor<10xf32>) -> tuple<>
    %c = relax.builtin.alloc_tensor %s2500, %f32, %d, %global : (!relax.shape<[2500]>, !relax.object, i64, !relax.object) -> tensor<2500xf32>
    %3 = relax.call_value(%f, %b, %c) : (!relax.object, tensor<10xf32>, tensor<2500xf32>) -> tuple<>
    %h = relax.builtin.alloc_tensor %s10, %f16, %d, %global : (!relax.shape<[10]>, !relax.object, i64, !relax.object) -> tensor<10xf16>
    %4 = relax.call_value(%g, %h, %h) : (!relax.object, tensor<10xf16>, tensor<10xf16>) -> tuple<>
    %l = relax.builtin.alloc_tensor %s10, %f32, %d, %local : (!relax.shape<[10]>, !relax.object, i64, !relax.object) -> tensor<10xf32>
    %5 = relax.call_value(%f, %c, %l) : (!relax.object, tensor<2500xf32>, tensor<10xf32>) -> tuple<>
    %r = relax.builtin.alloc_tensor %s10, %f32, %d, %global : (!relax.shape<[10]>, !relax.object, i64, !relax.object) -> tensor<10xf32>
    %6 = relax.call_value(%f, %l, %r) : (!relax.object, tensor<10xf32>, tensor<10xf32>) -> tuple<>
    relax.return %r : tensor<10xf32>
  }

  // Other names of a tensor, and tuples, keep its storage. An extern function
  // and call_tir_dyn use tensors, other calls keep them: k.
  // CHECK-LABEL: relax.func @names
  // CHECK: %a = relax.memory.alloc_tensor %storage
  // CHECK: %b = relax.memory.alloc_tensor %[[S1:storage[_0-9]*]]
  // CHECK: %c = relax.memory.alloc_tensor %[[S2:storage[_0-9]*]]
  // CHECK: %e = relax.memory.alloc_tensor %storage
  // CHECK: %k = relax.builtin.alloc_tensor
  // CHECK: %u = relax.memory.alloc_tensor %[[S3:storage[_0-9]*]]
  relax.func @names(%arg: tensor<8xf32>) attributes {relax.force_pure = true} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %f = relax.global @f
    %x = relax.extern_func "x"
    %reshape = relax.extern_func "vm.builtin.reshape"
    %s8 = relax.shape [8]
    %s24 = relax.shape [2, 4]
    %a = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %a1 = relax.alias %a : tensor<8xf32>
    %a2 = relax.reshape %a1, %s24 : tensor<8xf32> -> tensor<2x4xf32>
    %a3 = relax.call_value(%reshape, %a2, %s8) : (!relax.object, tensor<2x4xf32>, !relax.shape<[8]>) -> tensor<8xf32>
    %a4 = relax.match_cast %a3 : tensor<8xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    %t = relax.tuple(%a4, %arg) : tensor<?xf32, #relax.shape<["n"]>>, tensor<8xf32>
    %tt = relax.tuple(%arg, %t) : tensor<8xf32>, tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<8xf32>>
    %t2 = relax.tuple_get_item %tt[1] : tuple<tensor<8xf32>, tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<8xf32>>>
    %a5 = relax.tuple_get_item %t2[0] : tuple<tensor<?xf32, #relax.shape<["n"]>>, tensor<8xf32>>
    %0 = relax.call_value(%f, %arg, %a) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %b = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %1 = relax.call_value(%x, %b, %b) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> !relax.object
    %c = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %2 = relax.tuple(%c, %a5, %s8) : tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<[8]>
    %3 = relax.vm.call_tir_dyn(%f, %2) : (!relax.object, tuple<tensor<8xf32>, tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<[8]>>) -> tuple<>
    %e = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %4 = relax.call_value(%f, %c, %e) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %k = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %5 = relax.add %k, %arg : tensor<8xf32>
    %u = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    relax.return
  }

  // A tensor that is used in another block, or is the condition of a branch,
  // stays. Branches do not use each other's storage, but that before them.
  // CHECK-LABEL: relax.func @blocks
  // CHECK: %o = relax.memory.alloc_tensor %storage,
  // CHECK: %cond = relax.builtin.alloc_tensor
  // CHECK: %across = relax.builtin.alloc_tensor
  // CHECK: relax.if
  // CHECK: %p = relax.memory.alloc_tensor %storage,
  // CHECK: %[[S1:.*]] = relax.memory.alloc_storage
  // CHECK: %q = relax.memory.alloc_tensor %[[S1]]
  // CHECK: } else {
  // CHECK: %v = relax.memory.alloc_tensor %storage,
  // CHECK: %[[S2:.*]] = relax.memory.alloc_storage
  // CHECK: %w = relax.memory.alloc_tensor %[[S2]]
  // CHECK: %y = relax.builtin.alloc_tensor
  // CHECK: relax.dataflow
  // CHECK: %i = relax.memory.alloc_tensor %storage,
  // CHECK: }
  // CHECK: %z = relax.memory.alloc_tensor %storage,
  relax.func @blocks(%arg: tensor<8xf32>) attributes {relax.force_pure = true} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %i1 = relax.dtype i1
    %f = relax.global @f
    %x = relax.extern_func "x"
    %s8 = relax.shape [8]
    %s = relax.shape []
    %o = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %0 = relax.call_value(%f, %arg, %o) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %cond = relax.builtin.alloc_tensor %s, %i1, %d, %global : (!relax.shape<[]>, !relax.object, i64, !relax.object) -> tensor<i1>
    %1 = relax.call_value(%x, %cond) : (!relax.object, tensor<i1>) -> !relax.object
    %across = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %2 = relax.call_value(%f, %arg, %across) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %r = relax.if %cond : tensor<i1> -> tensor<8xf32> {
      %p = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      %3 = relax.call_value(%f, %across, %p) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
      %q = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      %4 = relax.call_value(%f, %p, %q) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
      relax.yield %arg : tensor<8xf32>
    } else {
      %v = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      %3 = relax.call_value(%f, %arg, %v) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
      %w = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      %4 = relax.call_value(%f, %v, %w) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
      %y = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      relax.yield %y : tensor<8xf32>
    }
    relax.dataflow {
      %i = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
      %3 = relax.call_value(%f, %arg, %i) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
      relax.output
    }
    %z = relax.builtin.alloc_tensor %s8, %f32, %d, %global : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %5 = relax.call_value(%f, %arg, %z) : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    relax.return
  }

  // Equal symbolic sizes share storage, other ones do not.
  // CHECK-LABEL: relax.func @symbolic
  // CHECK: relax.shape ["8 * n"]
  // CHECK: %a = relax.memory.alloc_tensor %storage,
  // CHECK: relax.shape ["4 * (n + 1)"]
  // CHECK: %b = relax.memory.alloc_tensor %[[S1:storage[_0-9]*]],
  // CHECK: %c = relax.memory.alloc_tensor %storage,
  relax.func @symbolic(%arg: tensor<?xf32, #relax.shape<["n"]>>) attributes {relax.force_pure = true, SkipOptimization = false} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %f = relax.global @f
    %s0 = relax.shape [2, "n"]
    %s1 = relax.shape ["n + 1"]
    %s2 = relax.shape ["n * 2"]
    %a = relax.builtin.alloc_tensor %s0, %f32, %d, %global : (!relax.shape<[2, "n"]>, !relax.object, i64, !relax.object) -> tensor<2x?xf32, #relax.shape<[2, "n"]>>
    %0 = relax.call_value(%f, %arg, %a) : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>, tensor<2x?xf32, #relax.shape<[2, "n"]>>) -> tuple<>
    %b = relax.builtin.alloc_tensor %s1, %f32, %d, %global : (!relax.shape<["n + 1"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n + 1"]>>
    %1 = relax.call_value(%f, %arg, %b) : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>, tensor<?xf32, #relax.shape<["n + 1"]>>) -> tuple<>
    %c = relax.builtin.alloc_tensor %s2, %f32, %d, %global : (!relax.shape<["n * 2"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n * 2"]>>
    %2 = relax.call_value(%f, %b, %c) : (!relax.object, tensor<?xf32, #relax.shape<["n + 1"]>>, tensor<?xf32, #relax.shape<["n * 2"]>>) -> tuple<>
    relax.return
  }

  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.builtin.alloc_tensor
  relax.func @skipped() attributes {SkipOptimization = true} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %s = relax.shape [2]
    %a = relax.builtin.alloc_tensor %s, %f32, %d, %global : (!relax.shape<[2]>, !relax.object, i64, !relax.object) -> tensor<2xf32>
    relax.return
  }
  // CHECK: relax.func private @declared
  relax.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}

// -----

// Bounds: a number where all names are bounded, an expression of the others
// where not. Names that the signature lacks have no bounds.
// CHECK-LABEL: partita.module @bounds
partita.module @bounds {
  // CHECK-LABEL: relax.func @main
  // CHECK-NOT: memory_plan_dynamic_func_output
  // CHECK-SAME: tir_var_upper_bound
  // (9 * 2 + 2) * 4
  // CHECK: relax.shape [80]
  // CHECK: %a = relax.memory.alloc_tensor
  // max(9 - 3, 1) * 9 // 2
  // CHECK: relax.shape [96]
  // CHECK: %b = relax.memory.alloc_tensor
  // CHECK: relax.shape ["4 * (9 * k + 4)"]
  // CHECK: %c = relax.memory.alloc_tensor
  // CHECK: relax.shape ["8 * l"]
  // CHECK: %e = relax.memory.alloc_tensor
  // n % 4
  // CHECK: relax.shape [12]
  // CHECK: %f = relax.memory.alloc_tensor
  // k - n: k less the least n
  // CHECK: relax.shape ["4 * (k - 3)"]
  // CHECK: %h = relax.memory.alloc_tensor
  // CHECK: relax.shape ["9 * k * 4"]
  // CHECK: %r = relax.memory.alloc_tensor
  relax.func @main(%x: tensor<?x?xf32, #relax.shape<["n", "k"]>>, %y: tensor<?xf32>) -> tensor<?x?xf32, #relax.shape<["n", "k"]>>
      attributes {relax.force_pure = true, relax.memory_plan_dynamic_func_output = true, tir_var_upper_bound = {n = 9 : i64, l = 7 : i64}, tir_var_lower_bound = {n = 3 : i64}, tir_non_negative_var = ["k"]} {
    %y1 = relax.match_cast %y : tensor<?xf32> -> tensor<?xf32, #relax.shape<["l"]>>
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %sa = relax.shape ["n * 2 + 2"]
    %sb = relax.shape ["max(n - 3, 1)", "n // 2"]
    %sc = relax.shape ["n * k + 4"]
    %se = relax.shape [2, "l"]
    %sf = relax.shape ["n % 4"]
    %sh = relax.shape ["k - n"]
    %sr = relax.shape ["n", "k"]
    %a = relax.builtin.alloc_tensor %sa, %f32, %d, %global : (!relax.shape<["n * 2 + 2"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n * 2 + 2"]>>
    %b = relax.builtin.alloc_tensor %sb, %f32, %d, %global : (!relax.shape<["max(n - 3, 1)", "n // 2"]>, !relax.object, i64, !relax.object) -> tensor<?x?xf32, #relax.shape<["max(n - 3, 1)", "n // 2"]>>
    %c = relax.builtin.alloc_tensor %sc, %f32, %d, %global : (!relax.shape<["n * k + 4"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n * k + 4"]>>
    %e = relax.builtin.alloc_tensor %se, %f32, %d, %global : (!relax.shape<[2, "l"]>, !relax.object, i64, !relax.object) -> tensor<2x?xf32, #relax.shape<[2, "l"]>>
    %f = relax.builtin.alloc_tensor %sf, %f32, %d, %global : (!relax.shape<["n % 4"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n % 4"]>>
    %h = relax.builtin.alloc_tensor %sh, %f32, %d, %global : (!relax.shape<["k - n"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["k - n"]>>
    %r = relax.builtin.alloc_tensor %sr, %f32, %d, %global : (!relax.shape<["n", "k"]>, !relax.object, i64, !relax.object) -> tensor<?x?xf32, #relax.shape<["n", "k"]>>
    relax.return %r : tensor<?x?xf32, #relax.shape<["n", "k"]>>
  }
}

// -----

// CHECK-LABEL: partita.module @odd
partita.module @odd {
  // A bound that no size can have, sizes of too many bytes, and what can't be
  // planned.
  // CHECK-LABEL: relax.func @main
  // CHECK: relax.shape ["4 * n"]
  // CHECK: %a = relax.memory.alloc_tensor
  // CHECK: %b = relax.builtin.alloc_tensor
  // CHECK: %c = relax.builtin.alloc_tensor
  // CHECK: %e = relax.builtin.alloc_tensor
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>, %s: !relax.shape<*>) attributes {tir_var_upper_bound = {n = -5 : i64}, relax.memory_plan_dynamic_func_output = false} {
    %d = relax.prim_value 0 : i64
    %global = relax.string "global"
    %f32 = relax.dtype f32
    %sa = relax.shape ["n"]
    %sb = relax.shape [4611686018427387904, 2]
    %a = relax.builtin.alloc_tensor %sa, %f32, %d, %global : (!relax.shape<["n"]>, !relax.object, i64, !relax.object) -> tensor<?xf32, #relax.shape<["n"]>>
    %b = relax.builtin.alloc_tensor %sb, %f32, %d, %global : (!relax.shape<[4611686018427387904, 2]>, !relax.object, i64, !relax.object) -> tensor<4611686018427387904x2xf32>
    %c = relax.builtin.alloc_tensor %s, %f32, %d, %global : (!relax.shape<*>, !relax.object, i64, !relax.object) -> tensor<*xf32>
    %e = relax.builtin.alloc_tensor %sa, %f32, %d, %d : (!relax.shape<["n"]>, !relax.object, i64, i64) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return
  }
}

// -----

partita.module @upper {
  // expected-error@+1 {{expected 'tir_var_upper_bound' to be a dictionary of integers, found {n = [4]}}}
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) attributes {tir_var_upper_bound = {n = [4]}} {
    relax.return
  }
}

// -----

partita.module @lower {
  // expected-error@+1 {{expected 'tir_var_lower_bound' to be a dictionary of integers, found 3 : i64}}
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) attributes {tir_var_lower_bound = 3 : i64} {
    relax.return
  }
}

// -----

partita.module @names {
  // expected-error@+1 {{expected 'tir_non_negative_var' to be a list of names, found [1]}}
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) attributes {tir_non_negative_var = [1]} {
    relax.return
  }
}
