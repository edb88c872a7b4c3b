// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: partita-translate --import-tvm-json %t.json | FileCheck %s
// RUN: FileCheck --check-prefix=JSON --implicit-check-not=\"size\" %s < %t.json

// A layout mentions the sizes of its buffer by their places, because TVM's
// layouts refer to the variables. TVM makes such layouts for all prim_funcs that
// are not of S-TIR.

// JSON: "tirx.TileLayout"

// CHECK-LABEL: tir.prim_func private @copy(
// CHECK-NOT: opaque_body
// CHECK: %[[N:.*]] = tir.var : i64
// CHECK: tir.buffer %{{.*}} shape(%[[N]] : i64) {index_type = i64, layout = #tir.node<"
// CHECK-SAME: {\22type\22:\22size\22,\22data\22:0}
// CHECK-SAME: \22tirx.TileLayout\22
// CHECK: tir.alloc_buffer {layout = #tir.tile_layout<i32, [2 : 3, 3 : 1]>} : memref<2x3xf32>
// CHECK: tir.alloc_buffer {layout = #tir.tile_layout<i64, [4 : 1 @P, 8 : 1]>} : memref<4x8xf32>
partita.module {
  tir.prim_func private @copy(%a: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tir.var : i64
    tir.buffer %a shape(%n : i64) {index_type = i64, layout = #tir.node<"{\22root_index\22:10,\22nodes\22:[{\22type\22:\22size\22,\22data\22:0},{\22type\22:\22None\22},{\22type\22:\22ir.PrimType\22,\22data\22:{\22span\22:1,\22dtype\22:\22int64\22}},{\22type\22:\22int\22,\22data\22:1},{\22type\22:\22ir.IntImm\22,\22data\22:{\22span\22:1,\22ty\22:2,\22value\22:3}},{\22type\22:\22tirx.Axis\22,\22data\22:\22m\22},{\22type\22:\22tirx.Iter\22,\22data\22:{\22extent\22:0,\22stride\22:4,\22axis\22:5}},{\22type\22:\22ffi.Array\22,\22data\22:[6]},{\22type\22:\22ffi.Array\22,\22data\22:[]},{\22type\22:\22ffi.Map\22,\22data\22:[]},{\22type\22:\22tirx.TileLayout\22,\22data\22:{\22shard\22:7,\22replica\22:8,\22offset\22:9}}]}">} : memref<?xf32>
    memref.store %zero, %a[%c0] : memref<?xf32>
    %b = tir.alloc_buffer {layout = #tir.tile_layout<i32, [2 : 3, 3 : 1]>} : memref<2x3xf32>
    %c = tir.alloc_buffer {layout = #tir.tile_layout<i64, [4 : 1 @P, 8 : 1]>} : memref<4x8xf32>
    tir.return
  }
}
