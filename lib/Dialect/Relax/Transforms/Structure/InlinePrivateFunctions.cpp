//===- InlinePrivateFunctions.cpp - Inline private functions --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inline.h"
#include "Symbols.h"

#include "../BindingCanonicalizer.h"
#include "../NarrowTypes.h"
#include "../Utils.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/SCCIterator.h"

namespace partita::relax {
#define GEN_PASS_DEF_INLINEPRIVATEFUNCTIONS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A private function that calls `callees`; or the root, which calls all.
struct CallNode {
  PrivateFunction *function = nullptr;
  std::vector<CallNode *> callees;
};
} // namespace

namespace llvm {
template <>
struct GraphTraits<CallNode *> {
  using NodeRef = CallNode *;
  using ChildIteratorType = std::vector<CallNode *>::iterator;
  static NodeRef getEntryNode(CallNode *root) { return root; }
  // NOLINTBEGIN(readability-identifier-naming): the graph algorithms use them.
  static ChildIteratorType child_begin(NodeRef node) {
    return node->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->callees.end();
  }
  // NOLINTEND(readability-identifier-naming)
};
} // namespace llvm

namespace {
struct InlinePrivateFunctions
    : BindingPass<
          relax::impl::InlinePrivateFunctionsBase<InlinePrivateFunctions>> {
  void runOnOperation() override;

private:
  /// Whether the body of `callee` may stand where `call` is.
  static bool canInline(CallOp call, FuncOp callee);
  /// Returns whether `call` is gone.
  bool inlineCall(CallOp call, FuncOp callee);

  llvm::DenseMap<Operation *, SizeNames> names;
  llvm::SetVector<Operation *> changed;
};
} // namespace

/// The functions that do not call themselves, callees first.
static SmallVector<PrivateFunction *>
getOrder(llvm::MapVector<StringAttr, PrivateFunction> &functions) {
  std::vector<CallNode> nodes(functions.size() + 1);
  llvm::DenseMap<Operation *, CallNode *> nodeOfFunction;
  CallNode &root = nodes.back();
  for (auto [node, entry] : llvm::zip(nodes, functions)) {
    node.function = &entry.second;
    nodeOfFunction[entry.second.func] = &node;
    root.callees.push_back(&node);
  }
  for (CallNode *callee : root.callees)
    for (CallOp call : callee->function->calls)
      if (CallNode *caller =
              nodeOfFunction.lookup(call->getParentOfType<FuncOp>()))
        caller->callees.push_back(callee);
  SmallVector<PrivateFunction *> order;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it)
    if (!it.hasCycle() && it->front() != &root)
      order.push_back(it->front()->function);
  return order;
}

bool InlinePrivateFunctions::canInline(CallOp call, FuncOp callee) {
  bool isInDataflow = call->getParentOfType<DataflowOp>() != nullptr;
  bool mustBePure =
      (isInDataflow || callee.getIsPure()) && !isInForcedCode(call);
  return !callee.getBody()
              .walk([&](Operation *op) {
                bool isFree = isa<MatchCastOp, DataflowOp, IfOp>(op) ||
                              op->hasTrait<OpTrait::IsTerminator>() ||
                              isPureExpr(op);
                return (isInDataflow && isa<IfOp>(op)) ||
                               (mustBePure && !isFree)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

bool InlinePrivateFunctions::inlineCall(CallOp call, FuncOp callee) {
  if (!canInline(call, callee))
    return false;
  auto caller = call->getParentOfType<FuncOp>();
  SizeNames &sizes = names.try_emplace(caller, caller).first->second;
  OpBuilder builder(call);
  FailureOr<SmallVector<Value>> values =
      inlineBody(builder, callee, call.getOperands(), sizes);
  if (failed(values))
    return false;
  changed.insert(caller);
  for (auto [result, value] : llvm::zip(call.getResults(), *values)) {
    Type type = result.getType();
    // Only where a type is said again does a more specific one not fit.
    bool fits = value.getType() == type ||
                (isMoreGeneral(type, value.getType()) &&
                 llvm::none_of(result.getUsers(), llvm::IsaPred<YieldOp>));
    result.replaceAllUsesWith(
        fits
            ? value
            : MatchCastOp::create(builder, builder.getUnknownLoc(), type, value)
                  .getResult());
  }
  call.erase();
  ++numCalls;
  return true;
}

void InlinePrivateFunctions::runOnOperation() {
  names.clear();
  changed.clear();
  auto functions = findPrivateFunctions(getOperation());
  if (functions.empty())
    return markAllAnalysesPreserved();
  for (PrivateFunction *function : getOrder(functions)) {
    bool isGone = true;
    for (CallOp call : function->calls)
      isGone &= inlineCall(call, function->func);
    if (!isGone)
      continue;
    changed.remove(function->func);
    function->func.erase();
    ++numFunctions;
  }
  for (Operation *op : changed) {
    auto func = cast<FuncOp>(op);
    narrowTypes(func);
    if (failed(canonicalizeBindings(func, patterns)))
      return signalPassFailure();
    eraseUnused(func.getBody().front());
  }
}
