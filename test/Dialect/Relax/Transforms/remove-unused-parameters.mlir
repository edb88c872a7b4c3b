// RUN: partita-opt %s --relax-remove-unused-parameters --split-input-file | FileCheck %s

// The caller drops what only computed the argument.
partita.module @plain {
  relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %y : tensor<4xf32>
    %1 = relax.call @f(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
  relax.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {kept = 1 : i64} {
    relax.return %b : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @plain {
// CHECK: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = relax.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.return %0 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @f(%b: tensor<4xf32>) -> tensor<4xf32> attributes {kept = 1 : i64} {
// CHECK-NEXT: relax.return %b : tensor<4xf32>

// -----

// Sizes stay known: of tensors and of numbers.
partita.module @sizes {
  relax.func @main(%x: tensor<?x8xf32, #relax.shape<["k", 8]>>, %y: tensor<3x2xf32>) -> (tensor<?x8xf32, #relax.shape<["k", 8]>>, tensor<3x2xf32>, tensor<?xf32>) {
    %0 = relax.call @f(%x) : (tensor<?x8xf32, #relax.shape<["k", 8]>>) -> tensor<?x8xf32, #relax.shape<["k", 8]>>
    %1 = relax.call @f(%y) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %5 = relax.prim_value 5 : i64
    %2 = relax.call @g(%5) : (i64) -> tensor<?xf32>
    relax.return %0, %1, %2 : tensor<?x8xf32, #relax.shape<["k", 8]>>, tensor<3x2xf32>, tensor<?xf32>
  }
  relax.func private @f(%a: tensor<?x?xf32, #relax.shape<["m", "n"]>>) -> tensor<?x?xf32, #relax.shape<["m", "n"]>> {
    %s = relax.shape ["m", "n"]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<["m", "n"]>) -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
    relax.return %z : tensor<?x?xf32, #relax.shape<["m", "n"]>>
  }
  relax.func private @g(%n: i64 {relax.dim = "n"}) -> tensor<?xf32, #relax.shape<["n"]>> {
    %s = relax.shape ["n"]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %z : tensor<?xf32, #relax.shape<["n"]>>
  }
}

// CHECK-LABEL: partita.module @sizes {
// CHECK: relax.func @main(%x: tensor<?x8xf32, #relax.shape<["k", 8]>>, %y: tensor<3x2xf32>) -> (tensor<?x8xf32, #relax.shape<["k", 8]>>, tensor<3x2xf32>, tensor<?xf32>) {
// CHECK-NEXT: %0 = relax.shape [8]
// CHECK-NEXT: %1 = relax.shape ["k"]
// CHECK-NEXT: %2 = relax.call @f(%0, %1) : (!relax.shape<[8]>, !relax.shape<["k"]>) -> tensor<?x8xf32, #relax.shape<["k", 8]>>
// CHECK-NEXT: %3 = relax.shape [2]
// CHECK-NEXT: %4 = relax.shape [3]
// CHECK-NEXT: %5 = relax.call @f(%3, %4) : (!relax.shape<[2]>, !relax.shape<[3]>) -> tensor<3x2xf32>
// CHECK-NEXT: %6 = relax.shape [5]
// CHECK-NEXT: %7 = relax.call @g(%6) : (!relax.shape<[5]>) -> tensor<?xf32>
// CHECK-NEXT: relax.return %2, %5, %7 : tensor<?x8xf32, #relax.shape<["k", 8]>>, tensor<3x2xf32>, tensor<?xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @f(%param_n: !relax.shape<["n"]>, %param_m: !relax.shape<["m"]>) -> tensor<?x?xf32, #relax.shape<["m", "n"]>> {
// CHECK-NEXT: %s = relax.shape ["m", "n"]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<["m", "n"]>) -> tensor<?x?xf32, #relax.shape<["m", "n"]>>
// CHECK-NEXT: relax.return %z : tensor<?x?xf32, #relax.shape<["m", "n"]>>
// CHECK-NEXT: }
// CHECK: relax.func private @g(%param_n: !relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>> {
// CHECK-NEXT: %s = relax.shape ["n"]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.return %z : tensor<?xf32, #relax.shape<["n"]>>

// -----

// Left alone: public functions, values, sizes that a call does not say, and a
// function that is called with its own parameter.
partita.module @kept {
  relax.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = relax.call @public(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = relax.call @size(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %2 = relax.call @value(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %g = relax.global @value
    %p = relax.extern_func "use"
    %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
    %3 = relax.call @self(%x) : (tensor<?xf32>) -> tensor<?xf32>
    relax.return %1 : tensor<?xf32>
  }
  relax.func @public(%a: tensor<?xf32>) -> tensor<?xf32> {
    %s = relax.shape [3]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<[3]>) -> tensor<3xf32>
    %c = relax.match_cast %z : tensor<3xf32> -> tensor<?xf32>
    relax.return %c : tensor<?xf32>
  }
  relax.func private @size(%a: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
    %s = relax.shape ["n"]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
    relax.return %z : tensor<?xf32, #relax.shape<["n"]>>
  }
  relax.func private @value(%a: tensor<?xf32>) -> tensor<?xf32> {
    %s = relax.shape [3]
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<[3]>) -> tensor<3xf32>
    %c = relax.match_cast %z : tensor<3xf32> -> tensor<?xf32>
    relax.return %c : tensor<?xf32>
  }
  relax.func private @self(%a: tensor<?xf32>) -> tensor<?xf32> {
    %z = relax.call @self(%a) : (tensor<?xf32>) -> tensor<?xf32>
    relax.return %z : tensor<?xf32>
  }
}

// CHECK-LABEL: partita.module @kept {
// CHECK: relax.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT: %0 = relax.call @public(%x) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %1 = relax.call @size(%x) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %2 = relax.call @value(%x) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %g = relax.global @value
// CHECK-NEXT: %p = relax.extern_func "use"
// CHECK-NEXT: %u = relax.call_pure_packed(%p, %g) ty_args = [!relax.object] : (!relax.object, !relax.object) -> !relax.object
// CHECK-NEXT: %3 = relax.call @self(%x) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: relax.return %1 : tensor<?xf32>
// CHECK-NEXT: }
// CHECK: relax.func @public(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT: %s = relax.shape [3]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<[3]>) -> tensor<3xf32>
// CHECK-NEXT: %c = relax.match_cast %z : tensor<3xf32> -> tensor<?xf32>
// CHECK-NEXT: relax.return %c : tensor<?xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @size(%a: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32, #relax.shape<["n"]>> {
// CHECK-NEXT: %s = relax.shape ["n"]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: relax.return %z : tensor<?xf32, #relax.shape<["n"]>>
// CHECK-NEXT: }
// CHECK: relax.func private @value(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT: %s = relax.shape [3]
// CHECK-NEXT: %z = relax.zeros %s {dtype = f32} : (!relax.shape<[3]>) -> tensor<3xf32>
// CHECK-NEXT: %c = relax.match_cast %z : tensor<3xf32> -> tensor<?xf32>
// CHECK-NEXT: relax.return %c : tensor<?xf32>
// CHECK-NEXT: }
// CHECK: relax.func private @self(%a: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT: %z = relax.call @self(%a) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: relax.return %z : tensor<?xf32>
