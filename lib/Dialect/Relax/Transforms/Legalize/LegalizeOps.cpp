//===- LegalizeOps.cpp - Turn ops into calls of prim_funcs ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an op is lowered, its LegalizeOpInterface says: see Models.h.
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "../Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

#include "llvm/ADT/StringSet.h"

namespace partita::relax {
#define GEN_PASS_DEF_LEGALIZEOPS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct LegalizeOps : relax::impl::LegalizeOpsBase<LegalizeOps> {
  using LegalizeOpsBase::LegalizeOpsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }

  void runOnOperation() override;

private:
  bool isSkipped(Operation *op) const {
    return skipped.contains(op->getName().getStringRef());
  }
  void legalize(Operation *op, UniqueFunctions &functions);

  StringSet<> skipped;
};
} // namespace

void LegalizeOps::legalize(Operation *op, UniqueFunctions &functions) {
  auto interface = dyn_cast<LegalizeOpInterface>(op);
  if (!interface) {
    if (enableWarning && isa<TVMCallOpInterface>(op))
      op->emitWarning("expected an op that can be legalized, found one without "
                      "a lowering");
    return;
  }
  if (replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
        return interface.legalize(kernel);
      }))
    ++numOps;
}

void LegalizeOps::runOnOperation() {
  for (const std::string &name : skipOps)
    skipped.insert(name);
  UniqueFunctions functions(getOperation());
  SmallVector<Operation *> ops;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](Operation *op) {
        if (isa_and_present<RelaxDialect>(op->getDialect()) && !isSkipped(op))
          ops.push_back(op);
      });
  for (Operation *op : ops)
    legalize(op, functions);
  numFunctions += functions.getNumAdded();
}
