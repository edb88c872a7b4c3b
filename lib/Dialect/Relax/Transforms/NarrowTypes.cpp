//===- NarrowTypes.cpp - Infer more specific types ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowTypes.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// `type` without the names of shapes that are variables: they say nothing of
/// the sizes, and are unknown outside of the function.
static Type withoutShapes(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(),
                          llvm::map_to_vector(tuple.getTypes(), withoutShapes));
  std::optional<TensorInfo> info = TensorInfo::get(type);
  if (!info || !info->shape)
    return type;
  info->shape = {};
  return info->getType(type.getContext());
}

/// The same, unless `before` has the name, too.
static Type withoutNewShape(Type type, Type before) {
  std::optional<TensorInfo> info = TensorInfo::get(type);
  std::optional<TensorInfo> known = TensorInfo::get(before);
  bool isKnown = info && known && info->shape == known->shape;
  return isKnown ? type : withoutShapes(type);
}

static void narrow(ValueRange values, TypeRange types) {
  if (values.size() != types.size())
    return;
  for (auto [value, inferred] : llvm::zip(values, types)) {
    Type type = withoutNewShape(inferred, value.getType());
    if (isMoreGeneral(value.getType(), type))
      value.setType(type);
  }
}

LogicalResult partita::relax::inferResults(Operation *op,
                                           SmallVector<Type> &types) {
  auto infers = dyn_cast<InferTypeOpInterface>(op);
  if (!infers || failed(infers.inferReturnTypes(
                     op->getContext(), /*location=*/std::nullopt,
                     op->getOperands(), op->getDiscardableAttrDictionary(),
                     op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  // Only the type of the copy says on which device it is.
  if (auto copy = dyn_cast<ToVDeviceOp>(op)) {
    std::optional<TensorInfo> info = TensorInfo::get(types.front());
    info->vdevice = TensorInfo::get(copy.getType())->vdevice;
    types.front() = info->getType(op->getContext());
  }
  return success();
}

void partita::relax::narrowResults(Operation *op) {
  if (isa<LocalFuncOp>(op))
    return;
  if (auto dataflow = dyn_cast<DataflowOp>(op))
    return narrow(op->getResults(),
                  dataflow.getBody()->getTerminator()->getOperandTypes());
  if (auto branches = dyn_cast<IfOp>(op)) {
    TypeRange types =
        branches.getThenRegion().front().getTerminator()->getOperandTypes();
    if (types ==
        branches.getElseRegion().front().getTerminator()->getOperandTypes())
      narrow(op->getResults(), types);
    return;
  }
  // Nothing says more than that.
  if (llvm::all_of(op->getResultTypes(), [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape();
      }))
    return;
  SmallVector<Type> types;
  // Operands that an op does not take are for the verifier to report.
  if (succeeded(inferResults(op, types)))
    narrow(op->getResults(), types);
}

static void narrowIn(Region &region) {
  for (Operation &op : region.getOps()) {
    if (isa<LocalFuncOp>(op))
      continue;
    for (Region &inner : op.getRegions())
      narrowIn(inner);
    narrowResults(&op);
  }
}

/// Whether `value` is a cast to a type that says no more and has no variable,
/// such as the cast to a function's less specific result type. `names` are the
/// names of sizes that the function's type can have.
static bool saysNoMore(Value value, const DenseSet<StringAttr> &names) {
  auto cast = value.getDefiningOp<MatchCastOp>();
  if (!cast || isVar(cast) || cast->hasAttr(FuncOp::getDimAttrName()))
    return false;
  Type type = cast.getValue().getType();
  return cast.getType() == type ||
         (isMoreGeneral(cast.getType(), type) && withoutShapes(type) == type &&
          llvm::all_of(getNames(type),
                       [&](StringAttr name) { return names.contains(name); }));
}

/// `type` without the sizes whose names are not in `known`, and without the
/// names of shapes.
static Type withoutNames(Type type, const DenseSet<StringAttr> &known) {
  return withoutShapes(mapDims(type, [&](Dim dim) {
    bool isKnown = true;
    if (dim.isName())
      forEachName(dim.getName(), [&](StringRef name) {
        isKnown &= known.contains(StringAttr::get(type.getContext(), name));
      });
    return isKnown ? dim : Dim();
  }));
}

void partita::relax::narrowTypes(FuncOp func) {
  narrowIn(func.getBody());
  narrowResultTypes(func);
}

void partita::relax::narrowResultTypes(FuncOp func) {
  auto untyped =
      StringAttr::get(func.getContext(), FuncOp::getUntypedAttrName());
  func.walk([&](Operation *op) {
    if (op->getRawDictionaryAttrs().empty())
      return;
    op->removeDiscardableAttr(untyped);
    // Other types that TVM had are out of date.
    for (StringRef name : {seqTypeAttrName, varTypeAttrName, unboundAttrName})
      op->removeDiscardableAttr(name);
  });
  // A pass of Python's can have erased it, which is for the verifier to report.
  Block &body = func.getBody().front();
  auto end = body.empty() ? ReturnOp() : dyn_cast<ReturnOp>(body.back());
  if (!end)
    return;
  DenseSet<StringAttr> names;
  if (llvm::any_of(end->getOperands(), [](Value value) {
        return value.getDefiningOp<MatchCastOp>() ||
               !getNames(value.getType()).empty();
      }))
    names.insert_range(func.getParameterNames());
  TypeRange before = func.getResultTypes();
  OpBuilder builder(end);
  for (auto [index, operand] : llvm::enumerate(end->getOpOperands())) {
    while (saysNoMore(operand.get(), names)) {
      auto cast = operand.get().getDefiningOp<MatchCastOp>();
      operand.set(cast.getValue());
      if (cast->use_empty())
        cast.erase();
    }
    Type type = operand.get().getType(), known = withoutNames(type, names);
    if (type != known && !(index < before.size() && type == before[index]))
      operand.set(MatchCastOp::create(builder, builder.getUnknownLoc(), known,
                                      operand.get()));
  }
  func.setType(FunctionType::get(func.getContext(), func.getArgumentTypes(),
                                 end->getOperandTypes()));
}

/// Whether a more specific shape, which has just become its operand, fits
/// `use`.
static bool fits(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto cast = dyn_cast<MatchCastOp>(user))
    return isCastable(use.get().getType(), cast.getType());
  if (isa<OutputOp, YieldOp, ReturnOp>(user))
    return true;
  SmallVector<Type> types;
  return succeeded(inferResults(user, types)) &&
         cast<InferTypeOpInterface>(user).isCompatibleReturnTypes(
             types, user->getResultTypes());
}

void partita::relax::replaceShape(Value shape, Value known) {
  for (OpOperand &use : llvm::make_early_inc_range(shape.getUses())) {
    use.set(known);
    if (!fits(use))
      use.set(shape);
  }
}

void partita::relax::keepImpossibleCasts(FuncOp func) {
  func.walk([](MatchCastOp cast) {
    if (isCastable(cast.getValue().getType(), cast.getType()))
      return;
    OpBuilder builder(cast);
    cast.getValueMutable().assign(MatchCastOp::create(
        builder, builder.getUnknownLoc(), ObjectType::get(builder.getContext()),
        cast.getValue()));
  });
}
