//===- ConstantTensor.h - Raw elements of constant tensors ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements as arrays of C++ numbers, whatever attribute they come from. Reading
// a constant copies nothing, and a tensor that was computed becomes a
// constant's without a copy; one that only other constants need never becomes
// an attribute.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTTENSOR_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTTENSOR_H

#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::relax {

/// A 16-bit float with this many bits of mantissa, for arithmetic in float.
template <int mantissaBits>
class Float16Bits {
public:
  /// Rounds to nearest, ties to even.
  explicit Float16Bits(double value);
  operator float() const;

private:
  static constexpr int bias = (1 << (14 - mantissaBits)) - 1;
  static constexpr uint16_t infinity = 0x7FFF >> mantissaBits << mantissaBits;

  uint16_t bits;
};

using Half = Float16Bits<10>;
using BFloat = Float16Bits<7>;

/// The elements of a tensor of static shape in row-major order, or, for a
/// splat, the one value of all of them. Booleans take a byte each.
class ConstantTensor {
public:
  /// The elements of `attr`. Nothing if they cannot be read as numbers of 1, 2,
  /// 4 or 8 bytes or as booleans: a resource whose data is missing or has
  /// another size, another kind of attribute.
  static std::optional<ConstantTensor> get(mlir::ElementsAttr attr);

  /// Elements without a value; nothing if they need more than `maxBytes`.
  static std::optional<ConstantTensor> allocate(mlir::RankedTensorType type,
                                                bool isSplat, int64_t maxBytes);

  /// The size of the elements of `type`; nothing if a constant tensor cannot
  /// hold them.
  static std::optional<int64_t> getSizeInBytes(mlir::ShapedType type);

  mlir::ShapedType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool isSplat() const { return splat; }
  llvm::ArrayRef<char> getBytes() const { return bytes; }

  /// The elements, or a splat's one element, as numbers of their type.
  template <typename T>
  llvm::ArrayRef<T> getValues() const {
    // Not in braces, which would make an initializer list of booleans.
    return llvm::ArrayRef<T>(reinterpret_cast<const T *>(bytes.data()),
                             bytes.size() / sizeof(T));
  }
  template <typename T>
  llvm::MutableArrayRef<T> getMutableValues() {
    llvm::MutableArrayRef<char> data = owned->getMutableData();
    return {reinterpret_cast<T *>(data.data()), data.size() / sizeof(T)};
  }

  /// The same elements as a tensor of `newType`, which has as many.
  ConstantTensor reshape(mlir::RankedTensorType newType) const;

  /// The elements as an attribute: a TensorAttr named after `name` if there are
  /// many. Do not use the tensor afterwards.
  OwnedElements takeAttr(llvm::StringRef name);

private:
  ConstantTensor(mlir::ShapedType type, bool splat)
      : type(type), splat(splat) {}

  void setOwned(mlir::AsmResourceBlob blob);

  mlir::ShapedType type;
  bool splat;
  llvm::ArrayRef<char> bytes;
  /// The attribute that the tensor was read from, which holds `bytes`.
  OwnedElements attr;
  /// Holds `bytes` otherwise.
  std::optional<mlir::AsmResourceBlob> owned;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTTENSOR_H
