//===- AlgebraPasses.td - Passes for algebra and training --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def AdjustMatmulOrder
    : RelaxFunctionPass<"adjust-matmul-order", "AdjustMatmulOrder", 1> {
  let summary = "Multiply three matrices in the order that takes less";
  let description = [{
    Turns `(A B) C` into `A (B C)`, or the other way round, also where the inner
    product is transposed: if two of the three are known at compile time (they are
    parameters after the first `num_input`, or another block computes them from
    such and constants alone), these two are multiplied; otherwise if the products
    take fewer multiplications, whatever the sizes are. A name of a dimension in
    the function's signature is less than `tir_var_upper_bound` says, and at least
    what `tir_var_lower_bound` says. Then bindings are canonicalized, and equal
    and unused values dropped.

    ```mlir
    %w = relax.matmul %a, %b : tensor<32x1xf32>, tensor<1x16xf32> -> tensor<32x16xf32>
    %y = relax.matmul %w, %x : tensor<32x16xf32>, tensor<16xf32> -> tensor<32xf32>
    ```

    becomes

    ```mlir
    %0 = relax.matmul %b, %x : tensor<1x16xf32>, tensor<16xf32> -> tensor<1xf32>
    %y = relax.matmul %a, %0 : tensor<32x1xf32>, tensor<1xf32> -> tensor<32xf32>
    ```

    #### Differs from TVM

    - An order that TVM's analysis does not find to be better can be found here,
      and the other way round, if sizes are symbolic.
    - Products with another `out_dtype` than their operands' type are left alone.
  }];
  let statistics = [
    Statistic<"numReordered", "reordered", "Number of products in a new order">,
  ];
}

def CombineParallelMatmul
    : RelaxFunctionPass<"combine-parallel-matmul", "CombineParallelMatmul"> {
  let summary = "Multiply a matrix by several others at once";
  let description = [{
    Products of the same left operand, whose right operands have the same rank and
    batch dimensions, become one product by the concatenated right operands, and
    its parts. If all products of a left operand are followed by the addition of a
    bias of the same rank, or by the same one of `relax.nn.relu`,
    `relax.nn.gelu`, `relax.nn.gelu_tanh` and `relax.nn.silu`, that is done once,
    too. At most one right operand of a symbolic width takes part; it comes last.
    Ops with side effects, and the borders of a `relax.dataflow`, separate
    products. Then bindings are canonicalized, and equal and unused values
    dropped.

    ```mlir
    %0 = relax.matmul %x, %w0 : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
    %1 = relax.matmul %x, %w1 : tensor<8x16xf32>, tensor<16x2xf32> -> tensor<8x2xf32>
    ```

    becomes

    ```mlir
    %2 = relax.concat %w0, %w1 axis = 1
      : tensor<16x4xf32>, tensor<16x2xf32> -> tensor<16x6xf32>
    %3 = relax.matmul %x, %2 out_dtype = f32
      : tensor<8x16xf32>, tensor<16x6xf32> -> tensor<8x6xf32>
    %4:2 = relax.split %3 {axis = 1 : i64, indices_or_sections = array<i64: 4>}
      : (tensor<8x6xf32>) -> (tensor<8x4xf32>, tensor<8x2xf32>)
    ```

    #### Differs from TVM

    - Products of one left operand in two blocks are combined in each block, and
      constants are combined, too.
    - Products whose element types differ, and biases that do not have the width
      of their products, are left alone.
    - Products are left alone if one depends on another one. TVM fails.
  }];
  let options = [
    Option<"candidates", "candidates", "std::string", "\"\"",
           "`mark` to only give the products and biases of each group its "
           "number as an attribute, `marked` to combine ones that have it">,
  ];
  let statistics = [
    Statistic<"numCombined", "combined", "Number of combined products">,
  ];
}

def DecomposeOpsForTraining
    : RelaxFunctionPass<"decompose-ops-for-training",
                        "DecomposeOpsForTraining"> {
  let summary = "Turn normalizations and tensor_to_shape into simpler ops";
  let description = [{
    A batch_norm becomes (data - mean) / sqrt(variance + epsilon) * gamma + beta,
    where mean and variance are the data's; `momentum` is their weight in the new
    running statistics. A layer_norm becomes the like. A tensor_to_shape is
    decomposed as by `relax-decompose-ops-for-inference`.

    ```mlir
    %0 = relax.nn.layer_norm %x, %gamma, %beta axes = [-1]
      : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
    ```

    becomes

    ```mlir
    %1 = relax.mean %x axis = [-1] keepdims = true
      : tensor<2x4xf32> -> tensor<2x1xf32>
    %2 = relax.subtract %x, %1
      : tensor<2x4xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
    %3 = relax.variance %x axis = [-1] keepdims = true
      : tensor<2x4xf32> -> tensor<2x1xf32>
    %eps = relax.constant dense<1.000000e-05> : tensor<f32>
    %4 = relax.add %3, %eps
      : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
    %5 = relax.sqrt %4 : tensor<2x1xf32>
    %6 = relax.divide %2, %5
      : tensor<2x4xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
    %7 = relax.multiply %6, %gamma
      : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
    %0 = relax.add %7, %beta : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
    ```

    #### Differs from TVM

    - Normalizations of tensors of unknown rank are left alone, and so is a
      layer_norm of other axes than the last ones, for which TVM multiplies by
      parameters of another shape.
    - A negative axis of a batch_norm counts from the end.
  }];
  let options = [
    Option<"funcName", "func-name", "std::string", "\"\"",
           "The only function to change">,
  ];
  let statistics = [
    Statistic<"numDecomposed", "decomposed", "Number of decomposed ops">,
  ];
}

def ExpandMatmulOfSum
    : RelaxFunctionPass<"expand-matmul-of-sum", "ExpandMatmulOfSum", 1> {
  let summary = "Turn x (A + B) into x A + x B";
  let description = [{
    Also where the sum is transposed. A sum stays if both terms are known at compile
    time: they are parameters after the first `num_input`, or another block
    computes them from such and constants alone. Then bindings are canonicalized, and equal and unused values
    dropped.

    ```mlir
    %w = relax.add %a, %b : tensor<16x32xf32>
    %y = relax.matmul %x, %w : tensor<16xf32>, tensor<16x32xf32> -> tensor<32xf32>
    ```

    becomes

    ```mlir
    %0 = relax.matmul %x, %a : tensor<16xf32>, tensor<16x32xf32> -> tensor<32xf32>
    %1 = relax.matmul %x, %b : tensor<16xf32>, tensor<16x32xf32> -> tensor<32xf32>
    %y = relax.add %0, %1 : tensor<32xf32>
    ```

    #### Differs from TVM

    Sums of matrices of different sizes stay, and so do products with another
    `out_dtype` than their operands' type. Batch dimensions may broadcast.
  }];
  let statistics = [
    Statistic<"numExpanded", "expanded", "Number of expanded products">,
  ];
}

def Gradient : RelaxModulePass<"gradient", "Gradient"> {
  let summary = "Add a function that computes the gradient of another one";
  let description = [{
    For the function `func-name` adds a function of this name with `_adjoint`. It
    returns what the function returns, and a tuple of the gradients of the result
    `target-index`, a scalar float, by `require-grads`: parameters, by position or
    name, and variables of the block, by name. Without them, by all parameters.
    The function must be one `relax.dataflow` of ops, whose values it returns.

    How an op passes a gradient on, its `GradientOpInterface` says. What is
    between `relax.grad.start_checkpoint` and `relax.grad.end_checkpoint` is
    computed again for the gradient. Values that the result does not need are
    dropped, and products by transposed matrices simplified.

    ```mlir
    relax.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %y = relax.dataflow -> tensor<f32> {
        %0 = relax.sum %x : tensor<3xf32> -> tensor<f32>
        relax.output %0 : tensor<f32>
      }
      relax.return %y : tensor<f32>
    }
    ```

    gets the function

    ```mlir
    relax.func @main_adjoint(%x: tensor<3xf32>)
        -> (tensor<f32>, tuple<tensor<3xf32>>)
        attributes {global_symbol = "main_adjoint"} {
      %y, %g = relax.dataflow -> tensor<f32>, tensor<3xf32> {
        %0 = relax.sum %x : tensor<3xf32> -> tensor<f32>
        %s = relax.shape []
        %1 = relax.ones %s {dtype = f32} : (!relax.shape<[]>) -> tensor<f32>
        %t = relax.shape [3]
        %2 = relax.broadcast_to %1, %t
          : (tensor<f32>, !relax.shape<[3]>) -> tensor<3xf32>
        %3 = relax.alias %2 : tensor<3xf32>
        relax.output %0, %3 : tensor<f32>, tensor<3xf32>
      }
      %4 = relax.tuple(%g) : tensor<3xf32>
      relax.return %y, %4 : tensor<f32>, tuple<tensor<3xf32>>
    }
    ```

    It is an error if there is no such function, if its body or target has
    another kind, if an op on the way has no gradient, if `require-grads` names no
    value, several, or one that is no tensor of floats, or if the new function's
    name is taken.

    #### Differs from TVM

    - A `relax.call_tir_with_grad` is an error, since its gradient is a function
      in Python.
    - It is an error if the new function's name is taken. TVM takes another name.
  }];
  let options = [
    Option<"funcName", "func-name", "std::string", "\"\"",
           "The function to differentiate">,
    ListOption<"requireGrads", "require-grads", "std::string",
               "Positions of parameters, and names of parameters and variables, "
               "to differentiate by; all parameters, if there are none">,
    Option<"targetIndex", "target-index", "int64_t", "0",
           "Which of the function's results to differentiate">,
  ];
}

def ReorderPermuteDimsAfterConcat
    : RelaxFunctionPass<"reorder-permute-dims-after-concat",
                        "ReorderPermuteDimsAfterConcat", 1> {
  let summary = "Transpose after joining, in place of before";
  let description = [{
    Turns a `relax.concat` of tensors that are all transposed in the same way into
    one `relax.permute_dims` of the joined tensors, which libraries find behind a
    `relax.matmul`. `axes` and its absence are the same where they mean the same.
    Then bindings are canonicalized, and equal and unused values dropped.

    ```mlir
    %0 = relax.permute_dims %a : tensor<4x3xf32> -> tensor<3x4xf32>
    %1 = relax.permute_dims %b : tensor<2x3xf32> -> tensor<3x2xf32>
    %2 = relax.concat %0, %1 axis = 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
    ```

    becomes

    ```mlir
    %0 = relax.concat %a, %b axis = 0
      : tensor<4x3xf32>, tensor<2x3xf32> -> tensor<6x3xf32>
    %2 = relax.permute_dims %0 : tensor<6x3xf32> -> tensor<3x6xf32>
    ```

    #### Differs from TVM

    More than 11 tensors are joined, too.
  }];
  let statistics = [
    Statistic<"numReordered", "reordered", "Number of reordered joins">,
  ];
}

def ReorderTakeAfterMatmul
    : RelaxFunctionPass<"reorder-take-after-matmul", "ReorderTakeAfterMatmul",
                        1> {
  let summary = "Take columns of a product, in place of factors";
  let description = [{
    Turns a `relax.matmul` by columns that a `relax.take` has taken from a table
    into a `relax.take` of the product by the table. If the take picks a matrix
    for each batch from a table of matrices, the product is by all of them, and
    for each batch its part is taken. Then bindings are canonicalized, and equal
    and unused values dropped.

    ```mlir
    %w = relax.take %table, %indices {axis = 1 : i64}
      : (tensor<16x64xf32>, tensor<32xi64>) -> tensor<16x32xf32>
    %y = relax.matmul %x, %w : tensor<8x16xf32>, tensor<16x32xf32> -> tensor<8x32xf32>
    ```

    becomes

    ```mlir
    %0 = relax.matmul %x, %table
      : tensor<8x16xf32>, tensor<16x64xf32> -> tensor<8x64xf32>
    %y = relax.take %0, %indices {axis = 1 : i64}
      : (tensor<8x64xf32>, tensor<32xi64>) -> tensor<8x32xf32>
    ```

    #### Differs from TVM

    Products with another `out_dtype` than their operands' type are left alone, and
    so are products by elements of a vector. `axis` can be negative.
  }];
  let statistics = [
    Statistic<"numReordered", "reordered", "Number of reordered products">,
  ];
}

def BackwardFoldScaleAxis
    : RelaxFunctionPass<"backward-fold-scale-axis", "BackwardFoldScaleAxis",
                        3> {
  let summary = "Move multiplications into the weights before them";
  let description = [{
    Where the result of a `relax.nn.conv2d` or `relax.matmul` is multiplied by a
    constant that differs from channel to channel at most, scales the output
    channels or columns of the constant weight instead, by an op that
    `relax-fold-constant` computes.

    Between the two there may be `relax.nn.relu` and `relax.nn.max_pool2d`, if
    the constant is positive, and `relax.add` of constants and of values that
    can be scaled as well. A scaled value must have no other use.

    ```mlir
    %c = relax.constant dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>
    %0 = relax.nn.conv2d %x, %w
      : tensor<1x3x8x8xf32>, tensor<2x3x3x3xf32> -> tensor<1x2x6x6xf32>
    %1 = relax.nn.relu %0 : tensor<1x2x6x6xf32>
    %2 = relax.multiply %1, %c
      : tensor<1x2x6x6xf32>, tensor<2x1x1xf32> -> tensor<1x2x6x6xf32>
    ```

    becomes

    ```mlir
    %c = relax.constant dense<[[[[2.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>
    %w2 = relax.multiply %w, %c
      : tensor<2x3x3x3xf32>, tensor<2x1x1x1xf32> -> tensor<2x3x3x3xf32>
    %0 = relax.nn.conv2d %x, %w2
      : tensor<1x3x8x8xf32>, tensor<2x3x3x3xf32> -> tensor<1x2x6x6xf32>
    %1 = relax.nn.relu %0 : tensor<1x2x6x6xf32>
    ```

    A multiplication stays when a value of the constant or the weight is missing
    or not finite, when their product could overflow, when the result has
    another element type than the weight, and in a function that is `Primitive`.

    #### Differs from TVM

    The pass is from Relay. TVM 0.27 has none.
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Number of multiplications folded">,
  ];
}

def ForwardFoldScaleAxis
    : RelaxFunctionPass<"forward-fold-scale-axis", "ForwardFoldScaleAxis", 3> {
  let summary = "Move multiplications into the weights after them";
  let description = [{
    The counterpart of `relax-backward-fold-scale-axis`: where all uses of the
    multiplied value end up as the data of `relax.nn.conv2d` or `relax.matmul`,
    scales the input channels or rows of their constant weights instead. In a
    convolution with groups, the channels may have different factors only if it
    is depthwise, with one output for each channel.

    The uses may pass through `relax.nn.relu` and `relax.nn.max_pool2d`, if the
    constant is positive, and through a `relax.add` of values that are scaled
    alike.

    ```mlir
    %c = relax.constant dense<[2.0, 4.0]> : tensor<2xf32>
    %0 = relax.multiply %x, %c : tensor<8x2xf32>, tensor<2xf32> -> tensor<8x2xf32>
    %1 = relax.matmul %0, %w : tensor<8x2xf32>, tensor<2x5xf32> -> tensor<8x5xf32>
    ```

    becomes

    ```mlir
    %c = relax.constant dense<[[2.0], [4.0]]> : tensor<2x1xf32>
    %w2 = relax.multiply %w, %c : tensor<2x5xf32>, tensor<2x1xf32> -> tensor<2x5xf32>
    %1 = relax.matmul %x, %w2 : tensor<8x2xf32>, tensor<2x5xf32> -> tensor<8x5xf32>
    ```

    A multiplication stays where it would in the other pass.

    #### Differs from TVM

    The pass is from Relay. TVM 0.27 has none.
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Number of multiplications folded">,
  ];
}

def FoldScaleAxis
    : PartitaSequential<"relax-fold-scale-axis", "relax.transform",
                        "FoldScaleAxis", 3,
                        ["BackwardFoldScaleAxis", "ForwardFoldScaleAxis"]> {
  let summary = "Move multiplications into weights";
  let description = [{
    Tries the weights before a multiplication first, then those after it. The
    new weights are ops on constants, which `relax-fold-constant` computes.

    ```sh
    partita-opt --relax-fold-scale-axis --relax-fold-constant -O3 model.mlir
    ```
  }];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES
