// A tensor whose shape is a variable of a dataflow block, as importers of models
// make. It is kept as a type of ours, so that passes run on the op.

// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: partita-translate --import-tvm-json %t.json 2>&1 | FileCheck %s
// RUN: partita-translate --import-tvm-json %t.json | partita-translate --export-tvm-json | cmp - %t.json

// CHECK-NOT: warning
// CHECK: %[[LV:.*]] = relax.tensor_to_shape %{{.*}} : (tensor<2xi64>) -> !relax.shape<[?, ?]>
// CHECK-NEXT: relax.broadcast_to %{{.*}}, %[[LV]] : (tensor<1xi32>, !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], i32, shape = "lv">
// CHECK-NOT: opaque
partita.module {
  relax.func @main(%x: tensor<2xi64>, %y: tensor<1xi32>) -> tensor<?x?xi32> {
    %gv = relax.dataflow -> !relax.tensor<[?, ?], i32, shape = "lv"> {
      %lv = relax.tensor_to_shape %x : (tensor<2xi64>) -> !relax.shape<[?, ?]>
      %0 = relax.broadcast_to %y, %lv : (tensor<1xi32>, !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], i32, shape = "lv">
      relax.output %0 : !relax.tensor<[?, ?], i32, shape = "lv">
    }
    %1 = relax.match_cast %gv : !relax.tensor<[?, ?], i32, shape = "lv"> -> tensor<?x?xi32>
    relax.return %1 : tensor<?x?xi32>
  }
}
