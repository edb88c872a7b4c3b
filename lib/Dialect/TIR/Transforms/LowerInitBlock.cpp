//===- LowerInitBlock.cpp - Make init regions conditions ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOWERINITBLOCK
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct LowerInitBlock : tir::impl::LowerInitBlockBase<LowerInitBlock> {
  void runOnOperation() override;
};
} // namespace

/// Replaces an init region by its statements. They run if each iterator of a
/// reduction is at its minimum.
static void lowerInit(BlockOp op, InitOp init) {
  OpBuilder builder(init);
  Location loc = init.getLoc();
  Value isFirst;
  for (auto [kind, iterator, min] :
       llvm::zip_equal(op.getKinds().getAsValueRange<StringAttr>(),
                       op.getBody().getArguments(), op.getMins())) {
    if (kind != "reduce")
      continue;
    Value isMin;
    if (iterator.getType().isSignlessIntOrIndex())
      isMin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    iterator, min);
    else
      isMin = PrimOp::create(builder, loc, builder.getI1Type(), "EQ",
                             ValueRange{iterator, min});
    isFirst =
        isFirst
            ? arith::AndIOp::create(builder, loc, isFirst, isMin).getResult()
            : isMin;
  }
  if (isFirst) {
    auto condition = scf::IfOp::create(builder, loc, isFirst);
    inlineBefore(init.getBody().front(), condition.thenYield());
  } else {
    inlineBefore(init.getBody().front(), init);
  }
  init.erase();
}

void LowerInitBlock::runOnOperation() {
  SmallVector<InitOp> inits;
  getOperation().walk([&](InitOp init) { inits.push_back(init); });
  if (inits.empty())
    return markAllAnalysesPreserved();
  for (InitOp init : inits)
    lowerInit(cast<BlockOp>(init->getParentOp()), init);
  numLowered += inits.size();
}
