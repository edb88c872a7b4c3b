//===- KillAfterLastUse.cpp - Free values after their last use ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value counts as used where an op uses it directly, or by way of tuples and
// fields that have no variable: these are part of the op in TVM. To free a
// value is to let go of it, so that other names of its memory do not matter.
//
//===----------------------------------------------------------------------===//

#include "../BindingCanonicalizer.h"
#include "../Utils.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_KILLAFTERLASTUSE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct KillAfterLastUse
    : BindingPass<relax::impl::KillAfterLastUseBase<KillAfterLastUse>> {
  using BindingPass::BindingPass;

  void runOnOperation() override;
};

/// Finds the last use of each value.
class LastUses {
public:
  explicit LastUses(FuncOp func);

  /// Frees the values; returns how many.
  int64_t insertKills();

private:
  void addUser(Operation *user);
  void addUse(Value value, Operation *user);

  /// In the order of definition. Null for values that must stay.
  llvm::MapVector<Value, Operation *> lastUses;
};
} // namespace

/// Whether the machine computes `op` in the ops that use it.
static bool isInItsUsers(Operation *op) {
  if (isa<TupleGetItemOp, TupleOp>(op))
    return !isVar(op);
  return isa<MatchCastOp>(op) && isa<UnknownLoc>(op->getLoc());
}

/// Whether `value` is in a register of the virtual machine: it is the only
/// result of an op that computes, and no null, function, shape or number.
static bool isFreeable(Value value) {
  Operation *op = value.getDefiningOp();
  bool isComputed = op && !op->hasTrait<OpTrait::ConstantLike>() &&
                    !isPlainValue(op) && !isa<NullValueOp>(op) &&
                    !isInItsUsers(op) &&
                    (op->getNumResults() == 1 || isa<DataflowOp>(op));
  return isComputed && !isa<CallableType, relax::ShapeType>(value.getType()) &&
         !value.getType().isIntOrIndexOrFloat();
}

void LastUses::addUse(Value value, Operation *user) {
  auto *found = lastUses.find(value);
  if (found == lastUses.end())
    return;
  Operation *&last = found->second;
  // The op itself stands for "not used yet".
  if (!last)
    return;
  Block *block = value.getParentBlock();
  for (Operation *outer = user; outer->getBlock() != block;
       outer = outer->getParentOp())
    // Such a function can be called later.
    if (isa<LocalFuncOp>(outer->getParentOp())) {
      last = nullptr;
      return;
    }
  Operation *inBlock = block->findAncestorOpInBlock(*user);
  last = inBlock->hasTrait<OpTrait::IsTerminator>() ? nullptr : inBlock;
}

void LastUses::addUser(Operation *user) {
  SmallVector<Value> worklist(user->getOperands());
  SmallPtrSet<Operation *, 4> visited;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (op && isInItsUsers(op)) {
      if (visited.insert(op).second)
        llvm::append_range(worklist, op->getOperands());
      continue;
    }
    addUse(value, user);
  }
}

LastUses::LastUses(FuncOp func) {
  bool isForced = isInForcedCode(&func.getBody().front().front());
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A dataflow block without effects frees nothing.
    if (op == func || (isa<DataflowOp>(op->getParentOp()) && !isForced))
      return;
    for (Value result : op->getResults())
      if (isFreeable(result))
        lastUses[result] = op;
  });
  SmallVector<Value> killed;
  func.walk([&](Operation *op) {
    if (isa<KillObjectOp, KillStorageOp, KillTensorOp>(op))
      killed.push_back(op->getOperand(0));
    else if (!isInItsUsers(op))
      addUser(op);
  });
  for (Value value : killed)
    if (auto *found = lastUses.find(value); found != lastUses.end())
      found->second = nullptr;
}

int64_t LastUses::insertKills() {
  struct Killed {
    SmallVector<Value, 2> tensors, storages, objects;
  };
  llvm::MapVector<Operation *, Killed> killedAfter;
  for (auto [value, last] : lastUses) {
    // A value that nothing uses is in no register.
    if (!last || last == value.getDefiningOp())
      continue;
    Killed &killed = killedAfter[last];
    if (isa_and_nonnull<MemoryAllocStorageOp, VMAllocStorageOp>(
            value.getDefiningOp()))
      killed.storages.push_back(value);
    else if (TensorInfo::get(value.getType()))
      killed.tensors.push_back(value);
    else
      killed.objects.push_back(value);
  }
  int64_t count = 0;
  for (auto &[op, killed] : killedAfter) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Location loc = withName(op->getLoc(), "_");
    for (Value value : killed.tensors)
      KillTensorOp::create(builder, loc, value);
    for (Value value : killed.storages)
      KillStorageOp::create(builder, loc, value);
    for (Value value : killed.objects)
      KillObjectOp::create(builder, loc, value);
    count +=
        killed.tensors.size() + killed.storages.size() + killed.objects.size();
  }
  return count;
}

/// Erases aliases that nothing uses.
static void eraseUnusedAliases(FuncOp func) {
  SmallVector<Operation *> aliases;
  func.walk([&](Operation *op) {
    bool isAlias = isa<AliasOp>(op) ||
                   (isa<MatchCastOp>(op) &&
                    op->getOperand(0).getType() == op->getResult(0).getType() &&
                    isMemoryEffectFree(op));
    if (isAlias)
      aliases.push_back(op);
  });
  for (Operation *alias : llvm::reverse(aliases))
    if (alias->use_empty())
      alias->erase();
}

void KillAfterLastUse::runOnOperation() {
  FuncOp func = getOperation();
  if (func.isExternal())
    return markAllAnalysesPreserved();
  if (failed(canonicalizeBindings(func, patterns)))
    return signalPassFailure();
  eraseUnusedAliases(func);
  numKilled += LastUses(func).insertKills();
}
