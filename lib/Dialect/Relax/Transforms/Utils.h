//===- Utils.h - What passes on Relax have in common ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

#include "llvm/ADT/SetVector.h"

namespace partita::relax {

/// `op`, or the op in its place, without the results that nothing uses.
DataflowOp dropUnusedOutputs(DataflowOp op);

/// The numbers of ops and outputs that eraseUnused erased.
struct NumErased {
  int64_t ops = 0, outputs = 0;
};

/// Erases the ops of `block`, and of the blocks in it, without side effects
/// whose results nothing uses, and outputs of dataflow blocks that nothing
/// uses.
NumErased eraseUnused(mlir::Block &block);

/// The rewrite of EliminateCommonSubexpr, for passes that end with it in TVM.
/// Adds the number of erased ops to `numErased`; returns whether `func`
/// changed.
bool eliminateCommonSubexpr(FuncOp func, bool callOnly, int64_t &numErased);

/// Adds the ops of `op`'s arguments, if it is a call that writes some of these,
/// to `sources`: they are not to be merged with others, nor constants. Returns
/// whether it is such a call.
bool addWrittenInPlace(mlir::Operation *op,
                       llvm::SetVector<mlir::Operation *> &sources);

/// Whether TVM has marked `func` as a single kernel.
inline bool isPrimitive(FuncOp func) {
  auto primitive = func->getAttrOfType<mlir::IntegerAttr>("Primitive");
  return primitive && !primitive.getValue().isZero();
}

/// Whether `argument` is a parameter of a function that holds a weight.
inline bool isWeight(mlir::BlockArgument argument) {
  auto func = llvm::dyn_cast<FuncOp>(argument.getOwner()->getParentOp());
  auto numInput = func ? func->getAttrOfType<mlir::IntegerAttr>("num_input")
                       : mlir::IntegerAttr();
  return numInput && !numInput.getValue().isNegative() &&
         numInput.getValue().ule(argument.getArgNumber());
}

/// Whether `op`, an average pool, sums smaller integers in 32 bits. It does so
/// if it pads, as the zeros that TVM pads with have 32 bits.
template <typename PoolOp>
bool sumsInInt32(PoolOp op) {
  auto type = mlir::dyn_cast<mlir::IntegerType>(
      mlir::getElementTypeOrSelf(op.getData()));
  auto isPositive = [](int64_t size) { return size > 0; };
  auto hasStep = [](int64_t stride) { return stride > 1; };
  return type && type.getWidth() < 32 &&
         (llvm::any_of(op.getPadding(), isPositive) ||
          (op.getCeilMode() && llvm::any_of(op.getStrides(), hasStep)));
}

/// Whether `op` is a value that nothing computes: a size, a function. A tuple
/// is made of other values.
inline bool isPlainValue(mlir::Operation *op) {
  return op->hasTrait<IsValue>() && !llvm::isa<TupleOp>(op);
}

/// Whether `op` is a value that a program writes down: a constant, a size, a
/// function.
inline bool isLiteral(mlir::Operation *op) {
  return op->hasTrait<mlir::OpTrait::ConstantLike>() || isPlainValue(op);
}

/// Whether `op` is a literal, or a tuple or a field without a variable in TVM.
inline bool isLiteralOrTuple(mlir::Operation *op) {
  return isLiteral(op) ||
         (llvm::isa<TupleOp, TupleGetItemOp>(op) && !isVar(op));
}

/// Whether the type says each dimension.
inline bool isShapeKnown(const TensorInfo &info) {
  return info.isRanked && !info.lacksShape &&
         llvm::none_of(info.dims, [](Dim dim) { return dim.isUnknown(); });
}

/// Makes `op` again, to give `outputs`. `op` keeps its uses, and is to be
/// erased.
DataflowOp createWithOutputs(DataflowOp op, mlir::ValueRange outputs);

/// Puts the ops of dataflow blocks of `func` in the place of the blocks.
/// Returns the number of blocks.
int64_t dissolveBlocks(FuncOp func);

/// Calls a prim_func that overwrites the arguments `indices`; -1 is for a
/// result that overwrites none.
CallTIRInplaceOp createCallTIRInplace(mlir::OpBuilder &builder,
                                      mlir::Location loc, mlir::Type result,
                                      mlir::FlatSymbolRefAttr callee,
                                      mlir::ValueRange arguments,
                                      llvm::ArrayRef<int64_t> indices);

/// The type of a tensor that is known to be ranked.
inline mlir::RankedTensorType getRankedType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// `axis`, which there is, from the front.
inline int64_t fromFront(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// Whether all tensors that `op` takes and gives have a builtin, ranked type.
inline bool hasRankedTensors(mlir::Operation *op) {
  auto isRanked = [](mlir::Type type) {
    return llvm::isa<mlir::RankedTensorType>(type) || !TensorInfo::get(type);
  };
  return llvm::all_of(op->getOperandTypes(), isRanked) &&
         llvm::all_of(op->getResultTypes(), isRanked);
}

/// Whether the dimensions of layouts are whole: NHWC, not NCHW4c.
inline bool arePlainLayouts(llvm::ArrayRef<llvm::StringRef> layouts) {
  return llvm::all_of(layouts, [](llvm::StringRef layout) {
    return llvm::all_of(layout, [](char c) { return c >= 'A' && c <= 'Z'; });
  });
}

/// Makes a shape, which has no variable, as part of the op that takes it.
inline mlir::Value createShape(mlir::OpBuilder &builder,
                               llvm::ArrayRef<Dim> dims) {
  return ShapeOp::create(builder, builder.getUnknownLoc(),
                         ShapeAttr::get(builder.getContext(), dims));
}

/// Makes a number that has no variable.
inline mlir::Value createInt(mlir::OpBuilder &builder, int64_t value) {
  return PrimValueOp::create(builder, builder.getUnknownLoc(),
                             builder.getI64IntegerAttr(value));
}

/// Makes a constant of rank 0; `value` is rounded to the float type `type`.
inline mlir::Value createScalar(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Type type, double value) {
  return ConstantOp::create(
      builder, loc,
      mlir::DenseElementsAttr::get(
          mlir::RankedTensorType::get({}, type),
          mlir::Attribute(mlir::FloatAttr::get(type, value))));
}

/// Reshapes `x`, whose size is known, to rank `rank` with all elements in
/// dimension `axis`.
inline mlir::Value createAlong(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value x, int64_t axis, int64_t rank) {
  llvm::SmallVector<Dim> dims(rank, Dim(1));
  if (rank > 0)
    dims[axis] = getRankedType(x).getNumElements();
  return ReshapeOp::create(builder, loc, x, createShape(builder, dims));
}

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UTILS_H
