// RUN: partita-opt --outline-parallel-loops='min-work=10000' --split-input-file %s | FileCheck %s
// RUN: partita-opt --outline-parallel-loops='min-work=10000' --scf-parallel-for-to-nested-fors --split-input-file %s | FileCheck %s --check-prefix=NESTED
// RUN: not partita-opt --outline-parallel-loops='min-work=nan' %s 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: expected min-work to be a number from 0 to 1e15, but found

// The outermost loop with several iterations becomes a function. Constants are
// made there; what else the body uses is handed on.

// CHECK: func.func private @partita_parallel_0(index, index, memref<1x100x300xf32>, f32) attributes {llvm.emit_c_interface}
// CHECK: func.func private @partita_parallel_0_body(%[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[A:.*]]: memref<1x100x300xf32>, %[[X:.*]]: f32) attributes {llvm.emit_c_interface}
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[SCALED:.*]] = arith.muli %[[I]], %[[C2]]
// CHECK: %[[J:.*]] = arith.addi %[[SCALED]], %{{.*}}
// CHECK: scf.parallel (%[[N:.*]], %[[K:.*]]) = (%[[C0]], %[[C0]])
// CHECK: memref.store %{{.*}}, %[[A]][%[[N]], %[[J]], %[[K]]]
// CHECK: func.func @nest(%[[A:.*]]: memref<1x100x300xf32>, %[[X:.*]]: f32)
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: %[[GRAIN:.*]] = arith.constant 11 : index
// CHECK: call @partita_parallel_0(%[[COUNT]], %[[GRAIN]], %[[A]], %[[X]]) {body = @partita_parallel_0_body}
// NESTED-LABEL: @partita_parallel_0_body
// NESTED-COUNT-3: scf.for
// NESTED-LABEL: func.func @nest(
func.func @nest(%a: memref<1x100x300xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c98 = arith.constant 98 : index
  %c300 = arith.constant 300 : index
  scf.parallel (%n, %j, %k) = (%c0, %c2, %c0) to (%c1, %c98, %c300) step (%c1, %c2, %c1) {
    %0 = memref.load %a[%n, %j, %k] : memref<1x100x300xf32>
    %1 = arith.addf %0, %x : f32
    memref.store %1, %a[%n, %j, %k] : memref<1x100x300xf32>
  }
  return
}

// -----

// If the number of iterations is unknown, the runtime decides. A nest in a loop
// of one iteration is found, too.

// CHECK: func.func private @partita_parallel_0(index, index, index, memref<?xf32>)
// CHECK: func.func private @partita_parallel_1(index, index, index, memref<?xf32>, index)
// CHECK-LABEL: func.func @unknown(
// CHECK: call @partita_parallel_0
// CHECK: scf.parallel
// CHECK: call @partita_parallel_1
func.func @unknown(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %a[%i] : memref<?xf32>
    %1 = math.exp %0 : f32
    memref.store %1, %a[%i] : memref<?xf32>
  }
  scf.parallel (%b) = (%c0) to (%c1) step (%c1) {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      %0 = memref.load %a[%b] : memref<?xf32>
      memref.store %0, %a[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Too little work, or none; memory that is allocated; a call; a sum.

// CHECK: func.func private @callee
// CHECK-NEXT: func.func @serial(
// CHECK-NOT: partita_parallel
func.func private @callee(f32) -> f32
func.func @serial(%a: memref<10000xf32>, %x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5000 = arith.constant 5000 : index
  %c10000 = arith.constant 10000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %c0 step %c1 {
      memref.store %x, %a[%i] : memref<10000xf32>
    }
  }
  scf.parallel (%i) = (%c0) to (%c5000) step (%c1) {
    memref.store %x, %a[%i] : memref<10000xf32>
  }
  scf.parallel (%i) = (%c0) to (%c10000) step (%c1) {
    %m = memref.alloc() : memref<4xf32>
    memref.store %x, %m[%c0] : memref<4xf32>
    %0 = memref.load %m[%c0] : memref<4xf32>
    memref.store %0, %a[%i] : memref<10000xf32>
    memref.dealloc %m : memref<4xf32>
  }
  scf.parallel (%i) = (%c0) to (%c10000) step (%c1) {
    %0 = func.call @callee(%x) : (f32) -> f32
    %1 = arith.addf %0, %x : f32
    memref.store %1, %a[%i] : memref<10000xf32>
  }
  %sum = scf.parallel (%i) = (%c0) to (%c10000) step (%c1) init (%x) -> f32 {
    %0 = memref.load %a[%i] : memref<10000xf32>
    %1 = arith.addf %0, %0 : f32
    scf.reduce(%1 : f32) {
    ^bb0(%l: f32, %r: f32):
      %2 = arith.addf %l, %r : f32
      scf.reduce.return %2 : f32
    }
  }
  return %sum : f32
}
