//===- RelaxIndexMapWriter.cpp - Making and writing index maps ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"
#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace partita::relax;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Making maps
//===----------------------------------------------------------------------===//

IndexMap::IndexMap(size_t numInitial, unsigned numBits)
    : numInitial(numInitial), numBits(numBits) {
  for (size_t index = 0; index < numInitial; ++index)
    exprs.push_back({Kind::Initial, static_cast<int64_t>(index)});
}

size_t IndexMap::addNumber(int64_t number) {
  exprs.push_back({Kind::Number, number});
  return exprs.size() - 1;
}

size_t IndexMap::addBinary(Kind kind, size_t a, size_t b) {
  exprs.push_back({kind, 0, a, b});
  return exprs.size() - 1;
}

/// Adds `expr` to `map`; nothing if TVM has no such expression.
static std::optional<size_t> addAffineExpr(IndexMap &map, AffineExpr expr) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return map.addNumber(number.getValue());
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return index.getPosition();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.getKind() == AffineExprKind::CeilDiv)
    return std::nullopt;
  std::optional<size_t> a = addAffineExpr(map, binary.getLHS()),
                        b = addAffineExpr(map, binary.getRHS());
  if (!a || !b)
    return std::nullopt;
  IndexMap::Kind kind =
      expr.getKind() == AffineExprKind::Add   ? IndexMap::Kind::Add
      : expr.getKind() == AffineExprKind::Mul ? IndexMap::Kind::Mul
      : expr.getKind() == AffineExprKind::Mod ? IndexMap::Kind::FloorMod
                                              : IndexMap::Kind::FloorDiv;
  return map.addBinary(kind, *a, *b);
}

std::optional<IndexMap> IndexMap::get(AffineMap affine) {
  if (affine.getNumSymbols() != 0)
    return std::nullopt;
  IndexMap map(affine.getNumDims());
  for (AffineExpr expr : affine.getResults()) {
    std::optional<size_t> place = addAffineExpr(map, expr);
    if (!place)
      return std::nullopt;
    map.addFinal(*place);
  }
  return map;
}

//===----------------------------------------------------------------------===//
// Writing maps
//===----------------------------------------------------------------------===//

/// How TVM writes the type of an expression, and how people do.
static std::pair<StringRef, StringRef> getSpelling(IndexMap::Kind kind) {
  switch (kind) {
  case IndexMap::Kind::Add:
    return {"prim.Add", " + "};
  case IndexMap::Kind::Sub:
    return {"prim.Sub", " - "};
  case IndexMap::Kind::Mul:
    return {"prim.Mul", " * "};
  case IndexMap::Kind::FloorDiv:
    return {"prim.FloorDiv", " // "};
  case IndexMap::Kind::FloorMod:
    return {"prim.FloorMod", " % "};
  default:
    return {"", ""};
  }
}

partita::relax::OpaqueAttr IndexMap::getAttr(MLIRContext *context) const {
  // A node is known by its place in the table.
  json::Array nodes;
  auto add = [&](StringRef type, json::Value data) {
    nodes.push_back(json::Object{{"type", type}, {"data", std::move(data)}});
    return static_cast<int64_t>(nodes.size() - 1);
  };
  nodes.push_back(json::Object{{"type", "None"}});
  add("ir.PrimType",
      json::Object{{"span", 0}, {"dtype", numBits == 32 ? "int32" : "int64"}});
  SmallVector<int64_t> places;
  auto addPlaces = [&](ArrayRef<int64_t> elements) {
    return add("ffi.Array", json::Array(elements));
  };
  for (size_t index = 0; index < numInitial; ++index) {
    int64_t name = add("ffi.String", "i" + std::to_string(index));
    places.push_back(
        add("ir.Var", json::Object{{"span", 0}, {"ty", 1}, {"name", name}}));
  }
  int64_t initial = addPlaces(places);
  for (const Expr &expr : ArrayRef(exprs).drop_front(numInitial)) {
    json::Object data{{"span", 0}, {"ty", 1}};
    StringRef type = "ir.IntImm";
    if (expr.kind == Kind::Number) {
      data["value"] = add("int", expr.value);
    } else {
      type = getSpelling(expr.kind).first;
      data["a"] = places[expr.a];
      data["b"] = places[expr.b];
    }
    places.push_back(add(type, std::move(data)));
  }
  int64_t last = addPlaces(llvm::map_to_vector(
      finalIndices, [&](size_t place) { return places[place]; }));
  int64_t root = add("tirx.IndexMap", json::Object{{"initial_indices", initial},
                                                   {"final_indices", last},
                                                   {"inverse_index_map", 0}});
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(
      json::Object{{"root_index", root}, {"nodes", std::move(nodes)}});
  return partita::relax::OpaqueAttr::get(context, "tirx.IndexMap", text);
}

void IndexMap::print(llvm::raw_ostream &os) const {
  // Expressions can share operands.
  constexpr size_t maxLength = 100;
  SmallVector<std::string> texts;
  for (const Expr &expr : exprs) {
    std::string text = "?";
    auto operand = [&](size_t place) {
      bool isBinary = exprs[place].kind > Kind::Number;
      return isBinary ? "(" + texts[place] + ")" : texts[place];
    };
    if (expr.kind == Kind::Initial)
      text = "i" + std::to_string(expr.value);
    else if (expr.kind == Kind::Number)
      text = std::to_string(expr.value);
    else if (expr.kind != Kind::Unknown)
      text = operand(expr.a) + getSpelling(expr.kind).second.str() +
             operand(expr.b);
    texts.push_back(text.size() > maxLength ? ".." : text);
  }
  os << '(';
  llvm::interleaveComma(ArrayRef(texts).take_front(numInitial), os);
  os << ") -> (";
  llvm::interleaveComma(finalIndices, os,
                        [&](size_t place) { os << texts[place]; });
  os << ')';
}
