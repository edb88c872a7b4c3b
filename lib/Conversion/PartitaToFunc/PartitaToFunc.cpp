//===- PartitaToFunc.cpp - Turn partita.modules into func.funcs -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"

#include "partita/Conversion/Passes.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SCCIterator.h"

namespace partita::conversion {
#define GEN_PASS_DEF_CONVERTPARTITATOFUNC
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ConvertPartitaToFunc
    : conversion::impl::ConvertPartitaToFuncBase<ConvertPartitaToFunc> {
  void runOnOperation() override;

private:
  LogicalResult lower(IRModuleOp irModule, LoweredModule &module);
  SmallVector<FunctionOpInterface> exported;
};
} // namespace

LogicalResult ConvertPartitaToFunc::lower(IRModuleOp irModule,
                                          LoweredModule &module) {
  module.getBuilder().setInsertionPoint(irModule);
  module.findValues(irModule);
  for (Operation &op : irModule.getOps()) {
    LogicalResult result = success();
    if (auto func = dyn_cast<relax::FuncOp>(op)) {
      result = lowerFunction(func, module);
      if (func.isPublic())
        exported.push_back(func);
    } else if (auto primFunc = dyn_cast<tir::PrimFuncOp>(op)) {
      result = lowerPrimFunc(primFunc, module);
      if (succeeded(result) && isEntry(primFunc))
        exported.push_back(primFunc);
    } else {
      module.getBuilder().clone(op);
    }
    if (failed(result))
      return failure();
  }
  return success();
}

/// Fails with an error if two functions have the same name after lowering.
static LogicalResult verifyNames(ModuleOp module) {
  llvm::DenseMap<StringAttr, Operation *> seen;
  for (Operation &op : module.getOps()) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name || isa<IRModuleOp>(op))
      continue;
    auto [it, isNew] = seen.try_emplace(name, &op);
    if (isNew)
      continue;
    InFlightDiagnostic diag =
        op.emitError("expected functions of all modules to have different "
                     "names, found '")
        << name.getValue() << "' twice";
    diag.attachNote(it->second->getLoc()) << "here for the first time";
    return diag;
  }
  return success();
}

/// Lets the runtime end a recursion before the stack ends: it checks the stack
/// where a function begins that calls lead back to.
static void checkRecursion(ModuleOp module, LoweredModule &lowered) {
  CallGraph graph(module);
  for (auto cycle = llvm::scc_begin(const_cast<const CallGraph *>(&graph));
       !cycle.isAtEnd(); ++cycle) {
    if (!cycle.hasCycle())
      continue;
    for (const CallGraphNode *node : *cycle) {
      auto begin = OpBuilder::atBlockBegin(&node->getCallableRegion()->front());
      Location loc = node->getCallableRegion()->getLoc();
      func::CallOp::create(begin, loc, lowered.getCheckStack(loc));
    }
  }
}

/// Integers of func, memref and LLVM have no sign.
static void dropSigns(Operation *lowered) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](IntegerType type) -> Type {
    return IntegerType::get(type.getContext(), type.getWidth());
  });
  replacer.recursivelyReplaceElementsIn(lowered, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  lowered->walk([](UnrealizedConversionCastOp op) {
    if (op->getOperandTypes() == op->getResultTypes()) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  });
}

void ConvertPartitaToFunc::runOnOperation() {
  auto module = dyn_cast<ModuleOp>(getOperation());
  if (!module) {
    getOperation()->emitOpError("can't be lowered: expected a builtin.module");
    return signalPassFailure();
  }
  exported.clear();
  SmallVector<IRModuleOp> lowered =
      llvm::to_vector(module.getOps<IRModuleOp>());
  if (lowered.empty())
    return markAllAnalysesPreserved();
  llvm::SmallPtrSet<Operation *, 16> others;
  for (Operation &op : module.getOps())
    others.insert(&op);
  LoweredModule loweredModule(module);
  for (IRModuleOp irModule : lowered)
    if (failed(lower(irModule, loweredModule)))
      return signalPassFailure();
  OpBuilder builder(lowered.front());
  if (failed(verifyNames(module)))
    return signalPassFailure();
  loweredModule.exportClosures();
  SmallVector<FunctionOpInterface> closures =
      llvm::to_vector_of<FunctionOpInterface>(loweredModule.getClosures());
  if (failed(addMetadata(builder, exported, closures,
                         loweredModule.takePackedFuncs())))
    return signalPassFailure();
  for (IRModuleOp irModule : lowered) {
    others.erase(irModule);
    irModule.erase();
  }
  checkRecursion(module, loweredModule);
  for (Operation &op : module.getOps())
    if (!others.contains(&op))
      dropSigns(&op);
}
