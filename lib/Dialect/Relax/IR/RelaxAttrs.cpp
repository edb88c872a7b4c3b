//===- RelaxAttrs.cpp - Shapes and tensors --------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"

#include "TensorAttrStorage.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Relax/IR/RelaxAttrs.cpp.inc"

LogicalResult
partita::relax::verifyDims(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<Dim> dims, bool areSizes) {
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim.isName() && dim.getName().empty())
      return emitError() << "expected names of dimensions, found an empty one "
                            "at position "
                         << index;
    if (areSizes && dim.isNumber() && dim.getSize() < 0)
      return emitError() << "expected a size of at least 0, found "
                         << dim.getSize() << " at position " << index;
  }
  return success();
}

LogicalResult ShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Dim> dims) {
  return verifyDims(emitError, dims, /*areSizes=*/false);
}

ShapeType ShapeAttr::getValueType() const {
  SmallVector<Dim> sizes = llvm::to_vector(getDims());
  for (Dim &dim : sizes)
    if (dim.isNumber() && dim.getSize() < 0)
      dim = Dim();
  return ShapeType::get(getContext(), sizes);
}

LogicalResult
ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                          function_ref<InFlightDiagnostic()> emitError) const {
  ArrayRef<Dim> dims = getDims();
  if (dims.size() != shape.size())
    return emitError() << "expected " << shape.size()
                       << " dimensions, as many as the tensor has, found "
                       << dims.size();
  for (auto [index, dim, size] : llvm::enumerate(dims, shape))
    if (dim.getSize() != size)
      return emitError() << "expected the tensor's dimension " << index << ", "
                         << Dim(size) << ", found " << dim
                         << (ShapedType::isDynamic(size)
                                 ? "; a named dimension is '?' in the tensor"
                                 : "");
  if (llvm::none_of(dims, [](Dim dim) { return dim.isName(); }))
    return emitError() << "expected at least one named dimension, found none; "
                          "leave out the encoding";
  return success();
}

void RelaxDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "partita/Dialect/Relax/IR/RelaxAttrs.cpp.inc"
      >();
}
