//===- DecomposeOpsForInference.cpp - Spell out ops in simpler ones -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in TVM, only batch_norm and tensor_to_shape are decomposed: layer_norm is
// faster as one op.
//
//===----------------------------------------------------------------------===//

#include "NarrowTypes.h"
#include "OpDecomposer.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_DECOMPOSEOPSFORINFERENCE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

/// Casts `value` to `type`, which may say more or less about it.
static Value castTo(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return MatchCastOp::create(builder, value.getLoc(), type, value);
}

DenseSet<StringAttr> partita::relax::collectNames(FuncOp func) {
  DenseSet<StringAttr> names;
  func->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        names.insert_range(getNames(type));
    for (Type type : op->getResultTypes())
      names.insert_range(getNames(type));
  });
  return names;
}

SmallVector<Dim> partita::relax::makeNames(MLIRContext *context, int64_t count,
                                           DenseSet<StringAttr> &names) {
  SmallVector<Dim> dims;
  for (unsigned next = 0; int64_t(dims.size()) < count; ++next) {
    auto name = StringAttr::get(context, next == 0 ? "x" : "x_" + Twine(next));
    if (names.insert(name).second)
      dims.push_back(name);
  }
  return dims;
}

ShapeOp partita::relax::decomposeShape(TensorToShapeOp op,
                                       DenseSet<StringAttr> &names) {
  auto tensor = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!tensor || tensor.getRank() != 1 || tensor.isDynamicDim(0))
    return nullptr;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  // The shape has the variable's name.
  Location unnamed = withoutName(loc);
  Type type = op.getResult().getType();
  SmallVector<Dim> dims =
      makeNames(op.getContext(), tensor.getDimSize(0), names);
  auto function = ExternFuncOp::create(
      builder, builder.getUnknownLoc(),
      TypeRange(ObjectType::get(builder.getContext())), ValueRange(),
      builder.getNamedAttr(
          "value", builder.getStringAttr("vm.builtin.tensor_to_shape")));
  auto call = CallPurePackedOp::create(
      builder, unnamed, TypeRange(type), ValueRange{function, op.getInput()},
      builder.getNamedAttr("ty_args", builder.getTypeArrayAttr(type)));
  auto shape =
      ShapeOp::create(builder, loc, ShapeAttr::get(builder.getContext(), dims));
  builder.setInsertionPoint(shape);
  MatchCastOp::create(builder, unnamed, shape.getType(), call.getResult());
  builder.setInsertionPointAfter(shape);
  replaceShape(op.getResult(), shape);
  if (!op->use_empty())
    op.getResult().replaceAllUsesWith(castTo(builder, shape, type));
  op.erase();
  return shape;
}

/// All ops of a kind: to replace one can erase others.
template <typename OpTy>
static SmallVector<OpTy> collect(FuncOp func) {
  SmallVector<OpTy> ops;
  func.walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

int64_t partita::relax::decomposeForInference(FuncOp func) {
  int64_t count = 0;
  // As in TVM, who runs this pass does not train.
  for (BatchNormOp norm : collect<BatchNormOp>(func)) {
    if (!hasRankedTensors(norm))
      continue;
    OpBuilder builder(norm);
    Value result =
        normalize(builder, norm, norm.getMovingMean(), norm.getMovingVar());
    Value mean =
        castTo(builder, norm.getMovingMean(), norm.getNewMean().getType());
    Value variance =
        castTo(builder, norm.getMovingVar(), norm.getNewVar().getType());
    replaceFields(builder, norm, {result, mean, variance});
    ++count;
  }
  SmallVector<TensorToShapeOp> shapes = collect<TensorToShapeOp>(func);
  DenseSet<StringAttr> names;
  bool isMoreKnown = false;
  if (!shapes.empty())
    names = collectNames(func);
  for (TensorToShapeOp op : shapes)
    if (decomposeShape(op, names)) {
      ++count;
      isMoreKnown = true;
    }
  if (isMoreKnown)
    narrowTypes(func);
  else if (count != 0)
    narrowResultTypes(func);
  return count;
}

namespace {
struct DecomposeOpsForInference
    : partita::relax::impl::DecomposeOpsForInferenceBase<
          DecomposeOpsForInference> {
  using DecomposeOpsForInferenceBase::DecomposeOpsForInferenceBase;

  void runOnOperation() override {
    if (!funcName.empty() && getOperation().getSymName() != funcName)
      return markAllAnalysesPreserved();
    int64_t count = decomposeForInference(getOperation());
    numDecomposed += count;
    if (count == 0)
      markAllAnalysesPreserved();
  }
};
} // namespace
