//===- Utils.h - What passes on memory have in common -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_UTILS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_UTILS_H

#include "../Utils.h"
#include "SizeBounds.h"

namespace partita::relax {

/// The results of a call, as allocated or as the fields of a tuple.
inline llvm::SmallVector<mlir::Type> getFieldTypes(mlir::Type type) {
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    return llvm::to_vector(tuple.getTypes());
  return {type};
}

/// Makes a string or a dtype that has no variable.
inline mlir::Value createString(mlir::OpBuilder &builder,
                                llvm::StringRef value) {
  return StringOp::create(builder, builder.getUnknownLoc(),
                          builder.getStringAttr(value));
}
inline mlir::Value createDType(mlir::OpBuilder &builder, mlir::Type type) {
  return DTypeOp::create(builder, builder.getUnknownLoc(),
                         mlir::TypeAttr::get(type));
}

/// The bytes that an element takes, or nothing if its type is unknown.
inline std::optional<int64_t> getElementBytes(mlir::Type type) {
  if (!type || !type.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// The dtype that `alloc` is given, if it is the element type of the result
/// and takes whole bytes; else null.
inline mlir::Type getAllocatedType(AllocTensorOp alloc) {
  std::optional<TensorInfo> info = TensorInfo::get(alloc.getType());
  auto dtype = alloc.getDtype().getDefiningOp<DTypeOp>();
  bool isKnown = info && dtype && info->elementType == dtype.getValue() &&
                 getElementBytes(info->elementType);
  return isKnown ? info->elementType : mlir::Type();
}

/// Puts storage of `bytes` before `alloc`, whose elements have the type
/// `dtype` there.
inline mlir::Value createStorage(mlir::OpBuilder &builder, AllocTensorOp alloc,
                                 Dim bytes, mlir::Type dtype) {
  mlir::Value size = createShape(builder, bytes);
  mlir::Value elementType = createDType(builder, dtype);
  return MemoryAllocStorageOp::create(
      builder, withName(alloc.getLoc(), "storage"),
      ObjectType::get(builder.getContext()), size,
      alloc.getRuntimeDeviceIndex(), alloc.getStorageScope(), elementType);
}

/// Replaces `alloc` by a tensor in `storage`.
inline void allocateIn(mlir::OpBuilder &builder, AllocTensorOp alloc,
                       mlir::Value storage) {
  mlir::Value offset = createInt(builder, 0);
  auto tensor = MemoryAllocTensorOp::create(
      builder, alloc.getLoc(), alloc.getType(), storage, offset,
      alloc.getShape(), alloc.getDtype(), alloc.getRuntimeDeviceIndex());
  tensor->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  tensor->removeDiscardableAttr("relax.ty_args");
  alloc.replaceAllUsesWith(tensor.getResult());
  alloc.erase();
}

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_UTILS_H
