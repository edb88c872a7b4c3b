//===- RelaxTensorOps.td - Ops on tensors ------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS
#define PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS

include "partita/Dialect/Relax/IR/RelaxElementwiseOps.td"

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

// `shape` is a value, or the shape of `like`.
class Relax_CreateOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferCreate(location, adaptor.getShape(), "
                     "adaptor.getDtypeAttr())", [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins Relax_ShapeType:$shape, TypeAttr:$dtype);
}

def Relax_OnesOp : Relax_CreateOp<"ones", "A tensor of ones">;
def Relax_ZerosOp : Relax_CreateOp<"zeros", "A tensor of zeros">;

class Relax_CreateLikeOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferConverted(location, adaptor.getX(), "
                     "adaptor.getDtypeAttr())", [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins Relax_Tensor:$x, Relax_OptionalDType:$dtype);
}

def Relax_OnesLikeOp : Relax_CreateLikeOp<"ones_like", "Ones, as many as in x">;
def Relax_ZerosLikeOp
    : Relax_CreateLikeOp<"zeros_like", "Zeros, as many as in x">;

def Relax_FullOp
    : Relax_TensorOp<"full", "A tensor whose elements are all `fill_value`",
                     "inferFull(location, adaptor)",
                     [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_ShapeType:$shape, Relax_Tensor:$fill_value, Relax_OptionalDType:$dtype
  );
}

def Relax_FullLikeOp
    : Relax_TensorOp<"full_like", "As many elements as in x, all `fill_value`",
                     "inferFullLike(location, adaptor)",
                     [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Tensor:$fill_value, Relax_OptionalDType:$dtype
  );
}

def Relax_ArangeOp
    : Relax_TensorOp<"arange", "The numbers from `start` to `end`, by `step`",
                     "inferArange(location, adaptor)",
                     [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_Number:$start, Relax_Number:$end, Relax_Number:$step, TypeAttr:$dtype
  );
}

def Relax_EyeOp
    : Relax_TensorOp<"eye", "A matrix with ones on diagonal `k`",
                     "inferCreate(location, {adaptor.getN(), adaptor.getM()}, "
                     "adaptor.getDtypeAttr())", [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_Number:$n, Relax_Number:$m, Relax_Number:$k, TypeAttr:$dtype
  );
}

def Relax_EyeLikeOp
    : Relax_TensorOp<"eye_like", "`eye` of the shape of x",
                     "inferConverted(location, adaptor.getX(), "
                     "adaptor.getDtypeAttr())", [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Number:$k, Relax_OptionalDType:$dtype
  );
}

def Relax_HammingWindowOp
    : Relax_TensorOp<"hamming_window", "A Hamming window",
                     "inferHammingWindow(location, adaptor)",
                     [Relax_TVMAttrs<"InitAttrs">]> {
  let arguments = (ins
    Relax_Number:$window_size, Relax_Number:$periodic, Relax_Number:$alpha,
    Relax_Number:$beta, TypeAttr:$dtype
  );
}

class Relax_TriangleOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferOfRank(location, adaptor.getX(), 2)"> {
  let arguments = (ins Relax_Tensor:$x, Relax_Number:$k);
}

def Relax_TrilOp
    : Relax_TriangleOp<"tril", "x with zeros above diagonal `k`">;
def Relax_TriuOp
    : Relax_TriangleOp<"triu", "x with zeros below diagonal `k`">;

def Relax_OneHotOp
    : Relax_TensorOp<"one_hot", "`on_value` where an index is, else `off_value`",
                     "inferOneHot(location, adaptor)",
                     [Relax_TVMAttrs<"OneHotAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$indices, Relax_Number:$on_value, Relax_Number:$off_value,
    I64Attr:$depth, Relax_Int<-1>:$axis
  );
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

def Relax_MatmulOp
    : Relax_ComputeOp<"matmul", "inferMatmul(location, adaptor)",
                      [Relax_TVMAttrs<"MatmulAttrs">]> {
  let summary = "Matrix product, as NumPy's matmul";
  let description = [{
    The last two dimensions are matrices; the dimensions before them broadcast.
    An operand of rank 1 is a row on the left and a column on the right, and its
    dimension is not in the result. `out_dtype` is the result's element type
    where it differs from the operands'.

    ```mlir
    %0 = relax.matmul %x, %w
      : tensor<2x8x64xf32>, tensor<64x128xf32> -> tensor<2x8x128xf32>
    ```

    It is an error when an operand has rank 0, when the contracted dimensions
    differ, when the others do not broadcast, or when the element types differ
    and there is no `out_dtype`.
  }];
  let arguments = (ins
    Relax_Tensor:$x1, Relax_Tensor:$x2, OptionalAttr<TypeAttr>:$out_dtype
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x1 `,` $x2 (`out_dtype` `=` $out_dtype^)? attr-dict `:`
    custom<Signature>(type($x1), type($x2), type($result))
  }];
}

def Relax_EinsumOp
    : Relax_TensorOp<"einsum", "Sum of products, by index",
                     "inferEinsum(location, adaptor)",
                     [Relax_TVMAttrs<"EinsumAttrs">, Relax_TVMTuple<0>]> {
  let arguments = (ins
    Variadic<Relax_TensorOrTuple>:$operands, StrAttr:$subscripts
  );
  let assemblyFormat = [{
    $operands attr-dict `:` functional-type($operands, $result)
  }];
}

def Relax_OuterOp
    : Relax_TensorOp<"outer", "Product of each element of x1 with each of x2",
                     "inferOuter(location, adaptor)"> {
  let arguments = (ins Relax_Tensor:$x1, Relax_Tensor:$x2);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def Relax_PermuteDimsOp
    : Relax_ComputeOp<"permute_dims", "inferPermuteDims(location, adaptor)",
                      [Relax_TVMAttrs<"PermuteDimsAttrs">]> {
  let summary = "Transposes; without `axes` it reverses the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `axes[i]` of the operand.

    ```mlir
    %0 = relax.permute_dims %x axes = [0, 2, 1]
      : tensor<1x16x64xf32> -> tensor<1x64x16xf32>
    ```

    It is an error when `axes` is not a permutation.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x (`axes` `=` $axes^)? attr-dict `:`
    custom<Signature>(type($x), type($result))
  }];
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The permutation, with no negative axis and when `axes` is absent too.
    ::llvm::SmallVector<int64_t> getPermutation();
  }];
}

def Relax_ReshapeOp
    : Relax_ComputeOp<"reshape", "inferReshape(location, adaptor)"> {
  let summary = "The elements in the same order, in another shape";
  let description = [{
    ```mlir
    %s = relax.shape [1, 16, 4, 16]
    %0 = relax.reshape %x, %s : tensor<1x16x64xf32> -> tensor<1x16x4x16xf32>
    ```

    It is an error when the numbers of elements are known to differ.
  }];
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeType:$shape);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $shape attr-dict `:`
    custom<Reshape>(type($x), type($shape), type($result))
  }];
  let hasFolder = 1;
}

def Relax_ExpandDimsOp
    : Relax_ComputeOp<"expand_dims", "inferExpandDims(location, adaptor)",
                      [Relax_TVMAttrs<"ExpandDimsAttrs">]> {
  let summary = "Inserts dimensions of size 1";
  let description = [{
    `axis` lists the positions of the new dimensions in the result.

    ```mlir
    %0 = relax.expand_dims %x axis = [0, 2] : tensor<8xf32> -> tensor<1x8x1xf32>
    ```

    It is an error when an axis is out of range or named twice.
  }];
  let arguments = (ins Relax_Tensor:$x, DenseI64ArrayAttr:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x `axis` `=` $axis attr-dict `:` custom<Signature>(type($x), type($result))
  }];
  let hasFolder = 1;
}

def Relax_SqueezeOp
    : Relax_ComputeOp<"squeeze", "inferSqueeze(location, adaptor)",
                      [Relax_TVMAttrs<"SqueezeAttrs">]> {
  let summary = "Removes dimensions of size 1";
  let description = [{
    Without `axis`, all of them. As in TVM an axis whose size is another number
    stays.

    ```mlir
    %0 = relax.squeeze %x axis = [0] : tensor<1x8x1xf32> -> tensor<8x1xf32>
    ```

    It is an error when an axis is out of range or named twice.
  }];
  let arguments = (ins Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x (`axis` `=` $axis^)? attr-dict `:`
    custom<Signature>(type($x), type($result))
  }];
  let hasFolder = 1;
}

def Relax_ConcatOp
    : Relax_ComputeOp<"concat", "inferConcat(location, adaptor)",
                      [Relax_TVMAttrs<"ConcatAttrs">, Relax_TVMTuple<0>]> {
  let summary = "Joins tensors along `axis`";
  let description = [{
    Without `axis` the tensors, of rank 1, are joined along their only one.

    ```mlir
    %0 = relax.concat %a, %b axis = 1
      : tensor<2x3xf32>, tensor<2x5xf32> -> tensor<2x8xf32>
    ```

    It is an error when there is no tensor, or when element types, ranks or
    dimensions other than `axis` differ.
  }];
  let arguments = (ins
    Variadic<Relax_TensorOrTuple>:$tensors, OptionalAttr<I64Attr>:$axis
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $tensors (`axis` `=` $axis^)? attr-dict `:`
    type($tensors) `->` type($result)
  }];
  let hasFolder = 1;
}

def Relax_BroadcastToOp
    : Relax_TensorOp<"broadcast_to", "x, broadcast to `shape`",
                     "inferBroadcastTo(location, adaptor.getX(), "
                     "adaptor.getShape())"> {
  let arguments = (ins Relax_Tensor:$x, Relax_ShapeType:$shape);
}

def Relax_CollapseSumToOp
    : Relax_TensorOp<"collapse_sum_to", "Sums what broadcasting has repeated",
                     "inferToShape(location, adaptor.getData(), "
                     "adaptor.getShape())"> {
  let arguments = (ins Relax_Tensor:$data, Relax_ShapeType:$shape);
}

def Relax_CollapseSumLikeOp
    : Relax_TensorOp<"collapse_sum_like", "Sums what broadcasting has repeated",
                     "inferLike(location, adaptor.getData(), "
                     "adaptor.getCollapseTarget())"> {
  let arguments = (ins Relax_Tensor:$data, Relax_Tensor:$collapse_target);
}

def Relax_FlattenOp
    : Relax_TensorOp<"flatten", "The elements in one dimension",
                     "inferFlatten(location, adaptor.getX())"> {
  let arguments = (ins Relax_Tensor:$x);
}

def Relax_SplitOp
    : Relax_MultiResultOp<"split", "Parts of x along `axis`",
                          "return inferSplit(location, adaptor, types);",
                          [Relax_TVMAttrs<"SplitAttrs">]> {
  let description = [{
    `indices_or_sections` is the number of parts, or where each but the first
    one begins.

    ```mlir
    %0:2 = relax.split %x {axis = 1 : i64, indices_or_sections = 2 : i64}
      : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
    ```

    It is an error when `axis` is out of range.
  }];
  let arguments = (ins
    Relax_Tensor:$x, AnyAttrOf<[I64Attr, DenseI64ArrayAttr]>:$indices_or_sections,
    Relax_Int<0>:$axis
  );
}

def Relax_StackOp
    : Relax_TensorOp<"stack", "Joins tensors along a new dimension `axis`",
                     "inferStack(location, adaptor)",
                     [Relax_TVMAttrs<"StackAttrs">, Relax_TVMTuple<0>]> {
  let arguments = (ins
    Variadic<Relax_TensorOrTuple>:$tensors, Relax_OptionalInt:$axis
  );
}

def Relax_MeshgridOp
    : Relax_MultiResultOp<"meshgrid", "Grids of coordinates",
                          "return inferMeshgrid(location, adaptor, types);",
                          [Relax_TVMAttrs<"MeshgridAttrs">, Relax_TVMTuple<0>]> {
  let arguments = (ins
    Variadic<Relax_TensorOrTuple>:$tensors, OptionalAttr<StrAttr>:$indexing
  );
}

def Relax_RepeatOp
    : Relax_TensorOp<"repeat", "Each element `repeats` times along `axis`",
                     "inferRepeat(location, adaptor)",
                     [Relax_TVMAttrs<"RepeatAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, I64Attr:$repeats, Relax_OptionalInt:$axis
  );
}

def Relax_TileOp
    : Relax_TensorOp<"tile", "The tensor `repeats` times in each dimension",
                     "inferTile(location, adaptor)",
                     [Relax_TVMAttrs<"TileAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, DenseI64ArrayAttr:$repeats);
}

def Relax_FlipOp
    : Relax_TensorOp<"flip", "The elements in reverse order along `axis`",
                     "inferAlong(location, adaptor.getData(), "
                     "adaptor.getAxis())", [Relax_TVMAttrs<"FlipAttrs">]> {
  let arguments = (ins Relax_Tensor:$data, I64Attr:$axis);
}

def Relax_ReverseSequenceOp
    : Relax_TensorOp<"reverse_sequence",
                     "Reverses the first elements along `seq_axis`",
                     "inferReverseSequence(location, adaptor)",
                     [Relax_TVMAttrs<"ReverseSequenceAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$seq_lengths, Relax_Int<1>:$seq_axis,
    Relax_Int<0>:$batch_axis
  );
}

def Relax_LayoutTransformOp
    : Relax_TensorOp<"layout_transform", "Moves elements as `index_map` says",
                     "inferLayoutTransform(location, adaptor)",
                     [Relax_TVMAttrs<"LayoutTransformAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, AnyAttr:$index_map, OptionalAttr<AnyAttr>:$pad_value
  );
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def Relax_TakeOp
    : Relax_TensorOp<"take", "The elements at `indices` along `axis`",
                     "inferTake(location, adaptor)",
                     [Relax_TVMAttrs<"TakeAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_TensorOrNumber:$indices, Relax_OptionalInt:$axis,
    Relax_Str<"fast">:$mode
  );
}

def Relax_StridedSliceOp
    : Relax_TensorOp<"strided_slice",
                     "From `begin` to `end` by `strides` along `axes`",
                     "inferStridedSlice(location, adaptor)",
                     [Relax_TVMAttrs<"StridedSliceAttrs">]> {
  let description = [{
    Each of the four is a tuple of numbers.
  }];
  let arguments = (ins
    Relax_Tensor:$x, AnyTuple:$axes, AnyTuple:$begin, AnyTuple:$end,
    Optional<AnyTuple>:$strides, Relax_Bool<"false">:$assume_inbound
  );
}

def Relax_DynamicStridedSliceOp
    : Relax_TensorOp<"dynamic_strided_slice",
                     "From `begin` to `end` by `strides`, which are tensors",
                     "inferDynamicStridedSlice(location, adaptor)"> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Tensor:$begin, Relax_Tensor:$end,
    Relax_Tensor:$strides
  );
}

def Relax_GatherElementsOp
    : Relax_TensorOp<"gather_elements", "The element at each index along `axis`",
                     "inferGatherElements(location, adaptor)",
                     [Relax_TVMAttrs<"GatherElementsAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$indices, Relax_Int<0>:$axis
  );
}

def Relax_GatherNDOp
    : Relax_TensorOp<"gather_nd", "The slice at each index of several dimensions",
                     "inferGatherND(location, adaptor)",
                     [Relax_TVMAttrs<"GatherNDAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$indices, Relax_Int<0>:$batch_dims
  );
}

def Relax_ScatterElementsOp
    : Relax_TensorOp<"scatter_elements", "Puts `updates` at `indices`",
                     "inferScatterElements(location, adaptor)",
                     [Relax_TVMAttrs<"ScatterElementsAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$indices, Relax_Tensor:$updates,
    Relax_Int<0>:$axis, Relax_Str<"update">:$reduction
  );
}

def Relax_ScatterNDOp
    : Relax_TensorOp<"scatter_nd", "Puts slices of `updates` at `indices`",
                     "inferScatterND(location, adaptor)",
                     [Relax_TVMAttrs<"ScatterNDAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Tensor:$indices, Relax_Tensor:$updates,
    Relax_Str<"update">:$reduction
  );
}

def Relax_SliceScatterOp
    : Relax_TensorOp<"slice_scatter", "Puts `src` into a slice",
                     "inferSliceScatter(location, adaptor)",
                     [Relax_TVMAttrs<"SliceScatterAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$input, Relax_Tensor:$src, Relax_Number:$start,
    Relax_Number:$end, Relax_Number:$step, Relax_Int<0>:$axis
  );
}

def Relax_IndexTensorOp
    : Relax_TensorOp<"index_tensor", "The elements at `indices`, which broadcast",
                     "inferIndexTensor(location, adaptor)",
                     [Relax_TVMTuple<1>]> {
  let arguments = (ins
    Relax_Tensor:$data, Variadic<Relax_TensorOrTuple>:$indices
  );
}

def Relax_IndexPutOp
    : Relax_TensorOp<"index_put", "Puts `values` at `indices`",
                     "inferIndexPut(location, adaptor)",
                     [Relax_TVMAttrs<"IndexPutAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_TensorOrTuple:$indices, Relax_Tensor:$values,
    Relax_Bool<"false">:$accumulate
  );
}

//===----------------------------------------------------------------------===//
// Search and sorting
//===----------------------------------------------------------------------===//

class Relax_ArgReductionOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferArgReduction(location, adaptor.getX(), "
                     "adaptor.getAxis(), adaptor.getKeepdims())",
                     [Relax_TVMAttrs<"ArgmaxArgminAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_OptionalInt:$axis, Relax_Bool<"false">:$keepdims
  );
}

def Relax_ArgmaxOp
    : Relax_ArgReductionOp<"argmax", "The index of the largest element">;
def Relax_ArgminOp
    : Relax_ArgReductionOp<"argmin", "The index of the smallest element">;

def Relax_BucketizeOp
    : Relax_TensorOp<"bucketize", "The interval of each element",
                     "inferBucketize(location, adaptor)",
                     [Relax_TVMAttrs<"BucketizeAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$input_tensor, Relax_Tensor:$boundaries,
    Relax_Bool<"false">:$out_int32, Relax_Bool<"false">:$right
  );
}

def Relax_NonzeroOp
    : Relax_TensorOp<"nonzero", "The indices of the elements that are not zero",
                     "inferNonzero(location, adaptor.getX())"> {
  let arguments = (ins Relax_Tensor:$x);
}

def Relax_UniqueOp
    : Relax_MultiResultOp<"unique", "The elements, each once",
                          "return inferUnique(location, adaptor, types);"> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Number:$sorted, Relax_Number:$return_index,
    Relax_Number:$return_inverse, Relax_Number:$return_counts,
    Optional<Relax_Number>:$axis
  );
}

def Relax_SortOp
    : Relax_TensorOp<"sort", "The elements in order along `axis`",
                     "inferSame(location, adaptor.getData())",
                     [Relax_TVMAttrs<"SortAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Int<-1>:$axis, Relax_Bool<"false">:$descending
  );
}

def Relax_ArgsortOp
    : Relax_TensorOp<"argsort", "The indices of the elements in order",
                     "inferConverted(location, adaptor.getData(), "
                     "adaptor.getDtypeAttr())",
                     [Relax_TVMAttrs<"ArgsortAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Int<-1>:$axis, Relax_Bool<"false">:$descending,
    Relax_OptionalDType:$dtype
  );
}

def Relax_TopKOp
    : Relax_MultiResultOp<"topk", "The `k` largest elements, and their indices",
                          "return inferTopK(location, adaptor, types);",
                          [Relax_TVMAttrs<"TopKAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_Int<1>:$k, Relax_Int<-1>:$axis,
    Relax_Str<"both">:$ret_type, Relax_Bool<"true">:$largest,
    Relax_OptionalDType:$dtype
  );
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class Relax_ReductionOp<string mnemonic, string desc>
    : Relax_ComputeOp<mnemonic,
                      "inferReduction(location, adaptor.getX(), "
                      "adaptor.getAxis(), adaptor.getKeepdims())",
                      [Relax_TVMAttrs<"StatisticalAttrs">]> {
  let summary = desc # " over the dimensions `axis`";
  let description = [{
    Without `axis`, over all dimensions. With `keepdims` the result has 1 in
    their place, otherwise it lacks them. It is an error when an axis is out of
    range or named twice.
  }];
  let arguments = (ins
    Relax_Tensor:$x, OptionalAttr<DenseI64ArrayAttr>:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdims
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x (`axis` `=` $axis^)? (`keepdims` `=` $keepdims^)? attr-dict `:`
    custom<Signature>(type($x), type($result))
  }];
}

def Relax_MaxOp : Relax_ReductionOp<"max", "Maximum">;
def Relax_MeanOp : Relax_ReductionOp<"mean", "Mean">;
def Relax_MinOp : Relax_ReductionOp<"min", "Minimum">;
def Relax_SumOp : Relax_ReductionOp<"sum", "Sum">;

def Relax_ProdOp : Relax_ReductionOp<"prod", "Product">;
def Relax_StdOp : Relax_ReductionOp<"std", "Standard deviation">;
def Relax_VarianceOp : Relax_ReductionOp<"variance", "Variance">;

def Relax_MedianOp
    : Relax_MultiResultOp<"median", "Median, and its index along one `axis`",
                          "return inferMedian(location, adaptor, types);",
                          [Relax_TVMAttrs<"StatisticalAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_OptionalAxes:$axis, Relax_Bool<"false">:$keepdims
  );
}

class Relax_ScanOp<string mnemonic, string desc>
    : Relax_TensorOp<mnemonic, desc,
                     "inferScan(location, adaptor.getData(), "
                     "adaptor.getAxis(), adaptor.getDtypeAttr())",
                     [Relax_TVMAttrs<"ScanopAttrs">]> {
  let arguments = (ins
    Relax_Tensor:$data, Relax_OptionalInt:$axis, Relax_OptionalDType:$dtype,
    Relax_Bool<"false">:$exclusive
  );
}

def Relax_CumprodOp : Relax_ScanOp<"cumprod", "Product up to each element">;
def Relax_CumsumOp : Relax_ScanOp<"cumsum", "Sum up to each element">;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS
