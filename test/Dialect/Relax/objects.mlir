// Equal pure calls give different objects, because these objects have an
// identity: two caches of keys and values differ. Unused objects are removed,
// and ops that allocate memory may be in a dataflow block, as in TVM.
// RUN: partita-opt %s --relax-eliminate-common-subexpr | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: partita-opt %s --cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: partita-opt %s --relax-dead-code-elimination | FileCheck %s --check-prefixes=CHECK,DCE
// RUN: partita-opt %s --relax-convert-to-dataflow | FileCheck %s --check-prefix=BLOCK

partita.module @m {
  // CHECK-LABEL: relax.func @objects
  // BLOCK-LABEL: relax.func @objects
  relax.func @objects(%x: tensor<8xf32>) -> (!relax.object, tuple<!relax.object, tensor<8xf32>>, tensor<8xf32>, tensor<8xf32>) {
    // BLOCK-NOT: relax.call_pure_packed
    // BLOCK: relax.dataflow
    %f = relax.extern_func "make"
    // CHECK: relax.call_pure_packed
    // BLOCK: relax.call_pure_packed
    %0 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> !relax.object
    // CHECK-NEXT: relax.call_pure_packed
    // CHECK-SAME: -> tuple<!relax.object, tensor<8xf32>>
    %1 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> tuple<!relax.object, tensor<8xf32>>
    // CSE: relax.call_pure_packed
    // CSE-SAME: -> !relax.object
    // DCE-NOT: -> !relax.object
    %2 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> !relax.object
    // CSE: relax.call_pure_packed
    // CSE-SAME: -> tuple<!relax.object, tensor<8xf32>>
    %3 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> tuple<!relax.object, tensor<8xf32>>
    // CSE: %[[T:.*]] = relax.call_pure_packed
    // CSE-SAME: -> tensor<8xf32>
    // CSE-NOT: -> tensor<8xf32>
    // BLOCK: relax.call_pure_packed{{.*}} -> tensor<8xf32>
    %4 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    %5 = relax.call_pure_packed(%f, %x) : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    %g = relax.call @use(%2, %3) : (!relax.object, tuple<!relax.object, tensor<8xf32>>) -> tensor<8xf32>
    // CSE: relax.return {{.*}}, {{.*}}, %[[T]], %[[T]]
    relax.return %0, %1, %4, %5 : !relax.object, tuple<!relax.object, tensor<8xf32>>, tensor<8xf32>, tensor<8xf32>
  }

  relax.func private @use(!relax.object, tuple<!relax.object, tensor<8xf32>>) -> tensor<8xf32>
}
