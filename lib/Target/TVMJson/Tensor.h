//===- Tensor.h - dtypes and tensors of TVM's JSON --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor stands in the JSON as a base64 blob with a header of its own (DLPack
// device, dtype and shape). The header is checked against the bytes that follow
// and against the type that the module declares for the constant.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TENSOR_H
#define PARTITA_LIB_TARGET_TVMJSON_TENSOR_H

#include "NodeTable.h"

#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::tvmjson {

/// Whether TVM has a dtype of that name, with or without a type in MLIR.
bool isDTypeName(llvm::StringRef name);
/// The type that a dtype such as "float32" names, or null.
mlir::Type getDTypeByName(llvm::StringRef name, mlir::MLIRContext *context);

/// Whether a tensor of this shape has fewer than 2^63 bytes.
bool isAddressable(llvm::ArrayRef<int64_t> shape);

/// The value of an ffi.Tensor as an attribute of type `type`. Up to
/// `inlineElements` elements stand in the attribute itself; more are a
/// TensorAttr named after `name`, which owns the decoded blob without a further
/// copy.
llvm::LogicalResult getTensor(NodeTable &table, const Node &node,
                              mlir::RankedTensorType type, llvm::StringRef name,
                              relax::OwnedElements &result);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TENSOR_H
