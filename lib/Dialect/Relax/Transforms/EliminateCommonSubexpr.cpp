//===- EliminateCommonSubexpr.cpp - Compute equal values once -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's CSE under TVM's name and level: Relax ops say by traits what may
// be merged. Values that leave a dataflow block, which upstream's does not look
// into, are found for the code after it.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "WholeTuple.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_ELIMINATECOMMONSUBEXPR
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct EliminateCommonSubexpr
    : relax::impl::EliminateCommonSubexprBase<EliminateCommonSubexpr> {
  using EliminateCommonSubexprBase::EliminateCommonSubexprBase;

  void runOnOperation() override;
};

struct CountErased : RewriterBase::Listener {
  void notifyOperationErased(Operation *) override { ++count; }
  int64_t count = 0;
};
} // namespace

/// Whether `op` is a call in TVM.
static bool isCall(Operation *op) {
  return !isa<AliasOp, DataflowOp, MatchCastOp, TupleOp, TupleGetItemOp>(op);
}

/// Whether `op` is a literal with a variable in TVM. Not all ops take the
/// variable in place of the literal.
static bool isNamedLiteral(Operation *op) {
  return isa<DTypeOp, PrimValueOp, ShapeOp, StringOp>(op) && isVar(op);
}

namespace {
/// The ops in a function that are not left to upstream's CSE.
struct Contents {
  Contents(FuncOp func, bool callOnly);

  bool hasExceptions() const {
    return !apart.empty() || !named.empty() || !wholes.empty();
  }

  /// Ops that are not to be merged: their values are freed or written, and
  /// other values must stay as they are. With `callOnly` these are also all ops
  /// that TVM binds, other than calls.
  llvm::SetVector<Operation *> apart;
  /// Literals that have a variable, which must not merge with literals in
  /// place.
  SmallVector<Operation *> named;
  /// Fields that only stand for a tuple that is taken whole. They must not
  /// merge with fields that have variables.
  SmallVector<Operation *> wholes;
  /// How many ops have regions, the function among them.
  int64_t numWithRegions = 0;
  bool hasCasts = false;
};
} // namespace

Contents::Contents(FuncOp func, bool callOnly) {
  func->walk([&](Operation *op) {
    numWithRegions += op->getNumRegions() != 0;
    if (callOnly && !isCall(op))
      apart.insert(op);
    if (isa<KillObjectOp, KillStorageOp, KillTensorOp>(op))
      if (Operation *freed = op->getOperand(0).getDefiningOp())
        apart.insert(freed);
    if (addWrittenInPlace(op, apart))
      apart.insert(op);
    if (isNamedLiteral(op))
      named.push_back(op);
    if (getWholeTuple(op))
      for (Value operand : op->getOperands())
        wholes.push_back(getUnnamedField(operand));
    hasCasts |= isa<MatchCastOp>(op);
  });
}

/// Gives ops that are not to be merged different attributes, as upstream's CSE
/// has no filter.
static void tellApart(const Contents &contents, StringRef attribute,
                      Builder builder) {
  for (Operation *op : contents.named)
    op->setAttr(attribute, builder.getIndexAttr(INT64_MIN));
  for (Operation *op : contents.wholes)
    op->setAttr(attribute, builder.getIndexAttr(INT64_MIN + 1));
  for (auto [index, op] : llvm::enumerate(contents.apart))
    op->setAttr(attribute, builder.getIndexAttr(-1 - int64_t(index)));
}

/// Gives ops with regions an attribute that is the same for those which CSE can
/// merge. Upstream's hash of an op leaves out its regions, and would compare
/// each dataflow block with all others.
static void numberRegions(FuncOp func, StringRef attribute) {
  // The hash of how a value is computed, from block arguments on: CSE does not
  // change it.
  DenseMap<Value, llvm::hash_code> hashes;
  auto getHash = [&](Value value) {
    auto found = hashes.find(value);
    return found == hashes.end() ? mlir::hash_value(value) : found->second;
  };
  DenseMap<size_t, int64_t> numbers;
  Builder builder(func->getContext());
  func->walk([&](Operation *op) {
    if (op == func)
      return;
    llvm::hash_code hash = OperationEquivalence::computeHash(
        op, getHash, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          for (Value operand : block.getTerminator()->getOperands())
            hash = llvm::hash_combine(hash, getHash(operand));
    for (OpResult result : op->getResults())
      hashes[result] = llvm::hash_combine(hash, result.getResultNumber());
    if (op->getNumRegions()) {
      // Small numbers, as an MLIRContext keeps each attribute.
      int64_t next = numbers.size();
      int64_t number = numbers.try_emplace(hash, next).first->second;
      op->setAttr(attribute, builder.getIndexAttr(number));
    }
  });
}

namespace {
/// Replaces ops by results of dataflow blocks before them.
class OutputReuse {
public:
  explicit OutputReuse(bool callOnly) : callOnly(callOnly) {}

  void visit(Block &block);
  int64_t getNumErased() const { return numErased; }

private:
  /// The result of a block that `value` is after it, or `value`.
  Value getOutside(Value value) const {
    Value result = resultOf.lookup(value);
    return result ? result : value;
  }
  bool isCandidate(Operation *op) const {
    return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
           !op->hasTrait<OpTrait::ConstantLike>() && !isa<AliasOp>(op) &&
           isMemoryEffectFree(op) && (!callOnly || isCall(op));
  }
  llvm::hash_code getHash(Operation *op) const {
    return OperationEquivalence::computeHash(
        op, [&](Value value) { return mlir::hash_value(getOutside(value)); },
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  void add(DataflowOp dataflow, SmallVectorImpl<size_t> &hashes);
  bool replace(Operation *op);

  bool callOnly;
  int64_t numErased = 0;
  DenseMap<Value, Value> resultOf;
  /// Ops whose results all leave their block, by hash.
  DenseMap<size_t, SmallVector<Operation *, 1>> known;
};
} // namespace

void OutputReuse::add(DataflowOp dataflow, SmallVectorImpl<size_t> &hashes) {
  for (auto [value, result] :
       llvm::zip_equal(dataflow.getBody()->getTerminator()->getOperands(),
                       dataflow.getResults()))
    if (value.getDefiningOp() &&
        value.getDefiningOp()->getBlock() == dataflow.getBody())
      resultOf.try_emplace(value, result);
  for (Operation &op : dataflow.getBody()->without_terminator())
    if (llvm::all_of(op.getResults(),
                     [&](Value result) { return resultOf.contains(result); }) &&
        isCandidate(&op)) {
      size_t hash = getHash(&op);
      known[hash].push_back(&op);
      hashes.push_back(hash);
    }
}

bool OutputReuse::replace(Operation *op) {
  auto found = known.find(getHash(op));
  if (found == known.end())
    return false;
  auto isSame = [&](Value known, Value value) {
    return success(getOutside(known) == value);
  };
  for (Operation *other : found->second) {
    if (!OperationEquivalence::isEquivalentTo(
            other, op, isSame, /*markEquivalent=*/nullptr,
            OperationEquivalence::IgnoreLocations))
      continue;
    for (auto [result, known] :
         llvm::zip_equal(op->getResults(), other->getResults()))
      result.replaceAllUsesWith(resultOf.lookup(known));
    op->erase();
    ++numErased;
    return true;
  }
  return false;
}

void OutputReuse::visit(Block &block) {
  SmallVector<size_t> hashes;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!known.empty() && isCandidate(&op) && replace(&op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
    // No op reuses the results of the last op before the terminator.
    Operation *next = op.getNextNode();
    if (auto dataflow = dyn_cast<DataflowOp>(op);
        dataflow && next && !next->hasTrait<OpTrait::IsTerminator>())
      add(dataflow, hashes);
  }
  // Values of a branch are not known after it.
  for (size_t hash : hashes)
    if (auto found = known.find(hash); found->second.size() == 1)
      known.erase(found);
    else
      found->second.pop_back();
}

namespace {
/// Merges match_casts of the same value to the same type, which upstream's CSE
/// leaves since they can introduce names.
class CastMerger {
public:
  void visit(Block &block);
  int64_t getNumErased() const { return numErased; }

private:
  int64_t numErased = 0;
  DenseMap<std::pair<Value, Type>, Value> known;
};
} // namespace

void CastMerger::visit(Block &block) {
  SmallVector<std::pair<Value, Type>> own;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        visit(inner);
    auto cast = dyn_cast<MatchCastOp>(op);
    if (!cast || cast->hasAttr(FuncOp::getDimAttrName()))
      continue;
    std::pair<Value, Type> key(cast.getValue(), cast.getType());
    auto [found, isNew] = known.try_emplace(key, cast.getResult());
    if (isNew) {
      own.push_back(key);
      continue;
    }
    cast.replaceAllUsesWith(found->second);
    cast.erase();
    ++numErased;
  }
  // Values of a branch or a dataflow block are not known after it.
  for (const std::pair<Value, Type> &key : own)
    known.erase(key);
}

bool partita::relax::eliminateCommonSubexpr(FuncOp func, bool callOnly,
                                            int64_t &numErased) {
  static constexpr StringLiteral attribute = "relax.cse_number";
  MLIRContext *context = func.getContext();
  Contents contents(func, callOnly);
  bool hasBlocks = !callOnly && contents.numWithRegions > 2;
  if (hasBlocks)
    numberRegions(func, attribute);
  tellApart(contents, attribute, Builder(context));
  CountErased erased;
  IRRewriter rewriter(context, &erased);
  bool changed = false;
  // For a single block, dominance computes nothing that is worth keeping.
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, func, &changed);
  OutputReuse reuse(callOnly);
  CastMerger casts;
  for (Block &block : func.getBody()) {
    reuse.visit(block);
    if (!callOnly && contents.hasCasts)
      casts.visit(block);
  }
  if (int64_t count = reuse.getNumErased() + casts.getNumErased()) {
    changed = true;
    numErased += count;
    // Ops that use the same values now may be equal.
    eliminateCommonSubExpressions(rewriter, dominance, func);
  }
  if (hasBlocks || contents.hasExceptions())
    func->walk([](Operation *op) { op->removeAttr(attribute); });
  numErased += erased.count;
  return changed;
}

void EliminateCommonSubexpr::runOnOperation() {
  int64_t count = 0;
  if (!eliminateCommonSubexpr(getOperation(), callOnly, count))
    markAllAnalysesPreserved();
  numErased += count;
}
