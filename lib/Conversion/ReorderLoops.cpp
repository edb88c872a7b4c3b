//===- ReorderLoops.cpp - Put contiguous loops innermost ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace partita::conversion {
#define GEN_PASS_DEF_REORDERLOOPS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ReorderLoops : conversion::impl::ReorderLoopsBase<ReorderLoops> {
  void runOnOperation() override;
};
} // namespace

/// Whether consecutive iterations of loop `dim` access consecutive elements, or
/// the same one, or elements at a fixed distance in one row.
static bool isAlongRow(AffineMap map, unsigned dim) {
  for (AffineExpr expr : map.getResults().drop_back(map.getNumResults() != 0))
    if (expr.isFunctionOfDim(dim))
      return false;
  return true;
}

/// The parallel loop that should be innermost, or nothing.
static std::optional<unsigned> findInnermost(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(result.getResults().back());
  if (!dim || op.getIteratorTypesArray()[dim.getPosition()] !=
                  utils::IteratorType::parallel)
    return std::nullopt;
  unsigned position = dim.getPosition();
  if (!llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
        return isAlongRow(map, position);
      }))
    return std::nullopt;
  return position;
}

void ReorderLoops::runOnOperation() {
  SmallVector<std::pair<linalg::LinalgOp, unsigned>> ops;
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (std::optional<unsigned> innermost = findInnermost(op))
      ops.emplace_back(op, *innermost);
  });
  if (ops.empty())
    return markAllAnalysesPreserved();
  IRRewriter rewriter(&getContext());
  for (auto [op, innermost] : ops) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        continue;
      generic = *made;
    }
    // The sum at an element still goes through the reductions in their order.
    SmallVector<unsigned> parallel, order;
    generic.getParallelDims(parallel);
    llvm::erase(parallel, innermost);
    order = parallel;
    SmallVector<unsigned> reductions;
    generic.getReductionDims(reductions);
    llvm::append_range(order, reductions);
    order.push_back(innermost);
    (void)linalg::interchangeGenericOp(rewriter, generic, order);
  }
}
