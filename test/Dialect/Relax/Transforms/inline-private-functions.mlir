// RUN: partita-opt %s --relax-inline-private-functions --split-input-file | FileCheck %s

// Sizes of the callee become sizes of the caller, also names that the callee
// introduces. A call in an inlined body is inlined.
partita.module @sizes {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<2x4xf32>) -> (tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>) {
    %a = relax.call @twice(%x) : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x8xf32, #relax.shape<["n", 8]>>
    %b = relax.call @twice(%y) : (tensor<2x4xf32>) -> tensor<2x8xf32>
    relax.return %a, %b : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>
  }
  relax.func private @twice(%t: tensor<?x4xf32, #relax.shape<["m", 4]>>) -> tensor<?x8xf32, #relax.shape<["m", 8]>> {
    %0 = relax.concat %t, %t axis = 1 : tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x4xf32, #relax.shape<["m", 4]>> -> tensor<?x8xf32, #relax.shape<["m", 8]>>
    %1 = relax.call @last(%0) : (tensor<?x8xf32, #relax.shape<["m", 8]>>) -> tensor<?x8xf32, #relax.shape<["m", 8]>>
    relax.return %1 : tensor<?x8xf32, #relax.shape<["m", 8]>>
  }
  relax.func private @last(%u: tensor<?x8xf32, #relax.shape<["n", 8]>>) -> tensor<?x8xf32, #relax.shape<["n", 8]>> {
    %s = relax.shape ["n * 8"]
    %0 = relax.reshape %u, %s : tensor<?x8xf32, #relax.shape<["n", 8]>> -> tensor<?xf32, #relax.shape<["n * 8"]>>
    %1 = relax.shape ["n", 8]
    %2 = relax.reshape %0, %1 : tensor<?xf32, #relax.shape<["n * 8"]>> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
    relax.return %2 : tensor<?x8xf32, #relax.shape<["n", 8]>>
  }
}

// CHECK-LABEL: partita.module @sizes {
// CHECK: relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<2x4xf32>) -> (tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>) {
// CHECK-NEXT: %0 = relax.concat %x, %x axis = 1 : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
// CHECK-NEXT: %s = relax.shape ["n * 8"]
// CHECK-NEXT: %1 = relax.reshape %0, %s : tensor<?x8xf32, #relax.shape<["n", 8]>> -> tensor<?xf32, #relax.shape<["n * 8"]>>
// CHECK-NEXT: %2 = relax.shape ["n", 8]
// CHECK-NEXT: %3 = relax.reshape %1, %2 : tensor<?xf32, #relax.shape<["n * 8"]>> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
// CHECK-NEXT: %4 = relax.concat %y, %y axis = 1 : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %s_0 = relax.shape [16]
// CHECK-NEXT: %5 = relax.reshape %4, %s_0 : tensor<2x8xf32> -> tensor<16xf32>
// CHECK-NEXT: %6 = relax.shape [2, 8]
// CHECK-NEXT: %7 = relax.reshape %5, %6 : tensor<16xf32> -> tensor<2x8xf32>
// CHECK-NEXT: relax.return %3, %7 : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>

// -----

// In a dataflow block, a function with a dataflow block is inlined, and one with
// control flow is not.
partita.module @blocks {
  relax.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.call @pure(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relax.call @branch(%0, %c) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
      relax.output %1 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
  relax.func private @pure(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %x : tensor<4xf32>
      relax.output %0 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
  relax.func private @branch(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
    %y = relax.if %c : tensor<i1> -> tensor<4xf32> {
      relax.yield %x : tensor<4xf32>
    } else {
      %0 = relax.exp %x : tensor<4xf32>
      relax.yield %0 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @blocks {
// CHECK: relax.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
// CHECK-NEXT: %y = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.exp %x : tensor<4xf32>
// CHECK-NEXT: %1 = relax.call @branch(%0, %c) : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @branch(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
// CHECK-NEXT: %y = relax.if %c : tensor<i1> -> tensor<4xf32> {
// CHECK-NEXT: relax.yield %x : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %0 = relax.exp %x : tensor<4xf32>
// CHECK-NEXT: relax.yield %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : tensor<4xf32>

// -----

// Left alone: functions that call themselves, public ones, declarations, and
// functions that are values. A function that nothing calls goes.
partita.module @kept {
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, !relax.object) {
    %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.call @to_even(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.call @public(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = relax.call @declared(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = relax.call @value(%3) : (tensor<4xf32>) -> tensor<4xf32>
    %g = relax.global @value
    %p = relax.extern_func "use"
    %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
    relax.return %4, %u : tensor<4xf32>, !relax.object
  }
  relax.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @to_even(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.exp %0 : tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
  relax.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
  relax.func private @declared(%x: tensor<4xf32>) -> tensor<4xf32>
  relax.func private @value(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
  relax.func private @uncalled(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @kept {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, !relax.object) {
// CHECK-NEXT: %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = relax.call @even(%0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %2 = relax.exp %1 : tensor<4xf32>
// CHECK-NEXT: %3 = relax.call @public(%2) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %4 = relax.call @declared(%3) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %5 = relax.call @value(%4) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %g = relax.global @value
// CHECK-NEXT: %p = relax.extern_func "use"
// CHECK-NEXT: %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
// CHECK-NEXT: relax.return %5, %u : tensor<4xf32>, !relax.object
// CHECK-NEXT: }
// CHECK: relax.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.call @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: relax.return %x : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @declared(tensor<4xf32>) -> tensor<4xf32>
// CHECK: relax.func private @value(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: relax.return %x : tensor<4xf32>
