//===- Normalize.cpp - TVM's normal form ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Import keeps functions that are not in normal form as they are. Such
// functions are imported again, in a way that gives calls the variables and the
// types that they lack.
//
//===----------------------------------------------------------------------===//

#include "NarrowTypes.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIRDialect.h"
#include "partita/Pass/Pass.h"
#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace partita::relax {
#define GEN_PASS_DEF_NORMALIZE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct Normalize : relax::impl::NormalizeBase<Normalize> {
  void runOnOperation() override;
};
} // namespace

/// Whether `op` is something that has another form in TVM's normal form.
static bool lacksNormalForm(Operation *op) {
  if (auto kept = dyn_cast<OpaqueExprOp>(op))
    return kept.getKind() != "relax.expr.ExternFunc";
  if (isa<DataflowOp>(op) && isa_and_present<DataflowOp>(op->getNextNode()))
    return true;
  return op->hasAttr(FuncOp::getUntypedAttrName()) ||
         op->hasAttr(inlineAttrName) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<relax::OpaqueType>);
}

static bool isNormal(FuncOp func) {
  return !func->walk([](Operation *op) {
                return lacksNormalForm(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Drops copies of a variable under its own name, which an inner SeqExpr
/// without a type leaves behind.
static void dropCopies(FuncOp func) {
  func->walk([](Operation *op) {
    // A cast can name a size.
    if (!isa<AliasOp, MatchCastOp>(op) || !isVar(op) ||
        op->hasAttr(FuncOp::getDimAttrName()))
      return;
    Value value = op->getOperand(0);
    Operation *source = value.getDefiningOp();
    if (!source || source->getLoc() != op->getLoc() ||
        value.getType() != op->getResult(0).getType())
      return;
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
  });
}

void Normalize::runOnOperation() {
  IRModuleOp module = getOperation();
  SmallVector<FuncOp> functions;
  for (auto func : module.getBody()->getOps<FuncOp>())
    if (!func.isExternal() && !partita::transform::skipsOptimization(func) &&
        !isNormal(func))
      functions.push_back(func);
  if (functions.empty())
    return markAllAnalysesPreserved();
  std::string json;
  llvm::raw_string_ostream os(json);
  if (failed(exportTVMJson(module, os)))
    return signalPassFailure();
  OwningOpRef<IRModuleOp> normal = normalizeTVMJson(json, module.getLoc());
  if (!normal)
    return signalPassFailure();
  SymbolTable symbols(*normal);
  for (FuncOp func : functions) {
    auto made = symbols.lookup<FuncOp>(func.getSymName());
    bool isKept = bool(made.getKeptBody());
    if (isKept && !func.getKeptBody())
      continue;
    if (!isKept) {
      dropCopies(made);
      narrowResultTypes(made);
    }
    made->moveBefore(func);
    func.erase();
    ++numFunctions;
  }
}
