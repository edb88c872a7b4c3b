//===- RelaxDetail.h - What the generated op definitions call ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Type inference and assembly directives that the records of the ops name.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H
#define PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

//===----------------------------------------------------------------------===//
// Type inference
//===----------------------------------------------------------------------===//

using OptionalLoc = std::optional<mlir::Location>;
using OptionalAxes = std::optional<llvm::ArrayRef<int64_t>>;

/// The attributes of a pooling op.
struct Pool2D {
  llvm::ArrayRef<int64_t> poolSize, strides, dilation, padding;
  bool ceilMode;
  llvm::StringRef layout, outLayout;
};

llvm::FailureOr<mlir::Type> inferAstype(OptionalLoc loc, AstypeOp::Adaptor op);
llvm::LogicalResult inferBatchNorm(OptionalLoc loc, BatchNormOp::Adaptor op,
                                   llvm::SmallVectorImpl<mlir::Type> &types);
llvm::FailureOr<mlir::Type> inferBroadcast(OptionalLoc loc, mlir::Value lhs,
                                           mlir::Value rhs);
llvm::FailureOr<mlir::Type> inferConcat(OptionalLoc loc, ConcatOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferConv2D(OptionalLoc loc, Conv2DOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferExpandDims(OptionalLoc loc,
                                            ExpandDimsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferLayerNorm(OptionalLoc loc,
                                           LayerNormOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferMatmul(OptionalLoc loc, MatmulOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferPermuteDims(OptionalLoc loc,
                                             PermuteDimsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferPool2D(OptionalLoc loc, mlir::Value data,
                                        const Pool2D &pool);
llvm::FailureOr<mlir::Type> inferReduction(OptionalLoc loc, mlir::Value x,
                                           OptionalAxes axis, bool keepdims);
llvm::FailureOr<mlir::Type> inferReshape(OptionalLoc loc,
                                         ReshapeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferShape(OptionalLoc loc, ShapeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferSqueeze(OptionalLoc loc,
                                         SqueezeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferTuple(mlir::MLIRContext *context,
                                       TupleOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferTupleGetItem(OptionalLoc loc,
                                              TupleGetItemOp::Adaptor op);

/// Appends the inferred type of an op with one result.
inline llvm::LogicalResult append(llvm::SmallVectorImpl<mlir::Type> &types,
                                  llvm::FailureOr<mlir::Type> type) {
  if (succeeded(type))
    types.push_back(*type);
  return type;
}

/// The type of `value`, which is operand `name`, if it is a ranked tensor.
llvm::FailureOr<mlir::RankedTensorType>
getTensor(OptionalLoc loc, mlir::Value value, llvm::StringRef name);

/// `axes` of a tensor of rank `rank` with no negative one, if they are all in
/// range and none is named twice.
llvm::FailureOr<llvm::SmallVector<int64_t>>
normalizeAxes(OptionalLoc loc, llvm::ArrayRef<int64_t> axes, int64_t rank);
llvm::FailureOr<int64_t> normalizeAxis(OptionalLoc loc, int64_t axis,
                                       int64_t rank);

/// The element type of the result: `outDtype` if given, else the operands'.
llvm::FailureOr<mlir::Type> inferElementType(OptionalLoc loc,
                                             mlir::RankedTensorType lhs,
                                             mlir::RankedTensorType rhs,
                                             mlir::TypeAttr outDtype = {});

/// Whether the program may run with `a` equal to `b`.
bool mayBeEqual(Dim a, Dim b);

/// The better known of two equal dimensions.
inline Dim merge(Dim a, Dim b) { return a.isUnknown() ? b : a; }

/// `[1, "n", ?]`, for messages.
std::string toString(llvm::ArrayRef<Dim> dims);

/// The given properties of an op that is yet to be built, with the defaults of
/// absent ones.
template <typename OpT>
typename mlir::PropertiesSelector<OpT>::type
fillProperties(mlir::MLIRContext *context, mlir::OpaqueProperties given) {
  typename mlir::PropertiesSelector<OpT>::type properties;
  if constexpr (OpT::hasProperties()) {
    if (given)
      properties = *given.as<decltype(properties) *>();
    OpT::populateDefaultProperties(
        mlir::OperationName(OpT::getOperationName(), context), properties);
  }
  return properties;
}

/// Whether no attribute with a default was removed from `op`.
template <typename OpT>
bool keepsDefaults(OpT op) {
  if constexpr (OpT::hasProperties()) {
    auto filled = op.getProperties();
    OpT::populateDefaultProperties(op->getName(), filled);
    return filled == op.getProperties();
  }
  return true;
}

/// Inference reads all operands that the op declares; callers that build ops
/// from data may give another number.
template <typename OpT>
llvm::LogicalResult checkOperandCount(OptionalLoc loc,
                                      mlir::ValueRange operands) {
  using namespace mlir::OpTrait;
  constexpr int expected = OpT::template hasTrait<ZeroOperands>()         ? 0
                           : OpT::template hasTrait<OneOperand>()         ? 1
                           : OpT::template hasTrait<NOperands<2>::Impl>() ? 2
                           : OpT::template hasTrait<NOperands<3>::Impl>() ? 3
                           : OpT::template hasTrait<NOperands<5>::Impl>() ? 5
                           : OpT::template hasTrait<VariadicOperands>()   ? -1
                                                                          : -2;
  static_assert(expected != -2, "expected another number of operands above");
  if (expected < 0 || operands.size() == static_cast<size_t>(expected))
    return mlir::success();
  return mlir::emitOptionalError(loc, "expected ", expected,
                                 " operands, found ", operands.size());
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// All effects there are.
void addAllEffects(llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<
                       mlir::MemoryEffects::Effect>> &effects);

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `T` when all types are T, and `T1, T2 -> R` otherwise.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser,
                             llvm::ArrayRef<mlir::Type *> types);
void printTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange types);

template <typename... Types>
mlir::ParseResult parseSignature(mlir::OpAsmParser &parser, Types &...types) {
  return parseTypes(parser, {&types...});
}
template <typename... Types>
void printSignature(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    Types... types) {
  printTypes(printer, llvm::ArrayRef<mlir::Type>{types...});
}

/// A signature whose result gives the op's dtype.
mlir::ParseResult parseAstype(mlir::OpAsmParser &parser, mlir::Type &x,
                              mlir::Type &result, mlir::TypeAttr &dtype);
void printAstype(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type x,
                 mlir::Type result, mlir::TypeAttr dtype);

/// A signature that leaves out a shape equal to the result's.
mlir::ParseResult parseReshape(mlir::OpAsmParser &parser, mlir::Type &x,
                               mlir::Type &shape, mlir::Type &result);
void printReshape(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::Type x, mlir::Type shape, mlir::Type result);

/// `out_layout = "NHWC"`, left out when it is the layout of the data.
mlir::ParseResult parseOutLayout(mlir::OpAsmParser &parser,
                                 mlir::StringAttr layout,
                                 mlir::StringAttr &outLayout);
void printOutLayout(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::StringAttr layout, mlir::StringAttr outLayout);

/// The dimensions of relax.shape.
mlir::ParseResult parseDims(mlir::OpAsmParser &parser, ShapeAttr &dims);
void printDims(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               ShapeAttr dims);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H
