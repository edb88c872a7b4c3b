// RUN: partita-opt --convert-partita-to-func -split-input-file %s -verify-diagnostics \
// RUN:   | FileCheck %s

// Objects are pointers that the code hands on.

// CHECK-LABEL: func.func @partita.pass_on(
// CHECK-SAME: %[[STATE:.*]]: !llvm.ptr, %[[X:.*]]: memref<4xf32>
// CHECK: %[[NEXT:.*]] = call @partita_packed{{.*}}(%[[STATE]], %[[X]])
// CHECK-SAME: (!llvm.ptr, memref<4xf32>) -> !llvm.ptr
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: return %[[NEXT]], %[[NULL]]
partita.module {
  relax.func @pass_on(%state: !relax.object, %x: tensor<4xf32>) -> tuple<!relax.object, !relax.object>
      attributes {is_pure = false} {
    %f = relax.extern_func "cache.append"
    %next = relax.call_value(%f, %state, %x)
      : (!relax.object, !relax.object, tensor<4xf32>) -> !relax.object
    %null = relax.null_value : () -> !relax.object
    %both = relax.tuple(%next, %null) : !relax.object, !relax.object
    relax.return %both : tuple<!relax.object, !relax.object>
  }
}

// -----

// A cast says what a packed function returns.

// CHECK-LABEL: func.func @partita.unbox(
// CHECK: %[[Y:.*]] = call @partita_packed{{.*}} -> memref<?xf32>
// CHECK: return %[[Y]]
partita.module {
  relax.func @unbox(%x: tensor<4xf32>) -> tensor<?xf32, #relax.shape<["m"]>>
      attributes {is_pure = false} {
    %f = relax.extern_func "f"
    %0 = relax.call_value(%f, %x) : (!relax.object, tensor<4xf32>) -> !relax.object
    %y = relax.match_cast %0 : !relax.object -> tensor<?xf32, #relax.shape<["m"]>>
    relax.return %y : tensor<?xf32, #relax.shape<["m"]>>
  }
}

// -----

// A function that is a parameter.

// CHECK-LABEL: func.func @partita.call_parameter(
// CHECK-SAME: %[[F:.*]]: !llvm.ptr
// CHECK: call @partita_packed{{.*}}(%[[F]], %{{.*}}) : (!llvm.ptr, i64) -> memref<4xf32>
partita.module {
  relax.func @call_parameter(%f: !relax.callable<(i64) -> tensor<4xf32>, impure>)
      -> tensor<4xf32> attributes {is_pure = false} {
    %0 = relax.prim_value 1 : i64
    %y = relax.call_value(%f, %0)
      : (!relax.callable<(i64) -> tensor<4xf32>, impure>, i64) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
}

// -----

// The call gives its arguments first, and then the closure its own.

// CHECK-LABEL: func.func @partita.closure(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>
// CHECK: call @partita.second(%[[X]], %[[Y]])
partita.module {
  relax.func private @second(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %b : tensor<4xf32>
  }
  relax.func @closure(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %z = relax.dataflow -> tensor<4xf32> {
      %0 = relax.global @second
      %1 = relax.tuple(%y) : tensor<4xf32>
      %c = relax.make_closure(%0, %1) : (!relax.object, tuple<tensor<4xf32>>) -> !relax.object
      %d = relax.alias %c : !relax.object
      %2 = relax.tuple(%x) : tensor<4xf32>
      %r = relax.invoke_pure_closure(%d, %2) ty_args = [tensor<4xf32>]
        : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
      relax.output %r : tensor<4xf32>
    }
    relax.return %z : tensor<4xf32>
  }
}

// -----

// A closure of another function is an object that is called.

// CHECK-LABEL: func.func @partita.unknown_closure(
// CHECK-SAME: %[[C:.*]]: !llvm.ptr, %[[X:.*]]: memref<4xf32>
// CHECK: call @[[CALL:partita_packed.*]](%[[C]], %[[X]]) : (!llvm.ptr, memref<4xf32>) -> memref<4xf32>
partita.module {
  relax.func @unknown_closure(%c: !relax.object, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.tuple(%x) : tensor<4xf32>
    %r = relax.invoke_pure_closure(%c, %0) ty_args = [tensor<4xf32>]
      : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    relax.return %r : tensor<4xf32>
  }
}

// -----

// A function that the caller gets as a value has an interface for C; its
// arguments are checked.

// CHECK: func.func private @partita_packed(memref<4xf32>) -> !llvm.ptr
// CHECK: func.func private @partita.called(
// CHECK-SAME: llvm.emit_c_interface
// CHECK: call @partita_runtime_fail
// CHECK: func.func private @partita.other(
// CHECK-NOT: llvm.emit_c_interface
// CHECK: func.func @partita.give(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[C:.*]] = call @partita_packed(%[[X]])
// CHECK: return %[[C]]
// CHECK: partita_metadata
// CHECK-SAME: \22closures\22:{\22called\22:
// CHECK-SAME: \22functions\22:{\22give\22:
// CHECK-SAME: \22name\22:\22partita.make_closure\22,\22params\22:[{\22kind\22:\22string\22,\22value\22:\22called\22}
!m = tensor<?x?xf32, #relax.shape<["m", "2 * m"]>>
partita.module {
  relax.func private @called(%a: !m, %b: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %b : tensor<4xf32>
  }
  relax.func private @other(%a: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %a : tensor<4xf32>
  }
  relax.func @give(%y: tensor<4xf32>) -> !relax.object {
    %0 = relax.global @called
    %1 = relax.tuple(%y) : tensor<4xf32>
    %c = relax.make_closure(%0, %1) : (!relax.object, tuple<tensor<4xf32>>) -> !relax.object
    %2 = relax.call @other(%y) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %c : !relax.object
  }
}

// -----

// A string is an object where one is needed, and is known where it is used.

// CHECK-LABEL: func.func @partita.string(
// CHECK: %[[S:.*]] = call @partita_packed() : () -> !llvm.ptr
// CHECK: return %[[S]]
partita.module {
  relax.func @string() -> !relax.object {
    %0 = relax.string "text"
    relax.return %0 : !relax.object
  }
}

// -----

// CHECK-LABEL: func.func @partita.string_in_tuple(
// CHECK: call @partita_packed(%{{.*}}) : (memref<4xf32>) -> memref<4xf32>
// CHECK: \22fields\22:[{\22kind\22:\22string\22,\22value\22:\22text\22},{\22dtype\22:\22float32\22
partita.module {
  relax.func @string_in_tuple(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %f = relax.extern_func "f"
    %0 = relax.string "text"
    %pair = relax.tuple(%0, %x) : !relax.object, tensor<4xf32>
    %y = relax.call_value(%f, %pair) : (!relax.object, tuple<!relax.object, tensor<4xf32>>) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: func.func @partita.tensor_as_object(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[BOX:.*]] = call @partita_packed(%[[X]]) : (memref<4xf32>) -> !llvm.ptr
// CHECK: return %[[BOX]]
// CHECK: \22name\22:\22partita.box\22
partita.module {
  relax.func @tensor_as_object(%x: tensor<4xf32>) -> !relax.object {
    %0 = relax.match_cast %x : tensor<4xf32> -> !relax.object
    relax.return %0 : !relax.object
  }
}

// -----

// A tensor without a rank or a dtype is an object until it is cast.

// CHECK-LABEL: func.func @partita.unknown(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr, %[[Y:.*]]: !llvm.ptr
// CHECK: call @partita_packed{{.*}}(%[[Y]]) : (!llvm.ptr) -> (i64, i64)
// CHECK: %[[CAST:.*]] = call @partita_packed{{.*}}(%[[X]]) : (!llvm.ptr) -> memref<?xf32>
// CHECK: return %[[X]], %[[CAST]]
// CHECK: partita_metadata
// CHECK-SAME: {\22kind\22:\22object\22,\22name\22:\22x\22,\22of\22:\22tensor\22}
// CHECK-SAME: {\22kind\22:\22object\22,\22name\22:\22y\22,\22of\22:\22tensor\22,\22shape\22:[\22n\22,2]}
partita.module {
  relax.func @unknown(%x: !relax.tensor<*, ?>, %y: !relax.tensor<["n", 2], ?>)
      -> (!relax.tensor<*, ?>, tensor<?xf32, #relax.shape<["n"]>>) {
    %0 = relax.alias %x : !relax.tensor<*, ?>
    %1 = relax.match_cast %0 : !relax.tensor<*, ?> -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %0, %1 : !relax.tensor<*, ?>, tensor<?xf32, #relax.shape<["n"]>>
  }
}

// -----

// What is written in place is a copy if the caller owns it.

// CHECK-LABEL: func.func @partita.inplace(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>
// CHECK: %[[COPY:.*]] = memref.alloc
// CHECK: memref.copy %[[X]], %[[COPY]]
// CHECK: call @partita.twice(%[[COPY]])
// CHECK-NOT: memref.copy
// CHECK: call @partita.twice(%[[COPY]])
// CHECK: %[[Y:.*]] = call @partita_packed(%[[COPY]])
// CHECK: return %[[Y]]
// CHECK: \22is_written\22:true
partita.module {
  relax.func @inplace(%x: tensor<4xf32>) -> tensor<4xf32> {
    %f = relax.global @twice
    %0 = relax.tuple(%x) : tensor<4xf32>
    %1 = relax.call_tir_inplace(%f, %0) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    %2 = relax.tuple(%1) : tensor<4xf32>
    %3 = relax.call_tir_inplace(%f, %2) "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<4xf32>] : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    %g = relax.extern_func "g"
    %y = relax.call_inplace_packed(%g, %3) "relax.attrs.CallInplacePackedAttrs" {inplace_indices = array<i64: 0>} ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
  tir.prim_func private @twice(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<4xf32>
    memref.store %0, %a[%c0] : memref<4xf32>
    tir.return
  }
}

// -----

// Sizes that can only differ are an error of the run.

// CHECK-LABEL: func.func @partita.wrong_size(
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: scf.if %[[TRUE]]
// CHECK: call @partita_runtime_fail
partita.module {
  relax.func @wrong_size(%x: tensor<4xf32>) -> tensor<5xf32> {
    %0 = relax.match_cast %x : tensor<4xf32> -> !relax.object
    %1 = relax.match_cast %0 : !relax.object -> tensor<5xf32>
    relax.return %1 : tensor<5xf32>
  }
}

// -----

// A prim_func that leaves with a number, and a comparison of sizes.

// CHECK-LABEL: func.func @partita.number(
// CHECK: %[[N:.*]] = call @partita.twice(%{{.*}}) : (i64) -> i64
// CHECK: %[[IS:.*]] = arith.cmpi eq
// CHECK: return %[[N]], %[[IS]]
// CHECK: func.func private @partita.twice(%[[A:.*]]: i64) -> i64
// CHECK: %[[B:.*]] = arith.addi %[[A]], %[[A]]
// CHECK: return %[[B]] : i64
partita.module {
  relax.func @number(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (i64, i1) {
    %f = relax.global @twice
    %n = relax.dim ["n"] : i64
    %0 = relax.call_value(%f, %n) {is_pure = true} : (!relax.object, i64) -> i64
    %1 = relax.dim ["n == 16"] : i1
    relax.return %0, %1 : i64, i1
  }
  tir.prim_func private @twice(%a: i64) attributes {tir.ret_type = i64} {
    %0 = arith.addi %a, %a : i64
    tir.ret %0 : i64
    tir.return
  }
}

// -----

partita.module {
  relax.func @other(%x: i64) -> i32 {
    %f = relax.global @twice
    // expected-error @below {{expected the result of 'twice' to have types ('i32'), found another type}}
    %0 = relax.call_value(%f, %x) {is_pure = true} : (!relax.object, i64) -> i32
    relax.return %0 : i32
  }
  tir.prim_func private @twice(%a: i64) attributes {tir.ret_type = i64} {
    tir.ret %a : i64
    tir.return
  }
}

// -----

partita.module {
  tir.prim_func private @early(%a: i64) attributes {tir.ret_type = i64} {
    %c1 = arith.constant 1 : i64
    scf.for %i = %c1 to %a step %c1 : i64 {
      // expected-error @below {{expected it at the end of the function}}
      tir.ret %i : i64
    }
    tir.ret %a : i64
    tir.return
  }
}
