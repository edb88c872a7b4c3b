//===- ToNonDataflow.cpp - Dissolve dataflow blocks -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_TONONDATAFLOW
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct ToNonDataflow : relax::impl::ToNonDataflowBase<ToNonDataflow> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner blocks come before the blocks around them.
    getOperation()->walk([&](DataflowOp op) {
      Operation *output = op.getBody()->getTerminator();
      SmallVector<Value> values(output->getOperands());
      rewriter.eraseOp(output);
      rewriter.inlineBlockBefore(op.getBody(), op);
      rewriter.replaceOp(op, values);
      ++numBlocks;
    });
  }
};
} // namespace
