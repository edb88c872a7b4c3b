//===- ConvertToDataflow.cpp - Put runs of pure ops into blocks -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that need pure code work on dataflow blocks. Code from elsewhere lacks
// them.
//
//===----------------------------------------------------------------------===//

#include "BindingCanonicalizer.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_CONVERTTODATAFLOW
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct ConvertToDataflow
    : BindingPass<relax::impl::ConvertToDataflowBase<ConvertToDataflow>> {
  using BindingPass::BindingPass;

  void runOnOperation() override;

private:
  void convert(Block &block);
  void convert(ArrayRef<Operation *> run);
};
} // namespace

/// Whether `op` is a value that a block does not compute. A match_cast of the
/// block can introduce what sizes are made of.
static bool isLeaf(Operation *op) {
  if (auto shape = dyn_cast<ShapeOp>(op))
    return llvm::all_of(shape.getDims().getDims(),
                        [](Dim dim) { return dim.isNumber(); });
  return !isa<DimOp>(op) && isLiteral(op);
}

/// Whether `op` has no variable in TVM, but is part of its users' expressions.
static bool isImplied(Operation *op) {
  if (isa<ShapeOp, TupleGetItemOp, TupleOp>(op))
    return !isVar(op);
  return isa<MatchCastOp>(op) && isa<UnknownLoc>(op->getLoc());
}

/// Whether `op` only gives the variable of the op before it another type.
static bool isTypeOfVar(Operation *op) {
  Operation *previous = op->getPrevNode();
  return isa<MatchCastOp>(op) && previous && isVar(op) &&
         previous->getLoc() == op->getLoc() &&
         op->getOperand(0).getDefiningOp() == previous;
}

/// Whether `op` counts for the size of a block.
static bool isCounted(Operation *op) {
  return !isLiteral(op) && !isImplied(op) && !isTypeOfVar(op);
}

/// Moves ops that are part of another op to that op.
static void sinkImplied(Block &block) {
  SmallVector<Operation *> implied;
  for (Operation &op : block)
    if (isImplied(&op) && op.hasOneUse() &&
        op.user_begin()->getBlock() == &block)
      implied.push_back(&op);
  // Users come first; their parts stay in order.
  DenseMap<Operation *, Operation *> firstPart;
  for (Operation *op : llvm::reverse(implied)) {
    Operation *user = *op->user_begin();
    Operation *&first = firstPart.try_emplace(user, user).first->second;
    op->moveBefore(first);
    first = op;
  }
}

/// Whether `op` may stand in a dataflow block. As in TVM, control flow may not.
static bool isDataflow(Operation *op) {
  if (auto opaque = dyn_cast<OpaqueExprOp>(op);
      opaque && opaque.getKind() == "relax.expr.If")
    return false;
  return isa<DataflowOp, LocalFuncOp, MatchCastOp>(op) ||
         (op->getNumRegions() == 0 && isPureExpr(op));
}

/// Dissolves the blocks in `run`; returns its bindings.
static SmallVector<Operation *> flatten(ArrayRef<Operation *> run) {
  SmallVector<Operation *> ops;
  for (Operation *op : run) {
    auto dataflow = dyn_cast<DataflowOp>(op);
    if (!dataflow) {
      ops.push_back(op);
      continue;
    }
    Block *body = dataflow.getBody();
    for (Operation &inner : body->without_terminator())
      if (!isLeaf(&inner))
        ops.push_back(&inner);
    dataflow->replaceAllUsesWith(body->getTerminator()->getOperands());
    body->getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body->getOperations());
    op->erase();
  }
  return ops;
}

/// The values of `ops` that other ops use.
static SmallVector<Value> getOutputs(ArrayRef<Operation *> ops) {
  SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(
                op->getBlock()->findAncestorOpInBlock(*user));
          }))
        outputs.push_back(result);
  return outputs;
}

void ConvertToDataflow::convert(ArrayRef<Operation *> run) {
  // Ops that are part of the op after the run stay with it.
  while (!run.empty() && isImplied(run.back()))
    run = run.drop_back();
  int64_t size = 0;
  for (Operation *op : run) {
    if (auto dataflow = dyn_cast<DataflowOp>(op))
      size +=
          llvm::count_if(dataflow.getBody()->without_terminator(),
                         [](Operation &inner) { return isCounted(&inner); });
    else
      size += isCounted(op);
  }
  if (run.empty() || size < minSize ||
      (run.size() == 1 && isa<DataflowOp>(run.front())))
    return;

  // Leaves have no operands: they stay before the block, which takes the place
  // of the run's last op.
  OpBuilder builder(run.back()->getBlock(),
                    std::next(run.back()->getIterator()));
  SmallVector<Operation *> ops = flatten(run);
  SmallVector<Value> outputs = getOutputs(ops);
  // Exporters name the block's outputs by the block's locations.
  Location loc = FusedLoc::get(
      builder.getContext(),
      llvm::map_to_vector(outputs, [](Value value) { return value.getLoc(); }));
  auto dataflow =
      DataflowOp::create(builder, loc, TypeRange(ValueRange(outputs)));
  Block *body = dataflow.getBody();
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  for (auto [output, result] : llvm::zip(outputs, dataflow.getResults()))
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !dataflow->isProperAncestor(use.getOwner());
    });
  builder.setInsertionPointToEnd(body);
  OutputOp::create(builder, loc, outputs);
  ++numBlocks;
}

void ConvertToDataflow::convert(Block &block) {
  sinkImplied(block);
  SmallVector<SmallVector<Operation *>> runs(1);
  for (Operation &op : block.without_terminator()) {
    if (isLeaf(&op))
      continue;
    if (isDataflow(&op)) {
      runs.back().push_back(&op);
      continue;
    }
    runs.emplace_back();
    if (isa<IfOp>(op))
      for (Region &region : op.getRegions())
        convert(region.front());
  }
  for (ArrayRef<Operation *> run : runs)
    convert(run);
}

void ConvertToDataflow::runOnOperation() {
  getOperation()->walk([&](LocalFuncOp local) { convert(*local.getBody()); });
  for (Block &block : getOperation().getBody())
    convert(block);
  // As in TVM, aliases count, and then give way to their values.
  if (failed(canonicalizeBindings(getOperation(), patterns)))
    signalPassFailure();
}
