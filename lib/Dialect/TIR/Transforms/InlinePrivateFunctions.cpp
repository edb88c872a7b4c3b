//===- InlinePrivateFunctions.cpp - Put prim_funcs into callers -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"

#include <deque>

namespace partita::tir {
#define GEN_PASS_DEF_INLINEPRIVATEFUNCTIONS
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// All functions together grow by at most this many ops: functions that call
/// others twice, which call others twice, would have no end.
static constexpr int64_t maxInlinedOps = 1 << 20;

namespace {
struct InlinePrivateFunctions
    : tir::impl::InlinePrivateFunctionsBase<InlinePrivateFunctions> {
  void runOnOperation() override;
};

/// A function, and the calls in it. The root has no function and calls all.
struct CallNode {
  PrimFuncOp func;
  SmallVector<CallOp> calls;
  SmallVector<CallNode *> callees;
  int64_t numOps = 0;
  /// Whether the body can be a part of another one.
  bool canInline = false;
};
} // namespace

template <>
struct llvm::GraphTraits<CallNode *> {
  using NodeRef = CallNode *;
  using ChildIteratorType = SmallVector<CallNode *>::iterator;

  static NodeRef getEntryNode(NodeRef node) { return node; }
  // LLVM chose these names.
  // NOLINTBEGIN(readability-identifier-naming)
  static ChildIteratorType child_begin(NodeRef node) {
    return node->callees.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->callees.end();
  }
  // NOLINTEND(readability-identifier-naming)
};

/// Finds the calls of a function, and whether its body can be inlined.
static void describeFunction(CallNode &node) {
  PrimFuncOp func = node.func;
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  node.canInline = !func.isExternal() &&
                   llvm::hasSingleElement(func.getBody()) &&
                   SymbolTable::getSymbolVisibility(func) ==
                       SymbolTable::Visibility::Private &&
                   !func->hasAttr("global_symbol") &&
                   llvm::none_of(func.getArgumentTypes(), isBuffer);
  func.walk([&](Operation *op) {
    ++node.numOps;
    if (auto call = dyn_cast<CallOp>(op))
      node.calls.push_back(call);
    // The names of blocks are unique, and a return would leave the caller.
    if (isa<BlockOp, RetOp, OpaqueBodyOp, VarOp>(op))
      node.canInline = false;
  });
}

/// Whether the parameters of `func` can have the arguments of `call` as values.
static bool fitsParameters(CallOp call, PrimFuncOp func) {
  auto isPointer = [](Type type) { return isa<HandleType, PtrType>(type); };
  return call.getArgs().size() == func.getNumArguments() &&
         llvm::all_of(llvm::zip_equal(call.getArgs().getTypes(),
                                      func.getArgumentTypes()),
                      [&](auto types) {
                        auto [type, param] = types;
                        return type == param ||
                               (isPointer(type) && isPointer(param));
                      });
}

/// Puts the body of `callee` in place of `call`; fails if the call must stay.
/// Functions can grow by `numLeft` ops.
static LogicalResult inlineCall(CallOp call, CallNode &caller, CallNode &callee,
                                int64_t &numLeft) {
  if (!callee.canInline || !call->use_empty() ||
      !fitsParameters(call, callee.func) || callee.numOps > numLeft)
    return failure();
  Attribute target = caller.func->getAttr("target"),
            calleeTarget = callee.func->getAttr("target");
  if (target && calleeTarget && target != calleeTarget)
    return failure();
  Block &body = callee.func.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getArgs());
  OpBuilder builder(call);
  for (Operation &op : body.without_terminator())
    // Variables that ops of the callee share are others in each copy.
    builder.clone(op, mapping)->walk([](Operation *copy) {
      copy->removeDiscardableAttr("tir.shared_var");
    });
  call.erase();
  caller.numOps += callee.numOps;
  numLeft -= callee.numOps;
  return success();
}

/// Erases functions that were inlined and that nothing uses.
static void eraseInlined(IRModuleOp module, ArrayRef<CallNode *> nodes) {
  llvm::DenseSet<Attribute> used;
  // The attributes of the module, and then its contents.
  for (std::optional<SymbolTable::UseRange> uses :
       {SymbolTable::getSymbolUses(module.getOperation()),
        SymbolTable::getSymbolUses(&module->getRegion(0))}) {
    if (!uses)
      return;
    for (SymbolTable::SymbolUse use : *uses)
      used.insert(use.getSymbolRef().getRootReference());
  }
  for (CallNode *node : nodes)
    if (node->canInline && !used.contains(node->func.getSymNameAttr()))
      node->func.erase();
}

void InlinePrivateFunctions::runOnOperation() {
  std::deque<CallNode> nodes;
  llvm::DenseMap<Attribute, CallNode *> nodeOf;
  for (PrimFuncOp func : getOperation().getOps<PrimFuncOp>()) {
    CallNode &node = nodes.emplace_back();
    node.func = func;
    describeFunction(node);
    nodeOf[func.getSymNameAttr()] = &node;
  }
  CallNode root;
  for (CallNode &node : nodes) {
    root.callees.push_back(&node);
    for (CallOp call : node.calls)
      if (CallNode *callee = nodeOf.lookup(call.getCalleeAttr().getAttr()))
        node.callees.push_back(callee);
  }
  // Callees come before their callers.
  SmallVector<CallNode *> order;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it) {
    // A function that calls itself has no end here.
    if (it.hasCycle())
      for (CallNode *node : *it)
        node->canInline = false;
    llvm::append_range(order, *it);
  }
  int64_t numLeft = maxInlinedOps;
  bool isChanged = false;
  for (CallNode *node : order)
    if (node != &root && !partita::transform::skipsOptimization(node->func))
      for (CallOp call : node->calls)
        if (CallNode *callee = nodeOf.lookup(call.getCalleeAttr().getAttr());
            callee && succeeded(inlineCall(call, *node, *callee, numLeft))) {
          ++numInlined;
          isChanged = true;
        }
  if (!isChanged)
    return markAllAnalysesPreserved();
  order.pop_back();
  eraseInlined(getOperation(), order);
}
