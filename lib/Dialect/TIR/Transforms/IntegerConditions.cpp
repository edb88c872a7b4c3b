//===- IntegerConditions.cpp - What conditions say about integers ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "LinearSum.h"
#include "StmtSimplifyForm.h"
#include "Utils.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;
using arith::CmpIPredicate;

/// The condition that `value` is under another name.
static Value lookThrough(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto call = dyn_cast<CallIntrinOp>(op);
    if (!isa<BindOp>(op) && !(call && isLikely(call)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool tir::isLikely(CallIntrinOp call) {
  StringRef name = call.getIntrinsic();
  return (name == "prim.likely" || name == "tirx.likely") &&
         call.getArgs().size() == 1;
}

/// The operand of `!operand`; null if `value` is none.
static Value getNegated(Value value) {
  auto op = value.getDefiningOp<arith::XOrIOp>();
  return op && matchPattern(op.getRhs(), m_One()) ? op.getLhs() : Value();
}

void IntegerFacts::addComparison(CmpIPredicate predicate, Value lhs,
                                 Value rhs) {
  if (!isIndexInteger(lhs.getType()))
    return;
  hasConditions = true;
  AffineExpr a = getExpr(lhs), b = getExpr(rhs),
             one = getAffineConstantExpr(1, context);
  switch (predicate) {
  case CmpIPredicate::eq:
    if (facts.size() < maxFacts)
      facts.push_back({add(a, b, -1), /*isEquality=*/true});
    return;
  case CmpIPredicate::ne:
    unequal.push_back(simplify(add(a, b, -1)));
    return;
  case CmpIPredicate::slt:
    return addAtLeast(b, add(a, one, 1));
  case CmpIPredicate::sle:
    return addAtLeast(b, a);
  case CmpIPredicate::sgt:
    return addAtLeast(a, add(b, one, 1));
  case CmpIPredicate::sge:
    return addAtLeast(a, b);
  default:
    return;
  }
}

/// Adds that an operand of `condition`, which is `a || b || ...` if it holds
/// and `a && b && ...` otherwise, has the value of `condition`.
void IntegerFacts::addAlternative(Value condition, bool value) {
  // Each question asks for each of them.
  constexpr unsigned maxAlternatives = 4, maxConditions = 16;
  if (alternatives.size() == maxAlternatives)
    return;
  OperationName name = condition.getDefiningOp()->getName();
  auto getInner = [&](Value value) -> Operation * {
    Operation *op = value.getDefiningOp();
    return op && op->getName() == name ? op : nullptr;
  };
  Alternative alternative = {{}, value};
  if (appendOperands(condition, getInner, maxConditions,
                     alternative.conditions))
    alternatives.push_back(std::move(alternative));
}

void IntegerFacts::assume(Value condition, bool holds) {
  SmallVector<std::pair<Value, bool>> worklist = {{condition, holds}};
  for (unsigned i = 0; i != worklist.size() && i != maxFacts; ++i) {
    auto [value, isTrue] = worklist[i];
    value = lookThrough(value);
    known.try_emplace(value, isTrue);
    if (Value negated = getNegated(value)) {
      worklist.emplace_back(negated, !isTrue);
    } else if (Operation *op = value.getDefiningOp();
               isa_and_present<arith::AndIOp>(op) == isTrue &&
               isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
      for (Value operand : op->getOperands())
        worklist.emplace_back(operand, isTrue);
    } else if (isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
      addAlternative(value, isTrue);
    } else if (auto compare = value.getDefiningOp<arith::CmpIOp>()) {
      addComparison(isTrue ? compare.getPredicate()
                           : arith::invertPredicate(compare.getPredicate()),
                    compare.getLhs(), compare.getRhs());
    }
  }
}

std::optional<bool> IntegerFacts::evaluate(Value condition) {
  std::optional<bool> result = evaluateDirectly(condition);
  for (const Alternative &alternative : alternatives)
    if (!result)
      result = evaluateCases(alternative, condition);
  return result;
}

/// The value that `condition` has in each case of `alternative`.
std::optional<bool> IntegerFacts::evaluateCases(const Alternative &alternative,
                                                Value condition) {
  std::optional<bool> result;
  for (Value given : alternative.conditions) {
    // The case is impossible.
    if (evaluateDirectly(given) == !alternative.value)
      continue;
    IntegerFacts facts(*this);
    facts.assume(given, alternative.value);
    std::optional<bool> other = facts.evaluateDirectly(condition);
    if (!other || (result && *result != *other))
      return std::nullopt;
    result = other;
  }
  return result;
}

/// The value that `condition` has in all cases by the same facts.
std::optional<bool> IntegerFacts::evaluateDirectly(Value condition) {
  condition = lookThrough(condition);
  auto comparison = condition.getDefiningOp<arith::CmpIOp>();
  if (comparison && isIndexInteger(comparison.getLhs().getType())) {
    // Before the facts, so that its values come first.
    getExpr(comparison.getLhs());
    getExpr(comparison.getRhs());
  }
  gather();
  if (auto entry = known.find(condition); entry != known.end())
    return entry->second;
  if (std::optional<int64_t> number = getConstant(condition))
    return *number != 0;
  if (depth == maxDepth)
    return std::nullopt;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  std::optional<bool> result;
  Operation *op = condition.getDefiningOp();
  if (Value negated = getNegated(condition)) {
    result = evaluateDirectly(negated);
    if (result)
      result = !*result;
  } else if (isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
    // One operand can decide alone.
    bool decisive = isa<arith::OrIOp>(op);
    auto lhs = evaluateDirectly(op->getOperand(0)),
         rhs = evaluateDirectly(op->getOperand(1));
    if (lhs == decisive || rhs == decisive)
      result = decisive;
    else if (lhs && rhs)
      result = !decisive;
  } else if (comparison && isIndexInteger(comparison.getLhs().getType())) {
    result = compare(comparison.getPredicate(), getExpr(comparison.getLhs()),
                     getExpr(comparison.getRhs()));
  }
  return result;
}
