//===- RelaxInferRuntime.cpp - Types of ops on memory and devices --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferShapeOf(OptionalLoc loc, Value tensor) {
  FailureOr<TensorInfo> info = getTensor(loc, tensor, "input");
  if (failed(info))
    return failure();
  return Type(ShapeType::get(tensor.getContext(), info->dims, info->isRanked));
}

FailureOr<Type> partita::relax::inferShapeToTensor(OptionalLoc, Value shape) {
  MLIRContext *context = shape.getContext();
  std::optional<SmallVector<Dim>> dims = getShapeDims(shape);
  return TensorInfo(dims ? Dim(static_cast<int64_t>(dims->size())) : Dim(),
                    IntegerType::get(context, 64))
      .getType(context);
}

FailureOr<Type> partita::relax::inferTensorToShape(OptionalLoc loc,
                                                   Value tensor) {
  FailureOr<TensorInfo> info = getTensor(loc, tensor, "input");
  if (failed(info))
    return failure();
  MLIRContext *context = tensor.getContext();
  if (info->isRanked && info->getRank() != 1)
    return emitOptionalError(loc, "expected a tensor of rank 1, found ",
                             tensor.getType());
  // A bound on what a number in the input can allocate.
  constexpr int64_t maxRank = 64;
  if (!info->isRanked || !info->dims.front().isNumber() ||
      info->dims.front().getSize() > maxRank)
    return Type(ShapeType::getUnranked(context));
  return Type(ShapeType::get(
      context, SmallVector<Dim>(info->dims.front().getSize(), Dim())));
}

FailureOr<Type> partita::relax::inferScalar(OptionalLoc loc, Value tensor,
                                            unsigned width) {
  FailureOr<TensorInfo> info = getTensor(loc, tensor, "input");
  if (failed(info))
    return failure();
  info->elementType = IntegerType::get(tensor.getContext(), width);
  info->setDims({});
  return info->getType(tensor.getContext());
}

//===----------------------------------------------------------------------===//
// Quantization and sampling
//===----------------------------------------------------------------------===//

/// Whether TVM's quantization, or its inverse, takes elements of types `data`,
/// `scale` and `zero`, and gives elements of type `result`. Some types may be
/// unknown.
static bool isQuantization(bool isDequantized, Type data, Type scale, Type zero,
                           Type result) {
  auto isFloat = [](Type type) { return type.isF16() || type.isF32(); };
  auto isSmall = [](Type type) {
    return (type.isInteger() &&
            llvm::is_contained({8, 16}, type.getIntOrFloatBitWidth())) ||
           isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  auto isOne = [](Type type, auto... are) {
    return !type || (are(type) || ...);
  };
  auto isWord = [](Type type) { return type.isInteger(32); };
  return (isDequantized ? isFloat(result) : isSmall(result)) &&
         isOne(scale, isFloat) &&
         isOne(zero,
               [&](Type type) {
                 return type.isF16() || isWord(type) ||
                        (type.isInteger() && isSmall(type));
               }) &&
         (isDequantized
              ? isOne(data, isFloat, isSmall,
                      [](Type type) { return type.isSignlessInteger(32); })
              : isOne(data, isFloat));
}

FailureOr<Type> partita::relax::inferQuantized(OptionalLoc loc,
                                               bool isDequantized,
                                               ValueRange operands,
                                               TypeAttr outDtype,
                                               int64_t axis) {
  FailureOr<TensorInfo> data = getTensor(loc, operands[0], "data");
  FailureOr<TensorInfo> scale = getTensor(loc, operands[1], "scale");
  FailureOr<TensorInfo> zero = getTensor(loc, operands[2], "zero_point");
  if (failed(data) || failed(scale) || failed(zero))
    return failure();
  if (!isQuantization(isDequantized, data->elementType, scale->elementType,
                      zero->elementType, outDtype.getValue()))
    return emitOptionalError(loc, "expected elements that are ",
                             isDequantized ? "dequantized" : "quantized",
                             ", found ", operands[0].getType(), " to ",
                             outDtype.getValue(), " by ", operands[1].getType(),
                             " and ", operands[2].getType());
  bool areKnown = data->elementType && scale->elementType && zero->elementType;
  data->elementType = areKnown ? outDtype.getValue() : Type();
  Dim channels;
  if (data->isRanked && data->getRank() > 0) {
    FailureOr<int64_t> normalized = normalizeAxis(loc, axis, data->getRank());
    if (failed(normalized))
      return failure();
    channels = data->dims[*normalized];
  }
  for (const TensorInfo *parameter : {&*scale, &*zero}) {
    bool isSingle =
        llvm::all_of(parameter->dims, [](Dim dim) { return dim == Dim(1); });
    if (parameter->isRanked && !isSingle &&
        (parameter->getRank() != 1 || (data->isRanked && data->dims.empty()) ||
         !mayBeEqual(parameter->dims.front(), channels)))
      return emitOptionalError(loc,
                               "expected 'scale' and 'zero_point' to be "
                               "one number, or ",
                               toString(channels), ", found ",
                               toString(parameter->dims));
  }
  return data->getType(operands[0].getContext());
}

FailureOr<Type>
partita::relax::inferMultinomial(OptionalLoc loc,
                                 MultinomialFromUniformOp::Adaptor op) {
  FailureOr<TensorInfo> prob = getTensor(loc, op.getProb(), "prob");
  FailureOr<TensorInfo> uniform =
      getTensor(loc, op.getUniformSample(), "uniform_sample");
  FailureOr<TensorInfo> indices =
      getTensor(loc, op.getSampleIndices(), "sample_indices");
  if (failed(prob) || failed(uniform) || failed(indices))
    return failure();
  TensorInfo result;
  result.elementType = op.getDtype();
  result.vdevice = prob->vdevice;
  for (const TensorInfo *info : {&*prob, &*uniform, &*indices})
    if (info->isRanked && info->getRank() != 2)
      return emitOptionalError(loc, "expected tensors of rank 2, found ",
                               toString(info->dims));
  if (isa_and_present<FloatType>(indices->elementType))
    return emitOptionalError(loc,
                             "expected 'sample_indices' to be integers, found ",
                             op.getSampleIndices().getType());
  if (prob->isRanked && uniform->isRanked && indices->isRanked) {
    if (!mayBeEqual(uniform->dims[0], indices->dims[0]))
      return emitOptionalError(loc,
                               "expected as many samples as indices, "
                               "found ",
                               op.getUniformSample().getType(), " and ",
                               op.getSampleIndices().getType());
    if (!mayBeEqual(uniform->dims[1], Dim(1)) ||
        !mayBeEqual(indices->dims[1], Dim(1)))
      return emitOptionalError(loc,
                               "expected samples and indices of width 1, "
                               "found ",
                               op.getUniformSample().getType(), " and ",
                               op.getSampleIndices().getType());
    result.setDims({uniform->dims[0], uniform->dims[1]});
  }
  return result.getType(op.getProb().getContext());
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

FailureOr<Type> partita::relax::inferToDevice(OptionalLoc loc, Value data) {
  // Only the type of the result says on which device it is.
  return inferSame(loc, data);
}

FailureOr<Type> partita::relax::inferAllGather(OptionalLoc loc,
                                               AllGatherOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  int64_t workers = op.getNumWorkers();
  if (workers < 1)
    return emitOptionalError(
        loc, "expected 'num_workers' to be at least 1, found ", workers);
  if (!x->isRanked || x->dims.empty() || x->shape)
    return op.getX().getType();
  SmallVector<Dim> dims = x->dims;
  dims.front() = dims.front() * Dim(workers);
  x->setDims(dims);
  return x->getType(op.getX().getContext());
}

FailureOr<Type> partita::relax::inferScatter(OptionalLoc loc,
                                             ScatterFromWorker0Op::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  int64_t workers = op.getNumWorkers();
  if (workers < 1)
    return emitOptionalError(
        loc, "expected 'num_workers' to be at least 1, found ", workers);
  if (!x->isRanked)
    return op.getX().getType();
  FailureOr<int64_t> axis = normalizeAxis(loc, op.getAxis(), x->getRank());
  if (failed(axis))
    return failure();
  SmallVector<Dim> dims = x->dims;
  Dim &dim = dims[*axis];
  if (dim.isNumber() && dim.getSize() % workers)
    return emitOptionalError(loc, "expected a dimension divisible by ", workers,
                             " workers, found ", dim.getSize());
  dim = floorDiv(dim, Dim(workers));
  x->setDims(dims);
  return x->getType(op.getX().getContext());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The dtype that a value is; null if it is not known.
static Type getDType(Value value) {
  Operation *op = value.getDefiningOp();
  auto dtype = op ? op->getAttrOfType<TypeAttr>("value") : TypeAttr();
  return dtype ? dtype.getValue() : Type();
}

FailureOr<Type> partita::relax::inferAllocTensor(OptionalLoc, Value shape,
                                                 Value dtype) {
  TensorInfo info;
  info.elementType = getDType(dtype);
  if (std::optional<SmallVector<Dim>> dims = getShapeDims(shape))
    info.setDims(*dims);
  return info.getType(shape.getContext());
}

/// How many bytes an element has; unknown if its type is.
static Dim getElementBytes(Type type) {
  if (!type || !type.isIntOrFloat())
    return Dim();
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static Dim getNumBytes(const TensorInfo &info) {
  return info.isRanked ? multiply(info.dims) * getElementBytes(info.elementType)
                       : Dim();
}

/// Whether `value` is the empty tuple.
static bool isAbsent(Value value) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  return tuple && tuple.size() == 0;
}

FailureOr<Type> partita::relax::inferView(OptionalLoc loc, ViewOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  Dim size = getNumBytes(*x), elementSize = getElementBytes(x->elementType);
  if (!isAbsent(op.getDtype()) && !op.getDtype().getDefiningOp<NullValueOp>())
    x->elementType = getDType(op.getDtype());
  if (!isAbsent(op.getShape())) {
    auto type = dyn_cast<ShapeType>(op.getShape().getType());
    if (!type)
      return emitOptionalError(loc,
                               "expected 'shape' to be a !relax.shape or "
                               "an empty tuple, found ",
                               op.getShape().getType());
    x->setShape(type);
  }
  Value by = op.getRelativeByteOffset();
  if (!isAbsent(by) && !by.getType().isSignlessInteger(64))
    return emitOptionalError(loc,
                             "expected 'relative_byte_offset' to be an i64 or "
                             "an empty tuple, found ",
                             by.getType());
  Dim offset = isAbsent(by) ? 0 : getDim(by);
  Dim end = getNumBytes(*x) + offset, excess = end - size;
  if (excess.isNumber() && excess.getSize() > 0)
    return emitOptionalError(loc, "expected a view that ends within the ", size,
                             " bytes of ", op.getX().getType(),
                             ", found one up to byte ", end);
  // This holds for any shape, as the view keeps it.
  Dim growth = getElementBytes(x->elementType) - elementSize;
  if (isAbsent(op.getShape()) && !excess.isNumber() && growth.isNumber() &&
      growth.getSize() > 0)
    return emitOptionalError(loc, "expected a view with elements of at most ",
                             elementSize, " bytes, like ", op.getX().getType(),
                             ", found ", x->elementType);
  return x->getType(op.getX().getContext());
}
