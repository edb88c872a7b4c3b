//===- OptimizeLayoutTransform.cpp - Drop layouts that are undone ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_OPTIMIZELAYOUTTRANSFORM
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The tensor without the padding that `value` lacks: what a call of the
/// prim_func remove_pad takes, which AlterOpImpl makes.
static Value getPadded(Value value, std::optional<SymbolTable> &symbols) {
  auto call = value.getDefiningOp<CallTIROp>();
  if (!call || call->getNumOperands() != 1 || call->getNumResults() != 1 ||
      !call->getOperand(0).getDefiningOp<LayoutTransformOp>())
    return value;
  if (!symbols)
    symbols.emplace(call->getParentOfType<IRModuleOp>());
  Operation *callee = symbols->lookup(call.getCallee());
  auto name = callee ? callee->getAttrOfType<StringAttr>("operator_name")
                     : StringAttr();
  return name && name.getValue() == "remove_pad" ? call->getOperand(0) : value;
}

/// The tensor that `transform` gives back, if it undoes another transform.
static Value findOriginal(LayoutTransformOp transform,
                          std::optional<SymbolTable> &symbols) {
  auto first =
      getPadded(transform.getX(), symbols).getDefiningOp<LayoutTransformOp>();
  // The padding that is dropped has no value that the program knows.
  if (!first || transform.getPadValue())
    return nullptr;
  AffineMap map = getIndexMap(first.getIndexMap()),
            back = getIndexMap(transform.getIndexMap());
  std::optional<TensorInfo> info = TensorInfo::get(first.getX().getType()),
                            result = TensorInfo::get(transform.getType());
  if (!map || !back || !info->isRanked || info->dims != result->dims ||
      llvm::any_of(info->dims, [](Dim dim) { return dim.isUnknown(); }) ||
      !isUndoneBy(map, back, info->dims))
    return nullptr;
  return first.getX();
}

/// The tensor of an equal transform in front of `transform`; null if there is
/// none in its block.
static Value findEqual(LayoutTransformOp transform) {
  for (Operation *user : transform.getX().getUsers())
    if (isa<LayoutTransformOp>(user) &&
        user->getBlock() == transform->getBlock() &&
        user->isBeforeInBlock(transform) &&
        OperationEquivalence::isEquivalentTo(
            user, transform, OperationEquivalence::IgnoreLocations))
      return user->getResult(0);
  return nullptr;
}

namespace {
struct OptimizeLayoutTransform
    : partita::relax::impl::OptimizeLayoutTransformBase<
          OptimizeLayoutTransform> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isExternal() || isPrimitive(func))
      return markAllAnalysesPreserved();
    std::optional<SymbolTable> symbols;
    func.walk<WalkOrder::PreOrder>([&](LayoutTransformOp transform) {
      Value other = findOriginal(transform, symbols);
      if (!other)
        other = findEqual(transform);
      if (other) {
        transform.getResult().replaceAllUsesWith(other);
        ++numDropped;
      }
    });
    dropLikeRewriter(func);
  }
};
} // namespace
