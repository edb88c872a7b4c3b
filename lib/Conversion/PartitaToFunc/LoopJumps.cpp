//===- LoopJumps.cpp - Lower break, continue and early returns ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A jump sets a flag, and what comes after it runs where the flag is not set.
//
//===----------------------------------------------------------------------===//

#include "LoopJumps.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static bool isBreak(Operation *op) {
  auto call = dyn_cast<CallIntrinOp>(op);
  return isa<BreakOp>(op) || (call && call.getIntrinsic() == "tirx.break_loop");
}

static bool isContinue(Operation *op) {
  auto call = dyn_cast<CallIntrinOp>(op);
  return isa<ContinueOp>(op) ||
         (call && call.getIntrinsic() == "tirx.continue_loop");
}

/// The loop that `jump` leaves, or null if it can't be lowered.
static Operation *getLoop(Operation *jump) {
  Operation *op = jump->getParentOp();
  while (isa_and_nonnull<scf::IfOp, AttrOp>(op) && op->getNumResults() == 0)
    op = op->getParentOp();
  if (auto loop = dyn_cast_or_null<tir::ForOp>(op)) {
    bool isSerial =
        loop.getKind() != "parallel" && loop.getKind() != "thread_binding";
    return isSerial && loop.getMin().getType().isSignlessInteger() ? op
                                                                   : nullptr;
  }
  auto loop = dyn_cast_or_null<scf::WhileOp>(op);
  return loop && loop->getNumOperands() == 0 && loop->getNumResults() == 0
             ? op
             : nullptr;
}

namespace {
/// Makes flags, and code that runs where they are not set.
class Flags {
protected:
  explicit Flags(Operation *op) : builder(op->getLoc(), op) {}

  Value makeFlag();
  void setFlag(Value flag, bool value);
  Value isNotSet(Value flag);
  void guardRest(Operation *jump, Operation *top, Value skips);

  ImplicitLocOpBuilder builder;
};

/// Lowers the jumps of one loop.
class LoopJumps : Flags {
public:
  LoopJumps(Operation *loop, ArrayRef<Operation *> jumps)
      : Flags(loop), loop(loop), jumps(jumps) {}

  void lower();

private:
  void stop(scf::WhileOp loop);
  void stop(tir::ForOp loop);

  Operation *loop;
  ArrayRef<Operation *> jumps;
  /// Whether the rest of an iteration is skipped, and the loop is left.
  Value skips, leaves;
};

/// Lowers the returns of a function that has some in branches.
class EarlyReturns : Flags {
public:
  EarlyReturns(func::FuncOp func, ArrayRef<RetOp> returns)
      : Flags(&func.getBody().front().front()), func(func), returns(returns) {}

  void lower();

private:
  func::FuncOp func;
  ArrayRef<RetOp> returns;
};
} // namespace

Value Flags::makeFlag() {
  return memref::AllocOp::create(builder,
                                 MemRefType::get({}, builder.getI1Type()));
}

void Flags::setFlag(Value flag, bool value) {
  memref::StoreOp::create(
      builder, arith::ConstantIntOp::create(builder, value, 1), flag);
}

Value Flags::isNotSet(Value flag) {
  return arith::XOrIOp::create(builder, memref::LoadOp::create(builder, flag),
                               arith::ConstantIntOp::create(builder, 1, 1));
}

/// Puts what follows `jump`, up to the end of the body of `top`, under a
/// condition.
void Flags::guardRest(Operation *jump, Operation *top, Value skips) {
  for (Operation *op = jump; op != top; op = op->getParentOp()) {
    Block *block = op->getBlock();
    auto begin = std::next(op->getIterator()),
         end = block->getTerminator()->getIterator();
    if (begin == end)
      continue;
    builder.setInsertionPointAfter(op);
    auto rest = scf::IfOp::create(builder, isNotSet(skips));
    rest.thenBlock()->getOperations().splice(
        rest.thenBlock()->begin(), block->getOperations(), begin, end);
  }
}

/// Ends the loop before its condition is evaluated again.
void LoopJumps::stop(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody();
  auto condition = cast<scf::ConditionOp>(before->getTerminator());
  builder.setInsertionPointToStart(before);
  Operation *first = &before->front();
  Value goesOn = isNotSet(leaves);
  auto evaluated = scf::IfOp::create(builder, builder.getI1Type(), goesOn,
                                     /*withElseRegion=*/true);
  Block *then = evaluated.thenBlock();
  then->getOperations().splice(then->begin(), before->getOperations(),
                               first->getIterator(), condition->getIterator());
  builder.setInsertionPointToEnd(then);
  scf::YieldOp::create(builder, condition.getCondition());
  builder.setInsertionPointToEnd(evaluated.elseBlock());
  scf::YieldOp::create(builder,
                       ValueRange(arith::ConstantIntOp::create(builder, 0, 1)));
  condition.getConditionMutable().assign(evaluated.getResult(0));
}

/// Makes the loop one that may end early.
void LoopJumps::stop(tir::ForOp loop) {
  builder.setInsertionPoint(loop);
  Value min = loop.getMin();
  Type type = min.getType();
  Value end = arith::AddIOp::create(builder, min, loop.getExtent());
  Value step = loop.getStep();
  if (!step)
    step = arith::ConstantOp::create(builder, builder.getIntegerAttr(type, 1));
  Block *body = &loop.getBody().front();
  scf::WhileOp::create(
      builder, type, min,
      [&](OpBuilder &, Location loc, ValueRange values) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(values[0].getParentBlock());
        Value isInside = arith::CmpIOp::create(
            builder, arith::CmpIPredicate::slt, values[0], end);
        Value goesOn =
            arith::AndIOp::create(builder, isInside, isNotSet(leaves));
        scf::ConditionOp::create(builder, goesOn, values);
      },
      [&](OpBuilder &, Location loc, ValueRange values) {
        OpBuilder::InsertionGuard guard(builder);
        Block *after = values[0].getParentBlock();
        body->getTerminator()->erase();
        body->getArgument(0).replaceAllUsesWith(values[0]);
        after->getOperations().splice(after->end(), body->getOperations());
        builder.setInsertionPointToEnd(after);
        Value next = arith::AddIOp::create(builder, values[0], step);
        scf::YieldOp::create(builder, next);
      });
  loop.erase();
}

void LoopJumps::lower() {
  skips = makeFlag();
  if (llvm::any_of(jumps, isBreak)) {
    leaves = makeFlag();
    setFlag(leaves, false);
  }
  // The last one first, so that each statement moves once.
  for (Operation *jump : llvm::reverse(jumps)) {
    guardRest(jump, loop, skips);
    builder.setInsertionPoint(jump);
    setFlag(skips, true);
    if (isBreak(jump))
      setFlag(leaves, true);
    jump->erase();
  }
  builder.setInsertionPointToStart(
      &loop->getRegion(loop->getNumRegions() - 1).front());
  setFlag(skips, false);
  if (!leaves)
    return;
  if (auto whileOp = dyn_cast<scf::WhileOp>(loop))
    stop(whileOp);
  else
    stop(cast<tir::ForOp>(loop));
}

LogicalResult partita::lowerLoopJumps(func::FuncOp func) {
  llvm::MapVector<Operation *, SmallVector<Operation *>> jumpsOfLoop;
  WalkResult walked = func.walk([&](Operation *op) -> WalkResult {
    if (!isBreak(op) && !isContinue(op))
      return WalkResult::advance();
    Operation *loop = getLoop(op);
    if (!loop)
      return op->emitOpError("can't be compiled: expected it in a loop that "
                             "runs one iteration after the other");
    jumpsOfLoop[loop].push_back(op);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto &[loop, jumps] : jumpsOfLoop)
    LoopJumps(loop, jumps).lower();
  return success();
}

//===----------------------------------------------------------------------===//
// Returns
//===----------------------------------------------------------------------===//

/// Where no return is reached, the result is 0, as in TVM.
void EarlyReturns::lower() {
  Value isDone = makeFlag();
  setFlag(isDone, false);
  Type type = func.getResultTypes().front();
  Value result = memref::AllocOp::create(builder, MemRefType::get({}, type));
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  memref::StoreOp::create(builder, zero, result);
  for (RetOp op : llvm::reverse(returns)) {
    guardRest(op, func, isDone);
    builder.setInsertionPoint(op);
    memref::StoreOp::create(builder, op.getValue(), result);
    setFlag(isDone, true);
    op.erase();
  }
  builder.setInsertionPoint(func.getBody().front().getTerminator());
  RetOp::create(builder, memref::LoadOp::create(builder, result).getResult());
}

void partita::lowerEarlyReturns(func::FuncOp func) {
  SmallVector<RetOp> returns;
  bool isEarly = false, isKnown = true;
  func.walk([&](RetOp op) {
    Operation *parent = op->getParentOp();
    while (isa<scf::IfOp, AttrOp>(parent) && parent->getNumResults() == 0)
      parent = parent->getParentOp();
    isEarly |= !isa_and_present<tir::ReturnOp>(op->getNextNode());
    isKnown &= parent == func &&
               TypeRange(func.getResultTypes()) == op->getOperandTypes() &&
               llvm::all_of(op->getOperandTypes(), [](Type type) {
                 return isa<FloatType>(type) || type.isSignlessInteger();
               });
    returns.push_back(op);
  });
  if (isEarly && isKnown)
    EarlyReturns(func, returns).lower();
}
