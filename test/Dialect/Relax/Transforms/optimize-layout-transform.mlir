// RUN: partita-opt %s --relax-optimize-layout-transform | FileCheck %s

#split = #relax.index_map<(d0, d1) -> (d0, d1 floordiv 4, d1 mod 4), i32>
#join = #relax.index_map<(d0, d1, d2) -> (d0, d1 * 4 + d2), i32>
#swap = #relax.index_map<(d0, d1) -> (d1, d0), i32>
#same = #relax.index_map<(d0, d1) -> (d0, d1), i32>

partita.module {
  // A layout that is undone, and again, also for named sizes.
  // CHECK-LABEL: relax.func @undone
  relax.func @undone(%x: tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x16xf32, #relax.shape<["n", 16]>> {
    // CHECK-NEXT: %[[Y:.*]] = relax.dataflow
    // CHECK-NEXT: relax.exp %x
    %y = relax.dataflow -> tensor<?x16xf32, #relax.shape<["n", 16]>> {
      %0 = relax.layout_transform %x {index_map = #split} : (tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x4x4xf32, #relax.shape<["n", 4, 4]>>
      %1 = relax.layout_transform %0 {index_map = #join} : (tensor<?x4x4xf32, #relax.shape<["n", 4, 4]>>) -> tensor<?x16xf32, #relax.shape<["n", 16]>>
      %2 = relax.layout_transform %1 {index_map = #split} : (tensor<?x16xf32, #relax.shape<["n", 16]>>) -> tensor<?x4x4xf32, #relax.shape<["n", 4, 4]>>
      %3 = relax.layout_transform %2 {index_map = #join} : (tensor<?x4x4xf32, #relax.shape<["n", 4, 4]>>) -> tensor<?x16xf32, #relax.shape<["n", 16]>>
      %4 = relax.exp %3 : tensor<?x16xf32, #relax.shape<["n", 16]>>
      relax.output %4 : tensor<?x16xf32, #relax.shape<["n", 16]>>
    }
    relax.return %y : tensor<?x16xf32, #relax.shape<["n", 16]>>
  }

  // An equal shape is not enough, and a split of another size is another layout.
  // CHECK-LABEL: relax.func @other
  relax.func @other(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    // CHECK: %[[A:.*]] = relax.layout_transform %x
    // CHECK-NEXT: %[[B:.*]] = relax.layout_transform %[[A]]
    // CHECK-NEXT: relax.return %x, %[[B]]
    %0 = relax.layout_transform %x {index_map = #swap} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = relax.layout_transform %0 {index_map = #swap} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = relax.layout_transform %0 {index_map = #same} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }

  // Equal transforms are one, also if what one of them takes was undone.
  // CHECK-LABEL: relax.func @repeated
  relax.func @repeated(%x: tensor<4x16xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) {
    // CHECK-NEXT: %[[A:.*]] = relax.layout_transform %x
    // CHECK-NEXT: %[[B:.*]] = relax.layout_transform %x {{.*}}pad_value
    // CHECK-NEXT: relax.return %[[A]], %[[A]], %[[B]]
    %0 = relax.layout_transform %x {index_map = #split} : (tensor<4x16xf32>) -> tensor<4x4x4xf32>
    %1 = relax.layout_transform %0 {index_map = #join} : (tensor<4x4x4xf32>) -> tensor<4x16xf32>
    %2 = relax.layout_transform %1 {index_map = #split} : (tensor<4x16xf32>) -> tensor<4x4x4xf32>
    %3 = relax.layout_transform %x {index_map = #split, pad_value = 1.0 : f32} : (tensor<4x16xf32>) -> tensor<4x4x4xf32>
    relax.return %0, %2, %3 : tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>
  }

  // What fills up a dimension is not known after remove_pad has dropped it.
  // CHECK-LABEL: relax.func @padded
  relax.func @padded(%x: tensor<1x4x4xf32>) -> (tensor<1x4x4xf32>, tensor<1x4x4xf32>) {
    // CHECK: %[[A:.*]] = relax.layout_transform %x
    // CHECK: %[[B:.*]] = relax.call_tir @pad(%[[A]])
    // CHECK: %[[C:.*]] = relax.layout_transform %[[B]] {{.*}}pad_value
    // CHECK-NEXT: relax.return %x, %[[C]]
    %0 = relax.layout_transform %x {index_map = #join} : (tensor<1x4x4xf32>) -> tensor<1x16xf32>
    %1 = relax.call_tir @pad(%0) : (tensor<1x16xf32>) -> tensor<1x14xf32>
    %2 = relax.layout_transform %1 {index_map = #split} : (tensor<1x14xf32>) -> tensor<1x4x4xf32>
    %3 = relax.layout_transform %1 {index_map = #split, pad_value = 1.0 : f32} : (tensor<1x14xf32>) -> tensor<1x4x4xf32>
    relax.return %2, %3 : tensor<1x4x4xf32>, tensor<1x4x4xf32>
  }
  tir.prim_func private @pad(%x: memref<1x16xf32>, %y: memref<1x14xf32>) attributes {operator_name = "remove_pad"} {
    tir.return
  }
}
