//===- LoopPartition.cpp - Split loops where conditions change ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearBuilder.h"
#include "LinearSum.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOOPPARTITION
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static constexpr StringLiteral hintName = "pragma_loop_partition_hint";
/// The ops of all parts in a function. Parts of parts would multiply.
static constexpr uint64_t maxPartOps = 1 << 16;
/// The conditions of a loop that are looked at.
static constexpr unsigned maxConditions = 64;

//===----------------------------------------------------------------------===//
// Where conditions are known
//===----------------------------------------------------------------------===//

namespace {
/// The values of a variable from `first` to `last`; null if there is no bound.
struct Interval {
  AffineExpr first, last;
};

/// A comparison that is `value` in `interval`.
struct KnownCompare {
  arith::CmpIOp compare;
  bool value;
  Interval interval;
};

/// Finds out where comparisons in `loop` are known, whatever the values of the
/// variables of inner loops.
class IntervalFinder {
public:
  explicit IntervalFinder(scf::ForOp loop);

  void addCompare(arith::CmpIOp compare);
  ArrayRef<KnownCompare> getKnown() const { return known; }

  /// An interval in which comparisons are `value`, and these comparisons; none
  /// if there is no such interval. The hint allows to leave some out.
  SmallVector<arith::CmpIOp> find(bool value, bool isHinted,
                                  Interval &interval);

  /// Whether `a >= b` for sure.
  bool isAtLeast(AffineExpr a, AffineExpr b) {
    return facts.isNonNegative(subtract(a, b));
  }
  AffineExpr subtract(AffineExpr a, AffineExpr b) {
    return facts.simplify(add(a, b, -1));
  }
  /// Whether it is known how many iterations there are from `a` to `b`.
  bool isNumber(AffineExpr a, AffineExpr b) {
    return isa<AffineConstantExpr>(subtract(b, a));
  }
  AffineExpr offset(AffineExpr expr, int64_t number) {
    return add(expr, getAffineConstantExpr(number, loop.getContext()), 1);
  }
  /// `expr` in the type of the loop's variable.
  Value create(OpBuilder &builder, AffineExpr expr);

  /// The first value of the loop, and the one behind the last.
  AffineExpr first, end;

private:
  enum class Kind { Other, Inner, Variable, Opaque };
  Kind getKind(AffineExpr expr);
  AffineExpr getExtreme(AffineExpr expr, bool isLargest, unsigned depth = 0);
  AffineExpr getTermExtreme(AffineExpr term, bool isLargest, unsigned depth);
  std::optional<Interval> solve(AffineExpr expr, unsigned depth = 0);
  std::optional<Interval> intersect(const Interval &a, const Interval &b);
  bool isEmpty(AffineExpr from, AffineExpr to) {
    return from && to && isAtLeast(from, offset(to, 1));
  }
  void addKnown(arith::CmpIOp compare, bool value,
                const std::optional<Interval> &interval);

  static constexpr unsigned maxDepth = 16;

  scf::ForOp loop;
  IntegerFacts facts;
  SmallVector<Value> roots;
  SmallVector<KnownCompare> known;
};
} // namespace

IntervalFinder::IntervalFinder(scf::ForOp loop) : loop(loop), facts(loop) {
  facts.keepLeaf(loop.getInductionVar());
  first = facts.getExpr(loop.getLowerBound());
  end = facts.getExpr(loop.getUpperBound());
  roots = {loop.getLowerBound(), loop.getUpperBound()};
}

/// Whether `argument` is the variable of a thread, which stands for many
/// threads that run together.
static bool isThread(BlockArgument argument) {
  auto attr = dyn_cast<AttrOp>(argument.getOwner()->getParentOp());
  StringRef thread = attr ? attr.getThread().value_or("") : "";
  return thread.starts_with("threadIdx") || thread.starts_with("vthread");
}

/// What `expr` depends on.
IntervalFinder::Kind IntervalFinder::getKind(AffineExpr expr) {
  Kind kind = Kind::Other;
  expr.walk([&](AffineExpr inner) {
    auto dim = dyn_cast<AffineDimExpr>(inner);
    if (!dim)
      return;
    Value leaf = facts.getLeaves()[dim.getPosition()];
    auto argument = dyn_cast<BlockArgument>(leaf);
    bool isOutside = loop.isDefinedOutsideOfLoop(leaf);
    Type type = loop.getInductionVar().getType();
    bool isWide = getWider(type, leaf.getType()) != type;
    if (leaf == loop.getInductionVar())
      kind = std::max(kind, Kind::Variable);
    else if (argument && (!isOutside || isThread(argument)) &&
             !isa<BlockOp>(argument.getOwner()->getParentOp()) &&
             getDomain(argument))
      kind = std::max(kind, Kind::Inner);
    else if (!isOutside || isWide)
      kind = Kind::Opaque;
  });
  return kind;
}

/// The largest or smallest value of `term` for all values of inner variables;
/// null if it is not known.
AffineExpr IntervalFinder::getTermExtreme(AffineExpr term, bool isLargest,
                                          unsigned depth) {
  if (auto dim = dyn_cast<AffineDimExpr>(term)) {
    std::optional<Domain> domain =
        getDomain(cast<BlockArgument>(facts.getLeaves()[dim.getPosition()]));
    if (domain->isUnsigned || domain->step <= 0)
      return {};
    AffineExpr bound = facts.getExpr(domain->min);
    if (isLargest)
      bound =
          offset(domain->upper ? facts.getExpr(domain->upper)
                               : add(bound, facts.getExpr(domain->extent), 1),
                 -1);
    return getExtreme(bound, isLargest, depth + 1);
  }
  auto binary = cast<AffineBinaryOpExpr>(term);
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (term.getKind() == AffineExprKind::Mod)
    return getAffineConstantExpr(isLargest ? divisor - 1 : 0,
                                 loop.getContext());
  AffineExpr dividend = getExtreme(binary.getLHS(), isLargest, depth + 1);
  return dividend ? dividend.floorDiv(divisor) : dividend;
}

/// The same for a sum.
AffineExpr IntervalFinder::getExtreme(AffineExpr expr, bool isLargest,
                                      unsigned depth) {
  if (depth == maxDepth)
    return {};
  LinearSum sum(expr), result;
  result.number = sum.number;
  for (auto [term, factor] : sum.terms) {
    Kind kind = getKind(term);
    if (kind == Kind::Other) {
      result.addTerm(term, factor);
      continue;
    }
    if (kind != Kind::Inner)
      return {};
    AffineExpr extreme = getTermExtreme(term, isLargest == (factor > 0), depth);
    if (!extreme || !isSmall(extreme, factor))
      return {};
    result.add(extreme, factor);
  }
  AffineExpr value = result.getExpr(loop.getContext());
  return isSmall(value) ? facts.simplify(value) : AffineExpr();
}

/// Where `expr <= 0`. Nothing if that is not known.
std::optional<Interval> IntervalFinder::solve(AffineExpr expr, unsigned depth) {
  if (depth == maxDepth || !isSmall(expr))
    return std::nullopt;
  LinearSum sum(expr), rest;
  rest.number = sum.number;
  AffineExpr term;
  int64_t factor = 0;
  for (auto [other, times] : sum.terms) {
    if (times == 0)
      continue;
    Kind kind = getKind(other);
    if (kind == Kind::Opaque || (kind == Kind::Variable && term))
      return std::nullopt;
    if (kind == Kind::Variable)
      std::tie(term, factor) = {other, times};
    else
      rest.addTerm(other, times);
  }
  AffineExpr most =
      term ? getExtreme(rest.getExpr(loop.getContext()), true) : AffineExpr();
  if (!most)
    return std::nullopt;
  // term <= bound if the factor is positive, else term >= bound.
  AffineExpr bound =
      factor > 0 ? facts.simplify(multiply(most, -1).floorDiv(factor))
                 : facts.simplify(offset(most, -factor - 1).floorDiv(-factor));
  if (isa<AffineDimExpr>(term))
    return factor > 0 ? Interval{{}, bound} : Interval{bound, {}};
  auto binary = cast<AffineBinaryOpExpr>(term);
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (term.getKind() != AffineExprKind::FloorDiv || !isSmall(bound, divisor))
    return std::nullopt;
  AffineExpr inner = add(binary.getLHS(), bound, -divisor);
  return solve(factor > 0 ? offset(inner, 1 - divisor) : multiply(inner, -1),
               depth + 1);
}

/// Nothing if it is not known which bound is tighter.
std::optional<Interval> IntervalFinder::intersect(const Interval &a,
                                                  const Interval &b) {
  Interval result = {a.first ? a.first : b.first, a.last ? a.last : b.last};
  if (a.first && b.first && !isAtLeast(a.first, b.first)) {
    if (!isAtLeast(b.first, a.first))
      return std::nullopt;
    result.first = b.first;
  }
  if (a.last && b.last && !isAtLeast(b.last, a.last)) {
    if (!isAtLeast(a.last, b.last))
      return std::nullopt;
    result.last = b.last;
  }
  return result;
}

void IntervalFinder::addKnown(arith::CmpIOp compare, bool value,
                              const std::optional<Interval> &interval) {
  if (interval && !isEmpty(interval->first, interval->last))
    known.push_back({compare, value, *interval});
}

void IntervalFinder::addCompare(arith::CmpIOp compare) {
  using arith::CmpIPredicate;
  if (!isIndexInteger(compare.getLhs().getType()))
    return;
  AffineExpr lhs = facts.getExpr(compare.getLhs()),
             rhs = facts.getExpr(compare.getRhs());
  roots.append({compare.getLhs(), compare.getRhs()});
  AffineExpr less = subtract(lhs, rhs), greater = subtract(rhs, lhs);
  switch (compare.getPredicate()) {
  case CmpIPredicate::sgt:
  case CmpIPredicate::sge:
    std::swap(less, greater);
    [[fallthrough]];
  case CmpIPredicate::slt:
  case CmpIPredicate::sle: {
    bool isStrict = compare.getPredicate() == CmpIPredicate::slt ||
                    compare.getPredicate() == CmpIPredicate::sgt;
    addKnown(compare, true, solve(offset(less, isStrict)));
    addKnown(compare, false, solve(offset(greater, !isStrict)));
    return;
  }
  case CmpIPredicate::eq:
  case CmpIPredicate::ne: {
    std::optional<Interval> most = solve(less), least = solve(greater);
    if (most && least)
      addKnown(compare, compare.getPredicate() == CmpIPredicate::eq,
               intersect(*most, *least));
    return;
  }
  default:
    return;
  }
}

SmallVector<arith::CmpIOp> IntervalFinder::find(bool value, bool isHinted,
                                                Interval &interval) {
  SmallVector<arith::CmpIOp> compares;
  AffineExpr last = offset(end, -1);
  interval = {};
  // TVM looks at the last condition first.
  for (const KnownCompare &entry : llvm::reverse(known)) {
    auto [from, to] = entry.interval;
    if (entry.value != value || isEmpty(from, last) || isEmpty(first, to))
      continue;
    std::optional<Interval> both = intersect(interval, entry.interval);
    if (!both || isEmpty(both->first, both->last)) {
      if (!isHinted)
        return {};
      break;
    }
    interval = *both;
    compares.push_back(entry.compare);
  }
  return compares;
}

Value IntervalFinder::create(OpBuilder &builder, AffineExpr expr) {
  return createExpr(builder, loop.getLoc(), loop.getInductionVar().getType(),
                    expr, facts.getLeaves(), roots);
}

//===----------------------------------------------------------------------===//
// Which conditions count
//===----------------------------------------------------------------------===//

/// Whether `call` hides its operand, a condition, from this pass.
static bool isIgnored(CallIntrinOp call) {
  return call.getIntrinsic().rsplit('.').second == "ignore_loop_partition" &&
         call.getArgs().size() == 1;
}

/// Whether threads compute something together in `loop`, which TVM keeps whole.
static bool hasAllReduce(scf::ForOp loop) {
  return loop
      ->walk([](CallIntrinOp call) {
        return call.getIntrinsic().rsplit('.').second == "tvm_thread_allreduce"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the comparisons that `value` depends on.
static void addCompares(Value value, DenseSet<Operation *> &compares) {
  SetVector<Operation *> worklist;
  if (Operation *op = value.getDefiningOp())
    worklist.insert(op);
  for (unsigned i = 0; i != worklist.size() && i != maxTreeOps; ++i) {
    if (isa<arith::CmpIOp>(worklist[i]))
      compares.insert(worklist[i]);
    for (Value operand : worklist[i]->getOperands())
      if (Operation *op = operand.getDefiningOp())
        worklist.insert(op);
  }
}

/// The comparisons that TVM hides from the hint: those in a call of
/// `ignore_loop_partition`, and in connectives that are likely as a whole.
static DenseSet<Operation *> getHidden(scf::ForOp loop) {
  DenseSet<Operation *> hidden;
  loop->walk([&](CallIntrinOp call) {
    if (isIgnored(call) ||
        (isLikely(call) && !call.getArgs()[0].getDefiningOp<arith::CmpIOp>()))
      addCompares(call.getArgs()[0], hidden);
  });
  return hidden;
}

/// Whether the bounds of `op` use the variable of a loop around it, from `loop`
/// outwards.
static bool dependsOnLoop(Operation *op, scf::ForOp loop) {
  SetVector<Value> worklist;
  if (auto inner = dyn_cast<scf::ForOp>(op))
    worklist.insert_range(ValueRange{inner.getLowerBound(), //
                                     inner.getUpperBound()});
  else if (auto inner = dyn_cast<ForOp>(op))
    worklist.insert_range(ValueRange{inner.getMin(), inner.getExtent()});
  for (unsigned i = 0; i != worklist.size() && i != maxTreeOps; ++i) {
    if (auto argument = dyn_cast<BlockArgument>(worklist[i])) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent->isAncestor(loop) && getDomain(argument))
        return true;
    } else {
      worklist.insert_range(worklist[i].getDefiningOp()->getOperands());
    }
  }
  return false;
}

static void addConditions(scf::ForOp loop, bool isHinted,
                          IntervalFinder &finder) {
  DenseSet<Operation *> hidden;
  if (isHinted)
    hidden = getHidden(loop);
  unsigned numConditions = 0;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (dependsOnLoop(op, loop))
      return WalkResult::skip();
    arith::CmpIOp compare;
    if (isHinted && !hidden.contains(op))
      compare = dyn_cast<arith::CmpIOp>(op);
    else if (auto call = dyn_cast<CallIntrinOp>(op);
             !isHinted && call && isLikely(call))
      compare = call.getArgs()[0].getDefiningOp<arith::CmpIOp>();
    if (compare && loop->isAncestor(compare) &&
        ++numConditions <= maxConditions)
      finder.addCompare(compare);
    return WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Iterations of a loop, from `start` on. `start` and `extent` have the type of
/// the loop's variable.
struct Part {
  Value start, extent;
  /// Whether the part is split further.
  bool isSplit = true;
};

struct LoopPartition : tir::impl::LoopPartitionBase<LoopPartition> {
  void runOnOperation() override;

private:
  void visit(Block &block);
  void partition(scf::ForOp loop);
  bool trySplit(scf::ForOp loop);
  bool split(scf::ForOp loop, IntervalFinder &finder, const Interval &interval,
             ArrayRef<arith::CmpIOp> compares, bool value);
  void createPart(scf::ForOp loop, const Part &part,
                  ArrayRef<arith::CmpIOp> compares, bool value);

  tir::transform::LoopPartitionConfig config;
  uint64_t numPartOps = 0;
};
} // namespace

/// `a - b`, without an op where TVM computes it at once.
static Value createDifference(OpBuilder &builder, Location loc, Value a,
                              Value b) {
  std::optional<int64_t> x = getConstant(a), y = getConstant(b);
  if (y == 0)
    return a;
  if (x && y)
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(a.getType(), *x - *y));
  return arith::SubIOp::create(builder, loc, a, b,
                               arith::IntegerOverflowFlags::nsw);
}

/// Creates the iterations of `loop` that `part` says, with `compares` known to
/// be `value`.
void LoopPartition::createPart(scf::ForOp loop, const Part &part,
                               ArrayRef<arith::CmpIOp> compares, bool value) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  IRMapping mapping;
  auto copy = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (arith::CmpIOp compare : compares) {
    Operation *known = mapping.lookup<Operation *>(compare);
    builder.setInsertionPoint(known);
    known->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
        builder, known->getLoc(), builder.getBoolAttr(value)));
    if (isOpTriviallyDead(known))
      eraseWithOperands(known);
  }
  // As in TVM, each part counts from 0.
  Value var = copy.getInductionVar();
  builder.setInsertionPoint(copy);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(var.getType(), 0));
  copy.setLowerBound(zero);
  copy.setUpperBound(part.extent);
  if (getConstant(part.start) != 0) {
    builder.setInsertionPointToStart(copy.getBody());
    auto sum = arith::AddIOp::create(builder, loc, var, part.start,
                                     arith::IntegerOverflowFlags::nsw);
    var.replaceAllUsesExcept(sum, sum);
  }
  DictionaryAttr annotations = getLoopAnnotations(copy);
  bool isUnit = getConstant(part.extent) == 1 &&
                !config.noUnrollLoopWithExtentOne &&
                (!annotations || annotations.empty());
  if (!isUnit) {
    if (part.isSplit)
      partition(copy);
    return;
  }
  eraseAttrNodes(var);
  var.replaceAllUsesWith(zero);
  if (part.isSplit)
    visit(*copy.getBody());
  inlineBefore(*copy.getBody(), copy);
  copy.erase();
}

/// Whether the pass that takes `loop` apart must know how often it runs.
static bool needsNumber(scf::ForOp loop) {
  auto kind = loop->getAttrOfType<StringAttr>(loopKindName);
  return kind && (kind == "unrolled" || kind == "vectorized");
}

/// Replaces `loop` by the iterations in `interval`, where `compares` are
/// `value`, and the others before and after. Does nothing where these parts
/// could run other iterations than the loop.
bool LoopPartition::split(scf::ForOp loop, IntervalFinder &finder,
                          const Interval &interval,
                          ArrayRef<arith::CmpIOp> compares, bool value) {
  AffineExpr first = finder.first, end = finder.end;
  AffineExpr from = interval.first ? interval.first : first;
  AffineExpr to = interval.last ? finder.offset(interval.last, 1) : end;
  bool hasPre = !finder.isAtLeast(first, from);
  bool hasPost = !finder.isAtLeast(to, end);
  if ((hasPre && !finder.isAtLeast(end, from)) ||
      (hasPost && !finder.isAtLeast(to, first)) ||
      (hasPre && hasPost && !finder.isAtLeast(to, from)))
    return false;
  bool isPreSplit = finder.isAtLeast(from, finder.offset(first, 1));
  bool isPostSplit = finder.isAtLeast(end, finder.offset(to, 1));
  if (needsNumber(loop) &&
      ((hasPre && !(isPreSplit && finder.isNumber(first, from))) ||
       (hasPost && !(isPostSplit && finder.isNumber(to, end))) ||
       !finder.isNumber(from, to)))
    return false;
  uint64_t numOps = 0;
  loop->walk([&](Operation *) { ++numOps; });
  numOps *= 1 + hasPre + hasPost;
  if (numPartOps + numOps > maxPartOps)
    return false;
  numPartOps += numOps;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  Value begin = hasPre ? finder.create(builder, from) : lower;
  if (hasPre && !isPreSplit)
    begin = arith::MaxSIOp::create(builder, loc, begin, lower);
  Value behind = hasPost ? finder.create(builder, to) : upper;
  if (hasPost && !isPostSplit)
    behind = arith::MinSIOp::create(builder, loc, behind, upper);
  if (hasPre)
    createPart(
        loop, {lower, createDifference(builder, loc, begin, lower), isPreSplit},
        {}, value);
  createPart(loop, {begin, createDifference(builder, loc, behind, begin)},
             compares, value);
  if (hasPost)
    createPart(
        loop,
        {behind, finder.create(builder, finder.subtract(end, to)), isPostSplit},
        {}, value);
  loop.erase();
  ++numPartitioned;
  return true;
}

/// Splits `loop` if it has conditions that count.
bool LoopPartition::trySplit(scf::ForOp loop) {
  bool isHinted = loop->hasAttr(hintName);
  bool isConstant =
      getConstant(loop.getLowerBound()) && getConstant(loop.getUpperBound());
  if (loop.getNumResults() != 0 || loop.getUnsignedCmp() ||
      getConstant(loop.getStep()) != 1 ||
      !isIndexInteger(loop.getStep().getType()) ||
      (!isHinted && isConstant && !config.partitionConstLoop))
    return false;
  if (!isHinted && hasAllReduce(loop))
    return false;
  IntervalFinder finder(loop);
  if (finder.isAtLeast(finder.first, finder.end))
    return false;
  addConditions(loop, isHinted, finder);
  if (finder.getKnown().empty())
    return false;
  for (bool value : {true, false}) {
    Interval interval;
    SmallVector<arith::CmpIOp> compares =
        finder.find(value, isHinted, interval);
    if (!compares.empty())
      return split(loop, finder, interval, compares, value);
  }
  // TVM does not unroll where all conditions are equations.
  bool isUnrolled =
      isHinted && config.unrollLoopWithPartitionHintNoInterval &&
      finder.isAtLeast(finder.end, finder.offset(finder.first, 2)) &&
      !llvm::all_of(finder.getKnown(), [](const KnownCompare &entry) {
        return entry.interval.first &&
               entry.interval.first == entry.interval.last;
      });
  if (isUnrolled)
    loop->setAttr(loopKindName, StringAttr::get(&getContext(), "unrolled"));
  return false;
}

void LoopPartition::partition(scf::ForOp loop) {
  if (!trySplit(loop))
    visit(*loop.getBody());
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
  getOperation().walk([](scf::ForOp loop) { loop->removeAttr(hintName); });
  // Both are only said for this pass.
  getOperation().walk([](CallIntrinOp call) {
    if (!(isLikely(call) || isIgnored(call)) || call->getNumResults() != 1)
      return;
    call.getResult().replaceAllUsesWith(call.getArgs()[0]);
    call.erase();
  });
}
