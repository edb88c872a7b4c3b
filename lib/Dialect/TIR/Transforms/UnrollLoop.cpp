//===- UnrollLoop.cpp - Repeat the bodies of short loops ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's rules, which come from Halide, choose the loops. Inner loops come
// first, since the rules count their unrolled size.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/SaveAndRestore.h"

namespace partita::tir {
#define GEN_PASS_DEF_UNROLLLOOP
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static constexpr StringLiteral serialKind = "serial", unrolledKind = "unrolled";

/// Loops that would grow to more ops than this count as loops without a
/// constant extent. TVM treats loops whose extent exceeds an int the same.
/// Nobody means to unroll such loops.
static constexpr uint64_t maxUnrolledOps = 1 << 20;

namespace {
/// The counts in TVM's rules.
struct Counts {
  /// Executed stores and calls.
  uint64_t steps = 0;
  /// The nesting depth of unrolled loops, and of other loops.
  int64_t unrollDepth = 0, normalDepth = 0;

  void merge(const Counts &other) {
    steps = llvm::SaturatingAdd(steps, other.steps);
    unrollDepth = std::max(unrollDepth, other.unrollDepth);
    normalDepth = std::max(normalDepth, other.normalDepth);
  }
};

/// The common parts of an scf.for and a tir.for.
struct Loop {
  Operation *op;
  StringRef kind;
  Block *body;
  Value var, lower;
  int64_t step;
  /// The number of iterations, if it is constant.
  std::optional<uint64_t> extent;
};

struct UnrollLoop : tir::impl::UnrollLoopBase<UnrollLoop> {
  void runOnOperation() override;

private:
  FailureOr<Counts> visit(Operation *op);
  FailureOr<Counts> visitRegions(Operation *op);
  FailureOr<Counts> visitPragma(AttrOp op);
  LogicalResult visitLoop(const Loop &loop, Counts &counts);
  void unroll(const Loop &loop, uint64_t extent);

  tir::transform::UnrollLoopConfig config;
};
} // namespace

/// Whether `op` would be a separate statement in TVM.
static bool isStep(Operation *op) {
  // An op whose value is used is part of its user's statement.
  if (isa<ReadsOp, WritesOp, BufferDeclOp, AttrNodeOp>(op) || !op->use_empty())
    return false;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Write>();
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

namespace {
/// A sum of a number and of values, each with its factor.
struct Sum {
  llvm::SmallMapVector<Value, int64_t, 4> values;
  int64_t number = 0;
  unsigned numTerms = 0;
};

/// Longer sums are not analyzed.
constexpr unsigned maxTerms = 64;
} // namespace

/// Adds `value` times `factor`, which is 1 or -1, to `sum`. As in TVM,
/// arithmetic is assumed not to overflow. Returns false if the numbers in the
/// sum overflow, or if it has too many terms.
static bool addTo(Sum &sum, Value value, int64_t factor) {
  if (++sum.numTerms > maxTerms)
    return false;
  if (std::optional<int64_t> number = getConstant(value)) {
    int64_t product;
    return !llvm::MulOverflow(*number, factor, product) &&
           !llvm::AddOverflow(sum.number, product, sum.number);
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op))
    return addTo(sum, op->getOperand(0), factor) &&
           addTo(sum, op->getOperand(1),
                 isa<arith::AddIOp>(op) ? factor : -factor);
  int64_t &count = sum.values[value];
  return !llvm::AddOverflow(count, factor, count);
}

/// `upper - lower`, if it is constant.
static std::optional<int64_t> getDistance(Value lower, Value upper) {
  Sum sum;
  if (!addTo(sum, upper, 1) || !addTo(sum, lower, -1) ||
      llvm::any_of(sum.values, [](auto &entry) { return entry.second != 0; }))
    return std::nullopt;
  return sum.number;
}

/// The number of iterations of `loop` over `distance`, if it is constant and
/// the type of the bounds holds all values of the variable.
static std::optional<uint64_t> getExtent(const Loop &loop,
                                         std::optional<int64_t> distance) {
  if (!distance || loop.step <= 0)
    return std::nullopt;
  if (*distance <= 0)
    return 0;
  uint64_t extent = llvm::divideCeil(uint64_t(*distance), uint64_t(loop.step));
  Type type = loop.var.getType();
  unsigned width =
      type.isIndex() ? 64 : std::min(type.getIntOrFloatBitWidth(), 64U);
  uint64_t maxValue = type.isUnsignedInteger() ? llvm::maxUIntN(width)
                                               : llvm::maxIntN(width),
           numOps = 0;
  loop.body->walk([&](Operation *) { ++numOps; });
  if (llvm::SaturatingMultiply(extent, numOps) > maxUnrolledOps ||
      llvm::SaturatingMultiply(extent, uint64_t(loop.step)) > maxValue)
    return std::nullopt;
  return extent;
}

static Loop getLoop(scf::ForOp op) {
  Loop loop = {op,
               getLoopKind(op),
               op.getBody(),
               op.getInductionVar(),
               op.getLowerBound(),
               getConstant(op.getStep()).value_or(0),
               std::nullopt};
  std::optional<int64_t> distance =
      getDistance(op.getLowerBound(), op.getUpperBound());
  std::optional<int64_t> lower = getConstant(op.getLowerBound());
  if (!op.getUnsignedCmp() || (lower && *lower >= 0 && distance >= 0))
    loop.extent = getExtent(loop, distance);
  return loop;
}

/// Whether the body of `op` breaks out of the loop, or continues it.
static bool hasJump(ForOp op) {
  return op.getBody()
      .walk<WalkOrder::PreOrder>([](Operation *inner) {
        if (isa<BreakOp, ContinueOp>(inner))
          return WalkResult::interrupt();
        return isa<LoopLikeOpInterface, ForOp>(inner) ? WalkResult::skip()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

static Loop getLoop(ForOp op) {
  Block *body = &op.getBody().front();
  Value var = body->getArgument(0), min = op.getMin();
  Loop loop = {
      op,          op.getKind(),
      body,        var,
      min,         op.getStep() ? getConstant(op.getStep()).value_or(0) : 1,
      std::nullopt};
  Type type = var.getType();
  if (type == min.getType() &&
      (type.isSignlessIntOrIndex() || type.isUnsignedInteger()))
    loop.extent = getExtent(loop, getConstant(op.getExtent()));
  return loop;
}

/// Whether `op` is a statement without effect, which TVM drops from a sequence.
static bool isNoOp(Operation *op) {
  auto evaluate = dyn_cast<EvaluateOp>(op);
  return evaluate && getConstant(evaluate.getValue());
}

/// The value of the variable of `loop` in iteration `i`.
static Value createValue(OpBuilder &builder, const Loop &loop, uint64_t i) {
  std::optional<int64_t> first = getConstant(loop.lower);
  if (!first && i == 0)
    return loop.lower;
  Location loc = loop.op->getLoc();
  Type type = loop.var.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto number = IntegerAttr::get(
      type, APInt(width, first.value_or(0) + int64_t(i) * loop.step,
                  /*isSigned=*/true, /*implicitTrunc=*/true));
  // Ops of arith take signless numbers.
  if (type.isUnsignedInteger()) {
    Value value = tir::ConstantOp::create(builder, loc, type, number);
    return first ? value
                 : PrimOp::create(builder, loc, type, "Add",
                                  ValueRange{loop.lower, value});
  }
  Value value = arith::ConstantOp::create(builder, loc, number);
  return first ? value : arith::AddIOp::create(builder, loc, loop.lower, value);
}

void UnrollLoop::unroll(const Loop &loop, uint64_t extent) {
  // As in TVM, each copy has the variable's value as a constant; upstream's
  // utility would compute it there.
  OpBuilder builder(loop.op);
  SmallVector<Value> carried;
  if (auto op = dyn_cast<scf::ForOp>(loop.op))
    carried.assign(op.getInitArgs().begin(), op.getInitArgs().end());
  // Attributes outside lose their object with the loop.
  for (Operation *user : llvm::make_early_inc_range(loop.var.getUsers()))
    if (auto node = dyn_cast<AttrNodeOp>(user);
        node && node.getAttr()->isAncestor(loop.op))
      node.erase();
  bool isEmpty = llvm::hasSingleElement(*loop.body) && carried.empty();
  for (uint64_t i = 0; i != extent && !isEmpty; ++i) {
    IRMapping mapping;
    if (!loop.var.use_empty())
      mapping.map(loop.var, createValue(builder, loop, i));
    mapping.map(loop.body->getArguments().drop_front(), carried);
    for (Operation &op : loop.body->without_terminator())
      if (!isNoOp(&op))
        builder.clone(op, mapping);
    carried = llvm::map_to_vector(
        loop.body->getTerminator()->getOperands(),
        [&](Value value) { return mapping.lookupOrDefault(value); });
  }
  loop.op->replaceAllUsesWith(carried);
  loop.op->erase();
  ++numUnrolled;
}

/// Whether `loop` uses its variable to index memory that belongs to a thread,
/// such as registers, or to a warp.
static bool indexesLocalMemory(const Loop &loop) {
  SmallVector<Value> worklist = {loop.var};
  DenseSet<Value> seen(worklist.begin(), worklist.end());
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::LoadOp, memref::StoreOp, LoadOp, StoreOp>(user)) {
        unsigned memory = isa<memref::StoreOp, StoreOp>(user) ? 1 : 0;
        auto type = cast<MemRefType>(user->getOperand(memory).getType());
        StringRef scope = getStorageScope(type);
        // The scope's name can be followed by a tag of the target.
        if (use.getOperandNumber() > memory &&
            (scope.starts_with("local") || scope.starts_with("warp")))
          return true;
      } else if (user->getNumRegions() == 0 && isMemoryEffectFree(user)) {
        for (Value result : user->getResults())
          if (seen.insert(result).second)
            worklist.push_back(result);
      }
    }
  return false;
}

LogicalResult UnrollLoop::visitLoop(const Loop &loop, Counts &counts) {
  std::optional<uint64_t> extent = loop.extent;
  bool isMarked = loop.kind == unrolledKind;
  // A tir.for has a kind; an scf.for has it as an attribute.
  StringRef attribute = isa<ForOp>(loop.op) ? "kind" : loopKindName;
  if (isMarked && !extent)
    return loop.op->emitError("expected a loop marked '")
           << attribute << " = \"" << unrolledKind
           << "\"' to have constant bounds and to unroll to at most "
           << maxUnrolledOps
           << " ops, found one that does not; remove the mark";
  bool isChosen =
      isMarked ||
      (loop.kind == serialKind && extent && counts.normalDepth == 0 &&
       counts.unrollDepth <= config.autoMaxDepth &&
       (int64_t(llvm::SaturatingMultiply(*extent, counts.steps)) <=
            config.autoMaxStep ||
        int64_t(*extent) <= config.autoMaxExtent)) ||
      (config.unrollLocalAccess && extent && *extent > 0 &&
       indexesLocalMemory(loop));
  if (isChosen) {
    counts.steps = llvm::SaturatingMultiply(counts.steps, *extent);
    ++counts.unrollDepth;
  } else {
    ++counts.normalDepth;
  }
  // As in TVM, a limit of 1 unrolls each loop that runs at most once, whatever
  // it contains.
  bool isNoLoop = config.autoMaxExtent == 1 && extent && *extent <= 1;
  if ((isChosen && config.explicitUnroll) || isNoLoop) {
    unroll(loop, *extent);
  } else if (isChosen && !isMarked) {
    loop.op->setAttr(attribute, StringAttr::get(&getContext(), unrolledKind));
    ++numMarked;
  }
  return success();
}

/// Pragmas that set for a part of a function whether and how far loops unroll,
/// as TVM's AttrStmts do.
static constexpr StringLiteral maxStepPragma = "pragma_auto_unroll_max_step";
static constexpr StringLiteral explicitPragma = "pragma_unroll_explicit";

FailureOr<Counts> UnrollLoop::visit(Operation *op) {
  auto attr = dyn_cast<AttrOp>(op);
  if (attr &&
      (attr.getKey() == maxStepPragma || attr.getKey() == explicitPragma))
    return visitPragma(attr);
  auto maxStep = op->getAttrOfType<IntegerAttr>(maxStepPragma);
  auto isExplicit = op->getAttrOfType<IntegerAttr>(explicitPragma);
  if (!maxStep && !isExplicit)
    return visitRegions(op);
  llvm::SaveAndRestore inside(config);
  if (maxStep)
    config.autoMaxStep = maxStep.getValue().getSExtValue();
  if (isExplicit)
    config.explicitUnroll = !isExplicit.getValue().isZero();
  op->removeAttr(maxStepPragma);
  op->removeAttr(explicitPragma);
  return visitRegions(op);
}

FailureOr<Counts> UnrollLoop::visitPragma(AttrOp op) {
  llvm::SaveAndRestore inside(config);
  if (std::optional<int64_t> number = getConstant(op.getValue())) {
    if (op.getKey() == maxStepPragma)
      config.autoMaxStep = *number;
    else
      config.explicitUnroll = *number != 0;
  }
  FailureOr<Counts> counts = visitRegions(op);
  if (succeeded(counts) && op.getBody().getNumArguments() == 0)
    dissolve(op);
  return counts;
}

FailureOr<Counts> UnrollLoop::visitRegions(Operation *op) {
  Counts counts;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : llvm::make_early_inc_range(block)) {
        FailureOr<Counts> other = visit(&inner);
        if (failed(other))
          return failure();
        counts.merge(*other);
      }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (failed(visitLoop(getLoop(loop), counts)))
      return failure();
  } else if (auto loop = dyn_cast<ForOp>(op); loop && !hasJump(loop)) {
    if (failed(visitLoop(getLoop(loop), counts)))
      return failure();
  } else if (isa<LoopLikeOpInterface, ForOp>(op)) {
    ++counts.normalDepth;
  } else if (isStep(op)) {
    ++counts.steps;
  }
  return counts;
}

void UnrollLoop::runOnOperation() {
  config = tir::transform::UnrollLoopConfig::get(
      partita::transform::PassContext::current());
  for (Block &block : getOperation().getBody())
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(visit(&op)))
        return signalPassFailure();
}
