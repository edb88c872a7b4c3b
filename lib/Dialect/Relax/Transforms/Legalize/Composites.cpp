//===- Composites.cpp - Lower ops that simpler ops compute ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What these ops are made of stands in OpDecomposer.cpp.
//
//===----------------------------------------------------------------------===//

#include "../OpDecomposer.h"
#include "Models.h"

using namespace mlir;
using namespace partita::relax;

static LogicalResult legalizeParts(Operation *op, KernelBuilder &kernel) {
  Block &parts = kernel.addParts();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToStart(&parts);
  SmallVector<Value> values = decompose(builder, op);
  if (values.empty())
    return failure();
  for (Operation &part : parts)
    if (!isa<ConstantOp, DimOp, PrimValueOp, ShapeOp>(part) &&
        failed(kernel.legalize(&part)))
      return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
    if (getNumberType(result) != getNumberType(value))
      return failure();
    kernel.set(result, kernel.getView(value));
  }
  return success();
}

/// The same under another name of the prim_func.
template <const char *name>
static LogicalResult legalizePartsAs(Operation *op, KernelBuilder &kernel) {
  kernel.setName(name);
  return legalizeParts(op, kernel);
}

static constexpr char collapseSum[] = "collapse_sum",
                      leakyRelu[] = "leaky_relu", reshape[] = "reshape";

void partita::relax::attachComposites(MLIRContext *context) {
  attach<&legalizeParts, AttentionBiasOp, AttentionOp, BatchNormOp,
         CrossEntropyWithLogitsOp, DequantizeOp, DropoutOp, EwiseFMAOp,
         GeluTanhOp, GroupNormOp, InstanceNormOp, LayerNormOp, LogSoftmaxOp,
         MeshgridOp, NLLLossBackwardOp, NLLLossOp, OuterOp, PixelShuffleOp,
         PReluOp, QuantizeOp, RMSNormOp, SeluOp, SoftmaxOp, SoftplusOp, StdOp,
         VarianceOp>(context);
  attach<&legalizePartsAs<collapseSum>, CollapseSumLikeOp, CollapseSumToOp>(
      context);
  attach<&legalizePartsAs<leakyRelu>, LeakyReluOp>(context);
  attach<&legalizePartsAs<reshape>, BatchFlattenOp>(context);
}
