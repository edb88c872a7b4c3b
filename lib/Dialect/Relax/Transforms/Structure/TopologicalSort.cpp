//===- TopologicalSort.cpp - Sort the ops of dataflow blocks --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of the graph are all bindings of the function: dataflow blocks and
// the ops around them depend on each other through it. A traversal gives all
// nodes an order, and each block takes that order for its own ones.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include <deque>

namespace partita::relax {
#define GEN_PASS_DEF_TOPOLOGICALSORT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// The graph of the bindings and parameters of a function.
class BindingGraph {
public:
  explicit BindingGraph(FuncOp func);

  /// The bindings in the order in which they can be reached.
  SmallVector<Operation *> traverse(bool isDepthFirst, bool fromInputs) const;

private:
  using Edges = std::vector<SmallVector<unsigned>>;
  enum : unsigned { kInput = 0, kOutput = 1 };

  unsigned addNode(Operation *op);
  /// Lets `user` depend on the bindings that `op`, or a part of it, uses.
  void addUses(unsigned user, Operation *op);
  void addUse(unsigned user, Value value);
  void addEdge(unsigned from, unsigned to);
  void addNames(unsigned user, Operation *op);
  void addNodes(FuncOp func);
  /// Adds edges for bindings that need nothing, and for unused ones.
  void addEnds();

  /// The op of each node; null for parameters, the input and the output.
  std::vector<Operation *> ops;
  DenseMap<Value, unsigned> nodes;
  DenseMap<Operation *, unsigned> nodeOfOp;
  Edges users, requirements;
  /// The casts that introduce names.
  DenseMap<StringAttr, unsigned> casts;
};

struct TopologicalSort : relax::impl::TopologicalSortBase<TopologicalSort> {
  using TopologicalSortBase::TopologicalSortBase;
  void runOnOperation() override;
};
} // namespace

unsigned BindingGraph::addNode(Operation *op) {
  unsigned node = ops.size();
  ops.push_back(op);
  users.emplace_back();
  requirements.emplace_back();
  return node;
}

void BindingGraph::addEdge(unsigned from, unsigned to) {
  if (from == to)
    return;
  users[from].push_back(to);
  requirements[to].push_back(from);
}

void BindingGraph::addUse(unsigned user, Value value) {
  // What leaves a block stands for the value in it.
  SmallVector<Value> worklist = {getInside(value)};
  while (!worklist.empty()) {
    Value used = worklist.pop_back_val();
    if (auto it = nodes.find(used); it != nodes.end()) {
      addEdge(it->second, user);
      continue;
    }
    Operation *op = used.getDefiningOp();
    if (!op || !isPartOfUser(op))
      continue;
    addNames(user, op);
    for (Value operand : llvm::reverse(op->getOperands()))
      worklist.push_back(getInside(operand));
  }
}

void BindingGraph::addUses(unsigned user, Operation *op) {
  for (Value operand : op->getOperands())
    addUse(user, operand);
}

void BindingGraph::addNames(unsigned user, Operation *op) {
  if (casts.empty())
    return;
  forEachNameIn(op, [&](StringAttr name) {
    if (auto it = casts.find(name); it != casts.end())
      addEdge(it->second, user);
  });
}

void BindingGraph::addNodes(FuncOp func) {
  addNode(nullptr);
  addNode(nullptr);
  auto addParameters = [&](ValueRange parameters) {
    for (Value parameter : parameters) {
      unsigned node = addNode(nullptr);
      nodes[parameter] = node;
      addEdge(kInput, node);
    }
  };
  addParameters(func.getArguments());
  llvm::DenseSet<StringAttr> known;
  known.insert_range(func.getParameterNames());
  // Ops of a region come before the op that has it.
  func.getBody().walk([&](Operation *op) {
    if (auto local = dyn_cast<LocalFuncOp>(op))
      addParameters(local.getParameters());
    if (isa<DataflowOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        isPartOfUser(op))
      return;
    unsigned node = addNode(op);
    nodeOfOp[op] = node;
    for (Value result : op->getResults())
      nodes[result] = node;
    if (isa<MatchCastOp, OpaqueExprOp>(op))
      for (Type type : op->getResultTypes())
        for (StringAttr name : getNames(type))
          if (known.insert(name).second)
            casts[name] = node;
  });
}

void BindingGraph::addEnds() {
  SmallVector<unsigned> unused;
  for (auto [node, op] : llvm::enumerate(ops)) {
    if (!op)
      continue;
    if (requirements[node].empty())
      addEdge(kInput, node);
    if (users[node].empty())
      unused.push_back(node);
  }
  // What nothing uses comes first among the requirements of the output.
  for (unsigned node : unused)
    users[node].push_back(kOutput);
  unused.append(requirements[kOutput]);
  requirements[kOutput] = std::move(unused);
}

BindingGraph::BindingGraph(FuncOp func) {
  addNodes(func);
  func.getBody().walk([&](Operation *op) {
    if (auto it = nodeOfOp.find(op); it != nodeOfOp.end()) {
      addUses(it->second, op);
      addNames(it->second, op);
      if (auto parent = nodeOfOp.find(op->getParentOp());
          parent != nodeOfOp.end())
        addEdge(it->second, parent->second);
    } else if (isa<ReturnOp>(op)) {
      addUses(kOutput, op);
    } else if (isa<YieldOp>(op)) {
      addUses(nodeOfOp.lookup(op->getParentOp()), op);
    }
  });
  addEnds();
  // A traversal goes to the first of equal users, and depth first to the last
  // of equal requirements.
  for (SmallVector<unsigned> &edges : users) {
    llvm::SmallSetVector<unsigned, 8> once(edges.begin(), edges.end());
    edges.assign(once.begin(), once.end());
  }
  for (SmallVector<unsigned> &edges : requirements) {
    llvm::SmallSetVector<unsigned, 8> once(edges.rbegin(), edges.rend());
    edges.assign(once.rbegin(), once.rend());
  }
}

SmallVector<Operation *> BindingGraph::traverse(bool isDepthFirst,
                                                bool fromInputs) const {
  const Edges &forward = fromInputs ? users : requirements,
              &backward = fromInputs ? requirements : users;
  std::vector<unsigned> numMissing;
  for (const auto &edges : backward)
    numMissing.push_back(edges.size());
  std::deque<unsigned> ready = {fromInputs ? kInput : kOutput};
  SmallVector<Operation *> order;
  while (!ready.empty()) {
    unsigned node = isDepthFirst ? ready.back() : ready.front();
    isDepthFirst ? ready.pop_back() : ready.pop_front();
    if (ops[node])
      order.push_back(ops[node]);
    SmallVector<unsigned> next;
    for (unsigned other : forward[node])
      if (--numMissing[other] == 0)
        next.push_back(other);
    // Depth first goes to the first user and to the last requirement.
    if (isDepthFirst && fromInputs)
      std::reverse(next.begin(), next.end());
    ready.insert(ready.end(), next.begin(), next.end());
  }
  if (!fromInputs)
    std::reverse(order.begin(), order.end());
  return order;
}

/// Brings ops that are part of others to the first op that they are part of.
static void sinkParts(Block &block) {
  SmallVector<Operation *> parts;
  DenseMap<Operation *, unsigned> places;
  for (Operation &op : block) {
    places[&op] = places.size();
    if (isPartOfUser(&op))
      parts.push_back(&op);
  }
  // Users come first. For each part the op that it is a part of, and for that
  // op the part that comes first.
  DenseMap<Operation *, Operation *> wholes, firstParts;
  for (Operation *part : llvm::reverse(parts)) {
    Operation *whole = nullptr;
    for (Operation *user : part->getUsers()) {
      Operation *op = block.findAncestorOpInBlock(*user);
      op = wholes.lookup_or(op, op);
      if (op && (!whole || places.lookup(op) < places.lookup(whole)))
        whole = op;
    }
    if (!whole)
      continue;
    wholes[part] = whole;
    Operation *&first = firstParts.try_emplace(whole, whole).first->second;
    part->moveBefore(first);
    first = part;
  }
}

void TopologicalSort::runOnOperation() {
  FuncOp func = getOperation();
  bool isDepthFirst = order == "depth-first",
       fromInputs = direction == "from-inputs";
  if (!isDepthFirst && order != "breadth-first") {
    func.emitError("expected order to be depth-first or breadth-first, but "
                   "found '")
        << order << "'";
    return signalPassFailure();
  }
  if (!fromInputs && direction != "from-outputs") {
    func.emitError("expected direction to be from-inputs or from-outputs, but "
                   "found '")
        << direction << "'";
    return signalPassFailure();
  }
  if (func.isExternal() || func.getKeptBody())
    return markAllAnalysesPreserved();
  llvm::SetVector<Block *> blocks;
  func.walk([&](DataflowOp op) {
    Block *body = op.getBody();
    if (llvm::all_of(body->without_terminator(), [](Operation &inner) {
          // What is kept as it is can need any name of a size.
          return !isa<OpaqueExprOp>(inner) &&
                 (isa<MatchCastOp>(inner) || isPureExpr(&inner));
        }))
      blocks.insert(body);
  });
  if (blocks.empty())
    return markAllAnalysesPreserved();
  for (Operation *op : BindingGraph(func).traverse(isDepthFirst, fromInputs))
    if (blocks.contains(op->getBlock()))
      op->moveBefore(op->getBlock()->getTerminator());
  for (Block *block : blocks)
    sinkParts(*block);
  numBlocks += blocks.size();
}
