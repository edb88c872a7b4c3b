// RUN: partita-opt --memref-widen-bools %s | FileCheck %s

// CHECK: memref.global "private" constant @bits : memref<3xi8> = dense<[1, 0, 1]>
memref.global "private" constant @bits : memref<3xi1> = dense<[true, false, true]>
// CHECK: memref.global "private" constant @numbers : memref<2xi32> = dense<[1, 2]>
memref.global "private" constant @numbers : memref<2xi32> = dense<[1, 2]>

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[M:.*]]: memref<?xi8>, %[[I:.*]]: index, %[[B:.*]]: i1) -> memref<3xi8>
// CHECK: %[[BYTE:.*]] = memref.load %[[M]][%[[I]]] : memref<?xi8>
// CHECK: %[[BIT:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: %[[AND:.*]] = arith.andi %[[BIT]], %[[B]] : i1
// CHECK: %[[WIDE:.*]] = arith.extui %[[AND]] : i1 to i8
// CHECK: memref.store %[[WIDE]], %[[M]][%[[I]]] : memref<?xi8>
// CHECK: memref.get_global @bits : memref<3xi8>
func.func @f(%m: memref<?xi1>, %i: index, %b: i1) -> memref<3xi1> {
  %0 = memref.load %m[%i] : memref<?xi1>
  %1 = arith.andi %0, %b : i1
  memref.store %1, %m[%i] : memref<?xi1>
  %2 = memref.get_global @bits : memref<3xi1>
  return %2 : memref<3xi1>
}
