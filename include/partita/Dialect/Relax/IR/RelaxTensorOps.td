//===- RelaxTensorOps.td - Ops on tensors ------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS
#define PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS

include "partita/Dialect/Relax/IR/RelaxBase.td"

//===----------------------------------------------------------------------===//
// Elementwise, of one operand
//===----------------------------------------------------------------------===//

// The result has the operand's type.
class Relax_UnaryOp<string mnemonic, string desc, Type type = Relax_FloatTensor>
    : Relax_Op<mnemonic, [AllTypesMatch<["x", "result"]>, Pure]> {
  let summary = desc # ", element by element";
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Relax_AbsOp : Relax_UnaryOp<"abs", "Absolute value", Relax_Tensor>;
def Relax_ExpOp : Relax_UnaryOp<"exp", "Exponential">;
def Relax_LogOp : Relax_UnaryOp<"log", "Natural logarithm">;
def Relax_NegativeOp : Relax_UnaryOp<"negative", "Negation", Relax_Tensor> {
  let hasFolder = 1;
}
def Relax_RsqrtOp : Relax_UnaryOp<"rsqrt", "Reciprocal of the square root">;
def Relax_SigmoidOp : Relax_UnaryOp<"sigmoid", "Logistic function">;
def Relax_SqrtOp : Relax_UnaryOp<"sqrt", "Square root">;
def Relax_TanhOp : Relax_UnaryOp<"tanh", "Hyperbolic tangent">;

def Relax_AstypeOp
    : Relax_ComputeOp<"astype", "inferAstype(location, adaptor)"> {
  let summary = "Converts the elements to `dtype`";
  let description = [{
    ```mlir
    %0 = relax.astype %x : tensor<8xf32> -> tensor<8xf16>
    ```

    The assembly takes `dtype` from the result.
  }];
  let arguments = (ins Relax_Tensor:$x, TypeAttr:$dtype);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x attr-dict `:` custom<Astype>(type($x), type($result), $dtype)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Elementwise, of two operands
//===----------------------------------------------------------------------===//

class Relax_BinaryOp<string mnemonic, string desc, list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic,
                      "inferBroadcast(location, adaptor.getLhs(), "
                      "adaptor.getRhs())", traits> {
  let summary = desc # ", element by element";
  let description = [{
    The shapes broadcast as in NumPy, names of dimensions included. It is an
    error when they do not, or when the element types differ.
  }];
  let arguments = (ins Relax_Tensor:$lhs, Relax_Tensor:$rhs);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
    custom<Signature>(type($lhs), type($rhs), type($result))
  }];
}

class Relax_FoldedBinaryOp<string mnemonic, string desc,
                           list<Trait> traits = []>
    : Relax_BinaryOp<mnemonic, desc, traits> {
  let hasFolder = 1;
}

def Relax_AddOp : Relax_FoldedBinaryOp<"add", "Sum", [Commutative]>;
def Relax_DivideOp : Relax_FoldedBinaryOp<"divide", "Quotient">;
def Relax_MaximumOp : Relax_BinaryOp<"maximum", "The larger one">;
def Relax_MinimumOp : Relax_BinaryOp<"minimum", "The smaller one">;
def Relax_MultiplyOp
    : Relax_FoldedBinaryOp<"multiply", "Product", [Commutative]>;
def Relax_PowerOp : Relax_FoldedBinaryOp<"power", "Power">;
def Relax_SubtractOp : Relax_FoldedBinaryOp<"subtract", "Difference">;

def Relax_MatmulOp
    : Relax_ComputeOp<"matmul", "inferMatmul(location, adaptor)"> {
  let summary = "Matrix product, as NumPy's matmul";
  let description = [{
    The last two dimensions are those of the matrices; the ones before them
    broadcast. An operand of rank 1 is a row on the left and a column on the
    right, and its dimension is not in the result. `out_dtype` is the result's
    element type where it differs from the operands'.

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

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def Relax_PermuteDimsOp
    : Relax_ComputeOp<"permute_dims", "inferPermuteDims(location, adaptor)"> {
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
    : Relax_ComputeOp<"expand_dims", "inferExpandDims(location, adaptor)"> {
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
    : Relax_ComputeOp<"squeeze", "inferSqueeze(location, adaptor)"> {
  let summary = "Removes dimensions of size 1";
  let description = [{
    Without `axis`, all of them; then every size must be a number.

    ```mlir
    %0 = relax.squeeze %x axis = [0] : tensor<1x8x1xf32> -> tensor<8x1xf32>
    ```

    It is an error when an axis is out of range, named twice, or of a size that
    is known not to be 1.
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
    : Relax_ComputeOp<"concat", "inferConcat(location, adaptor)"> {
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
    Variadic<Relax_Tensor>:$tensors, OptionalAttr<I64Attr>:$axis
  );
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $tensors (`axis` `=` $axis^)? attr-dict `:`
    type($tensors) `->` type($result)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class Relax_ReductionOp<string mnemonic, string desc>
    : Relax_ComputeOp<mnemonic,
                      "inferReduction(location, adaptor.getX(), "
                      "adaptor.getAxis(), adaptor.getKeepdims())"> {
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

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTENSOROPS
