//===- CommonSubexprElim.cpp - Bind expressions that come twice -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM writes an expression in each statement that uses its value. Expressions
// that are written the same are a group. A group is numbered behind the groups
// of its operands, and is bound before them. An operand that only the bound
// expression has then comes once, and is not bound.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace partita::tir {
#define GEN_PASS_DEF_COMMONSUBEXPRELIM
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// Whether an op has values as they were when it was declared.
static bool isDeclaration(Operation *user) {
  return isa<AllocBufferOp, BlockBufferOp, BufferDeclOp, DeclBufferOp,
             MatchBufferOp, ReadsOp, WritesOp>(user);
}

/// Whether `use` is the end of a loop that does not begin at 0. TVM has the
/// number of iterations in its place.
static bool isEnd(OpOperand &use) {
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  return loop && use.get() == loop.getUpperBound() &&
         use.get() != loop.getLowerBound() &&
         !matchPattern(loop.getLowerBound(), m_Zero());
}

namespace {
struct CommonSubexprElim : tir::impl::CommonSubexprElimBase<CommonSubexprElim> {
  void runOnOperation() override;

private:
  /// Puts `op` into its group.
  void add(Operation *op);
  /// Whether `use` is in a declaration or the end of a loop, or in an
  /// expression that is for these alone.
  bool isDeclared(OpOperand &use);
  /// Whether the group is written more than once.
  bool isRepeated(unsigned group);
  /// The op before which all uses of the group can be computed.
  Operation *findPlace(unsigned group);
  /// Moves an expression of the group in front of `place`, with what computes
  /// its operands; null if it can't be computed there.
  Operation *hoist(unsigned group, Operation *&place);

  DominanceInfo *dominance = nullptr;
  SmallVector<SmallVector<Operation *>> groups;
  DenseMap<Operation *, unsigned> groupOf;
  DenseMap<llvm::hash_code, SmallVector<unsigned>> groupsByHash;
  DenseSet<Operation *> declared, hoisted;
};
} // namespace

/// Whether the regions of `op` hold statements, which run in order.
static bool hasStatements(Operation *op) {
  bool isStatement =
      op->getNumResults() == 0 && !isa<scf::WhileOp>(op) &&
      isa_and_nonnull<TIRDialect, scf::SCFDialect>(op->getDialect());
  return isa<PrimFuncOp>(op) ||
         (isStatement && llvm::all_of(op->getRegions(), [](Region &region) {
            return region.empty() || region.hasOneBlock();
          }));
}

/// Whether `op` is a division of integers whose divisor may be 0 or -1.
static bool mayTrap(Operation *op) {
  auto prim = dyn_cast<PrimOp>(op);
  bool isDivision =
      isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp,
          arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(
          op) ||
      (prim && llvm::is_contained({"Div", "FloorDiv", "FloorMod", "Mod"},
                                  prim.getKind()));
  APInt divisor;
  return isDivision &&
         !(matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
           !divisor.isZero() && !divisor.isAllOnes());
}

/// Whether TVM binds `op`: it binds no constants, conditions and vectors.
static bool canBeBound(Operation *op) {
  Type type = op->getResult(0).getType();
  return !matchPattern(op, m_Constant()) && type.isIntOrFloat() &&
         !type.isInteger(1);
}

void CommonSubexprElim::add(Operation *op) {
  auto isKnown = [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return !def || isa<BindOp, VarOp>(def) || groupOf.contains(def);
  };
  if (declared.contains(op) ||
      !(isa<PrimOp>(op) ||
        isa_and_nonnull<arith::ArithDialect>(op->getDialect())) ||
      !isPure(op) || op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperands(), isKnown))
    return;
  auto getFirst = [&](Value value) -> Value {
    auto found = groupOf.find(value.getDefiningOp());
    return found == groupOf.end() ? value
                                  : groups[found->second].front()->getResult(0);
  };
  auto areSame = [&](Value a, Value b) {
    return success(getFirst(a) == getFirst(b));
  };
  constexpr auto ignoreLocations = OperationEquivalence::IgnoreLocations;
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, [&](Value operand) { return hash_value(getFirst(operand)); },
      OperationEquivalence::ignoreHashValue, ignoreLocations);
  for (unsigned group : groupsByHash[hash])
    if (OperationEquivalence::isEquivalentTo(groups[group].front(), op, areSame,
                                             nullptr, ignoreLocations)) {
      groups[group].push_back(op);
      groupOf[op] = group;
      return;
    }
  groupOf[op] = groups.size();
  groupsByHash[hash].push_back(groups.size());
  groups.push_back({op});
}

bool CommonSubexprElim::isDeclared(OpOperand &use) {
  if (isEnd(use))
    return true;
  Operation *user = use.getOwner();
  while (!isDeclaration(user) && !declared.contains(user)) {
    user = user->getParentOp();
    if (hasStatements(user))
      return false;
  }
  return true;
}

bool CommonSubexprElim::isRepeated(unsigned group) {
  SmallVector<Operation *> users;
  auto addUsers = [&](Operation *op) {
    for (OpOperand &use : op->getUses())
      if (!isDeclared(use))
        users.push_back(use.getOwner());
  };
  llvm::for_each(groups[group], addUsers);
  // The one expression that it is written in can be written twice.
  while (users.size() == 1 && isExpression(users.front()))
    addUsers(users.pop_back_val());
  return users.size() > 1;
}

Operation *CommonSubexprElim::findPlace(unsigned group) {
  SmallVector<Operation *> users;
  for (Operation *op : groups[group])
    for (OpOperand &use : op->getUses()) {
      if (isDeclared(use))
        continue;
      Operation *user = use.getOwner();
      while (!hasStatements(user->getParentOp()))
        user = user->getParentOp();
      users.push_back(user);
    }
  Block *block = dominance->findNearestCommonDominator(
      llvm::map_range(users, [](Operation *user) { return user->getBlock(); }));
  Operation *place = nullptr;
  for (Operation *user : users)
    if (Operation *found = block->findAncestorOpInBlock(*user);
        !place || found->isBeforeInBlock(place))
      place = found;
  // What is bound later comes before what is bound already.
  while (place->getPrevNode() && hoisted.contains(place->getPrevNode()))
    place = place->getPrevNode();
  return place;
}

Operation *CommonSubexprElim::hoist(unsigned group, Operation *&place) {
  ArrayRef<Operation *> ops = groups[group];
  SetVector<Operation *> tree;
  auto add = [&](Operation *op) {
    if (op && !dominance->properlyDominates(op, place))
      tree.insert(op);
  };
  add(ops.front());
  for (size_t i = 0; i < tree.size(); ++i)
    for (Value operand : tree[i]->getOperands())
      add(operand.getDefiningOp());
  bool isComputed = llvm::any_of(ops, [&](Operation *op) {
    return op->getBlock() == place->getBlock() &&
           (op->isBeforeInBlock(place) || hoisted.contains(op));
  });
  if (!isComputed && llvm::any_of(tree, mayTrap))
    return nullptr;
  SmallVector<Operation *> order = tree.takeVector();
  llvm::sort(order, [&](Operation *a, Operation *b) {
    return groupOf.lookup(a) < groupOf.lookup(b);
  });
  while (llvm::is_contained(order, place))
    place = place->getNextNode();
  for (Operation *op : order)
    op->moveBefore(place);
  hoisted.insert(order.begin(), order.end());
  return ops.front();
}

void CommonSubexprElim::runOnOperation() {
  if (!getOperation().getBody().hasOneBlock())
    return markAllAnalysesPreserved();
  groups.clear();
  groupOf.clear();
  groupsByHash.clear();
  declared.clear();
  hoisted.clear();
  dominance = &getAnalysis<DominanceInfo>();
  getOperation()->walk<WalkOrder::PreOrder, ReverseIterator>(
      [&](Operation *op) {
        if (isExpression(op) &&
            llvm::all_of(op->getUses(),
                         [&](OpOperand &use) { return isDeclared(use); }))
          declared.insert(op);
      });
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op);
    bool isEntered =
        op->getNumRegions() == 0 || hasStatements(op) || isa<scf::IfOp>(op);
    return isEntered ? WalkResult::advance() : WalkResult::skip();
  });
  auto forget = [&](Operation *op) {
    auto found = groupOf.find(op);
    if (found == groupOf.end())
      return false;
    llvm::erase(groups[found->second], op);
    groupOf.erase(found);
    declared.erase(op);
    hoisted.erase(op);
    return true;
  };
  unsigned count = 0;
  for (unsigned group = groups.size(); group-- > 0;) {
    if (groups[group].empty() || !canBeBound(groups[group].front()) ||
        !isRepeated(group))
      continue;
    Operation *place = findPlace(group);
    Operation *op = hoist(group, place);
    if (!op)
      continue;
    OpBuilder builder(place);
    Location loc = NameLoc::get(builder.getStringAttr("cse_v" + Twine(++count)),
                                op->getLoc());
    auto bind = BindOp::create(builder, loc, op->getResultTypes().front(),
                               op->getResult(0));
    hoisted.insert(bind);
    SmallVector<Value> values;
    for (Operation *same : groups[group]) {
      values.push_back(same->getResult(0));
      same->getResult(0).replaceUsesWithIf(bind, [&](OpOperand &use) {
        return use.getOwner() != bind && !isDeclared(use);
      });
    }
    declared.insert(groups[group].begin(), groups[group].end());
    declared.erase(op);
    eraseUnused(values, forget);
  }
  numBound += count;
  if (count == 0)
    markAllAnalysesPreserved();
}
