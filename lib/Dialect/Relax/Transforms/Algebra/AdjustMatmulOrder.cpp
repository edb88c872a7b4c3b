//===- AdjustMatmulOrder.cpp - Multiply in the order that takes less ------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeComparison.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_ADJUSTMATMULORDER
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A factor of a product of three, which can be transposed first.
struct MatmulFactor {
  Value value;
  bool isTransposed = false;
  SmallVector<Dim> dims = {};
};

/// The products of three factors A, B and C, and the order they are in.
struct TripleProduct {
  MatmulFactor a, b, c;
  bool isLeftFirst;
};

class OrderChooser {
public:
  explicit OrderChooser(FuncOp func);

  Value reorder(OpBuilder &builder, Operation *op) const;

private:
  /// Whether A B is to be multiplied first; nothing if the order stays.
  std::optional<bool> choose(TripleProduct &product, Operation *op) const;
  std::optional<bool> compare(TripleProduct &product) const;

  CompileTimeValues compileTime;
  llvm::StringMap<SizeLimits> limits;
};
} // namespace

OrderChooser::OrderChooser(FuncOp func) : compileTime(func) {
  auto read = [&](StringRef attribute, auto set) {
    auto values = func->getAttrOfType<DictionaryAttr>(attribute);
    for (NamedAttribute entry :
         values ? values.getValue() : ArrayRef<NamedAttribute>())
      if (auto number = dyn_cast<IntegerAttr>(entry.getValue());
          number && number.getValue().isSignedIntN(64))
        set(limits[entry.getName()], number.getValue().getSExtValue());
  };
  // Sizes of 0 have no products.
  read("tir_var_lower_bound", [](SizeLimits &limits, int64_t value) {
    limits.first = std::max<int64_t>(1, value);
  });
  read("tir_var_upper_bound",
       [](SizeLimits &limits, int64_t value) { limits.end = value; });
}

/// The product that `value` is, perhaps transposed.
static MatmulOp getProduct(Value value, bool &isTransposed) {
  auto permute = value.getDefiningOp<PermuteDimsOp>();
  isTransposed = static_cast<bool>(permute);
  auto product = (permute ? permute.getX() : value).getDefiningOp<MatmulOp>();
  if (!product || !keepsElementType(product) || !permute)
    return product && keepsElementType(product) ? product : MatmulOp();
  std::optional<TensorInfo> info =
      TensorInfo::get(product.getResult().getType());
  if (!info->isRanked || info->getRank() < 2)
    return nullptr;
  // Only the last two dimensions may be swapped.
  return permute.getPermutation() == getSwappedAxes(info->getRank())
             ? product
             : MatmulOp();
}

/// Sets the dimensions of `factor`; fails if they are not all known.
static LogicalResult setDims(MatmulFactor &factor) {
  std::optional<TensorInfo> info = TensorInfo::get(factor.value.getType());
  if (!info || !info->isRanked || info->getRank() < 1 ||
      llvm::any_of(info->dims, [](Dim dim) { return dim.isUnknown(); }))
    return failure();
  factor.dims = info->dims;
  if (!factor.isTransposed)
    return success();
  if (info->getRank() < 2)
    return failure();
  std::swap(factor.dims[info->getRank() - 1], factor.dims[info->getRank() - 2]);
  return success();
}

/// The batch dimensions of a product of such factors. Nothing if they are not
/// known to broadcast.
static std::optional<SmallVector<Dim>> broadcastBatches(ArrayRef<Dim> a,
                                                        ArrayRef<Dim> b) {
  SmallVector<Dim> dims;
  for (size_t fromEnd = 1; fromEnd <= std::max(a.size(), b.size()); ++fromEnd) {
    Dim x = fromEnd <= a.size() ? a[a.size() - fromEnd] : Dim(1),
        y = fromEnd <= b.size() ? b[b.size() - fromEnd] : Dim(1);
    std::optional<Dim> dim = broadcast(x, y);
    if (!dim || dim->isUnknown())
      return std::nullopt;
    dims.push_back(*dim);
  }
  std::reverse(dims.begin(), dims.end());
  return dims;
}

std::optional<bool> OrderChooser::compare(TripleProduct &product) const {
  SmallVector<Dim> &a = product.a.dims, &b = product.b.dims,
                   &c = product.c.dims;
  // A vector is a row on the left, and a column on the right.
  if (a.size() == 1)
    a.insert(a.begin(), Dim(1));
  if (c.size() == 1)
    c.push_back(Dim(1));
  Dim n = a[a.size() - 2], r = a.back(), m = c[c.size() - 2], k = c.back();
  ArrayRef<Dim> batchA = ArrayRef(a).drop_back(2),
                batchB = ArrayRef(b).drop_back(2),
                batchC = ArrayRef(c).drop_back(2);
  std::optional<SmallVector<Dim>> left = broadcastBatches(batchA, batchB),
                                  right = broadcastBatches(batchB, batchC);
  std::optional<SmallVector<Dim>> all =
      left ? broadcastBatches(*left, batchC) : std::nullopt;
  if (!left || !right || !all)
    return std::nullopt;
  auto times = [](ArrayRef<Dim> batches, ArrayRef<Dim> sizes) {
    SmallVector<Dim> dims(batches);
    llvm::append_range(dims, sizes);
    return dims;
  };
  SizeSum rightIsMore, leftIsMore;
  for (const SmallVector<Dim> &term :
       {times(*right, {r, m, k}), times(*all, {n, r, k})}) {
    rightIsMore.add(term);
    leftIsMore.subtract(term);
  }
  for (const SmallVector<Dim> &term :
       {times(*left, {n, r, m}), times(*all, {n, m, k})}) {
    rightIsMore.subtract(term);
    leftIsMore.add(term);
  }
  if (rightIsMore.isPositive(limits))
    return true;
  return leftIsMore.isPositive(limits) ? std::optional(false) : std::nullopt;
}

std::optional<bool> OrderChooser::choose(TripleProduct &product,
                                         Operation *op) const {
  bool a = compileTime.contains(product.a.value, op),
       b = compileTime.contains(product.b.value, op),
       c = compileTime.contains(product.c.value, op);
  if ((a && b && c) || failed(setDims(product.a)) ||
      failed(setDims(product.b)) || failed(setDims(product.c)))
    return std::nullopt;
  // Batches of the others would meet the dimension that a vector lacks.
  bool hasVector = product.a.dims.size() == 1 || product.c.dims.size() == 1;
  if (product.b.dims.size() < 2 || (hasVector && product.b.dims.size() > 2))
    return std::nullopt;
  // As in TVM, a transposed value counts as one that is not known.
  a &= !product.a.isTransposed;
  b &= !product.b.isTransposed;
  c &= !product.c.isTransposed;
  if (a && b)
    return true;
  if (b && c)
    return false;
  return compare(product);
}

Value OrderChooser::reorder(OpBuilder &builder, Operation *op) const {
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || !keepsElementType(matmul))
    return nullptr;
  SmallVector<TripleProduct, 2> products;
  bool isTransposed;
  if (MatmulOp inner = getProduct(matmul.getX1(), isTransposed))
    products.push_back(
        {{isTransposed ? inner.getX2() : inner.getX1(), isTransposed},
         {isTransposed ? inner.getX1() : inner.getX2(), isTransposed},
         {matmul.getX2()},
         /*isLeftFirst=*/true});
  if (MatmulOp inner = getProduct(matmul.getX2(), isTransposed))
    products.push_back(
        {{matmul.getX1()},
         {isTransposed ? inner.getX2() : inner.getX1(), isTransposed},
         {isTransposed ? inner.getX1() : inner.getX2(), isTransposed},
         /*isLeftFirst=*/false});
  Location loc = withoutName(op->getLoc());
  auto get = [&](const MatmulFactor &factor) -> Value {
    if (!factor.isTransposed)
      return factor.value;
    int64_t rank = TensorInfo::get(factor.value.getType())->getRank();
    DenseI64ArrayAttr axes;
    if (rank > 2)
      axes = builder.getDenseI64ArrayAttr(getSwappedAxes(rank));
    return PermuteDimsOp::create(builder, loc, factor.value, axes);
  };
  for (TripleProduct &product : products) {
    std::optional<bool> isLeftFirst = choose(product, op);
    bool isAsBefore =
        isLeftFirst == product.isLeftFirst && !product.b.isTransposed;
    if (!isLeftFirst || isAsBefore)
      continue;
    Value a = get(product.a), b = get(product.b), c = get(product.c);
    if (*isLeftFirst)
      return createMatmul(builder, op->getLoc(),
                          createMatmul(builder, loc, a, b), c);
    return createMatmul(builder, op->getLoc(), a,
                        createMatmul(builder, loc, b, c));
  }
  return nullptr;
}

namespace {
struct AdjustMatmulOrder
    : RulePass<relax::impl::AdjustMatmulOrderBase<AdjustMatmulOrder>> {
  using RulePass::RulePass;

  void runOnOperation() override {
    OrderChooser chooser(getOperation());
    apply([&](OpBuilder &builder,
              Operation *op) { return chooser.reorder(builder, op); },
          numReordered);
  }
};
} // namespace
