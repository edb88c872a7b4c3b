// RUN: partita-opt %s --relax-fold-constant | FileCheck %s

// A function must not name its result's shape by a variable of its body: in TVM
// such a function is ill-formed.
partita.module @names {
  // The name of a shape with a parameter's sizes.
  // CHECK-LABEL: relax.func @shape
  // CHECK-SAME: -> tensor<?xf32> {
  // CHECK: %[[Y:.*]] = relax.broadcast_to {{.*}} -> !relax.tensor<["n"], f32, shape = "s">
  // CHECK-NEXT: %[[R:.*]] = relax.match_cast %[[Y]]
  // CHECK-NEXT: relax.return %[[R]] : tensor<?xf32>
  relax.func @shape(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<?xf32> {
    %c = relax.constant dense<[1.0]> : tensor<1xf32>
    %d = relax.negative %c : tensor<1xf32>
    %s = relax.shape_of %x : (tensor<?xf32, #relax.shape<["n"]>>) -> !relax.shape<["n"]>
    %y = relax.broadcast_to %d, %s : (tensor<1xf32>, !relax.shape<["n"]>) -> !relax.tensor<["n"], f32, shape = "s">
    %0 = relax.match_cast %y : !relax.tensor<["n"], f32, shape = "s"> -> tensor<?xf32>
    relax.return %0 : tensor<?xf32>
  }

  // In a tuple, too.
  // CHECK-LABEL: relax.func @tuple
  // CHECK-SAME: -> tuple<tensor<?xf32>, tensor<1xf32>> {
  // CHECK: relax.match_cast
  // CHECK-NEXT: relax.return
  relax.func @tuple(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tuple<tensor<?xf32>, tensor<1xf32>> {
    %c = relax.constant dense<[1.0]> : tensor<1xf32>
    %d = relax.negative %c : tensor<1xf32>
    %s = relax.shape_of %x : (tensor<?xf32, #relax.shape<["n"]>>) -> !relax.shape<["n"]>
    %y = relax.broadcast_to %d, %s : (tensor<1xf32>, !relax.shape<["n"]>) -> !relax.tensor<["n"], f32, shape = "s">
    %t = relax.tuple(%y, %d) : !relax.tensor<["n"], f32, shape = "s">, tensor<1xf32>
    %0 = relax.match_cast %t : tuple<!relax.tensor<["n"], f32, shape = "s">, tensor<1xf32>> -> tuple<tensor<?xf32>, tensor<1xf32>>
    relax.return %0 : tuple<tensor<?xf32>, tensor<1xf32>>
  }

  // Names of sizes stay.
  // CHECK-LABEL: relax.func @known
  // CHECK-SAME: -> (tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<["c"]>)
  relax.func @known(%x: tensor<?xf32, #relax.shape<["n"]>>) -> (tensor<?xf32>, !relax.shape<["c"]>) {
    %k = relax.constant dense<1.0> : tensor<1xf32>
    %d = relax.negative %k : tensor<1xf32>
    %c = relax.match_cast %x : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32, #relax.shape<["c"]>>
    %s = relax.shape ["c"]
    %0 = relax.add %x, %d : tensor<?xf32, #relax.shape<["n"]>>, tensor<1xf32> -> tensor<?xf32, #relax.shape<["n"]>>
    %1 = relax.match_cast %0 : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
    relax.return %1, %s : tensor<?xf32>, !relax.shape<["c"]>
  }
}
