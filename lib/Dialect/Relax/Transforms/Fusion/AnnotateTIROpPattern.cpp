//===- AnnotateTIROpPattern.cpp - Find the patterns of kernels ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpPattern.h"

#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Conversion/Passes.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/Threading.h"

namespace partita::relax {
#define GEN_PASS_DEF_ANNOTATETIROPPATTERN
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct AnnotateTIROpPattern
    : relax::impl::AnnotateTIROpPatternBase<AnnotateTIROpPattern> {
  void getDependentDialects(DialectRegistry &registry) const override {
    conversion::createConvertLinalgToTIR()->getDependentDialects(registry);
  }
  void runOnOperation() override;
};
} // namespace

/// Whether TVM's analysis has something to say about `func`.
static bool lacksPattern(tir::PrimFuncOp func) {
  auto pattern = func->getAttrOfType<IntegerAttr>(opPatternAttrName);
  return (!pattern || pattern.getValue().isZero()) && !func.isExternal() &&
         func.getBody().getOps<tir::OpaqueBodyOp>().empty();
}

void AnnotateTIROpPattern::runOnOperation() {
  SmallVector<tir::PrimFuncOp> funcs, lowered;
  for (auto func : getOperation().getOps<tir::PrimFuncOp>())
    if (lacksPattern(func)) {
      funcs.push_back(func);
      if (conversion::hasTensors(func))
        lowered.push_back(func);
    }
  if (funcs.empty())
    return markAllAnalysesPreserved();
  // Kernels of linalg are looked at as the blocks that TVM would get.
  FailureOr<OwningOpRef<IRModuleOp>> copies =
      conversion::convertKernelsToTIR(lowered);
  if (failed(copies))
    return signalPassFailure();
  llvm::DenseMap<tir::PrimFuncOp, tir::PrimFuncOp> blocksOf;
  if (*copies)
    for (auto [func, copy] :
         llvm::zip(lowered, (*copies)->getOps<tir::PrimFuncOp>()))
      blocksOf[func] = copy;
  SmallVector<OpPattern> patterns(funcs.size());
  parallelFor(&getContext(), 0, funcs.size(), [&](size_t index) {
    tir::PrimFuncOp func = funcs[index];
    patterns[index] = analyzeOpPattern(blocksOf.lookup_or(func, func));
  });
  Builder builder(&getContext());
  for (auto [func, pattern] : llvm::zip_equal(funcs, patterns))
    func->setAttr(opPatternAttrName,
                  builder.getI64IntegerAttr(static_cast<int64_t>(pattern)));
  numAnnotated += funcs.size();
}
