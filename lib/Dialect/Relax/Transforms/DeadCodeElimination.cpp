//===- DeadCodeElimination.cpp - Erase what nothing uses ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op is visited once, since modules of thousands of functions are common
// after fusion: each function is walked backwards, so that an op comes after
// its users, and the symbols that it names are collected on the way.
//
//===----------------------------------------------------------------------===//

#include "Structure/Symbols.h"
#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Threading.h"

namespace partita::relax {
#define GEN_PASS_DEF_DEADCODEELIMINATION
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// An op of the module, the symbols that it names, and whether it is kept.
struct Function {
  Operation *op;
  SmallVector<StringAttr, 4> callees;
  bool isReachable = false, hasChanged = false;
};

struct DeadCodeElimination
    : relax::impl::DeadCodeEliminationBase<DeadCodeElimination> {
  using DeadCodeEliminationBase::DeadCodeEliminationBase;

  void runOnOperation() override;
};
} // namespace

void DeadCodeElimination::runOnOperation() {
  IRModuleOp module = getOperation();
  std::vector<Function> functions;
  for (Operation &op : *module.getBody())
    functions.push_back({&op});
  parallelForEach(&getContext(), functions, [&](Function &function) {
    auto func = dyn_cast<FuncOp>(function.op);
    if (func && !partita::transform::skipsOptimization(func))
      for (Block &block : func.getBody()) {
        NumErased erased = eraseUnused(block);
        numOps += erased.ops;
        numOutputs += erased.outputs;
        function.hasChanged |= erased.ops != 0 || erased.outputs != 0;
      }
    function.op->walk(
        [&](Operation *op) { collectSymbols(op, function.callees); });
  });

  DenseMap<StringAttr, Function *> byName;
  for (Function &function : functions)
    byName[SymbolTable::getSymbolName(function.op)] = &function;
  SmallVector<Function *> worklist;
  auto reach = [&](Function *function) {
    if (!function || function->isReachable)
      return;
    function->isReachable = true;
    worklist.push_back(function);
  };
  for (const std::string &name : entryFunctions) {
    Function *entry = byName.lookup(StringAttr::get(&getContext(), name));
    if (!entry) {
      module.emitError("expected entry function @")
          << name << " to be in the module, found none of this name";
      return signalPassFailure();
    }
    reach(entry);
  }
  // The module's own attributes may name functions of the module.
  SmallVector<StringAttr> named;
  collectSymbols(module, named);
  for (StringAttr name : named)
    reach(byName.lookup(name));
  for (Function &function : functions)
    if (!isa<FuncOp, tir::PrimFuncOp>(function.op) ||
        !cast<SymbolOpInterface>(function.op).isPrivate())
      reach(&function);
  while (!worklist.empty())
    for (StringAttr callee : worklist.pop_back_val()->callees)
      reach(byName.lookup(callee));

  bool hasChanged = false;
  for (Function &function : functions) {
    hasChanged |= function.hasChanged || !function.isReachable;
    if (!function.isReachable) {
      function.op->erase();
      ++numFunctions;
    }
  }
  if (!hasChanged)
    markAllAnalysesPreserved();
}
