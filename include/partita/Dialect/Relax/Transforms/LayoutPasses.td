//===- LayoutPasses.td - Passes for layouts and precision --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def AlterOpImpl : RelaxModulePass<"alter-op-impl", "AlterOpImpl"> {
  let summary = "Call other prim_funcs for ops, which can have other layouts";
  let description = [{
    A `relax.call_tir` of a prim_func whose `operator_name` is in `op-impl-map`
    calls the prim_func that the map has for it. `op-buffer-transforms` says the
    layouts of its parameters: an index map for each, inputs before outputs, or
    `none` for a buffer that stays. Inputs are brought into these layouts by
    `relax.layout_transform`, and outputs back by the inverse of their maps.

    ```mlir
    partita.module {
      relax.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
        %0 = relax.call_tir @relu(%x) : (tensor<16xf32>) -> tensor<16xf32>
        relax.return %0 : tensor<16xf32>
      }
      tir.prim_func private @relu(%x: memref<16xf32>, %y: memref<16xf32>)
          attributes {operator_name = "relax.nn.relu"} { tir.return }
      tir.prim_func private @relu_2d(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
        tir.return
      }
    }
    ```

    becomes with
    `op-impl-map={relax.nn.relu = @relu_2d} op-buffer-transforms={relax.nn.relu = [affine_map<(i) -> (i floordiv 4, i mod 4)>, affine_map<(i) -> (i floordiv 4, i mod 4)>]}`

    ```mlir
    %0 = relax.layout_transform %x {index_map = #split} // i -> i // 4, i % 4
      : (tensor<16xf32>) -> tensor<4x4xf32>
    %1 = relax.call_tir @relax_nn_relu_replacement(%0)
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = relax.layout_transform %1 {index_map = #join}  // i, j -> i * 4 + j
      : (tensor<4x4xf32>) -> tensor<16xf32>
    ```

    A map is an `affine_map`, or a `#relax.index_map`.
    Its indices are parts of the old ones: quotients and remainders by numbers, and
    sums that join parts. If it pads a result, the private prim_func `remove_pad`
    takes the padding away at the end. Constants of rank 0 stay.

    The replacement is a private copy with the `operator_name`, which is made once.
    It is not made if the module has the same function already, such as the one
    that `op-impl-map` names. A call that has been replaced stays.

    It is an error when the numbers of parameters or maps differ, when a parameter
    has another shape than the tensor in the new layout, and when a map of a result
    can't be undone on its shape.

    #### Differs from TVM

    - TVM takes a map that loses elements, such as `i % 4` of 16 elements, and
      gives other results.
    - There is a `remove_pad` for each rank and element type. TVM has one for each
      rank, and calls it with other elements, too.
    - TVM changes calls of replacements again.
    - Results of several that are used one by one are used so without a tuple.
    - An inverse that an index map brings along is not used.
    - TVM can undo quotients and remainders of sums, such as `(i * 12 + j) // 8`,
      and maps that begin at other numbers than 0.
    - Arguments that are numbers are passed on; TVM drops them.
  }];
  let options = [
    Option<"opImplMap", "op-impl-map", "std::string", /*default=*/"\"\"",
           "Symbols of prim_funcs by the names of ops">,
    Option<"opBufferTransforms", "op-buffer-transforms", "std::string",
           /*default=*/"\"\"",
           "Lists of index maps by the names of ops">,
  ];
  let statistics = [
    Statistic<"numReplaced", "replaced", "Number of calls of other prim_funcs">,
    Statistic<"numTransforms", "transforms",
              "Number of ops that go between two layouts">,
    Statistic<"numPadded", "padded", "Number of results with padding">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::partita::relax::RelaxDialect",
    "::partita::tir::TIRDialect"
  ];
}

def ConvertLayout : RelaxFunctionPass<"convert-layout", "ConvertLayout"> {
  let summary = "Let convolutions compute in other layouts";
  let description = [{
    In dataflow blocks, lets the ops that `desired-layouts` names take and give
    tensors in these layouts. Other ops compute on the layouts that they get,
    with other axes, until one needs the layout that the program has: an op
    without a rule, or the end of the block. `relax.permute_dims` goes between two
    layouts, and `relax.layout_transform` if one has split dimensions, such as
    NCHW4c.

    A convolution has a layout for its data, one for its weight and one for its
    result, which by default is the data's. `relax.image.resize2d` and `resize3d`
    have one layout. With the attribute `relax.desired_layouts`, an array of
    strings, an op has desired layouts of its own; the pass drops it.

    ```mlir
    %y = relax.dataflow -> tensor<2x4x26x26xf32> {
      %0 = relax.nn.conv2d %x, %w
        : tensor<2x3x28x28xf32>, tensor<4x3x3x3xf32> -> tensor<2x4x26x26xf32>
      %1 = relax.nn.relu %0 : tensor<2x4x26x26xf32>
      relax.output %1 : tensor<2x4x26x26xf32>
    }
    ```

    becomes with `desired-layouts=relax.nn.conv2d=NHWC:OHWI`

    ```mlir
    %y = relax.dataflow -> tensor<2x4x26x26xf32> {
      %0 = relax.permute_dims %x axes = [0, 2, 3, 1]
        : tensor<2x3x28x28xf32> -> tensor<2x28x28x3xf32>
      %1 = relax.permute_dims %w axes = [0, 2, 3, 1]
        : tensor<4x3x3x3xf32> -> tensor<4x3x3x3xf32>
      %2 = relax.nn.conv2d %0, %1 data_layout = "NHWC" kernel_layout = "OHWI"
        : tensor<2x28x28x3xf32>, tensor<4x3x3x3xf32> -> tensor<2x26x26x4xf32>
      %3 = relax.nn.relu %2 : tensor<2x26x26x4xf32>
      %4 = relax.permute_dims %3 axes = [0, 3, 1, 2]
        : tensor<2x26x26x4xf32> -> tensor<2x4x26x26xf32>
      relax.output %4 : tensor<2x4x26x26xf32>
    }
    ```

    A dimension is split only if its size is a number that the part divides. It
    is an error when a desired layout does not have the dimensions of the op, and
    when an op that has no layout should have one.

    #### Differs from TVM

    - Where TVM stops with an error, an op computes on the layout that the program
      has: a convolution without a desired layout on split dimensions, a binary op
      on tensors that can't be split alike, a `match_cast` of split dimensions. What
      a `stack` or a `dropout` gives is converted.
    - An op also does where TVM would compute other elements: `scatter_nd`, a
      `repeat` of all elements, an `allgather` of tensors that do not begin with the
      first dimension.
    - A dimension whose size is no number is not split.
    - Axes of normalizations that are split, or negative, and the indices of
      `split` are converted, too.
    - Convolutions in one and three dimensions can have split layouts.
    - A tensor without dimensions is not permuted, and only the fields of a tuple
      that are used are.
    - `relax.desired_layouts` is what the callback of `ConvertLayout` gives in
      Python, which is called for all ops.
  }];
  let options = [
    ListOption<"desiredLayouts", "desired-layouts", "std::string",
               "Layouts by op, such as relax.nn.conv2d=NHWC:OHWI">,
  ];
  let statistics = [
    Statistic<"numConverted", "converted",
              "Number of ops that compute in another layout">,
    Statistic<"numTransforms", "transforms",
              "Number of ops that go between two layouts">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def ToMixedPrecision
    : RelaxFunctionPass<"to-mixed-precision", "ToMixedPrecision"> {
  let summary = "Let convolutions and products compute in 16 bits";
  let description = [{
    In dataflow blocks, converts the operands of convolutions, matrix products
    and attention from f32 to f16. Their sums have `out-dtype`, and their results
    are f16. Ops that follow, such as elementwise ops, compute in f16 if all their
    operands are f16 or constants in its range, and in f32 otherwise. Other ops,
    and the code after the block, get f32 as they did. A value that is only an
    operand of the first kind is converted once, where it is defined.

    ```mlir
    %y = relax.dataflow -> tensor<8x8xf32> {
      %0 = relax.matmul %x, %x
        : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      relax.output %0 : tensor<8x8xf32>
    }
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<8x8xf32> {
      %0 = relax.astype %x : tensor<8x8xf32> -> tensor<8x8xf16>
      %1 = relax.matmul %0, %0 out_dtype = f32
        : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
      relax.output %1 : tensor<8x8xf32>
    }
    ```

    The parameters that `fp16-input-names` names become f16 themselves; a call of
    the function that does not fit any more is an error. Tensors of other element
    types, and of unknown ones, stay.

    #### Differs from TVM

    - A product of other elements, such as i8, keeps its `out_dtype`.
    - Code outside of dataflow blocks gets f32 of a parameter that has become f16.
    - A value that only products in later blocks use is converted there.
    - Values that are no tensors, also in tuples, are left alone.
    - `outer` computes as it did.
  }];
  let options = [
    Option<"outDtype", "out-dtype", "std::string", "\"float32\"",
           "The element type of the sums: float32, float16 or bfloat16">,
    ListOption<"fp16InputNames", "fp16-input-names", "std::string",
               "The names of parameters that become f16">,
  ];
  let statistics = [
    Statistic<"numHalf", "half", "Number of ops that compute in 16 bits">,
    Statistic<"numCasts", "casts", "Number of conversions of elements">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def OptimizeLayoutTransform
    : RelaxFunctionPass<"optimize-layout-transform", "OptimizeLayoutTransform"> {
  let summary = "Drop changes of layouts that undo or repeat each other";
  let description = [{
    A `relax.layout_transform` of another one is what this one takes, if the
    index maps undo each other on its shape.

    ```mlir
    %0 = relax.layout_transform %x {index_map = #split} // i0 -> i0 // 4, i0 % 4
      : (tensor<16xf32>) -> tensor<4x4xf32>
    %1 = relax.layout_transform %0 {index_map = #join}  // i0, i1 -> i0 * 4 + i1
      : (tensor<4x4xf32>) -> tensor<16xf32>
    %2 = relax.exp %1 : tensor<16xf32>
    ```

    becomes

    ```mlir
    %2 = relax.exp %x : tensor<16xf32>
    ```

    The same holds if the prim_func `remove_pad` of `AlterOpImpl` is called between
    the two. Equal transforms of one tensor in a block become one. What nothing
    uses is erased.

    #### Differs from TVM

    TVM compares the shapes, and drops any two index maps between equal ones.
  }];
  let statistics = [
    Statistic<"numDropped", "dropped", "Number of ops that were dropped">,
  ];
}

def RemoveRedundantReshape
    : RelaxFunctionPass<"remove-redundant-reshape", "RemoveRedundantReshape"> {
  let summary = "Drop reshapes that change nothing, and reshapes of reshapes";
  let description = [{
    ```mlir
    %0 = relax.reshape %x, %s : tensor<2x3xf32> -> tensor<6xf32>
    %1 = relax.reshape %0, %t : tensor<6xf32> -> tensor<3x2xf32>
    %2 = relax.reshape %1, %t : tensor<3x2xf32> -> tensor<3x2xf32>
    ```

    becomes

    ```mlir
    %1 = relax.reshape %x, %t : tensor<2x3xf32> -> tensor<3x2xf32>
    ```

    Then bindings are canonicalized, and equal and unused values dropped: as in
    TVM, outside of dataflow blocks also where no reshape is.
  }];
  let statistics = [
    Statistic<"numDropped", "dropped", "Number of reshapes that were dropped">,
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES
