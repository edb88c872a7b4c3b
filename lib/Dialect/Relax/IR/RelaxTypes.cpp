//===- RelaxTypes.cpp - Types beside builtin tensors ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxTypes.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/Relax/IR/RelaxTypes.cpp.inc"

LogicalResult ShapeType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Dim> dims, bool ranked) {
  if (!ranked && !dims.empty())
    return emitError() << "expected no dimensions in a shape of unknown rank, "
                          "found "
                       << dims.size();
  return verifyDims(emitError, dims);
}

LogicalResult
PartialTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<Dim> dims, bool ranked, Type elementType,
                          StringAttr shape, IntegerAttr vdevice) {
  if (elementType && !TensorType::isValidElementType(elementType))
    return emitError() << "expected an element type, found " << elementType;
  if (elementType && !shape && !vdevice)
    return emitError() << "expected an unknown element type, a shape or a "
                          "vdevice, found none; write it as a builtin tensor";
  if (shape && shape.empty())
    return emitError() << "expected the name of a shape, found an empty one";
  if (vdevice && (!vdevice.getType().isSignlessInteger(64) ||
                  vdevice.getValue().isNegative()))
    return emitError() << "expected the index of a vdevice, found " << vdevice;
  if (!ranked && !dims.empty())
    return emitError() << "expected no dimensions in a tensor of unknown rank, "
                          "found "
                       << dims.size();
  return verifyDims(emitError, dims);
}

/// `name = ` in a list.
static bool parseKey(AsmParser &parser, StringRef name, bool &failed) {
  if (mlir::failed(parser.parseOptionalKeyword(name)))
    return false;
  failed = mlir::failed(parser.parseEqual());
  return !failed;
}

Type PartialTensorType::parse(AsmParser &parser) {
  SmallVector<Dim> dims;
  bool isRanked, isFailed = false;
  Type elementType;
  StringAttr shape;
  IntegerAttr vdevice;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseOptionalDims(parser, dims, isRanked) ||
      parser.parseComma() ||
      (failed(parser.parseOptionalQuestion()) && parser.parseType(elementType)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    int64_t index;
    // Given the type, the parser takes no colon after the string.
    if (!shape && parseKey(parser, "shape", isFailed)) {
      if (parser.parseAttribute(shape, parser.getBuilder().getNoneType()))
        return {};
    } else if (!isFailed && !vdevice && parseKey(parser, "vdevice", isFailed)) {
      if (parser.parseInteger(index))
        return {};
      vdevice = parser.getBuilder().getI64IntegerAttr(index);
    } else {
      if (!isFailed)
        parser.emitError(parser.getCurrentLocation(),
                         "expected 'shape' or 'vdevice', each once");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(dims), isRanked, elementType, shape, vdevice);
}

void PartialTensorType::print(AsmPrinter &printer) const {
  printer << '<';
  printOptionalDims(printer, getDims(), getRanked());
  printer << ", ";
  if (getElementType())
    printer << getElementType();
  else
    printer << '?';
  if (getShape()) {
    printer << ", shape = ";
    printer.printAttributeWithoutType(getShape());
  }
  if (getVdevice())
    printer << ", vdevice = " << getVdevice().getInt();
  printer << '>';
}

void RelaxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "partita/Dialect/Relax/IR/RelaxTypes.cpp.inc"
      >();
}
