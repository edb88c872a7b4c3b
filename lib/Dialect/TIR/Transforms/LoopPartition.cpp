//===- LoopPartition.cpp - Split loops where conditions change ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearSum.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOOPPARTITION
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static constexpr StringLiteral hintName = "pragma_loop_partition_hint";
/// The parts of a loop, and the ops of all parts in a function. Parts of parts
/// would multiply.
static constexpr uint64_t maxParts = 32, maxPartOps = 1 << 16;

namespace {
struct LoopPartition : tir::impl::LoopPartitionBase<LoopPartition> {
  void runOnOperation() override;

private:
  void visit(Block &block);
  void partition(scf::ForOp loop);

  tir::transform::LoopPartitionConfig config;
  uint64_t numPartOps = 0;
};
} // namespace

/// Adds where `factor * x + number <= -1` begins to hold, or to fail.
static void addPoint(int64_t factor, int64_t number,
                     SmallVectorImpl<int64_t> &points) {
  points.push_back(factor > 0 ? llvm::divideFloorSigned(-1 - number, factor) + 1
                              : llvm::divideCeilSigned(-1 - number, factor));
}

/// Adds the values of `var` where `compare` begins or ceases to be known,
/// whatever the values of the other variables.
static void addPoints(arith::CmpIOp compare, Value var,
                      SmallVectorImpl<int64_t> &points) {
  if (!isIndexInteger(compare.getLhs().getType()))
    return;
  IntegerFacts facts(compare);
  LinearSum sum(facts.simplify(add(facts.getExpr(compare.getLhs()),
                                   facts.getExpr(compare.getRhs()), -1)));
  int64_t factor = 0, least = sum.number, most = sum.number;
  for (auto [term, times] : sum.terms) {
    auto dim = dyn_cast<AffineDimExpr>(term);
    Value leaf = dim ? facts.getLeaves()[dim.getPosition()] : Value();
    if (leaf == var) {
      factor = times;
      continue;
    }
    auto argument = dyn_cast_or_null<BlockArgument>(leaf);
    std::optional<IntegerRange> range =
        argument ? getConstantRange(argument) : std::nullopt;
    int64_t first = 0, last = 0;
    if (!range || llvm::MulOverflow(times, range->first, first) ||
        llvm::MulOverflow(times, range->last, last) ||
        llvm::AddOverflow(least, std::min(first, last), least) ||
        llvm::AddOverflow(most, std::max(first, last), most))
      return;
  }
  constexpr int64_t limit = int64_t(1) << 60;
  if (factor == 0 || least < -limit || most > limit)
    return;
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  for (int64_t number : {least, most}) {
    if (predicate != CmpIPredicate::sle && predicate != CmpIPredicate::sgt)
      addPoint(factor, number, points);
    if (predicate != CmpIPredicate::slt && predicate != CmpIPredicate::sge)
      addPoint(factor, number - 1, points);
  }
}

/// Adds the points of the comparisons that `condition` consists of.
static void addConditionPoints(Value condition, Value var,
                               SmallVectorImpl<int64_t> &points) {
  constexpr unsigned maxConditions = 64;
  SmallVector<Value> worklist = {condition};
  for (unsigned i = 0; i != worklist.size() && i != maxConditions; ++i) {
    Operation *op = worklist[i].getDefiningOp();
    auto call = dyn_cast_or_null<CallIntrinOp>(op);
    if (isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) ||
        (call && isLikely(call)))
      llvm::append_range(worklist, op->getOperands());
    else if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      addPoints(compare, var, points);
  }
}

/// The first values of the parts of `loop`, except for the first part.
static SmallVector<int64_t>
getPoints(scf::ForOp loop, const IntegerRange &range, bool isHinted) {
  SmallVector<int64_t> points;
  Value var = loop.getInductionVar();
  loop.getBody()->walk([&](Operation *op) {
    if (auto call = dyn_cast<CallIntrinOp>(op); call && isLikely(call))
      addConditionPoints(call.getArgs()[0], var, points);
    else if (auto condition = dyn_cast<scf::IfOp>(op); condition && isHinted)
      addConditionPoints(condition.getCondition(), var, points);
    else if (auto select = dyn_cast<arith::SelectOp>(op); select && isHinted)
      addConditionPoints(select.getCondition(), var, points);
  });
  llvm::erase_if(points, [&](int64_t point) {
    return point <= range.first || point > range.last;
  });
  llvm::sort(points);
  points.erase(llvm::unique(points), points.end());
  return points;
}

void LoopPartition::partition(scf::ForOp loop) {
  std::optional<IntegerRange> range =
      getConstantRange(loop.getBody()->getArgument(0));
  bool isHinted = loop->hasAttr(hintName);
  loop->removeAttr(hintName);
  if (!range || loop.getNumResults() != 0 || loop.getUnsignedCmp() ||
      getConstant(loop.getStep()) != 1 ||
      !isIndexInteger(loop.getStep().getType()) ||
      !(isHinted || config.partitionConstLoop)) {
    visit(*loop.getBody());
    return;
  }
  SmallVector<int64_t> points = getPoints(loop, *range, isHinted);
  uint64_t numOps = 0;
  loop->walk([&](Operation *) { ++numOps; });
  if (points.empty() && isHinted &&
      config.unrollLoopWithPartitionHintNoInterval)
    loop->setAttr(loopKindName, StringAttr::get(&getContext(), "unrolled"));
  uint64_t numNewOps = numOps * (points.size() + 1);
  if (points.empty() || points.size() >= maxParts ||
      numPartOps + numNewOps > maxPartOps) {
    visit(*loop.getBody());
    return;
  }
  numPartOps += numNewOps;
  Type type = loop.getInductionVar().getType();
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  auto createNumber = [&](OpBuilder &builder, int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  };
  points.push_back(range->last + 1);
  int64_t first = range->first;
  for (int64_t next : points) {
    // As in TVM, each part counts from the first value of the loop.
    int64_t offset = first - range->first;
    bool isUnit = next - first == 1 && !config.noUnrollLoopWithExtentOne;
    auto part = cast<scf::ForOp>(builder.clone(*loop));
    part.setUpperBound(createNumber(builder, next - offset));
    part.getUpperBound().getDefiningOp()->moveBefore(part);
    OpBuilder inner = OpBuilder::atBlockBegin(part.getBody());
    if (offset != 0) {
      Value number = createNumber(inner, offset);
      Value var =
          arith::AddIOp::create(inner, loc, part.getInductionVar(), number,
                                arith::IntegerOverflowFlags::nsw);
      part.getInductionVar().replaceAllUsesExcept(var, var.getDefiningOp());
    }
    visit(*part.getBody());
    if (isUnit) {
      eraseAttrNodes(part.getInductionVar());
      part.getInductionVar().replaceAllUsesWith(part.getLowerBound());
      inlineBefore(*part.getBody(), part);
      part.erase();
    }
    first = next;
  }
  loop.erase();
  ++numPartitioned;
}

void LoopPartition::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      partition(loop);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
  }
}

/// Marks the loops whose variables have the hint, and drops the hints.
static void takeHints(Operation *func) {
  SmallVector<AttrOp> hints;
  func->walk([&](Operation *op) {
    if (auto node = dyn_cast<AttrNodeOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(node.getValue());
      if (argument && node.getAttr().getKey() == hintName)
        argument.getOwner()->getParentOp()->setAttr(
            hintName, UnitAttr::get(op->getContext()));
    } else if (auto attr = dyn_cast<AttrOp>(op);
               attr && attr.getKey() == hintName &&
               attr.getBody().getNumArguments() == 0) {
      hints.push_back(attr);
    }
  });
  for (AttrOp hint : hints)
    dissolve(hint);
}

void LoopPartition::runOnOperation() {
  config = tir::transform::LoopPartitionConfig::get(
      partita::transform::PassContext::current());
  numPartOps = 0;
  takeHints(getOperation());
  for (Block &block : getOperation().getBody())
    visit(block);
  // Both are only said for this pass.
  getOperation().walk([](CallIntrinOp call) {
    bool isIgnored =
        call.getIntrinsic().rsplit('.').second == "ignore_loop_partition" &&
        call.getArgs().size() == 1;
    if (!(isLikely(call) || isIgnored) || call->getNumResults() != 1)
      return;
    call.getResult().replaceAllUsesWith(call.getArgs()[0]);
    call.erase();
  });
}
