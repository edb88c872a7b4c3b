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

partita.module {
  relax.func @unknown_closure(%c: !relax.object, %x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.tuple(%x) : tensor<4xf32>
    // expected-error @below {{can't be compiled: expected a closure that this function makes of a function of the module}}
    %r = relax.invoke_pure_closure(%c, %0) ty_args = [tensor<4xf32>]
      : (!relax.object, tuple<tensor<4xf32>>) -> tensor<4xf32>
    relax.return %r : tensor<4xf32>
  }
}

// -----

// A string is known where it is used, and is no object of the caller.

partita.module {
  relax.func @string() -> !relax.object {
    %0 = relax.string "text"
    // expected-error @below {{can't be compiled: expected values of types ('!llvm.ptr'), found ()}}
    relax.return %0 : !relax.object
  }
}

// -----

partita.module {
  relax.func @string_in_tuple(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %f = relax.extern_func "f"
    %0 = relax.string "text"
    %pair = relax.tuple(%0, %x) : !relax.object, tensor<4xf32>
    // expected-error @below {{expected a packed function of tensors with a known rank and dtype, shapes, numbers, strings, dtypes, objects and tuples of them, found 'tuple<!relax.object, tensor<4xf32>>'}}
    %y = relax.call_value(%f, %pair) : (!relax.object, tuple<!relax.object, tensor<4xf32>>) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
}

// -----

partita.module {
  relax.func @tensor_as_object(%x: tensor<4xf32>) -> !relax.object {
    %0 = relax.match_cast %x : tensor<4xf32> -> !relax.object
    // expected-error @below {{expected values of types ('!llvm.ptr'), found ('memref<4xf32>')}}
    relax.return %0 : !relax.object
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
  tir.prim_func private @early(%a: i64, %c: i1) attributes {tir.ret_type = i64} {
    scf.if %c {
      // expected-error @below {{expected it at the end of the function}}
      tir.ret %a : i64
    }
    tir.ret %a : i64
    tir.return
  }
}
