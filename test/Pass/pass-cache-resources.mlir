// --pass-cache: results refer to the resources and distinct attributes that were
// in an op before the passes. Bytecode alone would give resources other names.

// DEFINE: %{passes} = builtin.module(func.func(cse,test-print-config{keys=test.flag}))
// DEFINE: %{plain} = partita-test-opt --allow-unregistered-dialect --mlir-print-debuginfo --pass-pipeline='%{passes}'
// DEFINE: %{run} = %{plain} --pass-cache=%t.cache
// RUN: rm -rf %t.cache
// RUN: %{plain} -o %t.plain.mlir < %s
// RUN: FileCheck %s < %t.plain.mlir
// RUN: %{run} -o %t.cold.mlir < %s 2>&1 | count 3
// RUN: diff %t.plain.mlir %t.cold.mlir

// The whole module, and the functions of a module that has one more.
// RUN: %{run} -o %t.warm.mlir < %s 2>&1 | count 0
// RUN: diff %t.plain.mlir %t.warm.mlir
// RUN: sed 's/^\/\/ MORE: //' %s > %t.more.mlir
// RUN: %{plain} -o %t.plain.mlir < %t.more.mlir
// RUN: %{run} -o %t.warm.mlir < %t.more.mlir 2>&1 | count 1
// RUN: diff %t.plain.mlir %t.warm.mlir

// Other elements of a resource are another function.
// RUN: sed 's/0x04000000010000000200000003000000/0x04000000010000000200000004000000/' %s > %t.other.mlir
// RUN: %{plain} -o %t.plain.mlir < %t.other.mlir
// RUN: %{run} -o %t.warm.mlir < %t.other.mlir 2>&1 | count 2
// RUN: diff %t.plain.mlir %t.warm.mlir

// RUN: %{plain} %s --check-cache -o /dev/null

// CHECK: #[[D:.*]] = distinct[0]<"shared">
// CHECK: "test.use"(%[[F:.*]], %[[F]]) {a = #[[D]], b = #[[D]]}
// CHECK: "test.use"({{.*}}) {a = #[[D]]}
// CHECK: @h(%{{.*}}: i32 loc(fused<#[[D]]>
// CHECK: weights: "0x
// CHECK-NOT: weights_1
#d = distinct[0]<"shared">
func.func @f() {
  %0 = arith.constant dense_resource<weights> : tensor<3xi32>
  %1 = arith.constant dense_resource<weights> : tensor<3xi32>
  %2 = arith.constant dense_resource<weights> : tensor<3xi32>
  "test.use"(%0, %1) {a = #d, b = #d} : (tensor<3xi32>, tensor<3xi32>) -> ()
  return
}
func.func @g() {
  %0 = arith.constant dense_resource<weights> : tensor<3xi32>
  %1 = arith.constant dense_resource<weights> : tensor<3xi32>
  "test.use"(%1) {a = #d} : (tensor<3xi32>) -> ()
  return
}
func.func @h(%x: i32 loc(fused<#d>["x"])) -> i32 {
  %unused = arith.constant 0 : i32
  return %x : i32
}
// MORE: func.func @i(%x: i64) -> i64 { return %x : i64 }

{-#
  dialect_resources: {
    builtin: {
      weights: "0x04000000010000000200000003000000"
    }
  }
#-}
