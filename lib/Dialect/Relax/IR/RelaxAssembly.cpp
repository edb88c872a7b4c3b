//===- RelaxAssembly.cpp - Directives of the assembly of ops --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace partita::relax;

ParseResult partita::relax::parseTypes(OpAsmParser &parser,
                                       ArrayRef<Type *> types) {
  ArrayRef<Type *> operands = types.drop_back();
  if (parser.parseType(*operands.front()))
    return failure();
  if (operands.size() == 1 ? failed(parser.parseOptionalArrow())
                           : failed(parser.parseOptionalComma())) {
    for (Type *type : types.drop_front())
      *type = *types.front();
    return success();
  }
  for (auto [index, type] : llvm::enumerate(operands.drop_front()))
    if ((index && parser.parseComma()) || parser.parseType(*type))
      return failure();
  return failure((operands.size() > 1 && parser.parseArrow()) ||
                 parser.parseType(*types.back()));
}

void partita::relax::printTypes(OpAsmPrinter &printer, TypeRange types) {
  if (llvm::all_equal(types)) {
    printer << types.front();
    return;
  }
  printer << types.drop_back() << " -> " << types.back();
}

ParseResult partita::relax::parseObjectType(OpAsmParser &parser, Type &type) {
  type = ObjectType::get(parser.getContext());
  return succeeded(parser.parseOptionalColon()) ? parser.parseType(type)
                                                : success();
}

void partita::relax::printObjectType(OpAsmPrinter &printer, Operation *,
                                     Type type) {
  if (!isa<ObjectType>(type))
    printer << " : " << type;
}

ParseResult partita::relax::parseAstype(OpAsmParser &parser, Type &x,
                                        Type &result, TypeAttr &dtype) {
  if (parseSignature(parser, x, result))
    return failure();
  std::optional<TensorInfo> tensor = TensorInfo::get(result);
  Type element = tensor ? tensor->elementType : getElementTypeOrSelf(result);
  dtype = element ? TypeAttr::get(element) : TypeAttr();
  return success();
}

void partita::relax::printAstype(OpAsmPrinter &printer, Operation *op, Type x,
                                 Type result, TypeAttr) {
  printSignature(printer, op, x, result);
}

ParseResult partita::relax::parseReshape(OpAsmParser &parser, Type &x,
                                         Type &shape, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(x))
    return failure();
  if (succeeded(parser.parseOptionalComma()) && parser.parseType(shape))
    return failure();
  if (parser.parseArrow() || parser.parseType(result))
    return failure();
  if (shape)
    return success();
  std::optional<TensorInfo> tensor = TensorInfo::get(result);
  if (!tensor)
    return parser.emitError(loc, "expected a tensor as the result, found ")
           << result;
  shape = ShapeType::get(parser.getContext(), tensor->dims, tensor->isRanked);
  return success();
}

void partita::relax::printReshape(OpAsmPrinter &printer, Operation *, Type x,
                                  Type shape, Type result) {
  printer << x;
  auto type = cast<ShapeType>(shape);
  std::optional<TensorInfo> tensor = TensorInfo::get(result);
  if (type.getRanked() != tensor->isRanked ||
      type.getDims() != ArrayRef(tensor->dims))
    printer << ", " << shape;
  printer << " -> " << result;
}

ParseResult partita::relax::parseOutLayout(OpAsmParser &parser,
                                           StringAttr layout,
                                           StringAttr &outLayout) {
  // With the type given, the parser leaves a colon after the string alone. It
  // would be the start of a type otherwise.
  Type none = parser.getBuilder().getNoneType();
  if (succeeded(parser.parseOptionalKeyword("out_layout")))
    return failure(parser.parseEqual() ||
                   parser.parseAttribute(outLayout, none));
  // Without `out_layout`, it is the layout of the data. If both are null, they
  // are the op's default.
  outLayout = layout;
  return success();
}

void partita::relax::printOutLayout(OpAsmPrinter &printer, Operation *,
                                    StringAttr layout, StringAttr outLayout) {
  if (layout != outLayout)
    printer << " out_layout = " << outLayout;
}

ParseResult partita::relax::parseDims(OpAsmParser &parser, ShapeAttr &dims) {
  SmallVector<Dim> list;
  SMLoc loc = parser.getCurrentLocation();
  if (parseDims(parser, list))
    return failure();
  dims = ShapeAttr::getChecked([&] { return parser.emitError(loc); },
                               parser.getContext(), ArrayRef<Dim>(list));
  return success(static_cast<bool>(dims));
}

void partita::relax::printDims(OpAsmPrinter &printer, Operation *,
                               ShapeAttr dims) {
  printDims(printer, dims.getDims());
}
