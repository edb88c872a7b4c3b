//===- Results.cpp - Results of compiled code -----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemAlloc.h"

#include <cstdlib>
#include <cstring>

namespace partita::runtime {

namespace {
/// What owns a tensor of a result. The sizes and strides are behind it.
struct TensorOwner {
  Block *block;

  int64_t *getSizes() { return reinterpret_cast<int64_t *>(this + 1); }
};
} // namespace

PartitaRuntimeValue makeScalar(DType dtype, uint64_t bits) {
  PartitaRuntimeValue value = {};
  bits &= llvm::maskTrailingOnes<uint64_t>(dtype.bits);
  switch (dtype.code) {
  case kIntCode:
    value.kind = PartitaRuntimeIntKind;
    value.as.integer = llvm::SignExtend64(bits, dtype.bits);
    break;
  case kUIntCode:
    value.kind = PartitaRuntimeUIntKind;
    value.as.natural = bits;
    break;
  case kBoolCode:
    value.kind = PartitaRuntimeBoolKind;
    value.as.integer = bits & 1;
    break;
  default:
    value.kind = PartitaRuntimeFloatKind;
    value.as.real = readReal(dtype, bits);
  }
  return value;
}

PartitaRuntimeTensor makeTensor(DType dtype, char *data, size_t rank,
                                const int64_t *sizes, const int64_t *strides) {
  return {data,
          /*deviceType=*/1,
          /*deviceId=*/0,
          int32_t(rank),
          dtype.code,
          dtype.bits,
          /*lanes=*/1,
          sizes,
          strides,
          /*byteOffset=*/0};
}

ResultReader::ResultReader(const Function &function, Call &call)
    : function(function), call(call) {
  size_t count = 0;
  function.result.visitLeaves([&](const Param &leaf) {
    count += leaf.kind == ParamKind::Tensor  ? 3 + 2 * leaf.sizes.size()
             : leaf.kind == ParamKind::Shape ? leaf.sizes.size()
                                             : 1;
  });
  words.resize(count);
  next = reinterpret_cast<const char *>(words.data());
}

llvm::Error ResultReader::read(const void *scalar,
                               PartitaRuntimeValue &result) {
  if (function.returnsValue())
    next = static_cast<const char *>(scalar);
  result = {};
  llvm::Error error = readParam(function.result, result);
  if (error)
    release(result);
  return error;
}

llvm::Error ResultReader::readParam(const Param &param,
                                    PartitaRuntimeValue &value) {
  switch (param.kind) {
  case ParamKind::Tensor:
    return readTensor(param, value);
  case ParamKind::Shape:
    readShape(param, value);
    return llvm::Error::success();
  case ParamKind::Prim:
    readPrim(param, value);
    return llvm::Error::success();
  case ParamKind::Object:
    value.kind = PartitaRuntimeObjectKind;
    value.object = *reinterpret_cast<void *const *>(
        takeField(next, sizeof(void *), alignof(void *)));
    return llvm::Error::success();
  case ParamKind::Tuple:
    return readTuple(param, value);
  case ParamKind::String:
    break;
  }
  llvm_unreachable("unknown kind of parameter");
}

llvm::Error ResultReader::readTensor(const Param &param,
                                     PartitaRuntimeValue &value) {
  size_t rank = param.sizes.size(), bytes = param.dtype.getBytes();
  auto *memref = reinterpret_cast<const MemRef *>(takeField(
      next, sizeof(MemRef) + 2 * rank * sizeof(int64_t), alignof(MemRef)));
  char *data = memref->aligned + memref->offset * bytes;
  llvm::ArrayRef<int64_t> shape(memref->getSizes(), rank);
  llvm::ArrayRef<int64_t> strides(memref->getSizes() + rank, rank);
  auto *owner = static_cast<TensorOwner *>(
      llvm::safe_malloc(sizeof(TensorOwner) + 2 * rank * sizeof(int64_t)));
  int64_t *sizes = owner->getSizes();
  std::memcpy(sizes, shape.data(), 2 * rank * sizeof(int64_t));
  if (call.take(memref->allocated)) {
    owner->block = Block::get(memref->allocated);
  } else {
    // An argument, a constant or another result: the caller cannot free it.
    size_t count = bytes;
    for (int64_t size : shape)
      count *= size;
    llvm::Expected<Block *> block = call.allocate(count);
    if (!block) {
      std::free(owner);
      return block.takeError();
    }
    char *copy = static_cast<char *>((*block)->getMemory());
    copyToContiguous(data, shape, strides, bytes, copy);
    call.take(copy);
    owner->block = *block;
    data = copy;
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0; stride *= shape[i])
      sizes[rank + i] = stride;
  }
  value.kind = PartitaRuntimeTensorKind;
  value.owner = owner;
  value.as.tensor = makeTensor(param.dtype, data, rank, sizes, sizes + rank);
  return llvm::Error::success();
}

void ResultReader::readShape(const Param &param, PartitaRuntimeValue &value) {
  size_t bytes = param.sizes.size() * sizeof(int64_t);
  auto *sizes = static_cast<int64_t *>(llvm::safe_malloc(bytes));
  if (bytes)
    std::memcpy(sizes, takeField(next, bytes, alignof(int64_t)), bytes);
  value.kind = PartitaRuntimeShapeKind;
  value.as.shape = {intptr_t(param.sizes.size()), sizes};
}

void ResultReader::readPrim(const Param &param, PartitaRuntimeValue &value) {
  unsigned bytes = param.dtype.getBytes();
  uint64_t bits = 0;
  std::memcpy(&bits, takeField(next, bytes, bytes), bytes);
  value = makeScalar(param.dtype, bits);
}

llvm::Error ResultReader::readTuple(const Param &param,
                                    PartitaRuntimeValue &value) {
  size_t count = param.fields.size();
  value.kind = PartitaRuntimeTupleKind;
  value.as.tuple = {intptr_t(count),
                    static_cast<PartitaRuntimeValue *>(
                        llvm::safe_calloc(count, sizeof(PartitaRuntimeValue)))};
  for (size_t i = 0; i < count; ++i)
    if (llvm::Error error =
            readParam(param.fields[i], value.as.tuple.fields[i]))
      return error;
  return llvm::Error::success();
}

void releaseTensor(void *owner) {
  if (!owner)
    return;
  Pool::release(static_cast<TensorOwner *>(owner)->block);
  std::free(owner);
}

void release(PartitaRuntimeValue &value) {
  if (value.kind == PartitaRuntimeTensorKind)
    releaseTensor(value.owner);
  if (value.kind == PartitaRuntimeShapeKind)
    std::free(const_cast<int64_t *>(value.as.shape.sizes));
  if (value.kind == PartitaRuntimeTupleKind) {
    for (intptr_t i = 0; i < value.as.tuple.count; ++i)
      release(value.as.tuple.fields[i]);
    std::free(value.as.tuple.fields);
  }
  value = {};
}

} // namespace partita::runtime
