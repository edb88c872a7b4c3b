//===- IntegerFacts.cpp - What is known about integers --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "LinearSum.h"
#include "Utils.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;
using arith::CmpIPredicate;

/// Facts from further out are not looked at. No loop nest that people write has
/// as many.
static constexpr unsigned maxParents = 64, maxDeclarations = 256;
static constexpr int64_t maxDivisor = int64_t(1) << 32;
/// The system of constraints of one question has at most this many facts: its
/// cost grows faster than their number.
static constexpr unsigned maxConstraints = 32;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool tir::isIndexInteger(Type type) {
  return type.isIndex() || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

bool tir::isExact(Operation *op) {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return op->getResult(0).getType().isIndex() ||
         (flags && flags.hasNoSignedWrap());
}

std::optional<Domain> tir::getDomain(BlockArgument argument) {
  Operation *op = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  auto getStep = [](Value step) { return getConstant(step).value_or(0); };
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op); loop && number == 0)
    return Domain{loop.getLowerBound(), loop.getUpperBound(), Value(),
                  getStep(loop.getStep()), loop.getUnsignedCmp()};
  if (auto loop = dyn_cast_or_null<ForOp>(op))
    return Domain{loop.getMin(), Value(), loop.getExtent(),
                  loop.getStep() ? getStep(loop.getStep()) : 1};
  if (auto attr = dyn_cast_or_null<AttrOp>(op);
      attr && attr.getDomain().size() == 2)
    return Domain{attr.getDomain()[0], Value(), attr.getDomain()[1]};
  return std::nullopt;
}

std::optional<IntegerRange> tir::getConstantRange(BlockArgument argument) {
  std::optional<Domain> domain = getDomain(argument);
  if (!domain || domain->step <= 0)
    return std::nullopt;
  std::optional<int64_t> first = getConstant(domain->min),
                         end = getConstant(domain->upper ? domain->upper
                                                         : domain->extent);
  if (!first || !end || (domain->isUnsigned && *first < 0))
    return std::nullopt;
  int64_t size = *end, last = 0;
  if ((domain->upper && llvm::SubOverflow(*end, *first, size)) || size <= 0 ||
      llvm::AddOverflow(*first, (size - 1) / domain->step * domain->step, last))
    return std::nullopt;
  return IntegerRange{*first, last};
}

Value tir::getOnlyValue(BlockArgument argument) {
  std::optional<Domain> domain = getDomain(argument);
  if (!domain)
    return nullptr;
  if (domain->extent && getConstant(domain->extent) == 1)
    return domain->min;
  std::optional<IntegerRange> range = getConstantRange(argument);
  return range && range->first == range->last ? domain->min : Value();
}

AffineExpr IntegerFacts::getLeaf(Value value, bool isDescribed) {
  auto [entry, isNew] = leafNumbers.try_emplace(value, leaves.size());
  AffineExpr expr = getAffineDimExpr(entry->second, context);
  if (isNew) {
    leaves.push_back(value);
    if (isDescribed)
      describe(value);
  }
  return expr;
}

AffineExpr IntegerFacts::keepLeaf(Value value) {
  return exprs[value] = getLeaf(value);
}

AffineExpr IntegerFacts::getExpr(Value value) {
  if (AffineExpr expr = exprs.lookup(value))
    return expr;
  if (depth == maxDepth)
    return getLeaf(value, /*isDescribed=*/false);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  auto argument = dyn_cast<BlockArgument>(value);
  Value only = argument ? getOnlyValue(argument) : Value();
  AffineExpr expr;
  if (std::optional<int64_t> number = getConstant(value))
    expr = getAffineConstantExpr(*number, context);
  else if (only && only.getType() == value.getType())
    expr = getExpr(only);
  else if (Operation *op = value.getDefiningOp();
           op && op->getNumResults() == 1)
    expr = getOpExpr(op);
  if (!expr || !isSmall(expr) || !isIndexInteger(value.getType()))
    expr = getLeaf(value);
  exprs.try_emplace(value, expr);
  return expr;
}

AffineExpr IntegerFacts::getOpExpr(Operation *op) {
  // What has an effect keeps its name.
  if (isa<BindOp>(op))
    if (Operation *named = op->getOperand(0).getDefiningOp();
        named && !isMemoryEffectFree(named))
      return {};
  if (isa<arith::IndexCastOp, arith::ExtSIOp, BindOp>(op)) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    // The cast of an index to i32 can cut it.
    return isIndexInteger(from) && isIndexInteger(to) &&
                   getWider(from, to) == to
               ? getExpr(op->getOperand(0))
               : AffineExpr();
  }
  if (op->getNumOperands() != 2 || !isIndexInteger(op->getResult(0).getType()))
    return {};
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) && !isExact(op))
    return {};
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return getSumExpr(op);
  if (isa<arith::MulIOp>(op)) {
    AffineExpr a = getExpr(lhs), b = getExpr(rhs);
    if (isa<AffineConstantExpr>(a))
      std::swap(a, b);
    auto factor = dyn_cast<AffineConstantExpr>(b);
    return factor && isSmall(a, factor.getValue())
               ? multiply(a, factor.getValue())
               : AffineExpr();
  }
  auto prim = dyn_cast<PrimOp>(op);
  bool isMod =
           isa<arith::RemSIOp>(op) || (prim && prim.getKind() == "FloorMod"),
       isTruncated = isa<arith::RemSIOp, arith::DivSIOp>(op);
  if (!isMod && !isTruncated && !isa<arith::FloorDivSIOp>(op))
    return {};
  std::optional<int64_t> divisor = getConstant(rhs);
  if (!divisor || *divisor <= 0 || *divisor > maxDivisor)
    return {};
  AffineExpr dividend = getExpr(lhs);
  if (isTruncated && !isNonNegative(dividend))
    return {};
  return divide(dividend, *divisor, isMod);
}

/// The sum that `op` is the root of, as a whole: the work does not grow with
/// the square of its terms. Null if it has many.
AffineExpr IntegerFacts::getSumExpr(Operation *op) {
  LinearSum sum;
  SmallVector<std::pair<Value, int64_t>> worklist = {{op->getResult(0), 1}};
  for (unsigned count = 0; !worklist.empty(); ++count) {
    if (count == maxTreeOps)
      return {};
    auto [value, sign] = worklist.pop_back_val();
    Operation *part = value.getDefiningOp();
    // What is used again has an expression of its own.
    bool isSum =
        part == op || (isa_and_present<arith::AddIOp, arith::SubIOp>(part) &&
                       isExact(part) && part->hasOneUse());
    if (!isSum) {
      sum.add(getExpr(value), sign);
      continue;
    }
    worklist.emplace_back(part->getOperand(1),
                          isa<arith::AddIOp>(part) ? sign : -sign);
    worklist.emplace_back(part->getOperand(0), sign);
  }
  return sum.getExpr(context);
}

/// `expr floordiv divisor`. A quotient in it becomes a part of the divisor.
static AffineExpr getQuotient(AffineExpr expr, int64_t divisor) {
  LinearSum sum(expr);
  if (sum.terms.size() != 1 || sum.terms.front().second != 1 ||
      sum.terms.front().first.getKind() != AffineExprKind::FloorDiv)
    return expr.floorDiv(divisor);
  auto inner = cast<AffineBinaryOpExpr>(sum.terms.front().first);
  int64_t by = cast<AffineConstantExpr>(inner.getRHS()).getValue();
  if (divisor > maxDivisor / by ||
      !isSmall(getAffineConstantExpr(sum.number, expr.getContext()), by))
    return expr.floorDiv(divisor);
  LinearSum dividend(inner.getLHS());
  dividend.number += sum.number * by;
  return dividend.getExpr(expr.getContext()).floorDiv(divisor * by);
}

AffineExpr IntegerFacts::divide(AffineExpr expr, int64_t divisor, bool isMod) {
  LinearSum sum(expr);
  sum.sort();
  auto isBelow = [&](AffineExpr rest, int64_t bound) {
    return isNonNegative(rest) &&
           isNonNegative(
               add(getAffineConstantExpr(bound - 1, context), rest, -1));
  };
  // The number of the rest is not negative below.
  if ((sum.number < 0 || sum.number >= divisor) && isBelow(expr, divisor))
    return isMod ? expr : getAffineConstantExpr(0, context);
  // Multiples of the divisor do not matter for a remainder. TVM keeps `-x`.
  if (isMod)
    for (auto &[term, factor] : sum.terms)
      if (factor != -1)
        factor = llvm::mod(factor, divisor);
  // Split the sum into multiples of a factor of the divisor and a rest below
  // the factor: only the multiples matter for the quotient.
  SmallVector<int64_t> factors = {divisor};
  for (auto [term, factor] : sum.terms)
    if (int64_t size = std::abs(factor);
        size > 1 && divisor % size == 0 && !llvm::is_contained(factors, size))
      factors.push_back(size);
  for (int64_t factor : factors) {
    auto [quotient, rest] = sum.split(factor);
    AffineExpr restExpr = rest.getExpr(context);
    if (!rest.terms.empty() && !isBelow(restExpr, factor))
      continue;
    int64_t left = divisor / factor;
    AffineExpr whole = quotient.getExpr(context);
    AffineExpr result =
        left == 1 ? (isMod ? getAffineConstantExpr(0, context) : whole)
        : isMod   ? whole % left
                  : getQuotient(whole, left);
    return isMod ? add(multiply(result, factor), restExpr, 1) : result;
  }
  // Each term can have a multiple of the divisor: x * 3 // 2 is x if x is
  // below 2.
  if (!isMod && llvm::any_of(sum.terms, [&](const auto &entry) {
        return std::abs(entry.second) > divisor && entry.second % divisor != 0;
      })) {
    LinearSum whole, part;
    for (auto [term, factor] : sum.terms) {
      whole.addTerm(term, llvm::divideFloorSigned(factor, divisor));
      part.addTerm(term, llvm::mod(factor, divisor));
    }
    whole.number = llvm::divideFloorSigned(sum.number, divisor);
    part.number = llvm::mod(sum.number, divisor);
    if (isBelow(part.getExpr(context), divisor))
      return whole.getExpr(context);
  }
  // The multiples of the divisor come out.
  auto [quotient, rest] = sum.split(divisor);
  AffineExpr restExpr = rest.getExpr(context);
  if (isMod)
    gather();
  if (isMod && hasStride && isZero(restExpr % divisor))
    return getAffineConstantExpr(0, context);
  return isMod ? restExpr % divisor
               : add(quotient.getExpr(context), getQuotient(restExpr, divisor),
                     1);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Adds `expr >= bound`.
void IntegerFacts::addAtLeast(AffineExpr expr, AffineExpr bound) {
  if (facts.size() < maxFacts)
    facts.push_back({add(expr, bound, -1), /*isEquality=*/false});
}

/// The range of the results of `op`, by what it computes; nothing if it can
/// have large ones.
std::optional<IntegerRange> IntegerFacts::getRangeOf(Operation *op) {
  constexpr int64_t maxResult = int64_t(1) << 32;
  if (isa<arith::ExtUIOp>(op)) {
    unsigned width = op->getOperand(0).getType().getIntOrFloatBitWidth();
    return IntegerRange{0, (int64_t(1) << std::min(width, 32u)) - 1};
  }
  std::optional<int64_t> number =
      op->getNumOperands() == 2 ? getConstant(op->getOperand(1)) : std::nullopt;
  if (isa<arith::AndIOp>(op) && number && *number >= 0 && *number <= maxResult)
    return IntegerRange{0, *number};
  if (isa<arith::RemSIOp>(op) && number && *number > 0 && *number <= maxResult)
    return IntegerRange{1 - *number, *number - 1};
  if (!isa<arith::ShLIOp>(op))
    return std::nullopt;
  std::optional<int64_t> shifted = getConstant(op->getOperand(0));
  if (!shifted || *shifted < 0 ||
      *shifted > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  std::optional<IntegerRange> by = getRange(getExpr(op->getOperand(1)));
  if (!by || by->first < 0 || by->last > 30 ||
      *shifted << by->last > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return IntegerRange{*shifted << by->first, *shifted << by->last};
}

/// Adds what the op that computes `leaf` says about it.
void IntegerFacts::describe(Value leaf) {
  AffineExpr expr = getAffineDimExpr(leafNumbers.at(leaf), context);
  Operation *op = leaf.getDefiningOp();
  if (!op || !isIndexInteger(leaf.getType()))
    return;
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    AffineExpr a = getExpr(op->getOperand(0)), b = getExpr(op->getOperand(1));
    std::optional<IntegerRange> first = getRange(a), second = getRange(b);
    auto number = [&](int64_t value) {
      return getAffineConstantExpr(value, context);
    };
    if (isa<arith::MinSIOp>(op)) {
      addAtLeast(a, expr);
      addAtLeast(b, expr);
      if (first && second)
        addAtLeast(expr, number(std::min(first->first, second->first)));
    } else {
      addAtLeast(expr, a);
      addAtLeast(expr, b);
      if (first && second)
        addAtLeast(number(std::max(first->last, second->last)), expr);
    }
  } else if (std::optional<IntegerRange> range = getRangeOf(op)) {
    addAtLeast(expr, getAffineConstantExpr(range->first, context));
    addAtLeast(getAffineConstantExpr(range->last, context), expr);
  }
}

/// Adds that `leaf`, if it is a product, is at least as large as each of two
/// factors above 0.
void IntegerFacts::describeProduct(Value leaf) {
  auto product = leaf.getDefiningOp<arith::MulIOp>();
  if (!product || !isExact(product) || !isIndexInteger(leaf.getType()) ||
      !products.insert(leaf).second)
    return;
  AffineExpr expr = getLeaf(leaf), zero = getAffineConstantExpr(0, context),
             one = getAffineConstantExpr(1, context);
  AffineExpr a = getExpr(product.getLhs()), b = getExpr(product.getRhs());
  if (isNonNegative(add(a, one, -1)) && isNonNegative(add(b, one, -1))) {
    addAtLeast(expr, a);
    addAtLeast(expr, b);
  } else if (isNonNegative(a) && isNonNegative(b)) {
    addAtLeast(expr, zero);
  }
}

/// Adds the domain of `argument`, if it has one.
void IntegerFacts::addDomain(BlockArgument argument) {
  std::optional<Domain> domain = getDomain(argument);
  if (!domain || domain->step <= 0 || domain->isUnsigned ||
      !isIndexInteger(argument.getType()))
    return;
  AffineExpr var = getExpr(argument), first = getExpr(domain->min);
  AffineExpr end = domain->upper ? getExpr(domain->upper)
                                 : add(first, getExpr(domain->extent), 1);
  addAtLeast(var, first);
  addAtLeast(end, add(var, getAffineConstantExpr(1, context), 1));
  if (domain->step > 1 && domain->step <= maxDivisor &&
      facts.size() < maxFacts) {
    facts.push_back({add(var, first, -1) % domain->step, /*isEquality=*/true});
    hasStride = true;
  }
}

/// Adds what `parent` says where `inner`, which is in it, runs.
void IntegerFacts::addParent(Operation *parent, Operation *inner) {
  if (auto condition = dyn_cast<scf::IfOp>(parent)) {
    assume(condition.getCondition(),
           condition.getThenRegion().isAncestor(inner->getParentRegion()));
    return;
  }
  for (BlockArgument argument : inner->getBlock()->getArguments())
    addDomain(argument);
}

/// Finds the facts where the op runs. Many questions need none.
void IntegerFacts::gather() {
  if (std::exchange(isGathered, true))
    return;
  unsigned numParents = 0;
  for (Operation *inner = op, *parent = op->getParentOp();
       parent && ++numParents != maxParents;
       inner = parent, parent = parent->getParentOp()) {
    auto func = dyn_cast<PrimFuncOp>(parent);
    if (!func) {
      addParent(parent, inner);
      continue;
    }
    // The caller's buffers have the sizes that are declared, which are first in
    // the body.
    unsigned numOps = 0;
    for (Operation &first : func.getBody().front()) {
      if (++numOps == maxDeclarations)
        break;
      auto buffer = dyn_cast<BufferDeclOp>(first);
      if (!buffer)
        continue;
      for (Value size : buffer.getShape())
        if (facts.size() < maxFacts && !getConstant(size) &&
            isIndexInteger(size.getType()))
          addAtLeast(getExpr(size), getAffineConstantExpr(0, context));
    }
    break;
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The numbers of the dimensions in `expr`, of `numDims`.
static llvm::SmallBitVector getDims(AffineExpr expr, size_t numDims) {
  llvm::SmallBitVector dims(numDims);
  expr.walk([&](AffineExpr inner) {
    if (auto dim = dyn_cast<AffineDimExpr>(inner))
      dims.set(dim.getPosition());
  });
  return dims;
}

/// The constant range of `expr`, by the ranges of loops alone.
std::optional<IntegerRange> IntegerFacts::getRange(AffineExpr expr) {
  LinearSum sum(expr);
  IntegerRange range = {sum.number, sum.number};
  for (auto [term, factor] : sum.terms) {
    std::optional<IntegerRange> part;
    if (auto dim = dyn_cast<AffineDimExpr>(term)) {
      auto argument = dyn_cast<BlockArgument>(leaves[dim.getPosition()]);
      if (argument)
        part = getConstantRange(argument);
    } else if (term.getKind() == AffineExprKind::Mod) {
      auto binary = cast<AffineBinaryOpExpr>(term);
      part = {0, cast<AffineConstantExpr>(binary.getRHS()).getValue() - 1};
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(term)) {
      int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
      part = getRange(binary.getLHS());
      if (part)
        part = {llvm::divideFloorSigned(part->first, by),
                llvm::divideFloorSigned(part->last, by)};
    }
    int64_t first = 0, last = 0;
    if (!part || llvm::MulOverflow(part->first, factor, first) ||
        llvm::MulOverflow(part->last, factor, last) ||
        llvm::AddOverflow(range.first, std::min(first, last), range.first) ||
        llvm::AddOverflow(range.last, std::max(first, last), range.last))
      return std::nullopt;
  }
  return range;
}

/// Whether no values fulfill the facts and `expr >= 0`, or `expr == 0`.
bool IntegerFacts::isImpossible(AffineExpr expr, bool isEquality) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return isEquality ? constant.getValue() != 0 : constant.getValue() < 0;
  std::optional<IntegerRange> range = getRange(expr);
  if (range && (range->last < 0 || (isEquality && range->first > 0)))
    return true;
  gather();
  for (unsigned dim : getDims(expr, leaves.size()).set_bits())
    describeProduct(leaves[dim]);
  // A sum of variables takes the ends of its range if nothing else bounds them.
  bool isSum = llvm::all_of(LinearSum(expr).terms, [](const auto &entry) {
    return isa<AffineDimExpr>(entry.first);
  });
  if (range && !hasConditions && !isEquality && isSum)
    return false;
  SmallVector<AffineExpr> exprs = {expr};
  SmallVector<bool> equalities = {isEquality};
  // Only facts about the same values matter, or about values that these
  // depend on.
  llvm::SmallBitVector reached = getDims(expr, leaves.size());
  auto dimsOf = llvm::map_to_vector(facts, [&](const Fact &fact) {
    return getDims(fact.expr, leaves.size());
  });
  llvm::SmallBitVector used(facts.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [i, fact] : llvm::enumerate(facts)) {
      if (used[i] || exprs.size() > maxConstraints ||
          (!dimsOf[i].anyCommon(reached) && dimsOf[i].any()))
        continue;
      reached |= dimsOf[i];
      used.set(i);
      exprs.push_back(fact.expr);
      equalities.push_back(fact.isEquality);
      changed = true;
    }
  }
  // Nothing bounds the sum.
  if (exprs.size() == 1 && !isEquality && isSum)
    return false;
  auto set = IntegerSet::get(leaves.size(), 0, exprs, equalities);
  FlatLinearValueConstraints constraints(set);
  return constraints.isEmpty();
}

bool IntegerFacts::isNonNegative(AffineExpr expr) {
  return isImpossible(add(getAffineConstantExpr(-1, context), expr, -1),
                      /*isEquality=*/false);
}

bool IntegerFacts::isZero(AffineExpr expr) {
  return isNonNegative(expr) && isNonNegative(multiply(expr, -1));
}

bool IntegerFacts::isUnequal(AffineExpr difference) {
  gather();
  if (isImpossible(difference, /*isEquality=*/true))
    return true;
  // Other facts can make two differences equal.
  return llvm::any_of(unequal, [&](AffineExpr other) {
    return isZero(add(difference, other, -1)) ||
           isZero(add(difference, other, 1));
  });
}

bool IntegerFacts::isKnownUnequal(AffineExpr lhs, AffineExpr rhs) {
  gather();
  return !unequal.empty() && isUnequal(simplify(add(lhs, rhs, -1)));
}

std::optional<bool> IntegerFacts::compare(CmpIPredicate predicate,
                                          AffineExpr lhs, AffineExpr rhs) {
  AffineExpr one = getAffineConstantExpr(1, context);
  switch (predicate) {
  case CmpIPredicate::eq: {
    AffineExpr difference = simplify(add(lhs, rhs, -1));
    if (isUnequal(difference))
      return false;
    if (isZero(difference))
      return true;
    return std::nullopt;
  }
  case CmpIPredicate::slt: {
    AffineExpr difference = simplify(add(lhs, rhs, -1));
    if (isNonNegative(add(multiply(difference, -1), one, -1)))
      return true;
    if (isNonNegative(difference))
      return false;
    return std::nullopt;
  }
  case CmpIPredicate::sgt:
    return compare(CmpIPredicate::slt, rhs, lhs);
  case CmpIPredicate::ne:
  case CmpIPredicate::sle:
  case CmpIPredicate::sge: {
    std::optional<bool> result =
        compare(arith::invertPredicate(predicate), lhs, rhs);
    return result ? std::optional(!*result) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

AffineExpr IntegerFacts::simplify(AffineExpr expr) {
  LinearSum sum(expr);
  LinearSum result;
  for (auto [term, factor] : sum.terms) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    if (!binary) {
      result.addTerm(term, factor);
      continue;
    }
    int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    result.add(divide(simplify(binary.getLHS()), divisor,
                      term.getKind() == AffineExprKind::Mod),
               factor);
  }
  result.number += sum.number;
  result.joinQuotients();
  return result.getExpr(context);
}

/// Whether no op from `first` to `last` writes memory. Gives up on long ways.
static bool isUnwritten(Operation *first, Operation *last) {
  constexpr unsigned maxWay = 64;
  unsigned numOps = 0;
  for (Operation *op = first; op && ++numOps != maxWay;
       op = op->getNextNode()) {
    if (op == last)
      return true;
    if (!isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op))
      return false;
  }
  return false;
}

bool tir::stillHolds(Operation *load, Operation *op, Value buffer,
                     ValueRange indices) {
  if (load->getBlock() != op->getBlock() || load->getOperand(0) != buffer ||
      load->getNumOperands() != indices.size() + 1 || !isUnwritten(load, op))
    return false;
  IntegerFacts facts(op);
  return llvm::all_of(
      llvm::zip_equal(load->getOperands().drop_front(), indices),
      [&](auto indices) {
        auto [a, b] = indices;
        return a == b || facts.compare(CmpIPredicate::eq, facts.getExpr(a),
                                       facts.getExpr(b)) == true;
      });
}

bool tir::storesLoaded(Operation *store) {
  Operation *load = store->getOperand(0).getDefiningOp();
  return isa_and_present<memref::LoadOp, LoadOp>(load) &&
         stillHolds(load, store, store->getOperand(1),
                    store->getOperands().drop_front(2));
}
