//===- TIREvaluation.cpp - Which ops are part of one statement ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TIREvaluation.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace partita;

bool partita::tvmjson::isDeclaration(Operation *op) {
  return isa<tir::ReadsOp, tir::WritesOp, tir::BufferDeclOp, tir::AttrNodeOp,
             tir::BlockBufferOp, tir::MatchBufferOp, tir::VarOp>(op);
}

bool partita::tvmjson::isExpression(Operation *op) {
  if (isa<scf::IfOp>(op))
    return op->getNumResults() == 1;
  return isa<tir::ConstantOp, tir::StringOp, tir::PrimOp, tir::ShuffleOp,
             tir::LetOp, tir::LoadOp, tir::CallOp, tir::CallIntrinOp,
             memref::LoadOp>(op) ||
         isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

namespace {
/// The statement that uses the value of an expression, and nothing else does;
/// null if there is none in its block, or if it computes the value too often.
struct Statement {
  Operation *op = nullptr;
  unsigned numTimes = 0;
};
} // namespace

static Statement getStatement(Operation *op) {
  // An expression of any length is part of its statement if nothing in it is
  // used twice.
  constexpr unsigned maxShared = 64, maxTimes = 64;
  unsigned numShared = 0;
  Operation *statement = nullptr;
  llvm::SetVector<Operation *> exprs;
  exprs.insert(op);
  for (unsigned i = 0; i != exprs.size(); ++i) {
    if (exprs[i]->getNumResults() != 1 ||
        (!exprs[i]->hasOneUse() && numShared++ == maxShared))
      return {};
    for (Operation *user : exprs[i]->getUsers()) {
      if (user->getBlock() != op->getBlock())
        return {};
      // A call that nobody uses is a statement.
      if (tvmjson::isExpression(user) && !user->use_empty())
        exprs.insert(user);
      else if (!statement || statement == user)
        statement = user;
      else
        return {};
    }
  }
  if (!statement || numShared == 0)
    return {statement, /*numTimes=*/1};
  // How often an expression computes the value is the sum of its operands.
  SmallVector<Operation *> users = llvm::to_vector(exprs);
  llvm::sort(users,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  users.push_back(statement);
  llvm::DenseMap<Operation *, unsigned> numTimes = {{op, 1}};
  for (Operation *user : llvm::drop_begin(users)) {
    unsigned &sum = numTimes[user];
    for (Value operand : user->getOperands())
      if (Operation *part = operand.getDefiningOp())
        sum = std::min(sum + numTimes.lookup(part), maxTimes);
  }
  unsigned times = numTimes[statement];
  return times == maxTimes ? Statement() : Statement{statement, times};
}

/// Whether `op` can change what others read.
static bool writes(Operation *op) {
  if (tvmjson::isDeclaration(op))
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](auto &effect) {
    return isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()) &&
           !isa<tir::DeclarationResource>(effect.getResource());
  });
}

/// Which of `first` and `second` is evaluated first as part of `op`; null if
/// neither is.
static Operation *getFirst(Operation *op, Operation *first, Operation *second,
                           llvm::DenseSet<Operation *> &visited) {
  for (Value operand : op->getOperands())
    if (Operation *part = operand.getDefiningOp();
        part && part->getBlock() == op->getBlock() &&
        tvmjson::isExpression(part) && visited.insert(part).second) {
      if (Operation *found = getFirst(part, first, second, visited))
        return found;
      if (part == first || part == second)
        return part;
    }
  return nullptr;
}

bool partita::tvmjson::isPartOfStatement(Operation *op) {
  Statement statement = getStatement(op);
  bool opWrites = writes(op);
  if (!statement.op || (opWrites && statement.numTimes > 1))
    return false;
  for (Operation *other = op->getNextNode(); other != statement.op;
       other = other->getNextNode()) {
    if (isMemoryEffectFree(other) || !(opWrites || writes(other)))
      continue;
    llvm::DenseSet<Operation *> visited;
    Statement ofOther = getStatement(other);
    if (!isExpression(other) || ofOther.op != statement.op ||
        statement.numTimes > 1 || ofOther.numTimes > 1 ||
        getFirst(statement.op, op, other, visited) != op)
      return false;
  }
  return true;
}

bool partita::tvmjson::isPureFunction(Operation *func) {
  auto isOwn = [](Value buffer) {
    return isa_and_present<tir::AllocBufferOp>(buffer.getDefiningOp());
  };
  auto isPureOp = [&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return isOwn(store.getMemRef());
    if (auto store = dyn_cast<tir::StoreOp>(op))
      return isOwn(store.getBuffer());
    if (auto call = dyn_cast<tir::CallIntrinOp>(op))
      return call.getIsPure() || call.getIntrinsic() == "tirx.tvm_struct_get";
    return !isa<tir::CallOp, tir::OpaqueBodyOp>(op);
  };
  return !func->walk([&](Operation *op) {
                return isPureOp(op) ? WalkResult::advance()
                                    : WalkResult::interrupt();
              })
              .wasInterrupted();
}
