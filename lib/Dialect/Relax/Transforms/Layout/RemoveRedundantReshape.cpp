//===- RemoveRedundantReshape.cpp - Drop reshapes of reshapes -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "../BindingCanonicalizer.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_REMOVEREDUNDANTRESHAPE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

/// Whether a tensor of type `a` surely has the shape of one of type `b`.
static bool haveSameShape(Type a, Type b) {
  std::optional<TensorInfo> first = TensorInfo::get(a),
                            second = TensorInfo::get(b);
  return first && second && first->isRanked && second->isRanked &&
         first->dims == second->dims &&
         first->lacksShape == second->lacksShape &&
         llvm::none_of(first->dims, [](Dim dim) { return dim.isUnknown(); });
}

namespace {
struct RemoveRedundantReshape
    : BindingPass<partita::relax::impl::RemoveRedundantReshapeBase<
          RemoveRedundantReshape>> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isExternal() || isPrimitive(func))
      return markAllAnalysesPreserved();
    // In program order, so that no reshape takes a reshape any more.
    bool changed = hasPlainBindings(func);
    func.walk<WalkOrder::PreOrder>([&](ReshapeOp reshape) {
      if (auto before = reshape.getX().getDefiningOp<ReshapeOp>()) {
        reshape.getXMutable().assign(before.getX());
        changed = true;
      }
      if (!haveSameShape(reshape.getX().getType(), reshape.getType()))
        return;
      reshape.getResult().replaceAllUsesWith(reshape.getX());
      ++numDropped;
      changed = true;
    });
    if (!changed)
      return markAllAnalysesPreserved();
    if (failed(cleanUpBindings(func, patterns)))
      signalPassFailure();
  }
};
} // namespace
