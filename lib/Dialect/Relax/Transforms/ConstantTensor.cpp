//===- ConstantTensor.cpp - Raw elements of constant tensors --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantTensor.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Support/StructuralEquality.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace partita::relax;

/// Constants of up to this many elements are printed where they are used.
static constexpr int64_t maxInlineElements = 16;

/// Satisfies all element types.
static constexpr size_t alignment = alignof(uint64_t);

//===----------------------------------------------------------------------===//
// Float16Bits
//===----------------------------------------------------------------------===//

template <int mantissaBits>
Float16Bits<mantissaBits>::Float16Bits(double value) {
  uint64_t from = llvm::bit_cast<uint64_t>(value);
  uint16_t sign = from >> 63 << 15;
  uint64_t mantissa = from & llvm::maskTrailingOnes<uint64_t>(52);
  int exponent = static_cast<int>(from >> 52 & 0x7FF) - 1023;
  if (exponent == 1024) {
    uint16_t quiet = mantissa ? 1 << (mantissaBits - 1) : 0;
    bits = sign | infinity | quiet;
    return;
  }
  // Numbers too small for an exponent of this format lose more bits.
  int clamped = std::max(exponent, 1 - bias);
  int shift = 52 - mantissaBits + clamped - exponent;
  uint64_t rounded = 0;
  if (shift < 54) {
    mantissa |= 1ULL << 52;
    uint64_t odd = mantissa >> shift & 1;
    rounded = (mantissa + (1ULL << (shift - 1)) - 1 + odd) >> shift;
  }
  // The leading bit of a normal number, and a carry, count up the exponent.
  int64_t magnitude =
      (static_cast<int64_t>(clamped + bias - 1) << mantissaBits) + rounded;
  bits = sign | std::min<int64_t>(magnitude, infinity);
}

template <int mantissaBits>
Float16Bits<mantissaBits>::operator float() const {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7FFF;
  if (magnitude < 1U << mantissaBits) {
    float value =
        std::ldexp(static_cast<float>(magnitude), 1 - bias - mantissaBits);
    return sign ? -value : value;
  }
  // Infinity and NaN have the largest exponent in both formats.
  uint32_t exponent =
      magnitude >= infinity ? 255 - (infinity >> mantissaBits) : 127 - bias;
  return llvm::bit_cast<float>(
      sign | ((magnitude << (23 - mantissaBits)) + (exponent << 23)));
}

template class partita::relax::Float16Bits<10>;
template class partita::relax::Float16Bits<7>;

//===----------------------------------------------------------------------===//
// ConstantTensor
//===----------------------------------------------------------------------===//

/// The bytes of an element, or 0 if they are not a whole number.
static int64_t getElementSize(Type type) {
  if (type.isInteger(1))
    return 1;
  if (!type.isIntOrFloat())
    return 0;
  unsigned width = type.getIntOrFloatBitWidth();
  return llvm::is_contained({8, 16, 32, 64}, width) ? width / 8 : 0;
}

std::optional<int64_t> ConstantTensor::getSizeInBytes(ShapedType type) {
  int64_t elementSize = getElementSize(type.getElementType());
  if (!type.hasStaticShape() || elementSize == 0)
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  // MLIR's attributes count bits, whose number must fit as well.
  std::optional<int64_t> bits = elementSize * 8;
  for (int64_t dim : type.getShape())
    bits = bits ? llvm::checkedMul(*bits, dim) : bits;
  return bits ? std::optional(*bits / 8) : std::nullopt;
}

void ConstantTensor::setOwned(AsmResourceBlob blob) {
  owned = std::move(blob);
  bytes = owned->getData();
}

std::optional<ConstantTensor> ConstantTensor::get(ElementsAttr attr) {
  std::optional<int64_t> size = getSizeInBytes(attr.getShapedType());
  if (!size)
    return std::nullopt;
  ConstantTensor result(attr.getShapedType(), /*splat=*/false);
  result.attr = attr;
  if (isa<DenseResourceElementsAttr, TensorAttr>(attr)) {
    StringRef bytes = getResourceBytes(attr);
    if (!bytes.data() || static_cast<int64_t>(bytes.size()) != *size)
      return std::nullopt;
    result.bytes = ArrayRef(bytes.data(), bytes.size());
    if (llvm::isAddrAligned(llvm::Align(alignment), result.bytes.data()))
      return result;
    result.setOwned(
        HeapAsmResourceBlob::allocateAndCopyWithAlign(result.bytes, alignment));
    return result;
  }
  auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr);
  if (!dense)
    return std::nullopt;
  if (*size == 0)
    return result;
  result.splat = dense.isSplat();
  if (!dense.getElementType().isInteger(1)) {
    result.bytes = dense.getRawData();
    return result;
  }
  // The attribute packs booleans.
  result.setOwned(
      HeapAsmResourceBlob::allocate(result.splat ? 1 : *size, alignment));
  MutableArrayRef<uint8_t> values = result.getMutableValues<uint8_t>();
  if (result.splat)
    values.front() = dense.getSplatValue<bool>();
  else
    llvm::copy(dense.getValues<bool>(), values.begin());
  return result;
}

std::optional<ConstantTensor> ConstantTensor::allocate(RankedTensorType type,
                                                       bool isSplat,
                                                       int64_t maxBytes) {
  std::optional<int64_t> size = getSizeInBytes(type);
  if (!size)
    return std::nullopt;
  bool splat = isSplat && *size != 0;
  if (splat)
    size = getElementSize(type.getElementType());
  if (*size > maxBytes)
    return std::nullopt;
  ConstantTensor result(type, splat);
  result.setOwned(HeapAsmResourceBlob::allocate(*size, alignment));
  return result;
}

ConstantTensor ConstantTensor::reshape(RankedTensorType newType) const {
  ConstantTensor result(newType, splat);
  if (attr && !owned) {
    result.attr = reshapeElements(attr, newType);
    result.bytes = bytes;
    return result;
  }
  result.setOwned(
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignment));
  return result;
}

OwnedElements ConstantTensor::takeAttr(StringRef name) {
  if (attr)
    return attr;
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  bool isInline = splat || type.getNumElements() <= maxInlineElements;
  if (isInline && type.getElementType().isInteger(1)) {
    SmallVector<bool> values(getValues<uint8_t>());
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  if (isInline)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  return TensorAttr::get(type,
                         std::make_shared<TensorData>(std::move(*owned), name));
}
