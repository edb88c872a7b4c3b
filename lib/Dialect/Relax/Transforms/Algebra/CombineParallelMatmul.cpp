//===- CombineParallelMatmul.cpp - Multiply by several matrices -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace partita::relax {
#define GEN_PASS_DEF_COMBINEPARALLELMATMUL
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A product, and what is done with it.
struct Branch {
  MatmulOp matmul;
  AddOp bias;
  Operation *activation = nullptr;

  Operation *getLast() {
    return activation ? activation : bias ? bias : matmul.getOperation();
  }
};

using Branches = SmallVector<Branch>;
} // namespace

/// The only op of `OpTs` that takes `value` as its first operand, in the same
/// block; null if there are none or several.
template <typename... OpTs>
static Operation *getOnlyUser(Value value) {
  Operation *found = nullptr;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (!isa<OpTs...>(user) || use.getOperandNumber() != 0 ||
        user->getBlock() != value.getParentBlock())
      continue;
    if (found)
      return nullptr;
    found = user;
  }
  return found;
}

/// The dimensions of a tensor of known rank whose dimensions are all known.
static std::optional<TensorInfo> getKnown(Value value) {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  bool isKnown =
      info && info->isRanked && info->elementType &&
      llvm::none_of(info->dims, [](Dim dim) { return dim.isUnknown(); });
  return isKnown ? info : std::nullopt;
}

/// Whether `branch` adds a bias that has the width of its product.
static bool hasFittingBias(Branch &branch, int64_t rank) {
  std::optional<TensorInfo> bias = getKnown(branch.bias.getRhs()),
                            factor = getKnown(branch.matmul.getX2()),
                            result = getKnown(branch.matmul.getResult());
  return bias && factor && result && bias->getRank() == rank && rank >= 1 &&
         rank <= result->getRank() &&
         areEqual(bias->dims.back(), factor->dims.back()) &&
         bias->elementType == result->elementType;
}

/// Whether what stands before the last dimension is the same.
static bool differInWidthOnly(const TensorInfo &a, const TensorInfo &b) {
  return a.getRank() == b.getRank() && a.elementType == b.elementType &&
         a.vdevice == b.vdevice &&
         llvm::all_of_zip(ArrayRef<Dim>(a.dims).drop_back(),
                          ArrayRef<Dim>(b.dims).drop_back(),
                          [](Dim x, Dim y) { return areEqual(x, y); });
}

/// Finds what all branches do with their products.
static void findFollowing(Branches &branches) {
  for (Branch &branch : branches)
    branch.bias =
        cast_or_null<AddOp>(getOnlyUser<AddOp>(branch.matmul.getResult()));
  auto getBias = [](Branch &branch) { return getKnown(branch.bias.getRhs()); };
  std::optional<TensorInfo> first =
      branches.front().bias ? getBias(branches.front()) : std::nullopt;
  if (!first || !llvm::all_of(branches, [&](Branch &branch) {
        return branch.bias && hasFittingBias(branch, first->getRank()) &&
               differInWidthOnly(*first, *getBias(branch));
      }))
    for (Branch &branch : branches)
      branch.bias = nullptr;
  for (Branch &branch : branches)
    branch.activation = getOnlyUser<GeluOp, GeluTanhOp, ReluOp, SiluOp>(
        branch.getLast()->getResult(0));
  Operation *activation = branches.front().activation;
  if (!activation || !llvm::all_of(branches, [&](Branch &branch) {
        return branch.activation &&
               branch.activation->getName() == activation->getName();
      }))
    for (Branch &branch : branches)
      branch.activation = nullptr;
}

/// The branches that can be one, in the order of their parts; none if there are
/// less than two.
static Branches select(Branches branches) {
  std::optional<TensorInfo> first = getKnown(branches.front().matmul.getX2()),
                            result =
                                getKnown(branches.front().matmul.getResult());
  if (!first || !result || result->getRank() < 1 ||
      !getKnown(branches.front().matmul.getX1()))
    return {};
  for (Branch &branch : branches) {
    std::optional<TensorInfo> factor = getKnown(branch.matmul.getX2()),
                              product = getKnown(branch.matmul.getResult());
    if (!factor || !product || !differInWidthOnly(*first, *factor) ||
        product->elementType != result->elementType)
      return {};
  }
  auto isStatic = [](Branch &branch) {
    return getKnown(branch.matmul.getX2())->dims.back().isNumber();
  };
  // Where a part begins is a number.
  auto *dynamic =
      std::stable_partition(branches.begin(), branches.end(), isStatic);
  if (dynamic != branches.end())
    branches.erase(std::next(dynamic), branches.end());
  return branches.size() > 1 ? branches : Branches();
}

/// The values that the products of `branches` need, less what all have.
static SmallVector<Value> getInputs(Branches &branches) {
  SmallVector<Value> inputs;
  for (Branch &branch : branches)
    inputs.push_back(branch.matmul.getX2());
  for (Branch &branch : branches)
    if (branch.bias)
      inputs.push_back(branch.bias.getRhs());
  return inputs;
}

namespace {
/// A place for ops that compute all branches.
struct CombinedPlace {
  /// Ops are put before this one.
  Operation *next = nullptr;
  /// Ops before it that use the branches, and go after it.
  SmallVector<Operation *> delayed;
};
} // namespace

/// The first place at which all inputs of `branches` are known. Nothing if an
/// input depends on a branch.
static std::optional<CombinedPlace> findPlace(Branches &branches) {
  Operation *first = branches.front().getLast(), *latest = nullptr;
  SmallPtrSet<Operation *, 8> replaced, sources;
  for (Branch &branch : branches) {
    replaced.insert(branch.getLast());
    if (branch.getLast()->isBeforeInBlock(first))
      first = branch.getLast();
  }
  for (Value input : getInputs(branches)) {
    Operation *source = input.getDefiningOp();
    if (!source || source->getBlock() != first->getBlock() ||
        source->isBeforeInBlock(first))
      continue;
    sources.insert(source);
    if (!latest || latest->isBeforeInBlock(source))
      latest = source;
  }
  CombinedPlace place;
  place.next = first;
  if (!latest)
    return place;
  SmallPtrSet<Operation *, 16> dependent;
  for (Operation *op = first; op != latest->getNextNode();
       op = op->getNextNode()) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return dependent.contains(operand.getDefiningOp());
    });
    if (sources.contains(op) && (depends || replaced.contains(op)))
      return std::nullopt;
    if (replaced.contains(op) || depends)
      dependent.insert(op);
    if (depends && !replaced.contains(op))
      place.delayed.push_back(op);
  }
  place.next = latest->getNextNode();
  return place;
}

static Value createActivation(OpBuilder &builder, Operation *activation,
                              Value value) {
  Location loc = withoutName(activation->getLoc());
  return llvm::TypeSwitch<Operation *, Value>(activation)
      .Case<GeluOp, GeluTanhOp, ReluOp, SiluOp>([&](auto op) -> Value {
        return decltype(op)::create(builder, loc, value);
      });
}

/// Where each part but the first one begins. Nothing if that leaves 64 bits.
static std::optional<SmallVector<int64_t>> getBegins(Branches &branches) {
  SmallVector<int64_t> begins;
  std::optional<int64_t> begin = 0;
  for (Branch &branch : llvm::drop_end(branches)) {
    begin = llvm::checkedAdd(
        *begin, getKnown(branch.matmul.getX2())->dims.back().getSize());
    if (!begin)
      return std::nullopt;
    begins.push_back(*begin);
  }
  return begins;
}

static bool combine(Branches &branches) {
  std::optional<SmallVector<int64_t>> begins = getBegins(branches);
  std::optional<CombinedPlace> place =
      begins ? findPlace(branches) : std::nullopt;
  if (!place)
    return false;
  OpBuilder builder(place->next);
  Branch &first = branches.front();
  Location loc = withoutName(first.matmul.getLoc());
  auto join = [&](ArrayRef<Value> parts) -> Value {
    int64_t rank = getKnown(parts.front())->getRank();
    return ConcatOp::create(builder, loc, parts,
                            builder.getI64IntegerAttr(rank - 1));
  };
  TensorInfo result = *getKnown(first.matmul.getResult());
  SmallVector<Value> inputs = getInputs(branches);
  size_t count = branches.size();
  Value factor = join(ArrayRef<Value>(inputs).take_front(count));
  Value value = MatmulOp::create(builder, loc, first.matmul.getX1(), factor,
                                 TypeAttr::get(result.elementType));
  if (first.bias)
    value = AddOp::create(builder, loc, value,
                          join(ArrayRef<Value>(inputs).drop_front(count)));
  if (first.activation)
    value = createActivation(builder, first.activation, value);
  auto split = SplitOp::create(builder, loc, value,
                               builder.getDenseI64ArrayAttr(*begins),
                               result.getRank() - 1);
  auto replace = [&](Branch &branch, Value part) {
    Operation *last = branch.getLast();
    part.setType(last->getResult(0).getType());
    auto alias = AliasOp::create(builder, last->getLoc(), part);
    alias->setDiscardableAttrs(last->getDiscardableAttrDictionary());
    last->getResult(0).replaceAllUsesWith(alias.getResult());
  };
  // Where the branch was, if the parts are known there.
  SmallVector<std::pair<Branch *, Value>> later;
  for (auto [branch, part] : llvm::zip_equal(branches, split.getResults()))
    if (split->isBeforeInBlock(branch.getLast()))
      later.push_back({&branch, part});
    else
      replace(branch, part);
  for (Operation *op : place->delayed)
    op->moveBefore(place->next);
  for (auto [branch, part] : later) {
    builder.setInsertionPoint(branch->getLast());
    replace(*branch, part);
  }
  return true;
}

/// The products of `block` by their left operands. Ops that products can't be
/// moved over separate them.
static SmallVector<Branches> collect(Block &block) {
  llvm::MapVector<std::pair<Value, int64_t>, Branches> groups;
  int64_t segment = 0;
  for (Operation &op : block) {
    if (op.getNumRegions() != 0 || !isPureExpr(&op))
      ++segment;
    if (auto matmul = dyn_cast<MatmulOp>(op))
      groups[{matmul.getX1(), segment}].push_back({matmul});
  }
  SmallVector<Branches> result;
  for (auto &[key, branches] : groups) {
    if (branches.size() < 2)
      continue;
    findFollowing(branches);
    llvm::MapVector<int64_t, Branches> byRank;
    for (Branch &branch : branches)
      if (std::optional<TensorInfo> factor = getKnown(branch.matmul.getX2());
          factor && factor->getRank() >= 2)
        byRank[factor->getRank()].push_back(branch);
    for (auto &[rank, same] : byRank)
      if (Branches selected = select(std::move(same)); !selected.empty())
        result.push_back(std::move(selected));
  }
  return result;
}

namespace {
struct CombineParallelMatmul
    : BindingPass<
          relax::impl::CombineParallelMatmulBase<CombineParallelMatmul>> {
  using BindingPass::BindingPass;

  LogicalResult initialize(MLIRContext *context) override {
    if (candidates.empty() || candidates == "mark" || candidates == "marked")
      return BindingPass::initialize(context);
    return emitError(UnknownLoc::get(context))
           << "expected 'candidates' to be 'mark' or 'marked', but found '"
           << candidates << "'";
  }
  void runOnOperation() override;

private:
  static constexpr StringLiteral markName = "relax.parallel_matmul";
};
} // namespace

void CombineParallelMatmul::runOnOperation() {
  SmallVector<Branches> groups;
  getOperation().walk(
      [&](Block *block) { llvm::append_range(groups, collect(*block)); });
  bool changed = false;
  for (auto [index, branches] : llvm::enumerate(groups)) {
    if (candidates == "mark") {
      auto mark = Builder(&getContext()).getI64IntegerAttr(index);
      for (Branch &branch : branches) {
        branch.matmul->setAttr(markName, mark);
        if (branch.bias)
          branch.bias->setAttr(markName, mark);
      }
      continue;
    }
    if (candidates == "marked" && !llvm::all_of(branches, [](Branch &branch) {
          return branch.matmul->hasAttr(markName);
        }))
      continue;
    if (!combine(branches))
      continue;
    numCombined += branches.size();
    changed = true;
  }
  if (candidates == "marked")
    getOperation().walk([](Operation *op) { op->removeAttr(markName); });
  if (changed && failed(cleanUpBindings(getOperation(), patterns)))
    return signalPassFailure();
  if (!changed && candidates.empty())
    markAllAnalysesPreserved();
}
