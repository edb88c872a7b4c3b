//===- RelaxIndexMap.cpp - Where a layout moves elements ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "RelaxDetail.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace partita::relax;

static std::optional<int64_t> getConstant(AffineExpr expr) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}

bool partita::relax::isIndexMap(AffineMap map) {
  auto isKnown = [](AffineExpr expr) {
    switch (expr.getKind()) {
    case AffineExprKind::CeilDiv:
      return false;
    case AffineExprKind::FloorDiv:
    case AffineExprKind::Mod:
      return getConstant(cast<AffineBinaryOpExpr>(expr).getRHS()).value_or(0) >
             0;
    default:
      return expr.isPureAffine();
    }
  };
  if (map.getNumSymbols() != 0)
    return false;
  bool areKnown = true;
  map.walkExprs([&](AffineExpr expr) { areKnown &= isKnown(expr); });
  return areKnown;
}

LogicalResult IndexMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   AffineMap map, IntegerType) {
  return isIndexMap(map)
             ? success()
             : emitError() << "expected a map of indices without symbols, with "
                              "positive divisors, and without other products "
                              "than by numbers, found "
                           << AffineMapAttr::get(map);
}

AffineMap partita::relax::getIndexMap(Attribute attr) {
  auto map = dyn_cast_if_present<IndexMapAttr>(attr);
  return map ? map.getMap() : AffineMap();
}

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

namespace {
/// The value of `(index // lower) % (upper / lower)`, or, without an `upper`,
/// of `index // lower`.
struct Digit {
  size_t index;
  int64_t lower = 1;
  std::optional<int64_t> upper;
};
} // namespace

static std::optional<Digit> getDigit(AffineExpr expr) {
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return Digit{index.getPosition()};
  bool isRest = expr.getKind() == AffineExprKind::Mod;
  if (!isRest && expr.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Digit> digit = getDigit(binary.getLHS());
  int64_t bound;
  if (!digit ||
      llvm::MulOverflow(digit->lower, *getConstant(binary.getRHS()), bound) ||
      (digit->upper && *digit->upper % bound != 0))
    return std::nullopt;
  if (isRest)
    digit->upper = bound;
  else
    digit->lower = bound;
  return digit;
}

/// One more than the greatest value of `expr`. `pads` says that digits have
/// their full range.
static Dim getExtent(AffineExpr expr, ArrayRef<Dim> shape, bool pads) {
  if (std::optional<int64_t> number = getConstant(expr))
    return *number < 0 ? Dim() : Dim(*number) + Dim(1);
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return shape[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Dim a = getExtent(binary.getLHS(), shape, pads);
  if (expr.getKind() == AffineExprKind::Add)
    return a + getExtent(binary.getRHS(), shape, pads) - Dim(1);
  int64_t number = *getConstant(binary.getRHS());
  if (number < 1)
    return Dim();
  Dim factor(number);
  if (expr.getKind() == AffineExprKind::Mul)
    return a * factor - factor + Dim(1);
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return ceilDiv(a, factor);
  bool isFull = !a.isNumber() || (pads && getDigit(expr));
  return isFull ? factor : min(a, factor);
}

/// The new shape if the map only splits indices into digits, and each digit has
/// its full range, since TVM pads the dimensions that are split. Nothing if the
/// map does more.
static std::optional<SmallVector<Dim>> splitShape(AffineMap map,
                                                  ArrayRef<Dim> shape) {
  SmallVector<Dim> result;
  SmallVector<Digit> digits;
  for (AffineExpr expr : map.getResults()) {
    if (getConstant(expr) == 0) {
      result.push_back(1);
      continue;
    }
    std::optional<Digit> digit = getDigit(expr);
    if (!digit)
      return std::nullopt;
    digits.push_back(*digit);
    result.push_back(digit->upper ? Dim(*digit->upper / digit->lower)
                                  : ceilDiv(shape[digit->index], digit->lower));
  }
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::tie(a.index, a.lower) < std::tie(b.index, b.lower);
  });
  for (auto [low, high] : llvm::zip(digits, llvm::drop_begin(digits)))
    if (low.index == high.index && (!low.upper || high.lower % *low.upper != 0))
      return std::nullopt;
  return result;
}

SmallVector<Dim> partita::relax::mapShape(AffineMap map, ArrayRef<Dim> shape) {
  if (std::optional<SmallVector<Dim>> split = splitShape(map, shape))
    return *split;
  // TVM pads dimensions that are split if the new indices are independent.
  bool pads = static_cast<bool>(invertIndexMap(map, shape));
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return getExtent(expr, shape, pads);
  });
}

static std::optional<int64_t> mapIndex(AffineExpr expr,
                                       ArrayRef<int64_t> from) {
  if (std::optional<int64_t> number = getConstant(expr))
    return number;
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return from[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> a = mapIndex(binary.getLHS(), from),
                         b = mapIndex(binary.getRHS(), from);
  if (!a || !b)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return llvm::checkedAdd(*a, *b);
  case AffineExprKind::Mul:
    return llvm::checkedMul(*a, *b);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(*a, *b);
  default:
    return llvm::mod(*a, *b);
  }
}

bool partita::relax::mapIndices(AffineMap map, ArrayRef<int64_t> from,
                                SmallVectorImpl<int64_t> &to) {
  to.clear();
  for (AffineExpr expr : map.getResults()) {
    std::optional<int64_t> index = mapIndex(expr, from);
    if (!index)
      return false;
    to.push_back(*index);
  }
  return true;
}

FailureOr<Type>
partita::relax::inferLayoutTransform(OptionalLoc loc,
                                     LayoutTransformOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  AffineMap map = getIndexMap(op.getIndexMap());
  if (!map) {
    x->setUnranked();
    return x->getType(context);
  }
  if (x->isRanked && x->dims.size() != map.getNumDims())
    return emitOptionalError(loc, "expected an index map of ", x->getRank(),
                             " indices to fit ", op.getX().getType(),
                             ", found one of ", map.getNumDims());
  if (x->isRanked)
    x->setDims(mapShape(map, x->dims));
  else
    x->setRank(map.getNumResults());
  return x->getType(context);
}

//===----------------------------------------------------------------------===//
// Maps one after the other
//===----------------------------------------------------------------------===//

namespace {
/// Computes indices as sums of digits of the first indices.
class Composer {
public:
  /// With `keepsParts`, a division makes two digits even if one is always 0.
  explicit Composer(ArrayRef<Dim> shape, bool keepsParts = false)
      : shape(shape), keepsParts(keepsParts) {}

  /// `factor * ((index / lower) % count)`. The last digit of an index has no
  /// limit other than the dimension's.
  struct Term {
    int64_t factor;
    size_t index;
    int64_t lower = 1;
    std::optional<int64_t> count;
  };
  struct Sum {
    SmallVector<Term, 4> terms;
    int64_t constant = 0;
  };

  Sum getIndex(size_t index) const {
    Sum sum;
    if (shape[index] != Dim(1))
      sum.terms.push_back({1, index, 1, getCount(index, 1)});
    return sum;
  }
  /// What `map` makes of indices; nothing if it is no sum of digits.
  std::optional<SmallVector<Sum>> apply(AffineMap map,
                                        ArrayRef<Sum> from) const;
  /// Joins digits that are next to each other.
  static void join(Sum &sum);
  /// Whether all elements have the value of one index.
  bool isIndex(Sum sum, size_t index) const;

private:
  /// How many values a number has that is `lower` times smaller than an index.
  std::optional<int64_t> getCount(size_t index, int64_t lower) const {
    return shape[index].isNumber() ? std::optional<int64_t>(llvm::divideCeil(
                                         shape[index].getSize(), lower))
                                   : std::nullopt;
  }
  std::optional<Sum> compute(AffineExpr expr, ArrayRef<Sum> from) const;
  /// The quotient and the remainder.
  std::optional<std::pair<Sum, Sum>> divide(const Sum &sum,
                                            int64_t divisor) const;

  ArrayRef<Dim> shape;
  bool keepsParts;
};
} // namespace

void Composer::join(Sum &sum) {
  llvm::sort(sum.terms, [](const Term &a, const Term &b) {
    return std::tie(a.index, a.lower) < std::tie(b.index, b.lower);
  });
  SmallVector<Term, 4> joined;
  for (const Term &term : sum.terms) {
    if (!joined.empty()) {
      Term &last = joined.back();
      int64_t next, factor;
      if (last.index == term.index && last.count &&
          !llvm::MulOverflow(last.lower, *last.count, next) &&
          !llvm::MulOverflow(last.factor, *last.count, factor) &&
          next == term.lower && factor == term.factor) {
        int64_t count;
        if (term.count && !llvm::MulOverflow(*last.count, *term.count, count))
          last.count = count;
        else
          last.count = std::nullopt;
        continue;
      }
    }
    joined.push_back(term);
  }
  sum.terms = joined;
}

std::optional<std::pair<Composer::Sum, Composer::Sum>>
Composer::divide(const Sum &sum, int64_t divisor) const {
  if (divisor < 1 || sum.constant != 0)
    return std::nullopt;
  Sum quotient, rest;
  int64_t greatest = 0;
  for (Term term : sum.terms) {
    if (term.factor % divisor == 0) {
      term.factor /= divisor;
      quotient.terms.push_back(term);
      continue;
    }
    if (term.factor < 1)
      return std::nullopt;
    // The digits of the term below the divisor, and the ones above.
    int64_t below = divisor / term.factor;
    if (!term.count || *term.count > below ||
        (keepsParts && *term.count == below)) {
      int64_t lower;
      if (divisor % term.factor != 0 || (term.count && *term.count % below) ||
          llvm::MulOverflow(term.lower, below, lower))
        return std::nullopt;
      quotient.terms.push_back(
          {1, term.index, lower,
           term.count ? std::optional<int64_t>(*term.count / below)
                      : std::nullopt});
      term.count = below;
    }
    int64_t part;
    if (llvm::MulOverflow(term.factor, *term.count - 1, part) ||
        llvm::AddOverflow(greatest, part, greatest))
      return std::nullopt;
    rest.terms.push_back(term);
  }
  if (greatest >= divisor)
    return std::nullopt;
  return std::pair(quotient, rest);
}

std::optional<Composer::Sum> Composer::compute(AffineExpr expr,
                                               ArrayRef<Sum> from) const {
  // An expression of more terms than this is no change of a layout.
  constexpr size_t maxTerms = 64;
  if (std::optional<int64_t> number = getConstant(expr))
    return Sum{{}, *number};
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return from[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<Sum> a = compute(binary.getLHS(), from),
                     b = compute(binary.getRHS(), from);
  if (!a || !b || a->terms.size() + b->terms.size() > maxTerms)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    a->terms.append(b->terms);
    if (llvm::AddOverflow(a->constant, b->constant, a->constant))
      return std::nullopt;
    join(*a);
    return a;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    for (Term &term : a->terms)
      if (llvm::MulOverflow(term.factor, b->constant, term.factor))
        return std::nullopt;
    if (llvm::MulOverflow(a->constant, b->constant, a->constant))
      return std::nullopt;
    return a;
  }
  auto parts = divide(*a, b->constant);
  if (!parts)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::FloorDiv ? parts->first
                                                    : parts->second;
}

std::optional<SmallVector<Composer::Sum>>
Composer::apply(AffineMap map, ArrayRef<Sum> from) const {
  SmallVector<Sum> indices;
  for (AffineExpr expr : map.getResults()) {
    std::optional<Sum> sum = compute(expr, from);
    if (!sum)
      return std::nullopt;
    indices.push_back(std::move(*sum));
  }
  return indices;
}

bool Composer::isIndex(Sum sum, size_t index) const {
  join(sum);
  if (sum.constant != 0)
    return false;
  if (shape[index] == Dim(1))
    return sum.terms.empty();
  if (sum.terms.size() != 1)
    return false;
  const Term &term = sum.terms.front();
  return term.index == index && term.factor == 1 && term.lower == 1 &&
         (!term.count ||
          (shape[index].isNumber() && *term.count >= shape[index].getSize()));
}

bool partita::relax::isUndoneBy(AffineMap map, AffineMap back,
                                ArrayRef<Dim> shape) {
  if (shape.size() != map.getNumDims() ||
      shape.size() != back.getNumResults() ||
      map.getNumResults() != back.getNumDims())
    return false;
  // An empty tensor has no elements.
  if (llvm::is_contained(shape, Dim(0)))
    return true;
  Composer composer(shape);
  SmallVector<Composer::Sum> indices;
  for (size_t index = 0; index < shape.size(); ++index)
    indices.push_back(composer.getIndex(index));
  std::optional<SmallVector<Composer::Sum>> moved =
      composer.apply(map, indices);
  if (moved)
    moved = composer.apply(back, *moved);
  return moved && llvm::all_of(llvm::enumerate(*moved), [&](auto sum) {
           return composer.isIndex(sum.value(), sum.index());
         });
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// What the sizes of dimensions that are split are multiples of, and 1 for
/// others; empty if a number is too great.
static SmallVector<int64_t> getSplits(AffineMap map) {
  SmallVector<int64_t> splits(map.getNumDims(), 1);
  bool fits = true;
  map.walkExprs([&](AffineExpr expr) {
    std::optional<Digit> digit = getDigit(expr);
    if (!digit)
      return;
    int64_t part =
        expr.getKind() == AffineExprKind::Mod ? *digit->upper : digit->lower;
    int64_t &split = splits[digit->index];
    fits &= !llvm::MulOverflow(split, part / std::gcd(split, part), split);
  });
  return fits ? splits : SmallVector<int64_t>();
}

namespace {
/// Finds the inverse of a map: each new index is a sum of digits of old ones,
/// and has to have the one value for each combination of these.
class Inverter {
public:
  Inverter(MLIRContext *context, ArrayRef<Dim> shape)
      : context(context), shape(shape), places(shape.size()) {}

  /// Finds the digits in the new index `index`, which is `sum`.
  bool take(Composer::Sum sum, size_t index);
  /// The old index `index`, which is made of its digits; null if they leave
  /// some of its values out.
  AffineExpr getIndex(size_t index);

private:
  /// The digit `(index / lower) % count` of an old index.
  struct Place {
    int64_t lower;
    std::optional<int64_t> count;
    /// Its value in the inverse; null if that is 0.
    AffineExpr expr;
  };

  MLIRContext *context;
  ArrayRef<Dim> shape;
  SmallVector<SmallVector<Place>> places;
};
} // namespace

bool Inverter::take(Composer::Sum sum, size_t index) {
  // A digit without a limit comes last.
  llvm::sort(sum.terms, [](const auto &a, const auto &b) {
    return std::tuple(a.factor, !a.count, a.count) <
           std::tuple(b.factor, !b.count, b.count);
  });
  if (sum.constant != 0)
    return false;
  int64_t size = 1;
  for (const Composer::Term &term : sum.terms) {
    bool isLast = &term == &sum.terms.back();
    if (term.factor != size ||
        (!isLast &&
         (!term.count || llvm::MulOverflow(size, *term.count, size))))
      return false;
    AffineExpr expr;
    if (isLast || term.count != 1) {
      expr = getAffineDimExpr(index, context);
      if (!isLast)
        expr = expr % size;
      expr = expr.floorDiv(term.factor);
    }
    places[term.index].push_back({term.lower, term.count, expr});
  }
  return true;
}

AffineExpr Inverter::getIndex(size_t index) {
  SmallVector<Place> &digits = places[index];
  llvm::sort(digits, [](const Place &a, const Place &b) {
    return std::pair(a.lower, a.count) < std::pair(b.lower, b.count);
  });
  // The number of values that the digits have up to each of them.
  std::optional<int64_t> size = 1;
  for (const Place &digit : digits) {
    if (size != digit.lower)
      return {};
    int64_t next;
    if (!digit.count)
      size = std::nullopt;
    else if (llvm::MulOverflow(*size, *digit.count, next))
      return {};
    else
      size = next;
  }
  if (size && !(shape[index].isNumber() && *size >= shape[index].getSize()))
    return {};
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const Place &digit : llvm::reverse(digits))
    if (digit.expr)
      sum = sum + digit.expr * digit.lower;
  return sum;
}

AffineMap partita::relax::invertIndexMap(AffineMap map, ArrayRef<Dim> shape) {
  SmallVector<int64_t> splits = getSplits(map);
  if (shape.size() != map.getNumDims() || splits.size() != shape.size())
    return {};
  SmallVector<Composer::Sum> indices;
  for (auto [index, dim, split] : llvm::enumerate(shape, splits)) {
    std::optional<int64_t> count;
    if (dim.isNumber()) {
      int64_t padded;
      if (llvm::MulOverflow(static_cast<int64_t>(llvm::divideCeil(
                                std::max<int64_t>(dim.getSize(), 1), split)),
                            split, padded))
        return {};
      count = padded;
    }
    indices.push_back({{{1, index, 1, count}}});
  }
  std::optional<SmallVector<Composer::Sum>> moved =
      Composer(shape, /*keepsParts=*/true).apply(map, indices);
  if (!moved)
    return {};
  Inverter inverter(map.getContext(), shape);
  for (auto [index, sum] : llvm::enumerate(*moved))
    if (!inverter.take(sum, index))
      return {};
  SmallVector<AffineExpr> back;
  for (size_t index = 0; index < shape.size(); ++index) {
    back.push_back(inverter.getIndex(index));
    if (!back.back())
      return {};
  }
  return AffineMap::get(map.getNumResults(), 0, back, map.getContext());
}
