//===- IndexMap.cpp - TVM's index maps ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexMap.h"
#include "TVMNodes.h"
#include "TypeImporter.h"

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::tvmjson;
using partita::relax::IndexMapAttr;

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

namespace {
class IndexReader {
public:
  explicit IndexReader(NodeTable &table) : table(table) {}

  IndexMapAttr read(const IndexMapNode &map);

private:
  /// An expression, null for one that no affine map has. No number in it, nor
  /// in what it simplifies to, is greater than `bound`.
  struct Index {
    AffineExpr expr;
    int64_t bound = 1;
  };

  bool hasType(const Node &ty);
  Index readNumber(const Node &node);
  Index readBinary(const Node &node);
  Index read(const Node &node);

  NodeTable &table;
  MLIRContext *context = table.getLoc().getContext();
  IntegerType type;
  DenseMap<int64_t, unsigned> variables;
  /// Nodes can share operands; affine maps are walked as trees.
  unsigned numNodes = 0;
  static constexpr unsigned maxNumNodes = 1000;
};
} // namespace

/// Whether an expression has the type of the first variable.
bool IndexReader::hasType(const Node &ty) {
  auto found = dyn_cast_or_null<IntegerType>(getScalarType(table, ty));
  if (!type)
    type = found;
  return found && found == type;
}

IndexReader::Index IndexReader::readNumber(const Node &node) {
  IntImmNode number;
  if (failed(number.read(table, node)) || !hasType(number.ty) ||
      number.value == std::numeric_limits<int64_t>::min())
    return {};
  return {getAffineConstantExpr(number.value, context),
          std::max<int64_t>(std::abs(number.value), 1)};
}

IndexReader::Index IndexReader::readBinary(const Node &node) {
  PrimNode prim;
  if (failed(prim.read(table, node)) || prim.operands.size() != 2 ||
      !hasType(prim.ty))
    return {};
  Index a = read(prim.operands[0]), b = read(prim.operands[1]);
  if (!a.expr || !b.expr)
    return {};
  int64_t sum, product;
  bool isSum = !llvm::AddOverflow(a.bound, b.bound, sum),
       isProduct = !llvm::MulOverflow(a.bound, b.bound, product);
  auto divisor = dyn_cast<AffineConstantExpr>(b.expr);
  bool isPositive = divisor && divisor.getValue() > 0;
  if (prim.kind == "Add" && isSum)
    return {a.expr + b.expr, sum};
  if (prim.kind == "Sub" && isSum)
    return {a.expr - b.expr, sum};
  if (prim.kind == "Mul" && isProduct)
    return {a.expr * b.expr, product};
  if (prim.kind == "FloorDiv" && isPositive)
    return {a.expr.floorDiv(b.expr), std::max(a.bound, b.bound)};
  if (prim.kind == "FloorMod" && isPositive)
    return {a.expr % b.expr, std::max(a.bound, b.bound)};
  return {};
}

IndexReader::Index IndexReader::read(const Node &node) {
  NestingScope nested(table, node);
  if (!nested || ++numNodes > maxNumNodes)
    return {};
  if (auto variable = variables.find(node.index); variable != variables.end())
    return {getAffineDimExpr(variable->second, context)};
  return IntImmNode::is(node.type) ? readNumber(node) : readBinary(node);
}

IndexMapAttr IndexReader::read(const IndexMapNode &map) {
  for (auto [index, node] : llvm::enumerate(map.initialIndices)) {
    VarNode variable;
    if (failed(variable.read(table, node)) || !hasType(variable.ty))
      return {};
    variables[node.index] = index;
  }
  SmallVector<AffineExpr> results;
  for (const Node &node : map.finalIndices) {
    results.push_back(read(node).expr);
    if (!results.back())
      return {};
  }
  auto affine = AffineMap::get(map.initialIndices.size(), 0, results, context);
  return type && partita::relax::isIndexMap(affine)
             ? IndexMapAttr::get(context, affine, type)
             : IndexMapAttr();
}

IndexMapAttr partita::tvmjson::getIndexMap(NodeTable &table, const Node &node) {
  Attempt attempt(table);
  IndexMapNode map;
  if (failed(map.read(table, node)) || !map.inverseIndexMap.isNone())
    return {};
  return IndexReader(table).read(map);
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

static FailureOr<int64_t> addIndex(NodeWriter &writer, AffineExpr expr,
                                   StringRef dtype,
                                   ArrayRef<int64_t> variables) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return writer.getIntImm(dtype, number.getValue());
  if (auto index = dyn_cast<AffineDimExpr>(expr))
    return variables[index.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<int64_t> a = addIndex(writer, binary.getLHS(), dtype, variables),
                     b = addIndex(writer, binary.getRHS(), dtype, variables);
  if (failed(a) || failed(b))
    return failure();
  StringRef kind = expr.getKind() == AffineExprKind::Add        ? "Add"
                   : expr.getKind() == AffineExprKind::Mul      ? "Mul"
                   : expr.getKind() == AffineExprKind::FloorDiv ? "FloorDiv"
                                                                : "FloorMod";
  return PrimNode::add(writer, kind, writer.getPrimType(dtype), {*a, *b});
}

FailureOr<int64_t> partita::tvmjson::addIndexMap(NodeWriter &writer,
                                                 IndexMapAttr map) {
  StringRef dtype = getDTypeName(map.getType());
  if (dtype.empty())
    return failure();
  SmallVector<int64_t> variables;
  for (unsigned index : llvm::seq(map.getMap().getNumDims())) {
    FailureOr<int64_t> variable = VarNode::add(
        writer, {writer.getPrimType(dtype), "i" + std::to_string(index)});
    if (failed(variable))
      return failure();
    variables.push_back(*variable);
  }
  return IndexMapNode::add(writer,
                           {writer.getArray(variables),
                            writer.addArray(map.getMap().getResults(),
                                            [&](AffineExpr expr) {
                                              return addIndex(writer, expr,
                                                              dtype, variables);
                                            }),
                            writer.getNone()});
}
