//===- RelaxElementwiseOps.td - Ops on each element --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXELEMENTWISEOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXELEMENTWISEOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"

//===----------------------------------------------------------------------===//
// Of one operand
//===----------------------------------------------------------------------===//

// The result has the operand's type.
class Relax_UnaryOp<string mnemonic, string desc, Type type = Relax_FloatTensor,
                    string infer = "inferSame(location, adaptor.getX())">
    : Relax_ComputeOp<mnemonic, infer> {
  let summary = desc # ", element by element";
  let arguments = (ins type:$x);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $x attr-dict `:` custom<Signature>(type($x), type($result))
  }];
}

def Relax_AbsOp : Relax_UnaryOp<"abs", "Absolute value", Relax_Tensor>;
def Relax_AcosOp : Relax_UnaryOp<"acos", "Arc cosine">;
def Relax_AcoshOp : Relax_UnaryOp<"acosh", "Inverse hyperbolic cosine">;
def Relax_AsinOp : Relax_UnaryOp<"asin", "Arc sine">;
def Relax_AsinhOp : Relax_UnaryOp<"asinh", "Inverse hyperbolic sine">;
def Relax_AtanOp : Relax_UnaryOp<"atan", "Arc tangent">;
def Relax_AtanhOp : Relax_UnaryOp<"atanh", "Inverse hyperbolic tangent">;
def Relax_BitwiseNotOp : Relax_UnaryOp<"bitwise_not", "Complement of the bits", Relax_Tensor>;
def Relax_CeilOp : Relax_UnaryOp<"ceil", "The least integer that is not smaller", Relax_Tensor>;
def Relax_CosOp : Relax_UnaryOp<"cos", "Cosine">;
def Relax_CoshOp : Relax_UnaryOp<"cosh", "Hyperbolic cosine">;
def Relax_ErfOp : Relax_UnaryOp<"erf", "Error function">;
def Relax_ExpOp : Relax_UnaryOp<"exp", "Exponential">;
def Relax_FloorOp : Relax_UnaryOp<"floor", "The largest integer that is not larger", Relax_Tensor>;
def Relax_LogOp : Relax_UnaryOp<"log", "Natural logarithm">;
def Relax_LogicalNotOp : Relax_UnaryOp<"logical_not", "Whether it is false", Relax_Tensor>;
def Relax_NegativeOp : Relax_UnaryOp<"negative", "Negation", Relax_Tensor> {
  let hasFolder = 1;
}
def Relax_RoundOp : Relax_UnaryOp<"round", "The nearest integer", Relax_Tensor>;
def Relax_RsqrtOp : Relax_UnaryOp<"rsqrt", "Reciprocal of the square root">;
def Relax_SigmoidOp : Relax_UnaryOp<"sigmoid", "Logistic function">;
def Relax_SignOp : Relax_UnaryOp<"sign", "-1, 0 or 1", Relax_Tensor>;
def Relax_SinOp : Relax_UnaryOp<"sin", "Sine">;
def Relax_SinhOp : Relax_UnaryOp<"sinh", "Hyperbolic sine">;
def Relax_SqrtOp : Relax_UnaryOp<"sqrt", "Square root">;
def Relax_SquareOp : Relax_UnaryOp<"square", "Square", Relax_Tensor>;
def Relax_TanOp : Relax_UnaryOp<"tan", "Tangent">;
def Relax_TanhOp : Relax_UnaryOp<"tanh", "Hyperbolic tangent">;
def Relax_TruncOp : Relax_UnaryOp<"trunc", "The integer part", Relax_Tensor>;

// The result is a boolean.
class Relax_CheckOp<string mnemonic, string desc>
    : Relax_UnaryOp<mnemonic, desc, Relax_Tensor,
                    "inferCheck(location, adaptor.getX())">;

def Relax_IsFiniteOp : Relax_CheckOp<"isfinite", "Whether it is finite">;
def Relax_IsInfOp : Relax_CheckOp<"isinf", "Whether it is infinite">;
def Relax_IsNanOp : Relax_CheckOp<"isnan", "Whether it is not a number">;

def Relax_AstypeOp
    : Relax_ComputeOp<"astype",
                      "inferConverted(location, adaptor.getX(), "
                      "adaptor.getDtypeAttr())",
                      [Relax_TVMAttrs<"AstypeAttrs">]> {
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

def Relax_ClipOp
    : Relax_TensorOp<"clip", "Limits the elements to `min` .. `max`",
                     "inferSame(location, adaptor.getX())"> {
  let arguments = (ins
    Relax_Tensor:$x, Relax_Number:$min, Relax_Number:$max
  );
}

//===----------------------------------------------------------------------===//
// Of two operands
//===----------------------------------------------------------------------===//

class Relax_BinaryOp<string mnemonic, string desc, list<Trait> traits = [],
                     string infer = "inferBroadcast">
    : Relax_ComputeOp<mnemonic,
                      infer # "(location, adaptor.getLhs(), adaptor.getRhs())",
                      traits> {
  let summary = desc # ", element by element";
  let description = [{
    The shapes broadcast as in NumPy, names of dimensions included: where a name
    meets a number or another name, the result's dimension is unknown. A number
    is a tensor of shape [1]. It is an error when sizes differ and neither is 1,
    or when the element types differ and neither is boolean.
  }];
  let arguments = (ins Relax_TensorOrNumber:$lhs, Relax_TensorOrNumber:$rhs);
  let results = (outs Relax_TensorOrNumber:$result);
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

// The result is a boolean.
class Relax_ComparisonOp<string mnemonic, string desc, list<Trait> traits = []>
    : Relax_BinaryOp<mnemonic, desc, traits, "inferComparison">;

def Relax_AddOp : Relax_FoldedBinaryOp<"add", "Sum", [Commutative]>;
def Relax_Atan2Op : Relax_BinaryOp<"atan2", "Angle of the point (rhs, lhs)">;
def Relax_BitwiseAndOp
    : Relax_BinaryOp<"bitwise_and", "Conjunction of the bits", [Commutative]>;
def Relax_BitwiseOrOp
    : Relax_BinaryOp<"bitwise_or", "Disjunction of the bits", [Commutative]>;
def Relax_BitwiseXorOp
    : Relax_BinaryOp<"bitwise_xor", "Exclusive disjunction of the bits", [Commutative]>;
def Relax_DivideOp : Relax_FoldedBinaryOp<"divide", "Quotient">;
def Relax_FloorDivideOp
    : Relax_BinaryOp<"floor_divide", "Quotient, rounded down">;
def Relax_FloorModOp : Relax_BinaryOp<"floor_mod", "Remainder of floor_divide">;
def Relax_LeftShiftOp : Relax_BinaryOp<"left_shift", "Bits moved to the left">;
def Relax_LogAddExpOp
    : Relax_BinaryOp<"log_add_exp", "log(exp(lhs) + exp(rhs))", [Commutative]>;
def Relax_LogicalAndOp
    : Relax_BinaryOp<"logical_and", "Conjunction", [Commutative]>;
def Relax_LogicalOrOp
    : Relax_BinaryOp<"logical_or", "Disjunction", [Commutative]>;
def Relax_LogicalXorOp
    : Relax_BinaryOp<"logical_xor", "Exclusive disjunction", [Commutative]>;
def Relax_MaximumOp : Relax_BinaryOp<"maximum", "The larger one">;
def Relax_MinimumOp : Relax_BinaryOp<"minimum", "The smaller one">;
def Relax_ModOp
    : Relax_BinaryOp<"mod", "Remainder of the quotient that is rounded to zero">;
def Relax_MultiplyOp
    : Relax_FoldedBinaryOp<"multiply", "Product", [Commutative]>;
def Relax_PowerOp : Relax_FoldedBinaryOp<"power", "Power">;
def Relax_RightShiftOp
    : Relax_BinaryOp<"right_shift", "Bits moved to the right">;
def Relax_SubtractOp : Relax_FoldedBinaryOp<"subtract", "Difference">;

def Relax_EqualOp
    : Relax_ComparisonOp<"equal", "Whether both are equal", [Commutative]>;
def Relax_GreaterOp
    : Relax_ComparisonOp<"greater", "Whether the left one is larger">;
def Relax_GreaterEqualOp
    : Relax_ComparisonOp<"greater_equal", "Whether the left one is not smaller">;
def Relax_LessOp
    : Relax_ComparisonOp<"less", "Whether the left one is smaller">;
def Relax_LessEqualOp
    : Relax_ComparisonOp<"less_equal", "Whether the left one is not larger">;
def Relax_NotEqualOp
    : Relax_ComparisonOp<"not_equal", "Whether both differ", [Commutative]>;

//===----------------------------------------------------------------------===//
// Of three operands
//===----------------------------------------------------------------------===//

def Relax_EwiseFMAOp
    : Relax_TensorOp<"ewise_fma", "x1 * x2 + x3, element by element",
                     "inferSameShape(location, {adaptor.getX1(), "
                     "adaptor.getX2(), adaptor.getX3()})"> {
  let arguments = (ins Relax_Tensor:$x1, Relax_Tensor:$x2, Relax_Tensor:$x3);
}

def Relax_WhereOp
    : Relax_TensorOp<"where", "x1 where `condition` holds, and x2 elsewhere",
                     "inferWhere(location, adaptor)"> {
  let arguments = (ins
    Relax_Tensor:$condition, Relax_Tensor:$x1, Relax_Tensor:$x2
  );
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXELEMENTWISEOPS
