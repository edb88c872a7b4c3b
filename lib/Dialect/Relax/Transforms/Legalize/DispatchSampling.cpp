//===- DispatchSampling.cpp - Turn draws into prim_funcs ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "Models.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace partita::relax {
#define GEN_PASS_DEF_DISPATCHSAMPLING
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct DispatchSampling : relax::impl::DispatchSamplingBase<DispatchSampling> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }
  void runOnOperation() override;
};
} // namespace

/// The place in a row whose sum of probabilities so far is the first one above
/// the number that was drawn. The last place takes what is left.
static LogicalResult lowerMultinomial(MultinomialFromUniformOp op,
                                      KernelBuilder &kernel) {
  kernel.setName("get_sample_index");
  Type type = getNumberType(op.getProb()),
       drawnType = getNumberType(op.getUniformSample()),
       indexType = getNumberType(op.getSampleIndices()),
       resultType = getNumberType(op.getResult());
  SmallVector<Dim> drawnDims = getDims(op.getUniformSample()),
                   indexDims = getDims(op.getSampleIndices());
  KernelBuilder::Sizes from = kernel.getSizes(op.getProb()),
                       sizes = kernel.getSizes(op.getResult());
  if (!isa<FloatType>(type) || type != drawnType || indexType.isInteger(1) ||
      !isa<IntegerType>(resultType) || resultType.isInteger(1) ||
      from.size() != 2 || sizes.size() != 2 || drawnDims != indexDims)
    return failure();
  Value probabilities = kernel.getTensor(op.getProb()),
        drawn = kernel.getTensor(op.getUniformSample()),
        rows = kernel.getTensor(op.getSampleIndices()),
        numRows = kernel.toValue(from[0]), size = kernel.toValue(from[1]);
  auto find = [&](ScalarBuilder &of, ValueRange) {
    ScalarBuilder s(of.getLoc(), of, type), n(of.getLoc(), of, s.getI64Type()),
        i(of.getLoc(), of, indexType);
    SmallVector<Value> at = getLoops(s, 2);
    Value number = s.load(tensor::ExtractOp::create(s, drawn, at));
    Value row = i.toIndex(i.load(tensor::ExtractOp::create(i, rows, at)));
    row = clampIndex(s, row, numRows);
    Value first = s.index(0), step = s.index(1);
    Value end = arith::SubIOp::create(s, size, step);
    auto add = [&](OpBuilder &builder, Location loc, Value place,
                   ValueRange sofar) {
      ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI64Type());
      Value element =
          tensor::ExtractOp::create(s, probabilities, ValueRange{row, place});
      // The sums have the dtype of the probabilities.
      Value sum = s.load(s.store(s.add(sofar[1], s.load(element))));
      Value isPassed = s.lessEqual(sum, number), one = n.integer(1);
      Value passed = n.select(isPassed, one, n.integer(0));
      scf::YieldOp::create(builder, loc,
                           ValueRange{n.add(sofar[0], passed), sum});
    };
    Value none = n.integer(0), zero = s.number(0);
    auto loop =
        scf::ForOp::create(s, first, end, step, ValueRange{none, zero}, add);
    return n.convert(loop.getResult(0), resultType);
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, resultType, find));
  return success();
}

void DispatchSampling::runOnOperation() {
  UniqueFunctions functions(getOperation());
  SmallVector<MultinomialFromUniformOp> ops;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](MultinomialFromUniformOp op) { ops.push_back(op); });
  if (ops.empty())
    return markAllAnalysesPreserved();
  for (MultinomialFromUniformOp op : ops)
    if (replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
          return lowerMultinomial(op, kernel);
        }))
      ++numOps;
}
