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
                                ArrayRef<Dim> dims, bool ranked,
                                bool lacksValues) {
  if (!ranked && !dims.empty())
    return emitError() << "expected no dimensions in a shape of unknown rank, "
                          "found "
                       << dims.size();
  if (lacksValues && (!ranked || !dims.empty()))
    return emitError() << "expected no dimensions in a shape without values, "
                          "found "
                       << (ranked ? "some" : "an unknown number");
  return verifyDims(emitError, dims);
}

LogicalResult
PartialTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<Dim> dims, bool ranked, Type elementType,
                          StringAttr shape, bool lacksShape,
                          Attribute vdevice) {
  if (elementType && !TensorType::isValidElementType(elementType))
    return emitError() << "expected an element type, found " << elementType;
  if (elementType && !shape && !lacksShape && !vdevice)
    return emitError() << "expected an unknown element type, a shape or a "
                          "vdevice, found none; write it as a builtin tensor";
  if (lacksShape && (!ranked || !dims.empty()))
    return emitError() << "expected no dimensions in a tensor whose 'shape' is "
                          "'?', found "
                       << (ranked ? "some" : "an unknown number");
  if (shape && shape.empty())
    return emitError() << "expected the name of a shape, found an empty one";
  auto index = dyn_cast_if_present<IntegerAttr>(vdevice);
  if (index ? !index.getType().isSignlessInteger(64) ||
                  index.getValue().isNegative()
            : !isa_and_present<DictionaryAttr>(vdevice) && vdevice)
    return emitError() << "expected the index of a vdevice, or its fields, "
                          "found "
                       << vdevice;
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
  bool isRanked, isFailed = false, lacksShape = false;
  Type elementType;
  StringAttr shape;
  Attribute vdevice;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseOptionalDims(parser, dims, isRanked) ||
      parser.parseComma() ||
      (failed(parser.parseOptionalQuestion()) && parser.parseType(elementType)))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    int64_t index;
    // With the type given, the parser leaves a colon after the string alone.
    SMLoc keyLoc = parser.getCurrentLocation();
    bool isGood = true;
    if (!lacksShape && parseKey(parser, "shape", isFailed)) {
      lacksShape = succeeded(parser.parseOptionalQuestion());
      isGood = lacksShape || !shape;
      if (isGood && !lacksShape &&
          parser.parseAttribute(shape, parser.getBuilder().getNoneType()))
        return {};
    } else if (!isFailed && !vdevice && parseKey(parser, "vdevice", isFailed)) {
      OptionalParseResult parsed = parser.parseOptionalInteger(index);
      if (parsed.has_value() ? failed(*parsed)
                             : failed(parser.parseAttribute(vdevice)))
        return {};
      if (parsed.has_value())
        vdevice = parser.getBuilder().getI64IntegerAttr(index);
    } else {
      isGood = false;
    }
    if (isFailed)
      return {};
    if (!isGood) {
      parser.emitError(keyLoc, "expected 'shape' or 'vdevice', each once");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef(dims), isRanked, elementType, shape, lacksShape,
                    vdevice);
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
  if (getLacksShape())
    printer << ", shape = ?";
  if (auto index = dyn_cast_if_present<IntegerAttr>(getVdevice()))
    printer << ", vdevice = " << index.getInt();
  else if (getVdevice())
    printer << ", vdevice = " << getVdevice();
  printer << '>';
}

Type CallableType::parse(AsmParser &parser) {
  SmallVector<Type> inputs;
  Type result;
  bool takesAny = false;
  auto parseInput = [&]() -> ParseResult {
    if (takesAny)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected no types beside '*'");
    takesAny = inputs.empty() && succeeded(parser.parseOptionalStar());
    return takesAny ? success() : parser.parseType(inputs.emplace_back());
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      parser.parseArrow() || parser.parseType(result))
    return {};
  bool isPure = true, isFailed = false;
  StringAttr derive;
  while (succeeded(parser.parseOptionalComma())) {
    if (isPure && !derive && succeeded(parser.parseOptionalKeyword("impure"))) {
      isPure = false;
    } else if (!derive && parseKey(parser, "derive", isFailed)) {
      if (parser.parseAttribute(derive, parser.getBuilder().getNoneType()))
        return {};
    } else {
      if (!isFailed)
        parser.emitError(parser.getCurrentLocation(),
                         "expected 'impure' and 'derive', each once");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), inputs, result, isPure, takesAny, derive);
}

void CallableType::print(AsmPrinter &printer) const {
  printer << "<(" << getInputs() << (getTakesAny() ? "*" : "") << ") -> "
          << getResult() << (getPure() ? "" : ", impure");
  if (getDerive()) {
    printer << ", derive = ";
    printer.printAttributeWithoutType(getDerive());
  }
  printer << '>';
}

void RelaxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "partita/Dialect/Relax/IR/RelaxTypes.cpp.inc"
      >();
}
