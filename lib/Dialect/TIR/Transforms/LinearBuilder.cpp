//===- LinearBuilder.cpp - Ops from affine expressions --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearBuilder.h"
#include "LinearSum.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

bool tir::isLinear(Operation *op) {
  auto prim = dyn_cast<PrimOp>(op);
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
             arith::DivSIOp, arith::RemSIOp>(op) ||
         (prim && prim.getKind() == "FloorMod");
}

bool tir::isExprRoot(Operation *op) {
  auto goesOn = [](Operation *user) {
    return isLinear(user) && (isa<arith::AddIOp, arith::SubIOp>(user) ||
                              getConstant(user->getOperand(1)));
  };
  return !llvm::all_of(op->getUsers(), goesOn);
}

/// Whether a tree that computes an affine expression goes on behind `op`.
static bool isInTree(Operation *op) {
  return isLinear(op) || isa<arith::ExtSIOp, arith::IndexCastOp>(op);
}

unsigned tir::countOps(Value value, ArrayRef<Value> leaves, unsigned limit) {
  SmallVector<Value> worklist = {value};
  unsigned count = 0;
  while (!worklist.empty() && count < limit) {
    Value inner = worklist.pop_back_val();
    Operation *op = inner.getDefiningOp();
    if (!op || getConstant(inner) || llvm::is_contained(leaves, inner))
      continue;
    ++count;
    if (isInTree(op))
      llvm::append_range(worklist, op->getOperands());
  }
  return count;
}

namespace {
/// Where TVM writes a term of a sum: those with the larger factor come first,
/// then those with the larger divisor, then those with the larger modulus.
struct TermOrder {
  int64_t factor = 1, divisor = 1;
  int64_t modulus = std::numeric_limits<int64_t>::max();

  bool operator<(const TermOrder &other) const {
    return std::tie(other.factor, other.divisor, other.modulus) <
           std::tie(factor, divisor, modulus);
  }
};
} // namespace

static TermOrder getOrder(AffineExpr term, int64_t factor) {
  TermOrder order;
  order.factor = factor;
  auto take = [&](AffineExprKind kind, int64_t &number) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    if (!binary || binary.getKind() != kind)
      return;
    number = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    term = binary.getLHS();
  };
  take(AffineExprKind::FloorDiv, order.divisor);
  take(AffineExprKind::Mod, order.modulus);
  return order;
}

/// The same of a tree of ops.
static TermOrder getOrder(Value term, ArrayRef<Value> leaves) {
  TermOrder order;
  auto take = [&](auto isKind, int64_t &number) {
    Operation *op = term.getDefiningOp();
    if (!op || op->getNumOperands() != 2 || !isKind(op) ||
        llvm::is_contained(leaves, term))
      return;
    if (std::optional<int64_t> constant = getConstant(op->getOperand(1))) {
      number = *constant;
      term = op->getOperand(0);
    }
  };
  take(llvm::IsaPred<arith::MulIOp>, order.factor);
  take(llvm::IsaPred<arith::FloorDivSIOp>, order.divisor);
  take(
      [](Operation *op) {
        auto prim = dyn_cast<PrimOp>(op);
        return prim && prim.getKind() == "FloorMod";
      },
      order.modulus);
  return order;
}

/// Whether `op` is the remainder of a sum whose number is no remainder, or a
/// quotient of a sum that has a multiple of the divisor as a term.
static bool hasMultiple(Operation *op, ArrayRef<Value> leaves) {
  auto prim = dyn_cast<PrimOp>(op);
  bool isMod = prim && prim.getKind() == "FloorMod";
  std::optional<int64_t> divisor = isMod || isa<arith::FloorDivSIOp>(op)
                                       ? getConstant(op->getOperand(1))
                                       : std::nullopt;
  if (!divisor || *divisor <= 1)
    return false;
  Value rest = op->getOperand(0);
  auto isSum = [&] {
    return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(
               rest.getDefiningOp()) &&
           !llvm::is_contained(leaves, rest);
  };
  bool isFirst = true;
  auto isTidy = [&](Operation *sum, int64_t number) {
    if (!isMod)
      return number % *divisor != 0;
    bool isRemainder =
        isa<arith::AddIOp>(sum) && number >= 0 && number < *divisor;
    return !isFirst || number == 0 || isRemainder;
  };
  for (; isSum(); rest = rest.getDefiningOp()->getOperand(0)) {
    Operation *sum = rest.getDefiningOp();
    if (std::optional<int64_t> number = getConstant(sum->getOperand(1))) {
      if (!isTidy(sum, *number))
        return true;
    } else if (getOrder(sum->getOperand(1), leaves).factor % *divisor == 0) {
      return true;
    }
    isFirst = false;
  }
  return !isFirst && getOrder(rest, leaves).factor % *divisor == 0;
}

/// Whether `terms` are in TVM's order, with the ones that are subtracted marked
/// by true. A number that is added comes behind what is added, and a number
/// that is subtracted comes last.
static bool isOrdered(ArrayRef<std::pair<Value, bool>> terms,
                      ArrayRef<Value> leaves) {
  std::optional<TermOrder> last;
  bool hasNumber = false;
  for (auto [term, isSubtracted] : terms) {
    if (hasNumber && !isSubtracted)
      return false;
    // Very large numbers are leaves.
    if (std::optional<int64_t> number = getConstant(term);
        number && !llvm::is_contained(leaves, term)) {
      bool isOnly = !last && terms.size() != 1;
      if (hasNumber || (*number <= 0 && !isOnly) ||
          (isSubtracted ? term != terms.back().first
                        : last && last->factor < 0))
        return false;
      hasNumber = true;
      continue;
    }
    TermOrder order = getOrder(term, leaves);
    if (order.factor < 0)
      return false;
    if (isSubtracted)
      order.factor = -order.factor;
    if (last && order < *last)
      return false;
    last = order;
  }
  return true;
}

/// Calls `visit` for each op of the tree that computes `value`, as long as it
/// returns true.
static void walkTree(Value value, ArrayRef<Value> leaves,
                     function_ref<bool(Operation *)> visit) {
  SmallVector<Value> worklist = {value};
  for (unsigned numOps = 0; !worklist.empty() && numOps != maxTreeOps;
       ++numOps) {
    Value inner = worklist.pop_back_val();
    Operation *op = inner.getDefiningOp();
    if (!op || !isInTree(op) || llvm::is_contained(leaves, inner))
      continue;
    if (!visit(op))
      return;
    llvm::append_range(worklist, op->getOperands());
  }
}

/// Whether TVM would write the tree that computes `value` in another form: a
/// sum in a sum has no parentheses, and in a remainder the number is from 0 to
/// below the divisor.
static bool isUntidy(Value value, ArrayRef<Value> leaves) {
  auto getSum = [&](Value value) -> Operation * {
    Operation *op = value.getDefiningOp();
    bool isSum = isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op);
    return isSum && !llvm::is_contained(leaves, value) ? op : nullptr;
  };
  auto isTidy = [&](Operation *op) {
    if (hasMultiple(op, leaves))
      return false;
    // A product of a sum is a sum of products.
    if (isa<arith::MulIOp>(op) && getSum(op->getOperand(0)))
      return false;
    SmallVector<std::pair<Value, bool>> terms;
    Value rest = op->getResult(0);
    for (Operation *sum = getSum(rest); sum; sum = getSum(rest)) {
      if (getSum(sum->getOperand(1)))
        return false;
      terms.emplace_back(sum->getOperand(1), isa<arith::SubIOp>(sum));
      rest = sum->getOperand(0);
      if (!getSum(rest))
        terms.emplace_back(rest, false);
    }
    llvm::SmallPtrSet<Value, 8> seen;
    auto isAgain = [&](const auto &term) {
      return !seen.insert(term.first).second;
    };
    return !llvm::any_of(terms, isAgain) &&
           isOrdered(llvm::to_vector(llvm::reverse(terms)), leaves);
  };
  bool areTidy = true;
  walkTree(value, leaves, [&](Operation *op) { return areTidy = isTidy(op); });
  return !areTidy;
}

/// The sum of the divisors of all remainders in `expr`.
static uint64_t addModuli(AffineExpr expr) {
  uint64_t sum = 0;
  expr.walk([&](AffineExpr inner) {
    if (inner.getKind() != AffineExprKind::Mod)
      return;
    AffineExpr divisor = cast<AffineBinaryOpExpr>(inner).getRHS();
    sum = llvm::SaturatingAdd<uint64_t>(
        sum, cast<AffineConstantExpr>(divisor).getValue());
  });
  return sum;
}

/// The same of the tree that computes `value`.
static uint64_t addModuli(Value value, ArrayRef<Value> leaves) {
  uint64_t sum = 0;
  walkTree(value, leaves, [&](Operation *op) {
    if (isa<PrimOp>(op))
      sum = llvm::SaturatingAdd<uint64_t>(
          sum,
          std::max<int64_t>(0, getConstant(op->getOperand(1)).value_or(0)));
    return true;
  });
  return sum;
}

/// Where the trees that compute `roots` have each leaf for the first time.
static SmallVector<unsigned> findPlaces(ArrayRef<Value> roots,
                                        ArrayRef<Value> leaves) {
  SmallVector<unsigned> places(leaves.size(), leaves.size());
  SmallVector<Value> worklist(llvm::reverse(roots));
  unsigned numPlaces = 0, numOps = 0;
  while (!worklist.empty() && numOps < maxTreeOps) {
    Value inner = worklist.pop_back_val();
    if (const auto *leaf = llvm::find(leaves, inner); leaf != leaves.end()) {
      unsigned &place = places[leaf - leaves.begin()];
      if (place == leaves.size())
        place = numPlaces++;
    } else if (Operation *op = inner.getDefiningOp()) {
      ++numOps;
      if (isInTree(op))
        llvm::append_range(worklist, llvm::reverse(op->getOperands()));
    }
  }
  return places;
}

namespace {
/// Makes ops from expressions, or only counts them.
class LinearBuilder {
public:
  LinearBuilder(OpBuilder *builder, Location loc, Type type,
                ArrayRef<Value> leaves, ArrayRef<unsigned> places)
      : builder(builder), loc(loc), type(type), leaves(leaves), places(places) {
  }

  Value create(AffineExpr expr);
  unsigned numOps = 0;

private:
  template <typename OpTy>
  Value createBinary(Value lhs, Value rhs);
  Value createNumber(int64_t number);
  Value createLeaf(Value leaf);
  Value createTerm(AffineExpr term, int64_t factor);
  unsigned getPlace(AffineExpr term) const;

  /// Null if ops are only counted; then values are null, too.
  OpBuilder *builder;
  Location loc;
  Type type;
  ArrayRef<Value> leaves;
  /// The order of the terms of sums.
  ArrayRef<unsigned> places;
};
} // namespace

template <typename OpTy>
Value LinearBuilder::createBinary(Value lhs, Value rhs) {
  ++numOps;
  if (!builder)
    return nullptr;
  if constexpr (std::is_same_v<OpTy, arith::FloorDivSIOp>)
    return OpTy::create(*builder, loc, lhs, rhs);
  else if constexpr (std::is_same_v<OpTy, PrimOp>)
    return OpTy::create(*builder, loc, type, "FloorMod", ValueRange{lhs, rhs});
  else
    return OpTy::create(*builder, loc, lhs, rhs,
                        arith::IntegerOverflowFlags::nsw);
}

Value LinearBuilder::createNumber(int64_t number) {
  return builder ? arith::ConstantOp::create(
                       *builder, loc, builder->getIntegerAttr(type, number))
                       .getResult()
                 : Value();
}

Value LinearBuilder::createLeaf(Value leaf) {
  Type from = leaf.getType();
  if (from == type)
    return leaf;
  ++numOps;
  if (!builder)
    return nullptr;
  if (from.isIndex() || type.isIndex())
    return arith::IndexCastOp::create(*builder, loc, type, leaf);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(*builder, loc, type, leaf);
  return arith::ExtSIOp::create(*builder, loc, type, leaf);
}

Value LinearBuilder::createTerm(AffineExpr term, int64_t factor) {
  Value value;
  if (auto dim = dyn_cast<AffineDimExpr>(term)) {
    value = createLeaf(leaves[dim.getPosition()]);
  } else {
    auto binary = cast<AffineBinaryOpExpr>(term);
    Value lhs = create(binary.getLHS());
    Value rhs =
        createNumber(cast<AffineConstantExpr>(binary.getRHS()).getValue());
    value = term.getKind() == AffineExprKind::Mod
                ? createBinary<PrimOp>(lhs, rhs)
                : createBinary<arith::FloorDivSIOp>(lhs, rhs);
  }
  return factor == 1 ? value
                     : createBinary<arith::MulIOp>(value, createNumber(factor));
}

unsigned LinearBuilder::getPlace(AffineExpr term) const {
  unsigned place = leaves.size();
  term.walk([&](AffineExpr inner) {
    if (auto dim = dyn_cast<AffineDimExpr>(inner))
      place = std::min(place, places[dim.getPosition()]);
  });
  return place;
}

Value LinearBuilder::create(AffineExpr expr) {
  LinearSum sum(expr);
  if (builder) {
    sum.sort([&](AffineExpr a, AffineExpr b) {
      return std::pair(getOrder(a, sum.terms.lookup(a)), getPlace(a)) <
             std::pair(getOrder(b, sum.terms.lookup(b)), getPlace(b));
    });
  }
  // What is added comes first, so that no zero has to be there.
  bool isEmpty = true;
  Value value;
  auto append = [&](AffineExpr term, int64_t factor) {
    Value other = createTerm(term, std::abs(factor));
    if (isEmpty)
      value = factor > 0 ? other
                         : createBinary<arith::SubIOp>(createNumber(0), other);
    else
      value = factor > 0 ? createBinary<arith::AddIOp>(value, other)
                         : createBinary<arith::SubIOp>(value, other);
    isEmpty = false;
  };
  for (auto [term, factor] : sum.terms)
    if (factor > 0)
      append(term, factor);
  int64_t number = sum.number;
  if (number > 0 || (isEmpty && number != 0 && !sum.terms.empty())) {
    Value constant = createNumber(std::exchange(number, 0));
    value = isEmpty ? constant : createBinary<arith::AddIOp>(value, constant);
    isEmpty = false;
  }
  for (auto [term, factor] : sum.terms)
    if (factor < 0)
      append(term, factor);
  if (isEmpty)
    return createNumber(number);
  return number == 0
             ? value
             : createBinary<arith::SubIOp>(value, createNumber(-number));
}

Value tir::createExpr(OpBuilder &builder, Location loc, Type type,
                      AffineExpr expr, ArrayRef<Value> leaves,
                      ArrayRef<Value> roots) {
  return LinearBuilder(&builder, loc, type, leaves, findPlaces(roots, leaves))
      .create(expr);
}

unsigned tir::countExprOps(Location loc, Type type, AffineExpr expr,
                           ArrayRef<Value> leaves) {
  LinearBuilder counter(nullptr, loc, type, leaves, /*places=*/{});
  counter.create(expr);
  return counter.numOps;
}

bool tir::hasSmallNumbers(AffineExpr expr, Type type) {
  // Numbers are added and subtracted: those without an opposite are too large.
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  int64_t least = llvm::minIntN(width);
  bool areSmall = true;
  expr.walk([&](AffineExpr inner) {
    if (auto constant = dyn_cast<AffineConstantExpr>(inner))
      areSmall &= constant.getValue() > least &&
                  llvm::isIntN(width, constant.getValue());
  });
  return areSmall;
}

bool tir::isSimpler(AffineExpr expr, Value value, ArrayRef<Value> leaves) {
  // To write a product of a sum as a sum of products takes more ops.
  bool hasCasts = llvm::any_of(
      leaves, [&](Value leaf) { return leaf.getType() != value.getType(); });
  if (!hasSmallNumbers(expr, value.getType()))
    return false;
  unsigned numOps = countExprOps(value.getLoc(), value.getType(), expr, leaves);
  unsigned oldOps = countOps(value, leaves, maxTreeOps);
  // As in TVM, `(x * 16 + y) % 48` is `x % 3 * 16 + y`.
  return numOps < oldOps ||
         (isUntidy(value, leaves) && (numOps == oldOps || !hasCasts)) ||
         (numOps == oldOps && addModuli(expr) < addModuli(value, leaves));
}
