//===- StorageInPlace.cpp - Results that replace operands -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearSum.h"
#include "StoragePlan.h"
#include "Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// More stores of one result than this are not compared.
static constexpr unsigned maxStores = 4;
/// Expressions with more ops than this are not compared.
static constexpr unsigned maxCompared = 64;

static Value getAccessIndex(Operation *access) {
  return access->getOperands().back();
}

static bool areSame(Value a, Value b, unsigned &numLeft) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || numLeft == 0 || !isMemoryEffectFree(first) ||
      first->getNumRegions() != 0 || first->getNumResults() != 1)
    return false;
  --numLeft;
  auto isSame = [&](Value c, Value d) {
    return success(areSame(c, d, numLeft));
  };
  return OperationEquivalence::isEquivalentTo(
      first, second, isSame, /*markEquivalent=*/nullptr,
      OperationEquivalence::IgnoreLocations);
}

bool tir::isSameExpr(Value a, Value b) {
  unsigned numLeft = maxCompared;
  return areSame(a, b, numLeft);
}

/// Whether `a` and `b` are in different branches of one condition.
static bool areExclusive(Operation *a, Operation *b) {
  Region *region = a->getParentRegion();
  while (!region->getParentOp()->isProperAncestor(b))
    region = region->getParentRegion();
  return isa<scf::IfOp>(region->getParentOp()) &&
         !region->isAncestor(b->getParentRegion());
}

/// Adds the variables for which `store` runs again in `statement`; fails if
/// they are not known.
static bool addLoopVars(Operation *store, Operation *statement,
                        SmallVectorImpl<BlockArgument> &vars) {
  for (Operation *op = store; op != statement;) {
    op = op->getParentOp();
    if (isa<scf::ForOp, ForOp, AttrOp>(op))
      llvm::append_range(vars, op->getRegion(0).getArguments());
    else if (!isa<scf::IfOp>(op))
      return false;
  }
  return true;
}

/// Adds the variables of threads that run `statement` on the same memory.
static void addThreadVars(Operation *statement, StringRef scope,
                          SmallVectorImpl<BlockArgument> &vars) {
  if (scope == "local")
    return;
  for (Operation *op = statement->getParentOp(); !isa<PrimFuncOp>(op);
       op = op->getParentOp()) {
    std::optional<StringRef> thread;
    if (auto attr = dyn_cast<AttrOp>(op))
      thread = attr.getThread();
    else if (auto loop = dyn_cast<ForOp>(op))
      thread = loop.getThread();
    // Blocks of threads have shared memory of their own.
    if (thread && (scope == "global" || !thread->starts_with("blockIdx")))
      llvm::append_range(vars, op->getRegion(0).getArguments());
  }
}

namespace {
/// A part of an index: `var * factor`, for each of the `extent` values of the
/// variable, if their number is known.
struct Digit {
  int64_t factor;
  std::optional<int64_t> extent;
};
} // namespace

/// Whether all values of the digits have sums of their own.
static bool areSumsUnique(MutableArrayRef<Digit> digits) {
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return a.factor < b.factor;
  });
  int64_t largest = 0;
  for (auto [number, digit] : llvm::enumerate(digits)) {
    if (digit.factor <= largest)
      return false;
    if (number + 1 == digits.size())
      break;
    int64_t most = 0;
    if (!digit.extent ||
        llvm::MulOverflow(digit.factor, *digit.extent - 1, most) ||
        llvm::AddOverflow(largest, most, largest))
      return false;
  }
  return true;
}

/// Whether no two iterations access one element at `index`. The variables of
/// the loops are `vars`, and the loops are in `statement`.
static bool isInjective(Operation *store, Operation *statement, Value index,
                        ArrayRef<BlockArgument> vars) {
  SmallVector<Digit> digits;
  IntegerFacts facts(store);
  if (isa<VectorType>(index.getType())) {
    auto ramp = index.getDefiningOp<PrimOp>();
    if (!ramp || ramp.getKind() != "Ramp")
      return false;
    std::optional<int64_t> stride = getConstant(ramp.getArgs()[1]),
                           lanes = getConstant(ramp.getArgs()[2]);
    if (!stride || !lanes || *stride <= 0 || *lanes <= 0)
      return false;
    digits.push_back({*stride, lanes});
    index = ramp.getArgs()[0];
  }
  if (!isIndexInteger(index.getType()))
    return false;
  AffineExpr expr = facts.getExpr(index);
  LinearSum sum(expr);
  for (BlockArgument var : vars) {
    if (getOnlyValue(var))
      continue;
    int64_t factor = 0;
    if (auto dim = dyn_cast<AffineDimExpr>(facts.getExpr(var)))
      factor = sum.terms.lookup(dim);
    if (factor == 0 || factor == INT64_MIN)
      return false;
    std::optional<IntegerRange> range = getConstantRange(var);
    int64_t extent = 0;
    bool isKnown = range &&
                   !llvm::SubOverflow(range->last, range->first, extent) &&
                   !llvm::AddOverflow(extent, int64_t(1), extent);
    digits.push_back(
        {std::abs(factor), isKnown ? std::optional(extent) : std::nullopt});
  }
  // All else in the index must stay the same.
  for (auto [term, factor] : sum.terms) {
    bool isConstant = true;
    term.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      if (!dim)
        return;
      Value leaf = facts.getLeaves()[dim.getPosition()];
      auto argument = dyn_cast<BlockArgument>(leaf);
      if (part == term && argument && llvm::is_contained(vars, argument))
        return;
      Operation *owner = leaf.getParentRegion()->getParentOp();
      isConstant &= !statement->isAncestor(owner) &&
                    !(argument && llvm::is_contained(vars, argument));
    });
    if (!isConstant)
      return false;
  }
  return areSumsUnique(digits);
}

InPlaceChecker::InPlaceChecker(const StorageEvent &event,
                               const Allocation &result)
    : event(event), result(result) {
  isPossible = addStores() && isWrittenOnce();
}

/// Finds the stores of the result in the event; fails if it has another use.
bool InPlaceChecker::addStores() {
  for (auto [number, use] : result.accesses) {
    if (number >= event.last)
      break;
    Operation *op = use->getOwner();
    if (!isa<memref::StoreOp, StoreOp>(op) || use->getOperandNumber() != 1 ||
        use->get() != result.buffer || op->getNumOperands() != 3)
      return false;
    stores.insert(op);
    if (stores.size() > maxStores)
      return false;
  }
  return !stores.empty();
}

/// Whether the event writes each element of the result at most once.
bool InPlaceChecker::isWrittenOnce() const {
  Operation *store = stores.front();
  SmallVector<BlockArgument> vars;
  if (!addLoopVars(store, event.statement, vars))
    return false;
  for (auto [number, first] : llvm::enumerate(stores))
    for (Operation *second : stores.getArrayRef().drop_front(number + 1)) {
      SmallVector<BlockArgument> others;
      if (!areExclusive(first, second) ||
          first->getOperand(0).getType() != second->getOperand(0).getType() ||
          !addLoopVars(second, event.statement, others) || others != vars ||
          !isSameExpr(getAccessIndex(first), getAccessIndex(second)))
        return false;
    }
  addThreadVars(event.statement, result.scope, vars);
  return vars.empty() ||
         isInjective(store, event.statement, getAccessIndex(store), vars);
}

/// The op whose results `user` computes from its operand, and does nothing
/// else; null if there is none.
static Operation *getComputation(Operation *user) {
  if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
    return user->getParentOp();
  if (user->getNumResults() != 1 || isa<BindOp>(user))
    return nullptr;
  if (auto call = dyn_cast<CallIntrinOp>(user))
    return call.getIsPure() && call.getIntrinsic() != "tirx.address_of"
               ? user
               : nullptr;
  return isa<scf::IfOp>(user) ||
                 (user->getNumRegions() == 0 && isMemoryEffectFree(user))
             ? user
             : nullptr;
}

/// Whether `values` are only used to compute what the stores store.
bool InPlaceChecker::feedStores(SmallVector<Value> values) const {
  llvm::SmallDenseSet<Value> seen(llvm::from_range, values);
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (stores.contains(user) && use.getOperandNumber() == 0)
        continue;
      Operation *computation = getComputation(user);
      if (!computation)
        return false;
      for (Value result : computation->getResults())
        if (seen.insert(result).second)
          values.push_back(result);
    }
  }
  return true;
}

bool InPlaceChecker::isInPlace(const Allocation &operand) const {
  if (!isPossible)
    return false;
  Operation *store = stores.front();
  SmallVector<Value> values;
  for (auto [number, use] : llvm::reverse(operand.accesses)) {
    if (number < event.first)
      break;
    Operation *load = use->getOwner();
    // All stores have the same index.
    if (!isa<memref::LoadOp, LoadOp>(load) || use->getOperandNumber() != 0 ||
        use->get() != operand.buffer || load->getNumOperands() != 2 ||
        load->getResult(0).getType() != store->getOperand(0).getType() ||
        !isSameExpr(getAccessIndex(load), getAccessIndex(store)))
      return false;
    values.push_back(load->getResult(0));
  }
  return feedStores(std::move(values));
}
