// RUN: partita-opt %s --relax-call-tir-rewrite -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: partita.module @m
partita.module @m attributes {global_infos = {vdevice = [{target = "llvm", vdevice_id = 0 : i64, memory_scope = "local"}, {target = "llvm", vdevice_id = 0 : i64, memory_scope = "global"}]}} {
  // The result is another name of the allocated tensor.
  // CHECK-LABEL: relax.func @one
  // CHECK-NEXT: %[[F:.*]] = relax.global @exp
  // CHECK-NEXT: %[[SHAPE:.*]] = relax.shape ["n", 4]
  // CHECK-NEXT: %[[T:.*]] = relax.dtype f32
  // CHECK-NEXT: %[[D:.*]] = relax.prim_value 1 : i64
  // CHECK-NEXT: %[[G:.*]] = relax.string "global"
  // CHECK-NEXT: %alloc = relax.builtin.alloc_tensor %[[SHAPE]], %[[T]], %[[D]], %[[G]]
  // CHECK-SAME: -> tensor<?x4xf32, #relax.shape<["n", 4]>>
  // CHECK-NEXT: relax.call_value(%[[F]], %x, %alloc) {mark}
  // CHECK-SAME: -> tuple<>
  // CHECK-NEXT: %y = relax.alias %alloc
  // CHECK-NEXT: relax.return %y
  relax.func @one(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
    %y = relax.call_tir @exp(%x) {mark} : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    relax.return %y : tensor<?x4xf32, #relax.shape<["n", 4]>>
  }

  // Several results are a tuple; aliases are its fields.
  // CHECK-LABEL: relax.func @several
  // CHECK: %alloc = relax.builtin.alloc_tensor
  // CHECK: %[[LOCAL:.*]] = relax.string "local"
  // CHECK-NEXT: %[[A:.*]] = relax.builtin.alloc_tensor {{.*}}, %[[LOCAL]] {relax.ty_args = [
  // CHECK: relax.call_value(%{{.*}}, %x, %alloc, %[[A]])
  // CHECK-NEXT: %t = relax.tuple(%alloc, %[[A]])
  // CHECK: %y = relax.tuple_get_item %t[0]
  // CHECK: relax.return %y, %{{.*}}
  relax.func @several(%x: tensor<8xf32>) -> (tensor<8xf32>, !relax.tensor<[8], f32, vdevice = 0>) {
    %t:2 = relax.call_tir @two(%x) : (tensor<8xf32>) -> (tensor<8xf32>, !relax.tensor<[8], f32, vdevice = 0>)
    %y = relax.alias %t#0 : tensor<8xf32>
    relax.return %y, %t#1 : tensor<8xf32>, !relax.tensor<[8], f32, vdevice = 0>
  }

  // An extern function, whose result is a tuple in a tuple.
  // CHECK-LABEL: relax.func @extern
  // CHECK: %alloc = relax.builtin.alloc_tensor
  // CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
  // CHECK: %[[N:.*]] = relax.tuple(%[[A]]) : tensor<4xf32>
  // CHECK: relax.call_value(%{{.*}}, %x, %x, %alloc, %[[A]]) {{.*}} -> !relax.object
  // CHECK: %y = relax.tuple(%alloc, %[[N]])
  relax.func @extern(%x: tensor<8xf32>) -> tensor<8xf32> {
    %f = relax.extern_func "f"
    %0 = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
    %y = relax.call_dps_packed(%f, %0) ty_args = [tuple<tensor<8xf32>, tuple<tensor<4xf32>>>] : (!relax.object, tuple<tensor<8xf32>, tensor<8xf32>>) -> tuple<tensor<8xf32>, tuple<tensor<4xf32>>>
    %z = relax.tuple_get_item %y[0] : tuple<tensor<8xf32>, tuple<tensor<4xf32>>>
    relax.return %z : tensor<8xf32>
  }

  // One result is written in place, the other one is allocated. A tuple with a
  // variable is one argument.
  // CHECK-LABEL: relax.func @inplace
  // CHECK-NOT: relax.tuple
  // CHECK: %alloc = relax.builtin.alloc_tensor
  // CHECK: relax.call_value(%{{.*}}, %x, %y, %alloc)
  // CHECK: %r = relax.tuple(%y, %alloc)
  relax.func @inplace(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>> {
    %f = relax.global @two
    %0 = relax.tuple(%x, %y) : tensor<8xf32>, tensor<8xf32>
    %r = relax.call_tir_inplace(%f, %0) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 1, -1>} ty_args = [tensor<8xf32>, tensor<8xf32>] : (!relax.object, tuple<tensor<8xf32>, tensor<8xf32>>) -> tuple<tensor<8xf32>, tensor<8xf32>>
    relax.return %r : tuple<tensor<8xf32>, tensor<8xf32>>
  }

  // A tuple with a variable has the arguments, too, since one is the result.
  // CHECK-LABEL: relax.func @named_tuple
  // CHECK: %args = relax.tuple(%x)
  // CHECK: relax.call_value(%{{.*}}, %x)
  // CHECK: %r = relax.alias %x
  relax.func @named_tuple(%x: tensor<8xf32>) -> tensor<8xf32> {
    %f = relax.global @two
    %args = relax.tuple(%x) : tensor<8xf32>
    %r = relax.call_tir_inplace(%f, %args) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<8xf32>] : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    relax.return %r : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @forced
  // CHECK: relax.dataflow
  // CHECK: relax.call_value
  relax.func @forced(%x: tensor<8xf32>) -> tensor<8xf32> attributes {relax.force_pure = true} {
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.call_tir @copy(%x) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @skipped
  // CHECK: relax.call_tir
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization = true} {
    %0 = relax.call_tir @copy(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @exp(%a: memref<?x4xf32>, %b: memref<?x4xf32>)
  tir.prim_func private @copy(%a: memref<8xf32>, %b: memref<8xf32>)
  tir.prim_func private @two(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>)
}

// -----

partita.module @block {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = relax.dataflow -> tensor<8xf32> {
      // expected-error@+1 {{expected to be outside of 'relax.dataflow', or in a function with 'relax.force_pure', since its arguments are written}}
      %0 = relax.call_tir @copy(%x) : (tensor<8xf32>) -> tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }
  tir.prim_func private @copy(%a: memref<8xf32>, %b: memref<8xf32>)
}

// -----

partita.module @unknown {
  relax.func @main(%x: tensor<8xf32>) -> tensor<?xf32> {
    // expected-error@+1 {{expected results whose shapes and element types are known, found 'tensor<?xf32>'}}
    %0 = relax.call_tir @f(%x) : (tensor<8xf32>) -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }
  tir.prim_func private @f(%a: memref<8xf32>, %b: memref<?xf32>)
}

// -----

partita.module @index {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %f = relax.extern_func "f"
    %0 = relax.tuple(%x) : tensor<8xf32>
    // expected-error@+1 {{expected 'inplace_indices' to be below 1, the number of arguments, found 5}}
    %r = relax.call_tir_inplace(%f, %0) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 5>} : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    relax.return %r : tensor<8xf32>
  }
}

// -----

partita.module @tuple {
  relax.func @main(%t: tuple<tensor<8xf32>>) -> tensor<8xf32> {
    %f = relax.extern_func "f"
    // expected-error@+1 {{expected a tuple of arguments that is made by 'relax.tuple', since results are written into its fields}}
    %r = relax.call_tir_inplace(%f, %t) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} : (!relax.object, tuple<tensor<8xf32>>) -> tensor<8xf32>
    relax.return %r : tensor<8xf32>
  }
}

// -----

partita.module @operands {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{expected a function and a tuple of arguments, found 1 operands}}
    %r = relax.call_dps_packed(%x) : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %r : tensor<8xf32>
  }
}
