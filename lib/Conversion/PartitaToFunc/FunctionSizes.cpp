//===- FunctionSizes.cpp - Types and sizes of lowered functions -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"
#include "partita/Conversion/DimLowering.h"
#include "partita/Support/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult partita::lowerType(Type type, SmallVectorImpl<Type> &lowered) {
  if (isObject(type)) {
    lowered.push_back(LLVM::LLVMPointerType::get(type.getContext()));
    return success();
  }
  if (isa<NoneType>(type))
    return success();
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    Type element = info->elementType;
    if (isa<FloatType>(element) && getDType(element).bits == 0)
      return failure();
    auto sizes =
        llvm::map_to_vector(info->dims, [](Dim dim) { return dim.getSize(); });
    lowered.push_back(MemRefType::get(sizes, info->elementType));
    return success();
  }
  if (auto shape = dyn_cast<ShapeType>(type)) {
    lowered.append(shape.getDims().size(),
                   IntegerType::get(type.getContext(), 64));
    return success();
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple)
      if (failed(lowerType(field, lowered)))
        return failure();
    return success();
  }
  lowered.push_back(type);
  return success(type.isIntOrIndexOrFloat());
}

SmallVector<ValueRange> partita::splitByType(TypeRange types,
                                             ValueRange lowered) {
  SmallVector<ValueRange> parts;
  for (Type type : types) {
    SmallVector<Type> own;
    (void)lowerType(type, own);
    parts.push_back(lowered.take_front(own.size()));
    lowered = lowered.drop_front(own.size());
  }
  return parts;
}

/// The text of `type` for an error. An opaque type contains a whole table.
static std::string getShortText(Type type) {
  constexpr size_t limit = 100;
  std::string text = debugString(type);
  if (text.size() > limit)
    text.replace(limit, std::string::npos, "...");
  return "'" + text + "'";
}

FailureOr<SmallVector<Type>> partita::lowerTypes(Operation *op,
                                                 TypeRange types) {
  SmallVector<Type> lowered;
  for (Type type : types)
    if (failed(lowerType(type, lowered)))
      return op->emitOpError("can't be compiled: expected tensors of "
                             "integers or of floats of 8 to 64 bits, shapes, "
                             "numbers, objects and tuples of them, found ")
             << getShortText(type);
  return lowered;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value FunctionLowering::getSize(Value memref, int64_t index) {
  Value size = builder.createOrFold<memref::DimOp>(memref, index);
  return builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(), size);
}

Value FunctionLowering::castTo(Value value, Type type) {
  Type found = value.getType();
  if (found == type)
    return value;
  if (isa<MemRefType>(type) && memref::CastOp::areCastCompatible(found, type))
    return memref::CastOp::create(builder, type, value);
  if (isa<IntegerType>(type) && isa<IntegerType>(found)) {
    if (type.getIntOrFloatBitWidth() < found.getIntOrFloatBitWidth())
      return arith::TruncIOp::create(builder, type, value);
    return arith::ExtSIOp::create(builder, type, value);
  }
  return {};
}

FailureOr<FunctionLowering::Values>
FunctionLowering::castAll(Operation *op, ValueRange from, TypeRange types) {
  Values results;
  for (auto [value, type] : llvm::zip(from, types))
    if (Value result = castTo(value, type))
      results.push_back(result);
  if (from.size() == types.size() && results.size() == types.size())
    return results;
  return op->emitOpError("can't be compiled: expected values of types (")
         << types << "), found (" << from.getTypes() << ")";
}

FailureOr<Value> FunctionLowering::lowerDim(Operation *op, Dim dim) {
  Value value = partita::lowerDim(
      builder, dim, [&](StringRef name) { return sizes.lookup(name); });
  // Only a relax.dim can be a comparison.
  if (value && (value.getType().isInteger(64) || isa<DimOp>(op)))
    return value;
  return op->emitOpError("can't be compiled: expected a known size, found ")
         << dim;
}

FailureOr<FunctionLowering::Extent> FunctionLowering::getExtent(Operation *op,
                                                                Type type) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, type);
  if (failed(types))
    return failure();
  auto memref =
      types->size() == 1 ? dyn_cast<MemRefType>(types->front()) : MemRefType();
  if (!memref)
    return op->emitOpError("can't be compiled: expected a tensor of known rank "
                           "and dtype, found ")
           << type;
  Extent extent = {
      memref, {}, double(llvm::divideCeil(memref.getElementTypeBitWidth(), 8))};
  TensorInfo info = *TensorInfo::get(type);
  for (Dim dim : info.dims) {
    if (dim.isNumber()) {
      extent.staticBytes *= std::max<int64_t>(dim.getSize(), 1);
      continue;
    }
    FailureOr<Value> size = lowerDim(op, dim);
    if (failed(size))
      return failure();
    extent.dynamic.push_back(*size);
  }
  if (extent.staticBytes > maxBytes)
    return op->emitOpError("can't be compiled: expected a tensor that fits "
                           "into memory, found ")
           << type;
  return extent;
}

FailureOr<Value> FunctionLowering::allocate(Operation *op, Type type) {
  FailureOr<Extent> extent = getExtent(op, type);
  if (failed(extent))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  checkAllocation(extent->dynamic, extent->staticBytes,
                  "expected a tensor in '" + func.getSymName() +
                      "' to fit into memory, but found too large or negative "
                      "sizes: " +
                      text);
  return Value(memref::AllocOp::create(builder, extent->type,
                                       toIndices(extent->dynamic)));
}

FunctionLowering::Values FunctionLowering::toIndices(ValueRange numbers) {
  return llvm::map_to_vector(numbers, [&](Value number) {
    return builder.createOrFold<arith::IndexCastOp>(builder.getIndexType(),
                                                    number);
  });
}

void FunctionLowering::checkAllocation(ArrayRef<Value> dynamic,
                                       double staticBytes, const Twine &message,
                                       Value limit) {
  if (!limit && dynamic.empty())
    return;
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, builder.getF64FloatAttr(value));
  };
  Value product, isSound;
  auto both = [&](Value condition) {
    isSound = isSound ? builder.createOrFold<arith::AndIOp>(isSound, condition)
                      : condition;
  };
  for (Value size : dynamic) {
    Value zero = arith::ConstantIntOp::create(builder, 0, 64);
    both(builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, size,
                                             zero));
    Value factor =
        builder.createOrFold<arith::SIToFPOp>(builder.getF64Type(), size);
    product =
        product ? builder.createOrFold<arith::MulFOp>(product, factor) : factor;
  }
  limit = limit
              ? builder.createOrFold<arith::DivFOp>(limit, number(staticBytes))
              : number(maxBytes / staticBytes);
  both(builder.createOrFold<arith::CmpFOp>(
      arith::CmpFPredicate::OLE, product ? product : number(1), limit));
  failUnless(isSound, message);
}

LogicalResult FunctionLowering::bindNames(Operation *op, Type type,
                                          ValueRange lowered) {
  auto isNew = [&](Dim dim) {
    return dim.isIdentifier() && !sizes.count(dim.getName());
  };
  std::optional<TensorInfo> info = TensorInfo::get(type);
  if (info && isObject(type)) {
    if (llvm::none_of(info->dims, isNew))
      return success();
    FailureOr<Values> found = getObjectSizes(op, type, lowered.front());
    if (failed(found))
      return failure();
    for (auto [dim, value] : llvm::zip_equal(info->dims, *found))
      if (isNew(dim))
        sizes[dim.getName()] = value;
  } else if (info) {
    for (auto [index, dim] : llvm::enumerate(info->dims))
      if (isNew(dim)) {
        sizes[dim.getName()] = getSize(lowered.front(), index);
        introducing[{lowered.front(), index}] = dim.getName();
      }
  } else if (auto shape = dyn_cast<ShapeType>(type); shape && !isObject(type)) {
    for (auto [dim, value] : llvm::zip_equal(shape.getDims(), lowered))
      if (isNew(dim))
        sizes[dim.getName()] = value;
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [field, part] :
         llvm::zip_equal(tuple, splitByType(tuple.getTypes(), lowered)))
      if (failed(bindNames(op, field, part)))
        return failure();
  }
  return success();
}

void FunctionLowering::failUnless(Value condition, const Twine &message) {
  module.failUnless(builder, condition, message.str());
}

LogicalResult FunctionLowering::check(Operation *op, Type type,
                                      ValueRange lowered, const Twine &what) {
  auto checkSize = [&](Dim dim, size_t index, Value value) -> LogicalResult {
    FailureOr<Value> expected = lowerDim(op, dim);
    // A shape may have introduced the name.
    if (failed(expected) || *expected == value)
      return success(succeeded(expected));
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "expected dimension " << index << " of " << what << " to be ";
    if (dim.isNumber())
      os << dim.getSize();
    else
      os << dim.getName().getValue();
    failUnless(builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                   value, *expected),
               text);
    return success();
  };
  std::optional<TensorInfo> info = TensorInfo::get(type);
  if (info && isObject(type)) {
    if (llvm::all_of(info->dims, [](Dim dim) { return dim.isUnknown(); }))
      return success();
    FailureOr<Values> found = getObjectSizes(op, type, lowered.front());
    if (failed(found))
      return failure();
    for (auto [index, dim] : llvm::enumerate(info->dims))
      if (!dim.isUnknown() && failed(checkSize(dim, index, (*found)[index])))
        return failure();
  } else if (info) {
    Value memref = lowered.front();
    for (auto [index, dim] : llvm::enumerate(info->dims))
      if (!dim.isUnknown() &&
          (!dim.isIdentifier() ||
           introducing.lookup({memref, index}) != dim.getName()) &&
          failed(checkSize(dim, index, getSize(memref, index))))
        return failure();
  } else if (auto shape = dyn_cast<ShapeType>(type); shape && !isObject(type)) {
    for (auto [index, dim] : llvm::enumerate(shape.getDims()))
      if (!dim.isUnknown() && failed(checkSize(dim, index, lowered[index])))
        return failure();
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<ValueRange> parts = splitByType(tuple.getTypes(), lowered);
    for (auto [index, field] : llvm::enumerate(tuple))
      if (failed(check(op, field, parts[index],
                       "field " + Twine(index) + " of " + what)))
        return failure();
  }
  return success();
}

/// Adds the sizes that `type` says of the memory of `lowered`.
static void addDims(Type type, ValueRange lowered,
                    llvm::DenseMap<Value, SmallVector<Dim>> &dims) {
  if (auto tuple = dyn_cast<TupleType>(type))
    for (auto [field, part] :
         llvm::zip_equal(tuple, splitByType(tuple.getTypes(), lowered)))
      addDims(field, part, dims);
  else if (std::optional<TensorInfo> info = TensorInfo::get(type);
           info && lowered.size() == 1)
    dims.try_emplace(lowered.front(), info->dims);
}

void FunctionLowering::checkSizes(Operation *op, ValueRange arguments,
                                  tir::PrimFuncOp callee) {
  auto isDynamic = [](Value argument) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    return type && !type.hasStaticShape();
  };
  if (llvm::none_of(arguments, isDynamic))
    return;
  llvm::DenseMap<Value, SmallVector<Dim>> dims;
  for (Value operand : op->getOperands()) {
    Known known = getKnown(operand);
    addDims(known.type, known.lowered, dims);
  }
  if (isa<CallTIROp>(op))
    for (auto [type, result] : llvm::zip_equal(
             op->getResultTypes(), arguments.take_back(op->getNumResults())))
      addDims(type, result, dims);
  auto getDim = [&](Value memref, int64_t index) {
    auto it = dims.find(memref);
    return it != dims.end() && index < int64_t(it->second.size())
               ? it->second[index]
               : Dim();
  };
  auto checkEqual = [&](Value size, Value expected, const Twine &message) {
    if (size != expected)
      failUnless(builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                     size, expected),
                 message);
  };
  std::string where = (Twine("'") + callee.getSymName() + "', which '" +
                       func.getSymName() + "' calls")
                          .str();
  const EqualSizes &equal = module.getEqualSizes(callee);
  llvm::StringMap<std::pair<Value, int64_t>> firsts;
  for (auto [value, parameter] :
       llvm::zip_equal(arguments, callee.getArguments())) {
    auto from = dyn_cast<MemRefType>(value.getType()),
         to = dyn_cast<MemRefType>(parameter.getType());
    if (!from || !to || from.getRank() != to.getRank())
      continue;
    Value argument = value;
    std::string name = getParameterName(parameter);
    for (int64_t index : llvm::seq(to.getRank())) {
      auto expectNumber = [&](int64_t number) {
        if (from.isDynamicDim(index))
          checkEqual(getSize(argument, index),
                     arith::ConstantIntOp::create(builder, number, 64),
                     "expected dimension " + Twine(index) + " of '" + name +
                         "' of " + where + ", to be " + Twine(number));
      };
      auto size = equal.get(parameter, index);
      if (!to.isDynamicDim(index)) {
        expectNumber(to.getDimSize(index));
      } else if (size && std::holds_alternative<int64_t>(*size)) {
        expectNumber(std::get<int64_t>(*size));
      } else if (size) {
        auto [it, isNew] =
            firsts.try_emplace(std::get<std::string>(*size), argument, index);
        auto [first, place] = it->second;
        Dim dim = getDim(argument, index);
        if (isNew || (!dim.isUnknown() && dim == getDim(first, place)))
          continue;
        checkEqual(getSize(argument, index), getSize(first, place),
                   "expected dimension " + Twine(index) + " of '" + name +
                       "' of " + where + ", to be as large as the other '" +
                       it->first() + "'");
      }
    }
  }
}
