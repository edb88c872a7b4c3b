//===- ConvertBlocksToOpaque.cpp - Replace iterators of blocks ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

namespace partita::tir {
#define GEN_PASS_DEF_CONVERTBLOCKSTOOPAQUE
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct ConvertBlocksToOpaque
    : tir::impl::ConvertBlocksToOpaqueBase<ConvertBlocksToOpaque> {
  void runOnOperation() override;
};
} // namespace

static LogicalResult convert(BlockOp op) {
  Block &block = op.getBody().front();
  for (InitOp init : block.getOps<InitOp>())
    return init.emitError(
        "expected a block without it; run tir.LowerInitBlock first");
  for (auto [argument, binding] :
       llvm::zip_equal(block.getArguments(), op.getBindings()))
    argument.replaceAllUsesWith(binding);
  block.eraseArguments(0, block.getNumArguments());
  op.setKindsAttr(Builder(op->getContext()).getStrArrayAttr({}));
  op.getBindingsMutable().clear();
  op.getMinsMutable().clear();
  op.getExtentsMutable().clear();
  return success();
}

void ConvertBlocksToOpaque::runOnOperation() {
  bool hasChanged = false;
  WalkResult result = getOperation().walk([&](BlockOp op) {
    if (op.getBindings().empty())
      return WalkResult::advance();
    hasChanged = true;
    ++numConverted;
    return WalkResult(convert(op));
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  if (!hasChanged)
    markAllAnalysesPreserved();
}
