//===- TensorAttrStorage.h - Storage of TensorAttr --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_IR_TENSORATTRSTORAGE_H
#define PARTITA_LIB_DIALECT_RELAX_IR_TENSORATTRSTORAGE_H

#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "mlir/IR/AttributeSupport.h"

namespace partita::relax::detail {

/// The part of a tensor that stays when its elements are freed. No other
/// tensor's elements have the same id, so that an attribute which nobody holds
/// never shows another tensor's elements.
struct TensorAttrStorage : mlir::AttributeStorage {
  using KeyTy = std::pair<mlir::Type, uint64_t>;

  explicit TensorAttrStorage(KeyTy key) : type(key.first), id(key.second) {}

  bool operator==(const KeyTy &key) const { return key == KeyTy(type, id); }

  static TensorAttrStorage *
  construct(mlir::AttributeStorageAllocator &allocator, KeyTy key) {
    return new (allocator.allocate<TensorAttrStorage>()) TensorAttrStorage(key);
  }

  mlir::Type type;
  uint64_t id;
  TensorDataRef data;
  /// How many OwnedElements hold the attribute.
  size_t owners = 0;
};

} // namespace partita::relax::detail

#endif // PARTITA_LIB_DIALECT_RELAX_IR_TENSORATTRSTORAGE_H
