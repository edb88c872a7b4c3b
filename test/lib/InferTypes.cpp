//===- InferTypes.cpp - Print what ops infer ------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace partita::test {
#define GEN_PASS_DEF_INFERTYPESPASS
#include "Passes.h.inc"
} // namespace partita::test

using namespace mlir;
using namespace partita;

namespace {
struct InferTypesPass : test::impl::InferTypesPassBase<InferTypesPass> {
  using InferTypesPassBase::InferTypesPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      auto inference = dyn_cast<InferTypeOpInterface>(op);
      if (!inference)
        return;
      SmallVector<Type> types;
      bool isInferred = succeeded(inference.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), types));
      if (isInferred && different && TypeRange(types) == op->getResultTypes())
        return;
      llvm::outs() << op->getName() << ": ";
      if (isInferred)
        llvm::interleaveComma(types, llvm::outs());
      else
        llvm::outs() << "fails";
      llvm::outs() << " | ";
      llvm::interleaveComma(op->getResultTypes(), llvm::outs());
      llvm::outs() << "\n";
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
