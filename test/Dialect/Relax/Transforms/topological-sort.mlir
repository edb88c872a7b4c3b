// RUN: partita-opt %s --relax-topological-sort --split-input-file | FileCheck %s --check-prefixes=CHECK,DEPTH
// RUN: partita-opt %s '--relax-topological-sort=order=breadth-first' --split-input-file | FileCheck %s --check-prefixes=CHECK,BREADTH
// RUN: partita-opt %s '--relax-topological-sort=direction=from-outputs' --split-input-file | FileCheck %s --check-prefixes=CHECK,OUT
// RUN: partita-opt %s '--relax-topological-sort=order=breadth-first direction=from-outputs' --split-input-file | FileCheck %s --check-prefixes=CHECK,BREADTH-OUT
// RUN: not partita-opt %s '--relax-topological-sort=order=random' --split-input-file 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not partita-opt %s '--relax-topological-sort=direction=up' --split-input-file 2>&1 | FileCheck %s --check-prefix=DIRECTION
// ORDER: error: expected order to be depth-first or breadth-first, but found 'random'
// DIRECTION: error: expected direction to be from-inputs or from-outputs, but found 'up'

partita.module @plain {
  relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
    %r = relax.dataflow -> tensor<4xf32> {
      %b = relax.add %x, %z : tensor<4xf32>
      %a = relax.add %x, %y : tensor<4xf32>
      %d = relax.exp %b : tensor<4xf32>
      %c = relax.exp %a : tensor<4xf32>
      %e = relax.add %c, %d : tensor<4xf32>
      relax.output %e : tensor<4xf32>
    }
    relax.return %r : tensor<4xf32>
  }
}

// DEPTH-LABEL: partita.module @plain {
// DEPTH: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
// DEPTH-NEXT: %r = relax.dataflow -> tensor<4xf32> {
// DEPTH-NEXT: %a = relax.add %x, %y : tensor<4xf32>
// DEPTH-NEXT: %c = relax.exp %a : tensor<4xf32>
// DEPTH-NEXT: %b = relax.add %x, %z : tensor<4xf32>
// DEPTH-NEXT: %d = relax.exp %b : tensor<4xf32>
// DEPTH-NEXT: %e = relax.add %c, %d : tensor<4xf32>
// DEPTH-NEXT: relax.output %e : tensor<4xf32>
// DEPTH-NEXT: }
// DEPTH-NEXT: relax.return %r : tensor<4xf32>

// BREADTH-LABEL: partita.module @plain {
// BREADTH: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
// BREADTH-NEXT: %r = relax.dataflow -> tensor<4xf32> {
// BREADTH-NEXT: %a = relax.add %x, %y : tensor<4xf32>
// BREADTH-NEXT: %b = relax.add %x, %z : tensor<4xf32>
// BREADTH-NEXT: %c = relax.exp %a : tensor<4xf32>
// BREADTH-NEXT: %d = relax.exp %b : tensor<4xf32>
// BREADTH-NEXT: %e = relax.add %c, %d : tensor<4xf32>
// BREADTH-NEXT: relax.output %e : tensor<4xf32>
// BREADTH-NEXT: }
// BREADTH-NEXT: relax.return %r : tensor<4xf32>

// OUT-LABEL: partita.module @plain {
// OUT: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
// OUT-NEXT: %r = relax.dataflow -> tensor<4xf32> {
// OUT-NEXT: %a = relax.add %x, %y : tensor<4xf32>
// OUT-NEXT: %c = relax.exp %a : tensor<4xf32>
// OUT-NEXT: %b = relax.add %x, %z : tensor<4xf32>
// OUT-NEXT: %d = relax.exp %b : tensor<4xf32>
// OUT-NEXT: %e = relax.add %c, %d : tensor<4xf32>
// OUT-NEXT: relax.output %e : tensor<4xf32>
// OUT-NEXT: }
// OUT-NEXT: relax.return %r : tensor<4xf32>

// BREADTH-OUT-LABEL: partita.module @plain {
// BREADTH-OUT: relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
// BREADTH-OUT-NEXT: %r = relax.dataflow -> tensor<4xf32> {
// BREADTH-OUT-NEXT: %b = relax.add %x, %z : tensor<4xf32>
// BREADTH-OUT-NEXT: %a = relax.add %x, %y : tensor<4xf32>
// BREADTH-OUT-NEXT: %d = relax.exp %b : tensor<4xf32>
// BREADTH-OUT-NEXT: %c = relax.exp %a : tensor<4xf32>
// BREADTH-OUT-NEXT: %e = relax.add %c, %d : tensor<4xf32>
// BREADTH-OUT-NEXT: relax.output %e : tensor<4xf32>
// BREADTH-OUT-NEXT: }
// BREADTH-OUT-NEXT: relax.return %r : tensor<4xf32>

// -----

// Values without variables stay before their users, and a name of a size
// before its uses. Code outside of blocks stays.
partita.module @parts {
  relax.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
    %o1 = relax.exp %y : tensor<4xf32>
    %o0 = relax.exp %x : tensor<?xf32>
    %r = relax.dataflow -> tensor<?xf32> {
      %m = relax.match_cast %o0 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
      %a = relax.exp %m : tensor<?xf32, #relax.shape<["n"]>>
      %0 = relax.shape ["n"]
      %z = relax.zeros %0 {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
      %b = relax.add %z, %a : tensor<?xf32, #relax.shape<["n"]>>
      %c = relax.match_cast %b : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
      relax.output %c : tensor<?xf32>
    }
    relax.return %r : tensor<?xf32>
  }
}

// DEPTH-LABEL: partita.module @parts {
// DEPTH: relax.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
// DEPTH-NEXT: %o1 = relax.exp %y : tensor<4xf32>
// DEPTH-NEXT: %o0 = relax.exp %x : tensor<?xf32>
// DEPTH-NEXT: %r = relax.dataflow -> tensor<?xf32> {
// DEPTH-NEXT: %m = relax.match_cast %o0 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
// DEPTH-NEXT: %a = relax.exp %m : tensor<?xf32, #relax.shape<["n"]>>
// DEPTH-NEXT: %0 = relax.shape ["n"]
// DEPTH-NEXT: %z = relax.zeros %0 {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
// DEPTH-NEXT: %b = relax.add %z, %a : tensor<?xf32, #relax.shape<["n"]>>
// DEPTH-NEXT: %c = relax.match_cast %b : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
// DEPTH-NEXT: relax.output %c : tensor<?xf32>
// DEPTH-NEXT: }
// DEPTH-NEXT: relax.return %r : tensor<?xf32>

// BREADTH-LABEL: partita.module @parts {
// BREADTH: relax.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
// BREADTH-NEXT: %o1 = relax.exp %y : tensor<4xf32>
// BREADTH-NEXT: %o0 = relax.exp %x : tensor<?xf32>
// BREADTH-NEXT: %r = relax.dataflow -> tensor<?xf32> {
// BREADTH-NEXT: %m = relax.match_cast %o0 : tensor<?xf32> -> tensor<?xf32, #relax.shape<["n"]>>
// BREADTH-NEXT: %a = relax.exp %m : tensor<?xf32, #relax.shape<["n"]>>
// BREADTH-NEXT: %0 = relax.shape ["n"]
// BREADTH-NEXT: %z = relax.zeros %0 {dtype = f32} : (!relax.shape<["n"]>) -> tensor<?xf32, #relax.shape<["n"]>>
// BREADTH-NEXT: %b = relax.add %z, %a : tensor<?xf32, #relax.shape<["n"]>>
// BREADTH-NEXT: %c = relax.match_cast %b : tensor<?xf32, #relax.shape<["n"]>> -> tensor<?xf32>
// BREADTH-NEXT: relax.output %c : tensor<?xf32>
// BREADTH-NEXT: }
// BREADTH-NEXT: relax.return %r : tensor<?xf32>

// -----

// A block with side effects stays.
partita.module @effects {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.force_pure = true} {
    %f = relax.extern_func "f"
    %r = relax.dataflow -> tensor<4xf32> {
      %a = relax.call_value(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      %b = relax.call_value(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
      %c = relax.add %b, %a : tensor<4xf32>
      relax.output %c : tensor<4xf32>
    }
    relax.return %r : tensor<4xf32>
  }
}

// CHECK-LABEL: partita.module @effects {
// CHECK: relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.force_pure = true} {
// CHECK-NEXT: %f = relax.extern_func "f"
// CHECK-NEXT: %r = relax.dataflow -> tensor<4xf32> {
// CHECK-NEXT: %a = relax.call_value(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %b = relax.call_value(%f, %x) ty_args = [tensor<4xf32>] : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %c = relax.add %b, %a : tensor<4xf32>
// CHECK-NEXT: relax.output %c : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %r : tensor<4xf32>
