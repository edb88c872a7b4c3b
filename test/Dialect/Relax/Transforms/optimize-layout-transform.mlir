// RUN: partita-opt %s --relax-optimize-layout-transform | FileCheck %s

#split = #relax.opaque<"tirx.IndexMap", "{\22root_index\22:14,\22nodes\22:[{\22type\22:\22None\22},{\22type\22:\22ir.PrimType\22,\22data\22:{\22span\22:0,\22dtype\22:\22int32\22}},{\22type\22:\22ffi.String\22,\22data\22:\22i0\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:2}},{\22type\22:\22ffi.String\22,\22data\22:\22i1\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:4}},{\22type\22:\22int\22,\22data\22:4},{\22type\22:\22ir.IntImm\22,\22data\22:{\22span\22:0,\22ty\22:1,\22value\22:6}},{\22type\22:\22prim.FloorDiv\22,\22data\22:{\22span\22:0,\22ty\22:1,\22a\22:5,\22b\22:7}},{\22type\22:\22int\22,\22data\22:4},{\22type\22:\22ir.IntImm\22,\22data\22:{\22span\22:0,\22ty\22:1,\22value\22:9}},{\22type\22:\22prim.FloorMod\22,\22data\22:{\22span\22:0,\22ty\22:1,\22a\22:5,\22b\22:10}},{\22type\22:\22ffi.Array\22,\22data\22:[3,5]},{\22type\22:\22ffi.Array\22,\22data\22:[3,8,11]},{\22type\22:\22tirx.IndexMap\22,\22data\22:{\22initial_indices\22:12,\22final_indices\22:13,\22inverse_index_map\22:0}}]}">
#join = #relax.opaque<"tirx.IndexMap", "{\22root_index\22:14,\22nodes\22:[{\22type\22:\22None\22},{\22type\22:\22ir.PrimType\22,\22data\22:{\22span\22:0,\22dtype\22:\22int32\22}},{\22type\22:\22ffi.String\22,\22data\22:\22i0\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:2}},{\22type\22:\22ffi.String\22,\22data\22:\22i1\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:4}},{\22type\22:\22ffi.String\22,\22data\22:\22i2\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:6}},{\22type\22:\22int\22,\22data\22:4},{\22type\22:\22ir.IntImm\22,\22data\22:{\22span\22:0,\22ty\22:1,\22value\22:8}},{\22type\22:\22prim.Mul\22,\22data\22:{\22span\22:0,\22ty\22:1,\22a\22:5,\22b\22:9}},{\22type\22:\22prim.Add\22,\22data\22:{\22span\22:0,\22ty\22:1,\22a\22:10,\22b\22:7}},{\22type\22:\22ffi.Array\22,\22data\22:[3,5,7]},{\22type\22:\22ffi.Array\22,\22data\22:[3,11]},{\22type\22:\22tirx.IndexMap\22,\22data\22:{\22initial_indices\22:12,\22final_indices\22:13,\22inverse_index_map\22:0}}]}">
#swap = #relax.opaque<"tirx.IndexMap", "{\22root_index\22:8,\22nodes\22:[{\22type\22:\22None\22},{\22type\22:\22ir.PrimType\22,\22data\22:{\22span\22:0,\22dtype\22:\22int32\22}},{\22type\22:\22ffi.String\22,\22data\22:\22i0\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:2}},{\22type\22:\22ffi.String\22,\22data\22:\22i1\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:4}},{\22type\22:\22ffi.Array\22,\22data\22:[3,5]},{\22type\22:\22ffi.Array\22,\22data\22:[5,3]},{\22type\22:\22tirx.IndexMap\22,\22data\22:{\22initial_indices\22:6,\22final_indices\22:7,\22inverse_index_map\22:0}}]}">
#same = #relax.opaque<"tirx.IndexMap", "{\22root_index\22:8,\22nodes\22:[{\22type\22:\22None\22},{\22type\22:\22ir.PrimType\22,\22data\22:{\22span\22:0,\22dtype\22:\22int32\22}},{\22type\22:\22ffi.String\22,\22data\22:\22i0\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:2}},{\22type\22:\22ffi.String\22,\22data\22:\22i1\22},{\22type\22:\22ir.Var\22,\22data\22:{\22span\22:0,\22ty\22:1,\22name\22:4}},{\22type\22:\22ffi.Array\22,\22data\22:[3,5]},{\22type\22:\22ffi.Array\22,\22data\22:[3,5]},{\22type\22:\22tirx.IndexMap\22,\22data\22:{\22initial_indices\22:6,\22final_indices\22:7,\22inverse_index_map\22:0}}]}">

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
