//===- FuseTransposeMatmul.cpp - Multiply by a transposed matrix ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "../Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

namespace partita::relax {
#define GEN_PASS_DEF_FUSETRANSPOSEMATMUL
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct FuseTransposeMatmul
    : relax::impl::FuseTransposeMatmulBase<FuseTransposeMatmul> {
  using FuseTransposeMatmulBase::FuseTransposeMatmulBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }

  void runOnOperation() override;
};
} // namespace

/// Whether `op` swaps the last two dimensions, and no others.
static bool swapsLastTwo(PermuteDimsOp op) {
  std::optional<TensorInfo> info = TensorInfo::get(op.getX().getType());
  if (!info || !isShapeKnown(*info) || info->getRank() < 2)
    return false;
  int64_t rank = info->getRank();
  if (!op.getAxes())
    return rank == 2;
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq(rank));
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  return llvm::equal(*op.getAxes(), swapped, [&](int64_t axis, int64_t dim) {
    return fromFront(axis, rank) == dim;
  });
}

/// The permute_dims that makes the right operand of `op` in its dataflow block.
static PermuteDimsOp getTranspose(MatmulOp op) {
  auto transpose = op.getX2().getDefiningOp<PermuteDimsOp>();
  return transpose && transpose->getBlock() == op->getBlock() &&
                 isa<DataflowOp>(op->getParentOp()) && swapsLastTwo(transpose)
             ? transpose
             : PermuteDimsOp();
}

void FuseTransposeMatmul::runOnOperation() {
  UniqueFunctions functions(getOperation());
  SmallVector<MatmulOp> products;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](MatmulOp op) {
        if (getTranspose(op))
          products.push_back(op);
      });
  if (products.empty())
    return markAllAnalysesPreserved();
  for (MatmulOp op : products) {
    PermuteDimsOp transpose = getTranspose(op);
    bool isFused = replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
      // The parameters come in the order in which they are asked for.
      kernel.getView(op.getX1());
      if (failed(kernel.legalize(transpose)))
        return failure();
      kernel.setName("NT_matmul");
      return cast<LegalizeOpInterface>(*op).legalize(kernel);
    });
    if (!isFused)
      continue;
    ++numFused;
    if (transpose->use_empty())
      transpose->erase();
  }
}
