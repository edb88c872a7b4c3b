//===- Passes.td - Passes of the relax dialect ------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES

include "partita/Dialect/Relax/Transforms/AlgebraPasses.td"
include "partita/Dialect/Relax/Transforms/FusionPasses.td"
include "partita/Dialect/Relax/Transforms/LayoutPasses.td"
include "partita/Dialect/Relax/Transforms/MemoryPasses.td"
include "partita/Dialect/Relax/Transforms/ParameterPasses.td"
include "partita/Dialect/Relax/Transforms/StructurePasses.td"
include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def CanonicalizeBindings
    : RelaxFunctionPass<"canonicalize-bindings", "CanonicalizeBindings"> {
  let summary = "Drop bindings and outputs that only pass a value on";
  let description = [{
    - A name that a `relax.match_cast` introduces for a dimension that is known
      already is replaced by that name or size, in the function's type, too. It
      is an error when two casts give a name two sizes.
    - A `relax.alias`, a `relax.match_cast` to the operand's type, a
      `relax.tuple_get_item` of a `relax.tuple` and a `relax.tuple` of all fields
      of one give way to the value that they stand for. As in TVM, an alias of
      one of several results stays, and so do fields without names that an op
      takes as their whole tuple.
    - A `relax.dataflow` gives only values that it computes, once, and if they
      are used. Constants move out; a block in a block dissolves.

    Nothing else is folded or erased. As in TVM, a function that has changed gets
    the types that follow from its operands, where it declared others.

    ```mlir
    %y:3 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %t = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
      %0 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
      %1 = relax.exp %0 : tensor<8xf32>
      relax.output %1, %1, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#1, %y#2 : tensor<8xf32>, tensor<8xf32>
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<8xf32> {
      %t = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
      %1 = relax.exp %x : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %y, %x : tensor<8xf32>, tensor<8xf32>
    ```

    #### Differs from TVM

    - It is one pass. In TVM, instruments see a Sequential of two.
    - A name that a `relax.match_cast` gives to a known dimension is replaced in
      the whole function.
    - A block in a block dissolves, and so does a block that is left empty.
    - A constant leaves its block, and keeps no other name.
    - A tuple of all fields of another tuple is that tuple.
    - A `relax.match_cast` that can fail stays, also if nothing uses it.
    - Types are inferred again only where the pass drops something.
  }];
  let statistics = [
    Statistic<"numBindings", "bindings", "Number of bindings that were aliases">,
    Statistic<"numOutputs", "outputs", "Number of dropped dataflow outputs">,
  ];
}

def BindSymbolicVars
    : RelaxModulePass<"bind-symbolic-vars", "BindSymbolicVars", 1> {
  let summary = "Replace names of dimensions by sizes";
  let description = [{
    In each `relax.func`, or in the one that `func-name` names, replaces the
    names of dimensions that parameters introduce by what `binding-map` says:
    sizes, other names or expressions of them. All are replaced at once, in types
    and shapes. A parameter that is a dimension as a number stays, and the
    function uses the size in its place. It is an error if no function has a name
    of `binding-map`. Callers are not changed. Names of other functions are other
    dimensions: `main:n=16` binds `n` of `@main` alone.

    ```mlir
    relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>)
        -> tensor<?xf32, #relax.shape<["n * 4"]>> {
      %s = relax.shape ["n * 4"]
      %0 = relax.reshape %x, %s : tensor<?x4xf32, #relax.shape<["n", 4]>>
        -> tensor<?xf32, #relax.shape<["n * 4"]>>
      relax.return %0 : tensor<?xf32, #relax.shape<["n * 4"]>>
    }
    ```

    becomes with `binding-map=n=16`

    ```mlir
    relax.func @main(%x: tensor<16x4xf32>) -> tensor<64xf32> {
      %s = relax.shape [64]
      %0 = relax.reshape %x, %s : tensor<16x4xf32> -> tensor<64xf32>
      relax.return %0 : tensor<64xf32>
    }
    ```

    #### Differs from TVM

    The same holds for `relax.transform.BindParams` and for the methods
    `bind_params` and `bind_symbolic_vars` of functions in Python.

    - A parameter that is a size as a number stays, and nothing uses it. TVM drops
      the parameter.
    - Callers are not changed. A call that cannot fit any more is an error.
    - It is an error to bind a size that an op of the function cannot have.
    - It is an error to bind in a function that import has kept as it is.
    - A number that a function computes is no size of the function. TVM puts the
      bound value in its place.
    - A `tir.Var` that was read from a function of a module is the size of that
      function alone. A `tir.Var` that was made is a name, as a str is.
    - A value that is bound to a parameter of a float type is a float.
    - A size that would be negative stays an expression.
    - A constant is on no vdevice, nor is a value that is computed from it
      alone.
    - Dimensions that become numbers are computed in arguments, too.
    - Types are inferred again where a size is bound, or a value that says more
      than the type of its parameter.
  }];
  let options = [
    ListOption<"bindingMap", "binding-map", "std::string",
               "Names of dimensions with their sizes, such as n=16,m=k*2, or "
               "main:n=16 for the names in @main alone">,
    Option<"funcName", "func-name", "std::string", "\"\"",
           "The only function to change">,
  ];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of changed functions">,
  ];
}

def DeadCodeElimination
    : RelaxModulePass<"dead-code-elimination", "DeadCodeElimination", 1> {
  let summary = "Erase ops and private functions that nothing uses";
  let description = [{
    In each `relax.func`, erases ops without side effects whose results are not
    used, and outputs of `relax.dataflow` that are not used. Then erases each
    private `relax.func` and `tir.prim_func` that cannot be reached from
    elsewhere: from the other symbols, from the attributes of the module, and
    from `entry-functions`. It is an error if one of these does not exist.
    A function with `SkipOptimization` keeps its body.

    ```mlir
    relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = relax.call @unused(%x) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = relax.exp %x : tensor<8xf32>
      relax.return %1 : tensor<8xf32>
    }
    relax.func private @unused(%x: tensor<8xf32>) -> tensor<8xf32> {
      relax.return %x : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %1 = relax.exp %x : tensor<8xf32>
      relax.return %1 : tensor<8xf32>
    }
    ```

    #### Differs from TVM

    A value of a dataflow block that nothing uses after the block is no output of
    the block.
  }];
  let options = [
    ListOption<"entryFunctions", "entry-functions", "std::string",
               "Private functions to keep, with what they reach">,
  ];
  let statistics = [
    Statistic<"numOps", "ops", "Number of erased ops">,
    Statistic<"numOutputs", "outputs", "Number of dropped dataflow outputs">,
    Statistic<"numFunctions", "functions", "Number of erased functions">,
  ];
}

def EliminateCommonSubexpr
    : RelaxFunctionPass<"eliminate-common-subexpr", "EliminateCommonSubexpr",
                        1> {
  let summary = "Compute equal values once";
  let description = [{
    Merges ops without side effects that have the same operands and attributes,
    and erases ops that nothing uses: upstream's `cse`, on Relax functions. A
    value of a `relax.dataflow` is visible in that block only.

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.exp %x : tensor<8xf32>
    %2 = relax.add %0, %1 : tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    %2 = relax.add %0, %0 : tensor<8xf32>
    ```

    #### Differs from TVM

    - An op with a known value is erased. TVM leaves an alias of the first variable.
    - Pure code that nothing uses is erased.
    - Equal constants are one.
    - Pure calls that give objects are not merged: two caches that are made alike
      are two caches.
    - A result that a call writes in place is merged with nothing.
    - A shape, a number, a string or a dtype that is a variable is not merged with
      one that is not.
  }];
  let options = [
    Option<"callOnly", "call-only", "bool", /*default=*/"false",
           "Keep equal tuples, their fields and casts apart">,
  ];
  let statistics = [
    Statistic<"numErased", "erased", "Number of erased ops">,
  ];
}

def ConvertToDataflow
    : RelaxFunctionPass<"convert-to-dataflow", "ConvertToDataflow"> {
  let summary = "Put runs of ops without side effects into dataflow blocks";
  let description = [{
    A run ends at an op with side effects or with control flow, whose branches
    have runs of their own. Existing blocks join the run around them. Constants
    and other values stay before the block; these, sizes, and a `relax.tuple` or
    `relax.tuple_get_item` without a name do not count. Fields of a value that
    the function only returns stay after it. In the end, bindings are
    canonicalized as by `relax-canonicalize-bindings`.

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.add %0, %0 : tensor<8xf32>
    %2 = relax.call @print(%1) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.add %0, %0 : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    %2 = relax.call @print(%y) {is_pure = false} : (tensor<8xf32>) -> tensor<8xf32>
    ```

    #### Differs from TVM

    - Constants, numbers, shapes and functions stay before a block, and do not
      count for `min-size`. TVM counts the ones that are bound to a variable.
    - Types are inferred again only where the pass drops something.
  }];
  let options = [
    Option<"minSize", "min-size", "int64_t", /*default=*/"2",
           "The least number of ops that make a block">,
  ];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Number of dataflow blocks made">,
  ];
}

def ToNonDataflow : RelaxFunctionPass<"to-non-dataflow", "ToNonDataflow"> {
  let summary = "Dissolve dataflow blocks";
  let description = [{
    Replaces each `relax.dataflow` by its ops.

    ```mlir
    %y = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Number of dataflow blocks dissolved">,
  ];
}

def FoldConstant : RelaxModulePass<"fold-constant", "FoldConstant"> {
  let summary = "Compute what depends on constants alone";
  let description = [{
    Evaluates ops whose operands are constants:

    - elementwise ops with NumPy's broadcasting, activations, `astype`, `clip`,
      `quantize`, `dequantize`;
    - reductions, `argmax`, `argmin`, `variance`, `std`, `matmul`, `outer`,
      convolutions, pooling, `softmax`, `log_softmax` and normalizations;
    - `permute_dims`, `reshape`, `flatten`, `expand_dims`, `squeeze`, `concat`,
      `stack`, `split`, `strided_slice`, `flip`, `tile`, `repeat`, `tril`,
      `triu`, `pad`, `pixel_shuffle`, `layout_transform`, `reverse_sequence`,
      `meshgrid`, `broadcast_to`, `collapse_sum_to`, `take`, `gather_elements`,
      `gather_nd`, `scatter_elements`, `scatter_nd`, `slice_scatter`, `one_hot`;
    - `shape_to_tensor`, `tensor_to_shape`, `full`; `eye`, `ones`, `zeros` and
      `hamming_window` of up to 1024 elements; and `ones_like` and the like of any
      tensor whose shape is known.

    Elements are floats of 16, 32 and 64 bits and integers. Arithmetic has the
    precision of the tensors: integers wrap around, and their averages are rounded
    towards zero. A NaN wins: it is the greatest and the smallest element, and
    `argmax` and `argmin` give the place of the first NaN. An op that only moves
    elements keeps their bits. A result of more than 16 elements that are not all
    the same is a `dense_resource`.
    Constants lose other names, and ops that nothing uses are erased. Ops with a
    computed shape get more specific types; a function that others use keeps the
    types of its results.

    The prim_func of a `call_tir` on constants is run, if its body has loops,
    blocks, conditions, loads, stores, allocations, and arithmetic and intrinsics
    of single numbers alone, and its buffers are in row-major order. A kernel that
    `LegalizeOps` has made is run, too, as `convert-linalg-to-tir` lowers it. The
    prim_func stays in the module.

    ```mlir
    %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %y = relax.dataflow -> tensor<8x2xf32> {
      %0 = relax.permute_dims %w : tensor<2x2xf32>
      %1 = relax.matmul %x, %0
        : tensor<8x2xf32>, tensor<2x2xf32> -> tensor<8x2xf32>
      relax.output %1 : tensor<8x2xf32>
    }
    ```

    becomes

    ```mlir
    %w = relax.constant dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf32>
    %y = relax.dataflow -> tensor<8x2xf32> {
      %0 = relax.matmul %x, %w
        : tensor<8x2xf32>, tensor<2x2xf32> -> tensor<8x2xf32>
      relax.output %0 : tensor<8x2xf32>
    }
    ```

    An op is left alone when its result lacks a static shape, would take over
    `max-growth` bytes more than its operands do, or is a reduction, product or
    convolution of over 2^30 steps, or a prim_func of over 2^28; and when a value
    is missing or has no meaning: a resource without data, an integer divided by
    zero, a float converted to an integer that cannot hold it, an index outside
    of a tensor or a prim_func's buffer, an element of a buffer that is read, or
    returned, without being written.

    #### Differs from TVM

    - Ops are computed outside of dataflow blocks, too, and through aliases.
    - The conversion of a float to an integer is computed.
    - A prim_func that `call_tir` calls is interpreted, not compiled. Functions of
      the math library can differ from TVM's code in the last digit. A prim_func is
      left alone if it has vectors or packed calls, runs over 2^28 steps, or computes
      what has no defined value.
    - Where an op cannot be computed, TVM can leave calls of its lowered form, which
      nothing uses. Here there are none.
    - Sums of floats of 16 bits are made in 32 bits.
    - Relax ops that the list above lacks are not computed.
    - A result that a call writes in place is not computed, nor is a value on a
      vdevice.
    - Types are inferred again where shapes take the place of their variables, and
      where shapes are computed.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1 << 20",
           "Bytes by which the results of a folded op may exceed its operands">,
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "Number of ops that were evaluated">,
    Statistic<"numTooLarge", "too-large",
              "Number of ops on constants that were too large to evaluate">,
  ];
}

def FoldBatchnormToConv2D
    : RelaxFunctionPass<"fold-batchnorm-to-conv2d", "FoldBatchnormToConv2D"> {
  let summary = "Turn conv2d and batch_norm into conv2d and add";
  let description = [{
    Where the result of a `relax.nn.conv2d` goes into a `relax.nn.batch_norm` and
    nowhere else, scales the weight and adds a bias by the running statistics.
    Both are ops on the constants, which `relax-fold-constant` computes. As in
    TVM `training`, which is the default, does not matter.

    ```mlir
    %0 = relax.nn.conv2d %x, %w
      : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
    %1, %m, %v = relax.nn.batch_norm %0, %gamma, %beta, %mean, %var
      axis = 1
      : (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>)
    ```

    becomes

    ```mlir
    %eps = relax.constant dense<1.000000e-05> : tensor<f32>
    %0 = relax.add %var, %eps : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    %1 = relax.sqrt %0 : tensor<4xf32>
    %scale = relax.divide %gamma, %1 : tensor<4xf32>
    %2 = relax.shape [4, 1, 1, 1]
    %3 = relax.reshape %scale, %2 : tensor<4xf32> -> tensor<4x1x1x1xf32>
    %4 = relax.multiply %w, %3
      : tensor<4x3x3x3xf32>, tensor<4x1x1x1xf32> -> tensor<4x3x3x3xf32>
    %5 = relax.nn.conv2d %x, %4
      : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
    %6 = relax.multiply %mean, %scale : tensor<4xf32>
    %7 = relax.subtract %beta, %6 : tensor<4xf32>
    %8 = relax.shape [1, 4, 1, 1]
    %9 = relax.reshape %7, %8 : tensor<4xf32> -> tensor<1x4x1x1xf32>
    %10 = relax.add %5, %9
      : tensor<1x4x6x6xf32>, tensor<1x4x1x1xf32> -> tensor<1x4x6x6xf32>
    ```

    A batch_norm stays when its new statistics are used, when weight or
    parameters are not constants, when it does not normalize the channels, when
    the weight has another element type than the result, and in a function that
    is `Primitive`. Any layout will do, also those that TVM leaves alone.

    #### Differs from TVM

    - Names that nothing uses do not hinder the pass.
    - Nothing is folded where the new statistics or the result of the convolution
      have other uses. TVM copies the convolution.
    - Shapes that are variables stay. TVM forgets them.
    - `skip-training` leaves batch norms alone that compute statistics of their
      data, so that the numbers stay. The default pipelines set it.
  }];
  let options = [
    Option<"skipTraining", "skip-training", "bool", /*default=*/"false",
           "Leave batch norms alone that are for training">,
  ];
  let statistics = [
    Statistic<"numFolded", "folded", "Number of batch_norms that were folded">,
  ];
}

def LegalizeOps : RelaxModulePass<"legalize-ops", "LegalizeOps"> {
  let summary = "Turn ops into calls of prim_funcs";
  let description = [{
    Replaces each op that TVM legalizes by a `relax.call_tir` of a private
    `tir.prim_func`, whose body is upstream's linalg on tensors. The functions
    have TVM's names: `add`, `add1`, `matmul`. Equal ops share a function.

    ```mlir
    %0 = relax.nn.relu %x : tensor<?x4xf32, #relax.shape<["n", 4]>>
    ```

    becomes

    ```mlir
    %0 = relax.call_tir @relu(%x) : (tensor<?x4xf32, #relax.shape<["n", 4]>>)
      -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    ```

    with

    ```mlir
    tir.prim_func private @relu(%A: memref<?x4xf32>, %out: memref<?x4xf32>)
        attributes {tirx.noalias = true} {
      %0 = bufferization.to_tensor %A restrict
        : memref<?x4xf32> to tensor<?x4xf32>
      %c0 = arith.constant 0 : index
      %n = memref.dim %out, %c0 : memref<?x4xf32>
      %1 = tensor.empty(%n) : tensor<?x4xf32>
      %2 = arith.constant 0.0 : f32
      %3 = linalg.map ins(%0 : tensor<?x4xf32>) outs(%1 : tensor<?x4xf32>)
        (%element: f32, %unused: f32) {
          %4 = arith.maximumf %element, %2 : f32
          linalg.yield %4 : f32
        }
      bufferization.materialize_in_destination %3 in restrict writable %out
        : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
      tir.return
    }
    ```

    `nonzero`, `unique`, `print` and `assert_op` become calls of TVM's packed
    functions, `relax.run.nonzero` and so on. The ops of `ccl`, and
    `dist.redistribute_replica_to_shard`, become calls of those that several
    workers share, such as `runtime.disco.allreduce`.

    The sizes that a `dynamic_strided_slice` computes get names, by a call of
    TVM's runtime.

    Sizes may have names. A constant of rank 0 becomes a number of the function.
    A number that is not constant is passed, and so is a size that the buffers do
    not say. An op stays if a dimension or a dtype of its operands or results is
    unknown, if `skip-ops` names it, or if it has no lowering, such as a
    convolution whose layouts have parts of channels. `relax.call_tir` and other
    calls stay, too, and so do `inspect` and the other ops of `dist`.

    #### Differs from TVM

    - The functions compute the same numbers as TVM's, and have other bodies.
    - Floats of 16 bits are computed in 32 bits, also in sums, and rounded once.
    - An integer divided by zero is 0. TVM's code crashes.
    - A reduction of no elements has a number. TVM does not set it.
    - `mean`, `variance`, `std` and pools of integers, `eye_like` and `resize2d`
      have the dtype of their type. TVM's functions have others.
    - `layer_norm`, `group_norm` and `instance_norm` obey `center` and `scale`. TVM
      ignores these.
    - `all_class_non_max_suppression` gives all rows that its type says, with 0
      after the boxes. TVM cuts these rows off. A limit of the boxes that is not
      a constant holds, too; TVM ignores it.
    - `image.resize3d` weighs the depth as the other dimensions, and checks
      whether it is outside. TVM's has the height's and the width's numbers there.
    - A `dynamic_strided_slice` counts negative bounds from the end.
    - A part of `vision.roi_align` that has no points is 0. TVM does not set it.
    - The larger or smaller one of a number and a NaN is a NaN, and a NaN is not
      equal to any number. TVM's `not_equal` says that it is. The gradient of a
      window with a NaN goes to the first NaN. TVM's goes to an element after it.
    - Infinities are the largest and smallest of their kind. TVM's `max` and
      `argmax` of them alone give the least finite number, and -1.
    - `gather_elements` and `index_tensor` count negative indices from the end, as
      `take_backward` does its axis. TVM's functions read what is outside.
    - `take` in the mode `fast` takes the nearest element of the tensor for an
      index that is outside.
    - An op of a function with `SkipOptimization` stays.
  }];
  let options = [
    ListOption<"skipOps", "skip-ops", "std::string",
               "Ops that stay, by name: relax.add">,
    Option<"enableWarning", "enable-warning", "bool", /*default=*/"false",
           "Warn of ops that have no lowering">,
  ];
  let statistics = [
    Statistic<"numOps", "ops", "Number of ops that became calls">,
    Statistic<"numFunctions", "functions", "Number of functions made">,
  ];
}

def DispatchSampling
    : RelaxModulePass<"dispatch-sampling", "DispatchSampling"> {
  let summary = "Turn draws from distributions into calls of prim_funcs";
  let description = [{
    `multinomial_from_uniform` becomes a sum along the rows of probabilities and
    a search in these sums, in one private `tir.prim_func`.

    ```mlir
    %0 = relax.multinomial_from_uniform %p, %u, %i {dtype = i64} : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> tensor<3x1xi64>
    ```

    becomes

    ```mlir
    %0 = relax.call_tir @get_sample_index(%p, %u, %i) : (tensor<2x4xf32>, tensor<3x1xf32>, tensor<3x1xi64>) -> tensor<3x1xi64>
    ```

    #### Differs from TVM

    - TVM has another kernel for GPUs, and leaves the sum to DispatchSortScan.
    - An index of a row that is outside stands for the nearest row.
    - An op of a function with `SkipOptimization` stays.
  }];
  let statistics = [
    Statistic<"numOps", "ops", "Number of ops that became calls">,
  ];
}

def DispatchSortScan
    : RelaxModulePass<"dispatch-sort-scan", "DispatchSortScan"> {
  let summary = "Turn sorts and scans into calls of prim_funcs";
  let description = [{
    `sort`, `argsort`, `topk`, `cumsum` and `cumprod` become a `relax.call_tir`
    of a private `tir.prim_func`, as the ops of LegalizeOps do. A row of n
    elements is sorted in about n * log(n)^2 steps. Equal elements keep their
    order, and a NaN is the largest number.

    ```mlir
    %0 = relax.cumsum %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```

    becomes

    ```mlir
    %0 = relax.call_tir @cumsum(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```

    #### Differs from TVM

    - TVM chooses among the kernels of a target and of libraries.
    - An op of a function with `SkipOptimization` stays.
  }];
  let statistics = [
    Statistic<"numOps", "ops", "Number of ops that became calls">,
  ];
}

def DecomposeOpsForInference
    : RelaxFunctionPass<"decompose-ops-for-inference",
                        "DecomposeOpsForInference"> {
  let summary = "Turn batch_norm and tensor_to_shape into simpler ops";
  let description = [{
    batch_norm is (data - mean) / sqrt(variance + epsilon) * gamma + beta; the
    new statistics are the running ones. `training`, which is the default, does
    not matter, as in TVM. A tensor_to_shape of as many sizes as its type says
    is a call of TVM's runtime, whose result gets names. Other ops stay, which
    run faster whole.

    ```mlir
    %0, %m, %v = relax.nn.batch_norm %x, %gamma, %beta, %mean, %var
      axis = 1
      : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
    ```

    becomes

    ```mlir
    %0 = relax.expand_dims %mean axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
    %1 = relax.subtract %x, %0
      : tensor<?x4xf32>, tensor<1x4xf32> -> tensor<?x4xf32>
    %2 = relax.expand_dims %var axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
    %eps = relax.constant dense<1.000000e-05> : tensor<f32>
    %3 = relax.add %2, %eps
      : tensor<1x4xf32>, tensor<f32> -> tensor<1x4xf32>
    %4 = relax.sqrt %3 : tensor<1x4xf32>
    %5 = relax.divide %1, %4
      : tensor<?x4xf32>, tensor<1x4xf32> -> tensor<?x4xf32>
    %6 = relax.expand_dims %gamma axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
    %7 = relax.multiply %5, %6
      : tensor<?x4xf32>, tensor<1x4xf32> -> tensor<?x4xf32>
    %8 = relax.expand_dims %beta axis = [0] : tensor<4xf32> -> tensor<1x4xf32>
    %9 = relax.add %7, %8
      : tensor<?x4xf32>, tensor<1x4xf32> -> tensor<?x4xf32>
    ```

    #### Differs from TVM

    Types are inferred again only where a `tensor_to_shape` is decomposed.
  }];
  let options = [
    Option<"funcName", "func-name", "std::string", /*default=*/"",
           "The one function to change; all if empty">,
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed",
              "Number of ops that were decomposed">,
  ];
}

def Normalize : RelaxModulePass<"normalize", "Normalize", 1> {
  let summary = "Bring what TVM saved before its normal form into that form";
  let description = [{
    A function that TVM saved before its normal form has calls in calls, which
    import keeps as they are, and expressions without types. This pass binds
    each of these calls to a variable of its own, puts bindings of inner
    SeqExprs in the place of these, makes one of dataflow blocks that follow
    each other, and infers the types that are missing. Each `relax.func` that is
    changed gets the type of the value that it returns, where that says more. It
    is an error when an op does not take its operands. A function in normal form
    stays as it is.

    ```mlir
    relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x?xf32> {
      %y = relax.exp %x {relax.untyped}
        : tensor<?x4xf32, #relax.shape<["n", 4]>>
      %0 = relax.match_cast %y
        : tensor<?x4xf32, #relax.shape<["n", 4]>> -> tensor<?x?xf32>
      relax.return %0 : tensor<?x?xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>)
        -> tensor<?x4xf32, #relax.shape<["n", 4]>> {
      %y = relax.exp %x : tensor<?x4xf32, #relax.shape<["n", 4]>>
      relax.return %y : tensor<?x4xf32, #relax.shape<["n", 4]>>
    }
    ```
  }];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of changed functions">,
  ];
  // What import makes.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::partita::PartitaDialect", "::partita::relax::RelaxDialect",
    "::partita::tir::TIRDialect"
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES
