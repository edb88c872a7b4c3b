// What patterns can say. Each run finds the calls of one pattern.

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add(const, *)"' | FileCheck %s --check-prefix=CONST
// CONST: = relax.call @fused_relax_add(%x)
// CONST-NEXT: relax.add %x, %{{.*}}
// CONST: Composite = "c.p"

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.add($a = relax.exp(*), $a)"' | FileCheck %s --check-prefix=SAME
// SAME: relax.add %x, %{{.*}}
// SAME: = relax.call @fused_relax_exp_relax_add(%

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(tuple(var<x>, *))"' | FileCheck %s --check-prefix=TUPLE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(unordered(relax.add(*, *), var))"' | FileCheck %s --check-prefix=TUPLE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(...).attrs{axis = 0}"' | FileCheck %s --check-prefix=TUPLE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*).shape(8, 4)"' | FileCheck %s --check-prefix=TUPLE
// TUPLE: relax.call @fused_{{.*}}relax_concat(

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*).attrs{axis = 1}"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(tuple(*, *, *))"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*, *)"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*).shape(4, 8)"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*).dtype<f16>"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(*) & ~relax.concat(*)"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.concat(tuple(dfv, dfv))"' | FileCheck %s --check-prefix=NONE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.exp(relax.add(*, *)[0])"' | FileCheck %s --check-prefix=NONE
// NONE-NOT: Composite

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.negative(relax.split(*)[1])"' | FileCheck %s --check-prefix=FIELD
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.negative(relax.split(*)[?])"' | FileCheck %s --check-prefix=FIELD
// FIELD: relax.call @fused_relax_split_relax_negative(

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.reshape(*, shape(16))"' | FileCheck %s --check-prefix=RESHAPE
// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.reshape(*.type<tensor<?x4xf32>>, *)"' | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: relax.call @fused_relax_reshape(

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.clip(*, number<0 : i64>, number<1 : i64> | number<2 : i64>)"' | FileCheck %s --check-prefix=CLIP
// CLIP: relax.call @fused_relax_clip(

// RUN: partita-opt %s --relax-fuse-ops-by-pattern='patterns="c.p: relax.call_tir(gv<kern>, tuple(*)); c.q: extern<f>(*) | relax.call_dps_packed(extern<g>, *)"' | FileCheck %s --check-prefix=CALLS
// CALLS: relax.call @fused_kernel(
// CALLS: relax.call @fused_relax_call_dps_packed(

partita.module @language {
  tir.prim_func @kernel(%a: memref<16xf32>, %b: memref<16xf32>)
  relax.func @main(%x: tensor<4x4xf32>, %c: tensor<i1>) -> tensor<16xf32> {
    %y = relax.dataflow -> tensor<16xf32> {
      %0 = relax.constant dense<1.0> : tensor<4x4xf32>
      %1 = relax.add %x, %0 : tensor<4x4xf32>
      %2 = relax.add %x, %1 : tensor<4x4xf32>
      %3 = relax.exp %2 : tensor<4x4xf32>
      %4 = relax.add %3, %3 : tensor<4x4xf32>
      %5 = relax.concat %x, %4 axis = 0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
      %6:2 = relax.split %5 {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
      %7 = relax.negative %6#1 : tensor<4x4xf32>
      %8 = relax.shape [16]
      %9 = relax.reshape %7, %8 : tensor<4x4xf32> -> tensor<16xf32>
      %10 = relax.prim_value 0 : i64
      %11 = relax.prim_value 2 : i64
      %12 = relax.clip %9, %10, %11 : (tensor<16xf32>, i64, i64) -> tensor<16xf32>
      %13 = relax.call_tir @kernel(%12) : (tensor<16xf32>) -> tensor<16xf32>
      %14 = relax.extern_func "g"
      %15 = relax.tuple(%13) : tensor<16xf32>
      %16 = relax.call_dps_packed(%14, %15) ty_args = [tensor<16xf32>] : (!relax.object, tuple<tensor<16xf32>>) -> tensor<16xf32>
      relax.output %16 : tensor<16xf32>
    }
    relax.return %y : tensor<16xf32>
  }
}
