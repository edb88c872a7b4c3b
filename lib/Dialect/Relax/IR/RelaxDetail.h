//===- RelaxDetail.h - What the generated op definitions call ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Type inference and assembly directives that the records of the ops name.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H
#define PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

namespace partita::relax {

//===----------------------------------------------------------------------===//
// Type inference
//===----------------------------------------------------------------------===//

using OptionalLoc = std::optional<mlir::Location>;
using OptionalAxes = std::optional<llvm::ArrayRef<int64_t>>;

using NamedValue = std::pair<mlir::Value, llvm::StringRef>;
using TypeList = llvm::SmallVectorImpl<mlir::Type>;

/// The type of `value`, which is operand `name`, if it is a tensor.
llvm::FailureOr<TensorInfo> getTensor(OptionalLoc loc, mlir::Value value,
                                      llvm::StringRef name);
/// The types of the tensors of a variadic operand, which may be one tuple.
llvm::FailureOr<llvm::SmallVector<TensorInfo>>
getTensors(OptionalLoc loc, mlir::ValueRange values);
/// The number that a value is known to be.
std::optional<int64_t> getNumber(mlir::Value value);
/// The dimension that a number is; unknown if it is not known.
Dim getDim(mlir::Value number);
/// Whether a number is known not to be negative: it is a size, and not a number
/// that the function takes under this name.
bool isSize(mlir::Value number);
/// The dimensions of a shape value; nothing if not even their number is known.
std::optional<llvm::SmallVector<Dim>> getShapeDims(mlir::Value shape);

/// `axes` of a tensor of rank `rank` with no negative one, if they are all in
/// range and none is named twice.
llvm::FailureOr<llvm::SmallVector<int64_t>>
normalizeAxes(OptionalLoc loc, llvm::ArrayRef<int64_t> axes, int64_t rank);
llvm::FailureOr<int64_t> normalizeAxis(OptionalLoc loc, int64_t axis,
                                       int64_t rank);

/// Broadcasts two shapes as NumPy does; unknown where a rank is.
llvm::LogicalResult broadcast(OptionalLoc loc, const TensorInfo &lhs,
                              const TensorInfo &rhs, TensorInfo &result);

/// The element type of the result: `outDtype` if given, else the operands'.
llvm::FailureOr<mlir::Type> inferElementType(OptionalLoc loc,
                                             const TensorInfo &lhs,
                                             const TensorInfo &rhs,
                                             mlir::TypeAttr outDtype = {});
/// The device of the first operand that has one.
inline mlir::Attribute inferVDevice(const TensorInfo &lhs,
                                    const TensorInfo &rhs) {
  return lhs.vdevice ? lhs.vdevice : rhs.vdevice;
}

// Elementwise, and other ops whose result has the shape of an operand.
llvm::FailureOr<mlir::Type> inferSame(OptionalLoc loc, mlir::Value x);
llvm::FailureOr<mlir::Type> inferSameShape(OptionalLoc loc,
                                           mlir::ValueRange operands);
llvm::FailureOr<mlir::Type> inferAlong(OptionalLoc loc, mlir::Value x,
                                       llvm::ArrayRef<int64_t> axes);
llvm::FailureOr<mlir::Type> inferOfRank(OptionalLoc loc, mlir::Value x,
                                        int64_t least);
llvm::FailureOr<mlir::Type> inferCheck(OptionalLoc loc, mlir::Value x);
llvm::FailureOr<mlir::Type> inferConverted(OptionalLoc loc, mlir::Value x,
                                           mlir::TypeAttr dtype);
llvm::FailureOr<mlir::Type> inferBroadcast(OptionalLoc loc, mlir::Value lhs,
                                           mlir::Value rhs);
llvm::FailureOr<mlir::Type> inferComparison(OptionalLoc loc, mlir::Value lhs,
                                            mlir::Value rhs);
llvm::FailureOr<mlir::Type> inferWhere(OptionalLoc loc, WhereOp::Adaptor op);

// Creation.
/// A tensor of the shape `shape`; `info` has what else is known.
llvm::FailureOr<mlir::Type> inferInShape(OptionalLoc loc, mlir::Value shape,
                                         TensorInfo info);
/// `shape` may be a number, which is the size of a list.
llvm::FailureOr<mlir::Type> inferCreate(OptionalLoc loc, mlir::Value shape,
                                        mlir::TypeAttr dtype);
llvm::FailureOr<mlir::Type> inferCreate(OptionalLoc loc,
                                        std::initializer_list<mlir::Value> dims,
                                        mlir::TypeAttr dtype);
llvm::FailureOr<mlir::Type> inferFull(OptionalLoc loc, FullOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferFullLike(OptionalLoc loc,
                                          FullLikeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferHammingWindow(OptionalLoc loc,
                                               HammingWindowOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferArange(OptionalLoc loc, ArangeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferOneHot(OptionalLoc loc, OneHotOp::Adaptor op);

// Linear algebra.
llvm::FailureOr<mlir::Type> inferMatmul(OptionalLoc loc, MatmulOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferEinsum(OptionalLoc loc, EinsumOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferOuter(OptionalLoc loc, OuterOp::Adaptor op);

// Shape.
llvm::FailureOr<mlir::Type> inferBroadcastTo(OptionalLoc loc, mlir::Value x,
                                             mlir::Value shape);
llvm::FailureOr<mlir::Type> inferToShape(OptionalLoc loc, mlir::Value x,
                                         mlir::Value shape);
llvm::FailureOr<mlir::Type> inferLike(OptionalLoc loc, mlir::Value x,
                                      mlir::Value target);
llvm::FailureOr<mlir::Type> inferFlatten(OptionalLoc loc, mlir::Value x);
llvm::FailureOr<mlir::Type> inferPermuteDims(OptionalLoc loc,
                                             PermuteDimsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferReshape(OptionalLoc loc,
                                         ReshapeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferExpandDims(OptionalLoc loc,
                                            ExpandDimsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferSqueeze(OptionalLoc loc,
                                         SqueezeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferConcat(OptionalLoc loc, ConcatOp::Adaptor op);
llvm::LogicalResult inferSplit(OptionalLoc loc, SplitOp::Adaptor op,
                               TypeList &types);
llvm::FailureOr<mlir::Type> inferStack(OptionalLoc loc, StackOp::Adaptor op);
llvm::LogicalResult inferMeshgrid(OptionalLoc loc, MeshgridOp::Adaptor op,
                                  TypeList &types);
llvm::FailureOr<mlir::Type> inferRepeat(OptionalLoc loc, RepeatOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferTile(OptionalLoc loc, TileOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferLayoutTransform(OptionalLoc loc,
                                                 LayoutTransformOp::Adaptor op);

// Indexing, search, sorting and reductions.
llvm::FailureOr<mlir::Type> inferTake(OptionalLoc loc, TakeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferStridedSlice(OptionalLoc loc,
                                              StridedSliceOp::Adaptor op);
llvm::FailureOr<mlir::Type>
inferDynamicStridedSlice(OptionalLoc loc, DynamicStridedSliceOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferReverseSequence(OptionalLoc loc,
                                                 ReverseSequenceOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferGatherElements(OptionalLoc loc,
                                                GatherElementsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferGatherND(OptionalLoc loc,
                                          GatherNDOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferScatterElements(OptionalLoc loc,
                                                 ScatterElementsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferScatterND(OptionalLoc loc,
                                           ScatterNDOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferSliceScatter(OptionalLoc loc,
                                              SliceScatterOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferIndexTensor(OptionalLoc loc,
                                             IndexTensorOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferIndexPut(OptionalLoc loc,
                                          IndexPutOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferArgReduction(OptionalLoc loc, mlir::Value x,
                                              std::optional<int64_t> axis,
                                              bool keepdims);
llvm::FailureOr<mlir::Type> inferBucketize(OptionalLoc loc,
                                           BucketizeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferNonzero(OptionalLoc loc, mlir::Value x);
llvm::LogicalResult inferUnique(OptionalLoc loc, UniqueOp::Adaptor op,
                                TypeList &types);
llvm::LogicalResult inferTopK(OptionalLoc loc, TopKOp::Adaptor op,
                              TypeList &types);
llvm::FailureOr<mlir::Type> inferReduction(OptionalLoc loc, mlir::Value x,
                                           OptionalAxes axis, bool keepdims);
llvm::LogicalResult inferMedian(OptionalLoc loc, MedianOp::Adaptor op,
                                TypeList &types);
llvm::FailureOr<mlir::Type> inferScan(OptionalLoc loc, mlir::Value x,
                                      std::optional<int64_t> axis,
                                      mlir::TypeAttr dtype);

// Neural networks.
llvm::FailureOr<mlir::Type>
inferNormalized(OptionalLoc loc, mlir::Value data,
                std::initializer_list<NamedValue> parameters,
                llvm::ArrayRef<int64_t> axes);
llvm::FailureOr<mlir::Type>
inferChannelNorm(OptionalLoc loc, mlir::Value data,
                 std::initializer_list<NamedValue> parameters,
                 int64_t channelAxis, llvm::ArrayRef<int64_t> axes,
                 int64_t groups);
llvm::LogicalResult inferBatchNorm(OptionalLoc loc, BatchNormOp::Adaptor op,
                                   TypeList &types);
llvm::LogicalResult inferDropout(OptionalLoc loc, DropoutOp::Adaptor op,
                                 TypeList &types);

/// The operands and attributes of a convolution.
struct Conv {
  mlir::Value data, weight;
  llvm::ArrayRef<int64_t> strides, padding, dilation;
  int64_t groups;
  llvm::StringRef dataLayout, kernelLayout, outLayout;
  mlir::TypeAttr outDtype;
};
template <typename AdaptorT>
Conv getConv(AdaptorT op) {
  return {op.getData(),        op.getWeight(),       op.getStrides(),
          op.getPadding(),     op.getDilation(),     int64_t(op.getGroups()),
          op.getDataLayout(),  op.getKernelLayout(), op.getOutLayout(),
          op.getOutDtypeAttr()};
}
/// `dims` are the letters of the spatial dimensions, such as HW.
llvm::FailureOr<mlir::Type> inferConv(OptionalLoc loc, llvm::StringRef dims,
                                      const Conv &conv);
llvm::FailureOr<mlir::Type>
inferConvTranspose(OptionalLoc loc, llvm::StringRef dims, const Conv &conv,
                   llvm::ArrayRef<int64_t> outputPadding);

/// The attributes of a pooling op.
struct Pool {
  llvm::ArrayRef<int64_t> poolSize, strides, dilation, padding;
  bool ceilMode;
  llvm::StringRef layout, outLayout;
};
template <typename AdaptorT>
Pool getPool(AdaptorT op) {
  return {op.getPoolSize(), op.getStrides(), op.getDilation(), op.getPadding(),
          op.getCeilMode(), op.getLayout(),  op.getOutLayout()};
}
llvm::FailureOr<mlir::Type> inferPool(OptionalLoc loc, llvm::StringRef dims,
                                      mlir::Value data, const Pool &pool);
llvm::FailureOr<mlir::Type>
inferAdaptivePool(OptionalLoc loc, llvm::StringRef dims, mlir::Value data,
                  OptionalAxes outputSize, llvm::StringRef layout,
                  llvm::StringRef outLayout);
llvm::FailureOr<mlir::Type> inferAttention(OptionalLoc loc,
                                           mlir::ValueRange operands);
llvm::FailureOr<mlir::Type>
inferCrossEntropy(OptionalLoc loc, CrossEntropyWithLogitsOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferNLLLoss(OptionalLoc loc,
                                         NLLLossOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferBatchFlatten(OptionalLoc loc,
                                              mlir::Value data);
llvm::FailureOr<mlir::Type> inferPad(OptionalLoc loc, PadOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferPixelShuffle(OptionalLoc loc,
                                              PixelShuffleOp::Adaptor op);

/// The dimensions of a tensor in a layout such as NHWC or NCHW4c, in the order
/// of `canonical`; unknown ones if the tensor's are.
llvm::FailureOr<llvm::SmallVector<Dim>> toCanonical(OptionalLoc loc,
                                                    const TensorInfo &tensor,
                                                    llvm::StringRef layout,
                                                    llvm::StringRef canonical);
/// The inverse.
llvm::SmallVector<Dim> fromCanonical(llvm::ArrayRef<Dim> dims,
                                     llvm::StringRef layout,
                                     llvm::StringRef canonical);
/// Verifies that `layout` has the dimensions of `canonical`, each once.
llvm::LogicalResult checkLayout(OptionalLoc loc, llvm::StringRef name,
                                llvm::StringRef layout,
                                llvm::StringRef canonical);

// Images.
llvm::FailureOr<mlir::Type> inferResize(OptionalLoc loc, llvm::StringRef dims,
                                        mlir::Value data, mlir::Value size,
                                        llvm::StringRef layout,
                                        mlir::TypeAttr outDtype);
llvm::FailureOr<mlir::Type> inferGridSample(OptionalLoc loc,
                                            GridSampleOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferAffineGrid(OptionalLoc loc,
                                            AffineGridOp::Adaptor op);
llvm::LogicalResult inferAllClassNMS(OptionalLoc loc,
                                     AllClassNonMaxSuppressionOp::Adaptor op,
                                     TypeList &types);
llvm::LogicalResult inferValidCounts(OptionalLoc loc,
                                     GetValidCountsOp::Adaptor op,
                                     TypeList &types);
llvm::LogicalResult inferMultibox(OptionalLoc loc,
                                  MultiboxTransformLocOp::Adaptor op,
                                  TypeList &types);
llvm::LogicalResult inferNMS(OptionalLoc loc, NonMaxSuppressionOp::Adaptor op,
                             TypeList &types);
llvm::FailureOr<mlir::Type> inferROIAlign(OptionalLoc loc,
                                          ROIAlignOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferROIPool(OptionalLoc loc,
                                         ROIPoolOp::Adaptor op);

// Memory, devices and others.
llvm::FailureOr<mlir::Type> inferShapeOf(OptionalLoc loc, mlir::Value tensor);
llvm::FailureOr<mlir::Type> inferShapeToTensor(OptionalLoc loc,
                                               mlir::Value shape);
llvm::FailureOr<mlir::Type> inferTensorToShape(OptionalLoc loc,
                                               mlir::Value tensor);
llvm::FailureOr<mlir::Type> inferScalar(OptionalLoc loc, mlir::Value tensor,
                                        unsigned width);
llvm::FailureOr<mlir::Type> inferQuantized(OptionalLoc loc, bool isDequantized,
                                           mlir::ValueRange operands,
                                           mlir::TypeAttr outDtype,
                                           int64_t axis);
llvm::FailureOr<mlir::Type>
inferMultinomial(OptionalLoc loc, MultinomialFromUniformOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferToDevice(OptionalLoc loc, mlir::Value data);
llvm::FailureOr<mlir::Type> inferAllGather(OptionalLoc loc,
                                           AllGatherOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferScatter(OptionalLoc loc,
                                         ScatterFromWorker0Op::Adaptor op);
llvm::FailureOr<mlir::Type> inferAllocTensor(OptionalLoc loc, mlir::Value shape,
                                             mlir::Value dtype);
llvm::FailureOr<mlir::Type> inferView(OptionalLoc loc, ViewOp::Adaptor op);

// Values that are not tensors.
llvm::FailureOr<mlir::Type> inferShape(OptionalLoc loc, ShapeOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferTuple(mlir::MLIRContext *context,
                                       TupleOp::Adaptor op);
llvm::FailureOr<mlir::Type> inferTupleGetItem(OptionalLoc loc,
                                              TupleGetItemOp::Adaptor op);

/// Appends the inferred type of an op with one result.
inline llvm::LogicalResult append(llvm::SmallVectorImpl<mlir::Type> &types,
                                  llvm::FailureOr<mlir::Type> type) {
  if (succeeded(type))
    types.push_back(*type);
  return type;
}

/// Whether the program may run with `a` equal to `b`.
bool mayBeEqual(Dim a, Dim b);

/// The better known of two equal dimensions.
inline Dim merge(Dim a, Dim b) { return a.isUnknown() ? b : a; }

/// `[1, "n", ?]`, for messages.
std::string toString(llvm::ArrayRef<Dim> dims);

/// The given properties of an op that is yet to be built, with the defaults of
/// absent ones.
template <typename OpT>
typename mlir::PropertiesSelector<OpT>::type
fillProperties(mlir::MLIRContext *context, mlir::OpaqueProperties given) {
  typename mlir::PropertiesSelector<OpT>::type properties;
  if constexpr (OpT::hasProperties()) {
    if (given)
      properties = *given.as<decltype(properties) *>();
    OpT::populateDefaultProperties(
        mlir::OperationName(OpT::getOperationName(), context), properties);
  }
  return properties;
}

/// Whether no attribute with a default was removed from `op`.
template <typename OpT>
bool keepsDefaults(OpT op) {
  if constexpr (OpT::hasProperties()) {
    auto filled = op.getProperties();
    OpT::populateDefaultProperties(op->getName(), filled);
    return filled == op.getProperties();
  }
  return true;
}

/// Whether the number of operands of `OpT` is not fixed.
template <typename OpT>
constexpr bool isVariadicOp() {
  using namespace mlir::OpTrait;
  return OpT::template hasTrait<VariadicOperands>() ||
         OpT::template hasTrait<AtLeastNOperands<1>::Impl>() ||
         OpT::template hasTrait<AtLeastNOperands<2>::Impl>() ||
         OpT::template hasTrait<AtLeastNOperands<3>::Impl>() ||
         OpT::template hasTrait<AtLeastNOperands<4>::Impl>() ||
         OpT::template hasTrait<AtLeastNOperands<5>::Impl>();
}

/// The number of operands of `OpT` that are always there.
template <typename OpT, unsigned count = 7>
constexpr size_t getMinNumOperands() {
  using namespace mlir::OpTrait;
  if constexpr (OpT::template hasTrait<NOperands<count>::template Impl>() ||
                OpT::template hasTrait<
                    AtLeastNOperands<count>::template Impl>())
    return count;
  else if constexpr (count > 2)
    return getMinNumOperands<OpT, count - 1>();
  else if constexpr (OpT::template hasTrait<OneOperand>() ||
                     OpT::template hasTrait<AtLeastNOperands<1>::Impl>())
    return 1;
  else
    return 0;
}

/// Inference reads all operands that the op declares; callers that build ops
/// from data may give another number.
template <typename OpT>
llvm::LogicalResult checkOperandCount(OptionalLoc loc,
                                      mlir::ValueRange operands) {
  constexpr size_t expected = getMinNumOperands<OpT>();
  constexpr bool isVariadic = isVariadicOp<OpT>();
  if (isVariadic ? operands.size() >= expected : operands.size() == expected)
    return mlir::success();
  return mlir::emitOptionalError(loc, "expected ",
                                 isVariadic ? "at least " : "", expected,
                                 " operands, found ", operands.size());
}

/// Inference reads the attributes that the op requires.
template <typename AdaptorT>
llvm::LogicalResult checkAttributes(mlir::MLIRContext *context, OptionalLoc loc,
                                    AdaptorT &adaptor) {
  if (loc)
    return adaptor.verify(*loc);
  ThreadDiagnosticHandler silence(
      context, [](mlir::Diagnostic &) { return mlir::success(); });
  return adaptor.verify(mlir::UnknownLoc::get(context));
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// The effects of a call: all there are, or, of one that TVM calls pure, that
/// it gives objects. These have an identity, so that calls which are alike give
/// different ones.
void addCallEffects(mlir::Operation *call, bool isPure,
                    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<
                        mlir::MemoryEffects::Effect>> &effects);

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `T` when all types are T, and `T1, T2 -> R` otherwise.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser,
                             llvm::ArrayRef<mlir::Type *> types);
void printTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange types);

template <typename... Types>
mlir::ParseResult parseSignature(mlir::OpAsmParser &parser, Types &...types) {
  return parseTypes(parser, {&types...});
}
template <typename... Types>
void printSignature(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    Types... types) {
  printTypes(printer, llvm::ArrayRef<mlir::Type>{types...});
}

/// Parses and prints `: type`, without which the type is `!relax.object`.
mlir::ParseResult parseObjectType(mlir::OpAsmParser &parser, mlir::Type &type);
void printObjectType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::Type type);

/// A signature whose result gives the op's dtype.
mlir::ParseResult parseAstype(mlir::OpAsmParser &parser, mlir::Type &x,
                              mlir::Type &result, mlir::TypeAttr &dtype);
void printAstype(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type x,
                 mlir::Type result, mlir::TypeAttr dtype);

/// A signature that leaves out a shape equal to the result's.
mlir::ParseResult parseReshape(mlir::OpAsmParser &parser, mlir::Type &x,
                               mlir::Type &shape, mlir::Type &result);
void printReshape(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::Type x, mlir::Type shape, mlir::Type result);

/// `out_layout = "NHWC"`, left out when it is the layout of the data.
mlir::ParseResult parseOutLayout(mlir::OpAsmParser &parser,
                                 mlir::StringAttr layout,
                                 mlir::StringAttr &outLayout);
void printOutLayout(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::StringAttr layout, mlir::StringAttr outLayout);

/// The dimensions of relax.shape.
mlir::ParseResult parseDims(mlir::OpAsmParser &parser, ShapeAttr &dims);
void printDims(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               ShapeAttr dims);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_IR_RELAXDETAIL_H
