//===- RelaxShape.cpp - Symbolic dimensions and their arithmetic ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxMarks.h"
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

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<TensorInfo> TensorInfo::get(Type type) {
  TensorInfo info;
  if (auto ranked = dyn_cast<RankedTensorType>(type)) {
    info = TensorInfo(relax::getDims(ranked), ranked.getElementType());
  } else if (auto unranked = dyn_cast<UnrankedTensorType>(type)) {
    info.elementType = unranked.getElementType();
  } else if (auto partial = dyn_cast<PartialTensorType>(type)) {
    info.elementType = partial.getElementType();
    info.isRanked = partial.getRanked();
    info.dims = llvm::to_vector(partial.getDims());
    info.shape = partial.getShape();
    info.lacksShape = partial.getLacksShape();
    info.vdevice = partial.getVdevice();
  } else {
    return std::nullopt;
  }
  return info;
}

void TensorInfo::setRank(int64_t rank) {
  isRanked = true;
  dims.assign(rank, Dim());
  shape = {};
  lacksShape = false;
}

void TensorInfo::setUnranked() {
  isRanked = false;
  dims.clear();
  shape = {};
  lacksShape = false;
}

void TensorInfo::setDims(ArrayRef<Dim> newDims) {
  isRanked = true;
  dims.assign(newDims.begin(), newDims.end());
  shape = {};
  lacksShape = false;
}

void TensorInfo::setShape(ShapeType type) {
  setDims(type.getDims());
  isRanked = type.getRanked();
  lacksShape = type.getLacksValues();
}

Type TensorInfo::getType(MLIRContext *context) const {
  // The dtype of an op can be any type.
  bool hasElements = elementType && TensorType::isValidElementType(elementType);
  Type element = hasElements ? elementType : Type();
  if (!element || shape || lacksShape || vdevice)
    return PartialTensorType::get(context, dims, isRanked, element, shape,
                                  lacksShape, vdevice);
  if (!isRanked)
    return UnrankedTensorType::get(element);
  return getTensorType(dims, element);
}

/// The element type of a tensor, null if it is unknown; std::nullopt for other
/// types.
static std::optional<Type> getElementType(Type type) {
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor.getElementType();
  if (auto partial = dyn_cast<PartialTensorType>(type))
    return partial.getElementType();
  return std::nullopt;
}

bool partita::relax::isTensor(Type type) {
  std::optional<Type> element = getElementType(type);
  return element && (!*element || element->isIntOrFloat());
}

bool partita::relax::isFloatTensor(Type type) {
  std::optional<Type> element = getElementType(type);
  return element && (!*element || isa<FloatType>(*element));
}

bool partita::relax::isCondition(Type type) {
  Type element = getElementType(type).value_or(type);
  return !element || element.isInteger(1);
}

//===----------------------------------------------------------------------===//
// Comparing types
//===----------------------------------------------------------------------===//

namespace {
/// How types are compared, part by part.
struct TypeRelation {
  function_ref<bool(Dim, Dim)> matchDims;
  /// Whether the first type, or the second one, may know less than the other.
  bool mayFirstBeLess, maySecondBeLess;

  bool matchLists(bool isFirstRanked, ArrayRef<Dim> a, bool isSecondRanked,
                  ArrayRef<Dim> b) const {
    if (isFirstRanked && isSecondRanked)
      return llvm::all_of_zip(a, b, matchDims);
    return isFirstRanked == isSecondRanked ||
           (isFirstRanked ? maySecondBeLess : mayFirstBeLess);
  }
  /// The same for a shape that TVM does not have.
  bool mayLack(bool lacksFirst, bool lacksSecond) const {
    return lacksFirst == lacksSecond ||
           (lacksFirst ? mayFirstBeLess : maySecondBeLess);
  }
  bool match(Type a, Type b) const;
};
} // namespace

/// Whether `a` and `b` are types of one kind whose known parts fit.
bool TypeRelation::match(Type a, Type b) const {
  if (std::optional<TensorInfo> x = TensorInfo::get(a))
    if (std::optional<TensorInfo> y = TensorInfo::get(b)) {
      bool areElementsEqual = x->elementType == y->elementType ||
                              (!x->elementType && mayFirstBeLess) ||
                              (!y->elementType && maySecondBeLess);
      return areElementsEqual && mayLack(x->lacksShape, y->lacksShape) &&
             matchLists(x->isRanked, x->dims, y->isRanked, y->dims);
    }
  if (auto x = dyn_cast<ShapeType>(a))
    if (auto y = dyn_cast<ShapeType>(b))
      return mayLack(x.getLacksValues(), y.getLacksValues()) &&
             matchLists(x.getRanked(), x.getDims(), y.getRanked(), y.getDims());
  if (auto x = dyn_cast<TupleType>(a))
    if (auto y = dyn_cast<TupleType>(b))
      return llvm::all_of_zip(x.getTypes(), y.getTypes(),
                              [&](Type a, Type b) { return match(a, b); });
  return a == b || (mayFirstBeLess && isa<ObjectType>(a));
}

bool partita::relax::areCompatible(Type a, Type b) {
  auto matchDims = [](Dim a, Dim b) { return areCompatible(a, b); };
  return a == b || TypeRelation{matchDims, true, true}.match(a, b);
}

bool partita::relax::areCompatible(TypeRange a, TypeRange b) {
  return llvm::all_of_zip(a, b,
                          [](Type a, Type b) { return areCompatible(a, b); });
}

bool partita::relax::isMoreGeneral(Type general, Type specific) {
  auto matchDims = [](Dim general, Dim specific) {
    return general.isUnknown() || areEqual(general, specific);
  };
  return general == specific ||
         TypeRelation{matchDims, true, false}.match(general, specific);
}

bool partita::relax::contradict(Type a, Type b) {
  if (llvm::any_of(ArrayRef{a, b},
                   llvm::IsaPred<ObjectType, OpaqueType, CallableType>))
    return false;
  if (auto x = dyn_cast<TupleType>(a))
    if (auto y = dyn_cast<TupleType>(b); y && x.size() == y.size())
      return llvm::any_of(llvm::zip(x.getTypes(), y.getTypes()), [](auto pair) {
        return contradict(std::get<0>(pair), std::get<1>(pair));
      });
  auto matchDims = [](Dim a, Dim b) {
    return a.isUnknown() || b.isUnknown() || areEqual(a, b);
  };
  return a != b && !TypeRelation{matchDims, true, true}.match(a, b);
}

/// The dimensions that are known as the same in `a` and `b`.
static SmallVector<Dim> getCommonDims(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  return llvm::map_to_vector(llvm::zip(a, b), [](auto pair) {
    auto [one, other] = pair;
    return areEqual(one, other) ? one : Dim();
  });
}

Type partita::relax::getCommonType(Type a, Type b) {
  if (isMoreGeneral(a, b))
    return a;
  if (isMoreGeneral(b, a))
    return b;
  MLIRContext *context = a.getContext();
  std::optional<TensorInfo> x = TensorInfo::get(a), y = TensorInfo::get(b);
  if (x && y) {
    TensorInfo common;
    if (x->elementType == y->elementType)
      common.elementType = x->elementType;
    if (x->isRanked && y->isRanked && x->getRank() == y->getRank()) {
      common.setDims(getCommonDims(x->dims, y->dims));
      common.lacksShape = x->lacksShape || y->lacksShape;
    }
    if (x->vdevice == y->vdevice)
      common.vdevice = x->vdevice;
    return common.getType(context);
  }
  auto shape = dyn_cast<ShapeType>(a), otherShape = dyn_cast<ShapeType>(b);
  if (shape && otherShape) {
    if (shape.getDims().size() != otherShape.getDims().size())
      return ShapeType::getUnranked(context);
    return ShapeType::get(context,
                          getCommonDims(shape.getDims(), otherShape.getDims()));
  }
  auto tuple = dyn_cast<TupleType>(a), otherTuple = dyn_cast<TupleType>(b);
  if (tuple && otherTuple && tuple.size() == otherTuple.size())
    return TupleType::get(
        context,
        llvm::map_to_vector(
            llvm::zip(tuple.getTypes(), otherTuple.getTypes()), [](auto pair) {
              return getCommonType(std::get<0>(pair), std::get<1>(pair));
            }));
  return ObjectType::get(context);
}

bool partita::relax::isCastable(Type from, Type to) {
  auto matchDims = [](Dim from, Dim to) {
    return from == to || !from.isNumber() || !to.isNumber();
  };
  return from == to || isa<ObjectType, OpaqueType>(from) ||
         isa<ObjectType, OpaqueType>(to) ||
         TypeRelation{matchDims, true, true}.match(from, to);
}

Type partita::relax::mapDims(Type type, function_ref<Dim(Dim)> map) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (tensor.getEncoding() && !isa<ShapeAttr>(tensor.getEncoding()))
      return type;
    return getTensorType(llvm::map_to_vector(getDims(tensor), map),
                         tensor.getElementType());
  }
  if (auto partial = dyn_cast<PartialTensorType>(type))
    return PartialTensorType::get(
        type.getContext(), llvm::map_to_vector(partial.getDims(), map),
        partial.getRanked(), partial.getElementType(), partial.getShape(),
        partial.getLacksShape(), partial.getVdevice());
  if (auto shape = dyn_cast<ShapeType>(type))
    return ShapeType::get(type.getContext(),
                          llvm::map_to_vector(shape.getDims(), map),
                          shape.getRanked(), shape.getLacksValues());
  if (auto callable = dyn_cast<CallableType>(type))
    return CallableType::get(
        type.getContext(),
        llvm::map_to_vector(callable.getInputs(),
                            [&](Type input) { return mapDims(input, map); }),
        mapDims(callable.getResult(), map), callable.getPure(),
        callable.getTakesAny(), callable.getDerive());
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        type.getContext(),
        llvm::map_to_vector(tuple.getTypes(),
                            [&](Type field) { return mapDims(field, map); }));
  return type;
}

bool DimBinding::bind(Type formal, Type actual) {
  auto matchDims = [&](Dim formal, Dim actual) {
    if (!formal.isName())
      return formal.isUnknown() || formal == actual;
    return dims.try_emplace(formal.getName(), actual).first->second == actual;
  };
  return TypeRelation{matchDims, true, false}.match(formal, actual);
}

/// `type` without the names of variables that hold shapes. Such names belong to
/// the function of the variable.
static Type forgetShapes(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(),
                          llvm::map_to_vector(tuple.getTypes(), forgetShapes));
  auto partial = dyn_cast<PartialTensorType>(type);
  if (!partial || !partial.getShape())
    return type;
  TensorInfo tensor = *TensorInfo::get(partial);
  tensor.shape = {};
  return tensor.getType(type.getContext());
}

Type DimBinding::apply(Type formal) const {
  return forgetShapes(mapDims(formal, [&](Dim dim) {
    return dim.isName() ? dims.lookup(dim.getName()) : dim;
  }));
}

std::optional<Dim> partita::relax::broadcast(Dim a, Dim b) {
  if (b == Dim(1) || areEqual(a, b))
    return a;
  if (a == Dim(1))
    return b;
  if (a.isNumber() && b.isNumber())
    return std::nullopt;
  // An unknown size next to a number is that number or 1.
  if (a.isNumber() && b.isUnknown())
    return a;
  return b.isNumber() && a.isUnknown() ? b : Dim();
}

static void collectNames(Type type, SmallVectorImpl<StringAttr> &names) {
  ArrayRef<Dim> dims;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (auto shape = dyn_cast_if_present<ShapeAttr>(tensor.getEncoding()))
      dims = shape.getDims();
  } else if (auto partial = dyn_cast<PartialTensorType>(type)) {
    dims = partial.getDims();
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    dims = shape.getDims();
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple.getTypes())
      collectNames(field, names);
  }
  for (Dim dim : dims)
    if (dim.isName() && dim.isIdentifier())
      names.push_back(dim.getName());
}

SmallVector<StringAttr> partita::relax::getNames(Type type) {
  SmallVector<StringAttr> names;
  collectNames(type, names);
  return names;
}

StringRef partita::relax::findUnknownName(StringRef dim,
                                          ArrayRef<StringAttr> known) {
  StringRef unknown;
  forEachName(dim, [&](StringRef name) {
    auto isName = [&](StringAttr other) { return other.getValue() == name; };
    if (unknown.empty() && llvm::none_of(known, isName))
      unknown = name;
  });
  return unknown;
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
    int64_t size = 0;
    OptionalParseResult result = parser.parseOptionalInteger(size);
    if (!result.has_value())
      return parser.emitError(
          parser.getCurrentLocation(),
          "expected a dimension: a size, a name in quotes or '?'");
    if (failed(*result))
      return failure();
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

ParseResult partita::relax::parseOptionalDims(AsmParser &parser,
                                              SmallVectorImpl<Dim> &dims,
                                              bool &isRanked) {
  isRanked = failed(parser.parseOptionalStar());
  return isRanked ? parseDims(parser, dims) : success();
}

ParseResult partita::relax::parseShapeDims(AsmParser &parser,
                                           SmallVectorImpl<Dim> &dims,
                                           bool &isRanked, bool &lacksValues) {
  if (parseOptionalDims(parser, dims, isRanked))
    return failure();
  lacksValues = succeeded(parser.parseOptionalComma());
  return lacksValues ? parser.parseQuestion() : success();
}

void partita::relax::printShapeDims(AsmPrinter &printer, ArrayRef<Dim> dims,
                                    bool isRanked, bool lacksValues) {
  printOptionalDims(printer, dims, isRanked);
  if (lacksValues)
    printer << ", ?";
}

void partita::relax::printOptionalDims(AsmPrinter &printer, ArrayRef<Dim> dims,
                                       bool isRanked) {
  if (isRanked)
    printDims(printer, dims);
  else
    printer << '*';
}
