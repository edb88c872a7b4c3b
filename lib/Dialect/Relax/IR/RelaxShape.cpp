//===- RelaxShape.cpp - Symbolic dimensions and their arithmetic ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace partita::relax;

raw_ostream &partita::relax::operator<<(raw_ostream &os, const Dim &dim) {
  if (dim.isName())
    return os << dim.getName();
  if (dim.isNumber())
    return os << dim.getSize();
  return os << '?';
}

Diagnostic &partita::relax::operator<<(Diagnostic &diag, const Dim &dim) {
  std::string text;
  llvm::raw_string_ostream(text) << dim;
  return diag << text;
}

SmallVector<Dim> partita::relax::getDims(RankedTensorType type) {
  if (auto shape = dyn_cast_if_present<ShapeAttr>(type.getEncoding()))
    return llvm::to_vector(shape.getDims());
  return llvm::to_vector_of<Dim>(type.getShape());
}

RankedTensorType partita::relax::getTensorType(ArrayRef<Dim> dims,
                                               Type elementType) {
  SmallVector<int64_t> sizes =
      llvm::map_to_vector(dims, [](Dim dim) { return dim.getSize(); });
  Attribute encoding;
  if (llvm::any_of(dims, [](Dim dim) { return dim.isName(); }))
    encoding = ShapeAttr::get(elementType.getContext(), dims);
  return RankedTensorType::get(sizes, elementType, encoding);
}

bool partita::relax::areCompatible(Dim a, Dim b) {
  return a == b || a.isUnknown() || b.isUnknown();
}

/// Whether `a` and `b` are types of one kind and rank, each pair of whose
/// dimensions satisfies `matches`.
static bool matchTypes(Type a, Type b, function_ref<bool(Dim, Dim)> matches) {
  auto matchDims = [&](ArrayRef<Dim> a, ArrayRef<Dim> b) {
    return llvm::all_of_zip(a, b, matches);
  };
  if (auto x = dyn_cast<RankedTensorType>(a))
    if (auto y = dyn_cast<RankedTensorType>(b))
      return x.getElementType() == y.getElementType() &&
             matchDims(getDims(x), getDims(y));
  if (auto x = dyn_cast<ShapeType>(a))
    if (auto y = dyn_cast<ShapeType>(b))
      return matchDims(x.getDims(), y.getDims());
  if (auto x = dyn_cast<TupleType>(a))
    if (auto y = dyn_cast<TupleType>(b))
      return llvm::all_of_zip(x.getTypes(), y.getTypes(), [&](Type a, Type b) {
        return matchTypes(a, b, matches);
      });
  return a == b;
}

bool partita::relax::areCompatible(Type a, Type b) {
  return matchTypes(a, b, [](Dim a, Dim b) { return areCompatible(a, b); });
}

bool partita::relax::areCompatible(TypeRange a, TypeRange b) {
  return llvm::all_of_zip(a, b,
                          [](Type a, Type b) { return areCompatible(a, b); });
}

bool partita::relax::isMoreGeneral(Type general, Type specific) {
  return matchTypes(general, specific, [](Dim general, Dim specific) {
    return general == specific || general.isUnknown();
  });
}

bool partita::relax::isCastable(Type from, Type to) {
  return matchTypes(from, to, [](Dim from, Dim to) {
    return from == to || !from.isNumber() || !to.isNumber();
  });
}

Type partita::relax::mapDims(Type type, function_ref<Dim(Dim)> map) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (tensor.getEncoding() && !isa<ShapeAttr>(tensor.getEncoding()))
      return type;
    return getTensorType(llvm::map_to_vector(getDims(tensor), map),
                         tensor.getElementType());
  }
  if (auto shape = dyn_cast<ShapeType>(type))
    return ShapeType::get(type.getContext(),
                          llvm::map_to_vector(shape.getDims(), map));
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        type.getContext(),
        llvm::map_to_vector(tuple.getTypes(),
                            [&](Type field) { return mapDims(field, map); }));
  return type;
}

bool DimBinding::bind(Type formal, Type actual) {
  return matchTypes(formal, actual, [&](Dim formal, Dim actual) {
    if (!formal.isName())
      return formal.isUnknown() || formal == actual;
    return dims.try_emplace(formal.getName(), actual).first->second == actual;
  });
}

Type DimBinding::apply(Type formal) const {
  return mapDims(formal, [&](Dim dim) {
    return dim.isName() ? dims.lookup(dim.getName()) : dim;
  });
}

std::optional<Dim> partita::relax::broadcast(Dim a, Dim b) {
  if (a == b || b == Dim(1))
    return a;
  if (a == Dim(1))
    return b;
  if (a.isName() && b.isName())
    return Dim();
  if (!a.isUnknown() && !b.isUnknown())
    return std::nullopt;
  // An unknown size next to a number is that number or 1; next to a name it may
  // be anything, since the name may be 1.
  if (a.isNumber())
    return a;
  return b.isNumber() ? b : Dim();
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static void collectNames(Type type, SmallVectorImpl<StringAttr> &names) {
  ArrayRef<Dim> dims;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (auto shape = dyn_cast_if_present<ShapeAttr>(tensor.getEncoding()))
      dims = shape.getDims();
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    dims = shape.getDims();
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple.getTypes())
      collectNames(field, names);
  }
  for (Dim dim : dims)
    if (dim.isName() && isIdentifier(dim.getName()))
      names.push_back(dim.getName());
}

SmallVector<StringAttr> partita::relax::getNames(Type type) {
  SmallVector<StringAttr> names;
  collectNames(type, names);
  return names;
}

ParseResult partita::relax::parseDims(AsmParser &parser,
                                      SmallVectorImpl<Dim> &dims) {
  auto parseDim = [&]() -> ParseResult {
    std::string name;
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back(Dim());
      return success();
    }
    if (succeeded(parser.parseOptionalString(&name))) {
      dims.push_back(StringAttr::get(parser.getContext(), name));
      return success();
    }
    int64_t size;
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult result = parser.parseOptionalInteger(size);
    if (!result.has_value())
      return parser.emitError(
          loc, "expected a dimension: a size, a name in quotes or '?'");
    if (failed(*result))
      return failure();
    if (size < 0)
      return parser.emitError(loc, "expected a size of at least 0, found ")
             << size;
    dims.push_back(size);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim,
                                        " in a list of dimensions");
}

void partita::relax::printDims(AsmPrinter &printer, ArrayRef<Dim> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer,
                        [&](Dim dim) { printer.getStream() << dim; });
  printer << ']';
}
