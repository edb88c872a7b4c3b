//===- PrecisionModels.cpp - Which ops compute in 16 bits -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h"

using namespace mlir;
using namespace partita::relax;

namespace {
template <bool prefers, typename OpT>
struct PrecisionModel
    : PrecisionOpInterface::ExternalModel<PrecisionModel<prefers, OpT>, OpT> {
  bool prefersHalf(Operation *) const { return prefers; }
};
} // namespace

template <bool prefers, typename... OpTs>
static void attachPrecision(MLIRContext *context) {
  (OpTs::template attachInterface<PrecisionModel<prefers, OpTs>>(*context),
   ...);
}

/// As in TVM, which knows no others.
static void attachPrecisions(MLIRContext *context, RelaxDialect *) {
  attachPrecision</*prefers=*/true, AttentionOp, AttentionBiasOp,
                  AttentionVarLenOp, Conv1DOp, Conv1DTransposeOp, Conv2DOp,
                  Conv2DTransposeOp, Conv3DOp, Conv3DTransposeOp, MatmulOp>(
      context);
  attachPrecision<
      /*prefers=*/false, AbsOp, AcosOp, AcoshOp, AddOp, AdaptiveAvgPool1DOp,
      AdaptiveAvgPool2DOp, AdaptiveAvgPool3DOp, AffineGridOp, AsinOp, AsinhOp,
      AstypeOp, Atan2Op, AtanOp, AtanhOp, AvgPool1DOp, AvgPool2DOp, AvgPool3DOp,
      BatchFlattenOp, BitwiseAndOp, BitwiseNotOp, BitwiseOrOp, BitwiseXorOp,
      BroadcastToOp, CeilOp, ConcatOp, CosOp, CoshOp, DivideOp, DropoutOp,
      DynamicStridedSliceOp, EqualOp, ErfOp, EwiseFMAOp, ExpOp, ExpandDimsOp,
      FlattenOp, FloorDivideOp, FloorModOp, FloorOp, FullLikeOp, FullOp, GeluOp,
      GeluTanhOp, GreaterEqualOp, GreaterOp, GridSampleOp, GroupNormOp,
      InstanceNormOp, IsFiniteOp, IsInfOp, IsNanOp, LayerNormOp,
      LayoutTransformOp, LeftShiftOp, LessEqualOp, LessOp, LogAddExpOp, LogOp,
      LogicalAndOp, LogicalNotOp, LogicalOrOp, LogicalXorOp, MaxPool1DOp,
      MaxPool2DOp, MaxPool3DOp, MaximumOp, MeshgridOp, MinimumOp, ModOp,
      MultiplyOp, NegativeOp, NotEqualOp, PermuteDimsOp, PowerOp, RMSNormOp,
      ROIAlignOp, ROIPoolOp, ReluOp, ReshapeOp, Resize2DOp, Resize3DOp,
      RightShiftOp, RoundOp, RsqrtOp, SeluOp, SigmoidOp, SignOp, SiluOp, SinOp,
      SinhOp, SplitOp, SqrtOp, SquareOp, SqueezeOp, StackOp, StridedSliceOp,
      SubtractOp, TanOp, TanhOp, TruncOp>(context);
}

void partita::relax::registerPrecisionModels(DialectRegistry &registry) {
  registry.insert<RelaxDialect>();
  registry.addExtension(attachPrecisions);
}
