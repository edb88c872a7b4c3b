//===- RelaxIndexMap.cpp - Where a layout moves elements ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "RelaxDetail.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads TVM's JSON, a table of nodes.
class IndexMap::Reader {
public:
  explicit Reader(IndexMap &map) : map(map) {}

  bool read(StringRef json);

private:
  /// How deep JSON, and expressions, may nest; reading recurses.
  static constexpr unsigned maxDepth = 64;

  /// Whether the JSON nests as little as a table of nodes does.
  static bool isFlat(StringRef json) {
    unsigned depth = 0;
    return llvm::all_of(json, [&](char c) {
      depth += c == '[' || c == '{';
      depth -= (c == ']' || c == '}') && depth;
      return depth < maxDepth;
    });
  }

  const llvm::json::Object *getNode(int64_t index) const {
    return index >= 0 && size_t(index) < nodes->size()
               ? (*nodes)[index].getAsObject()
               : nullptr;
  }
  /// The node in a field of a node.
  static std::optional<int64_t> getField(const llvm::json::Object &node,
                                         StringRef name) {
    const llvm::json::Object *data = node.getObject("data");
    return data ? data->getInteger(name) : std::nullopt;
  }
  bool readIndices(std::optional<int64_t> index,
                   SmallVectorImpl<int64_t> &indices) const;
  /// The number in a node, if the node holds one.
  std::optional<int64_t> getNumber(const llvm::json::Object &node) const;
  /// The width of the integers of a variable.
  unsigned getNumBits(const llvm::json::Object &variable) const;
  Expr readExpr(const llvm::json::Object &node, unsigned depth);
  /// The place of a node in the map's expressions.
  size_t addExpr(int64_t index, unsigned depth = 0);

  IndexMap &map;
  const llvm::json::Array *nodes = nullptr;
  llvm::DenseMap<int64_t, std::optional<size_t>> places;
};

bool IndexMap::Reader::readIndices(std::optional<int64_t> index,
                                   SmallVectorImpl<int64_t> &indices) const {
  const llvm::json::Object *node = index ? getNode(*index) : nullptr;
  const llvm::json::Array *array = node ? node->getArray("data") : nullptr;
  if (!array)
    return false;
  for (const llvm::json::Value &value : *array)
    if (std::optional<int64_t> element = value.getAsInteger();
        element && getNode(*element))
      indices.push_back(*element);
  return indices.size() == array->size();
}

std::optional<int64_t>
IndexMap::Reader::getNumber(const llvm::json::Object &node) const {
  if (node.getString("type") != StringRef("ir.IntImm"))
    return std::nullopt;
  std::optional<int64_t> value = getField(node, "value");
  const llvm::json::Object *number = value ? getNode(*value) : nullptr;
  return number && number->getString("type") == StringRef("int")
             ? number->getInteger("data")
             : std::nullopt;
}

unsigned
IndexMap::Reader::getNumBits(const llvm::json::Object &variable) const {
  std::optional<int64_t> place = getField(variable, "ty");
  const llvm::json::Object *type = place ? getNode(*place) : nullptr;
  const llvm::json::Object *data = type ? type->getObject("data") : nullptr;
  return data && data->getString("dtype") == StringRef("int32") ? 32 : 64;
}

IndexMap::Expr IndexMap::Reader::readExpr(const llvm::json::Object &node,
                                          unsigned depth) {
  if (std::optional<int64_t> number = getNumber(node))
    return {Kind::Number, *number};
  Kind kind = llvm::StringSwitch<Kind>(node.getString("type").value_or(""))
                  .Case("prim.Add", Kind::Add)
                  .Case("prim.Sub", Kind::Sub)
                  .Case("prim.Mul", Kind::Mul)
                  .Case("prim.FloorDiv", Kind::FloorDiv)
                  .Case("prim.FloorMod", Kind::FloorMod)
                  .Default(Kind::Unknown);
  std::optional<int64_t> a = getField(node, "a"), b = getField(node, "b");
  if (kind == Kind::Unknown || !a || !b || depth == maxDepth)
    return {};
  size_t left = addExpr(*a, depth + 1);
  return {kind, 0, left, addExpr(*b, depth + 1)};
}

size_t IndexMap::Reader::addExpr(int64_t index, unsigned depth) {
  auto add = [&](Expr expr) {
    map.exprs.push_back(expr);
    return map.exprs.size() - 1;
  };
  const llvm::json::Object *node = getNode(index);
  if (!node)
    return add(Expr());
  auto [place, isNew] = places.try_emplace(index);
  // A node that is an operand of itself still lacks a place.
  if (!isNew)
    return place->second ? *place->second : add(Expr());
  size_t expr = add(readExpr(*node, depth));
  places[index] = expr;
  return expr;
}

bool IndexMap::Reader::read(StringRef json) {
  if (!isFlat(json))
    return false;
  llvm::Expected<llvm::json::Value> root = llvm::json::parse(json);
  if (!root) {
    llvm::consumeError(root.takeError());
    return false;
  }
  const llvm::json::Object *object = root->getAsObject();
  nodes = object ? object->getArray("nodes") : nullptr;
  std::optional<int64_t> index =
      nodes ? object->getInteger("root_index") : std::nullopt;
  const llvm::json::Object *node = index ? getNode(*index) : nullptr;
  SmallVector<int64_t> initial, last;
  if (!node || !readIndices(getField(*node, "initial_indices"), initial) ||
      !readIndices(getField(*node, "final_indices"), last))
    return false;
  map = IndexMap(initial.size(),
                 initial.empty() ? 64 : getNumBits(*getNode(initial.front())));
  for (auto [number, variable] : llvm::enumerate(initial))
    places[variable] = number;
  for (int64_t index : last)
    map.finalIndices.push_back(addExpr(index));
  return true;
}

std::optional<IndexMap> IndexMap::get(Attribute attr) {
  auto json = dyn_cast_if_present<OpaqueAttr>(attr);
  IndexMap map(0);
  if (!json || !Reader(map).read(json.getJson()))
    return std::nullopt;
  return map;
}

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

Dim IndexMap::getExtent(const Expr &expr, ArrayRef<Dim> extents) const {
  if (expr.kind == Kind::Number)
    return expr.value < 0 ? Dim() : Dim(expr.value) + Dim(1);
  Dim a = extents[expr.a], b = extents[expr.b];
  if (expr.kind == Kind::Add)
    return a + b - Dim(1);
  const Expr *number = getNumber(expr.b);
  if (expr.kind == Kind::Mul && !number) {
    number = getNumber(expr.a);
    a = b;
  }
  if (!number || number->value < 1)
    return Dim();
  Dim factor(number->value);
  switch (expr.kind) {
  case Kind::Mul:
    return a * factor - factor + Dim(1);
  case Kind::FloorDiv:
    return ceilDiv(a, factor);
  case Kind::FloorMod:
    return a.isNumber() ? min(a, factor) : factor;
  default:
    return Dim();
  }
}

std::optional<IndexMap::Digit> IndexMap::getDigit(const Expr &expr) const {
  if (expr.kind == Kind::Initial)
    return Digit{static_cast<size_t>(expr.value)};
  if (expr.kind != Kind::FloorMod && expr.kind != Kind::FloorDiv)
    return std::nullopt;
  const Expr *number = getNumber(expr.b);
  std::optional<Digit> digit = getDigit(exprs[expr.a]);
  int64_t bound;
  if (!digit || !number || number->value < 1 ||
      llvm::MulOverflow(digit->lower, number->value, bound) ||
      (digit->upper && *digit->upper % bound != 0))
    return std::nullopt;
  if (expr.kind == Kind::FloorMod)
    digit->upper = bound;
  else
    digit->lower = bound;
  return digit;
}

std::optional<SmallVector<Dim>>
IndexMap::splitShape(ArrayRef<Dim> shape) const {
  SmallVector<Dim> result;
  SmallVector<Digit> digits;
  for (size_t place : finalIndices) {
    if (const Expr *number = getNumber(place); number && number->value == 0) {
      result.push_back(1);
      continue;
    }
    std::optional<Digit> digit = getDigit(exprs[place]);
    if (!digit)
      return std::nullopt;
    digits.push_back(*digit);
    result.push_back(digit->upper ? Dim(*digit->upper / digit->lower)
                                  : ceilDiv(shape[digit->index], digit->lower));
  }
  llvm::sort(digits, [](const Digit &a, const Digit &b) {
    return std::tie(a.index, a.lower) < std::tie(b.index, b.lower);
  });
  for (auto [low, high] : llvm::zip(digits, llvm::drop_begin(digits)))
    if (low.index == high.index && (!low.upper || high.lower % *low.upper != 0))
      return std::nullopt;
  return result;
}

SmallVector<Dim> IndexMap::mapShape(ArrayRef<Dim> shape) const {
  if (std::optional<SmallVector<Dim>> split = splitShape(shape))
    return *split;
  SmallVector<Dim> extents;
  // TVM pads dimensions that are split if the new indices are independent.
  bool pads = invert(shape).has_value();
  for (const Expr &expr : exprs)
    extents.push_back(expr.kind == Kind::Initial ? shape[expr.value]
                      : pads && expr.kind == Kind::FloorMod && getDigit(expr)
                          ? Dim(getNumber(expr.b)->value)
                      : expr.kind == Kind::Unknown ? Dim()
                                                   : getExtent(expr, extents));
  return llvm::map_to_vector(finalIndices,
                             [&](size_t expr) { return extents[expr]; });
}

bool IndexMap::mapIndices(ArrayRef<int64_t> from,
                          SmallVectorImpl<int64_t> &to) const {
  SmallVector<int64_t, 32> values;
  for (const Expr &expr : exprs) {
    auto a = [&] { return values[expr.a]; };
    auto b = [&] { return values[expr.b]; };
    std::optional<int64_t> value;
    switch (expr.kind) {
    case Kind::Unknown:
      break;
    case Kind::Initial:
      value = from[expr.value];
      break;
    case Kind::Number:
      value = expr.value;
      break;
    case Kind::Add:
      value = llvm::checkedAdd(a(), b());
      break;
    case Kind::Sub:
      value = llvm::checkedSub(a(), b());
      break;
    case Kind::Mul:
      value = llvm::checkedMul(a(), b());
      break;
    case Kind::FloorDiv:
      if (b() > 0)
        value = llvm::divideFloorSigned(a(), b());
      break;
    case Kind::FloorMod:
      if (b() > 0)
        value = llvm::mod(a(), b());
      break;
    }
    if (!value)
      return false;
    values.push_back(*value);
  }
  to = llvm::map_to_vector(finalIndices,
                           [&](size_t expr) { return values[expr]; });
  return true;
}

SmallVector<Value>
IndexMap::compute(ValueRange from, function_ref<Value(int64_t)> makeNumber,
                  function_ref<Value(Kind, Value, Value)> makeBinary) const {
  SmallVector<Value> values;
  for (const Expr &expr : exprs)
    values.push_back(
        expr.kind == Kind::Initial ? from[expr.value]
        : expr.kind == Kind::Number
            ? makeNumber(expr.value)
            : makeBinary(expr.kind, values[expr.a], values[expr.b]));
  return llvm::map_to_vector(finalIndices,
                             [&](size_t expr) { return values[expr]; });
}

FailureOr<Type>
partita::relax::inferLayoutTransform(OptionalLoc loc,
                                     LayoutTransformOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  std::optional<IndexMap> map = IndexMap::get(op.getIndexMap());
  if (!map) {
    x->setUnranked();
    return x->getType(context);
  }
  if (x->isRanked && x->dims.size() != map->getNumInitial())
    return emitOptionalError(loc, "expected an index map of ", x->getRank(),
                             " indices to fit ", op.getX().getType(),
                             ", found one of ", map->getNumInitial());
  if (x->isRanked)
    x->setDims(map->mapShape(x->dims));
  else
    x->setRank(map->getNumFinal());
  return x->getType(context);
}
