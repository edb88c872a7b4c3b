//===- RelaxIndexMap.cpp - The shapes that index maps make ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace partita::relax;

namespace {
/// The JSON of TVM's IndexMap, as #relax.opaque has it: an index is a sum of
/// products of the old indices and numbers, divided by numbers, or what
/// remains.
class IndexMap {
public:
  explicit IndexMap(StringRef json) : root(nullptr) {
    if (!isFlat(json))
      return;
    if (llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json))
      root = std::move(*parsed);
    else
      llvm::consumeError(parsed.takeError());
  }
  /// Finds the indices, unless the JSON is none of an index map.
  bool read();
  ArrayRef<int64_t> getFinalIndices() const { return finalIndices; }
  size_t getNumInitial() const { return initialIndices.size(); }
  /// One more than the greatest value of a node, where an index is below its
  /// dimension in `dims`; unknown if that can't be said.
  Dim getExtent(int64_t node, ArrayRef<Dim> dims, unsigned depth = 0);

private:
  static constexpr unsigned maxDepth = 64;
  /// How many nodes are still looked at: they can share others, which are then
  /// looked at again.
  unsigned budget = 1 << 12;

  /// Whether the JSON nests as little as a table of nodes does; the parser
  /// recurses.
  static bool isFlat(StringRef json) {
    unsigned depth = 0;
    return llvm::all_of(json, [&](char c) {
      depth += c == '[' || c == '{';
      depth -= (c == ']' || c == '}') && depth;
      return depth < maxDepth;
    });
  }

  const llvm::json::Object *getNode(int64_t index) const {
    return nodes && index >= 0 && size_t(index) < nodes->size()
               ? (*nodes)[index].getAsObject()
               : nullptr;
  }
  /// The fields of a node; the node of a field.
  static std::optional<int64_t> getField(const llvm::json::Object &node,
                                         StringRef name) {
    const llvm::json::Object *data = node.getObject("data");
    return data ? data->getInteger(name) : std::nullopt;
  }
  bool readIndices(std::optional<int64_t> index,
                   SmallVectorImpl<int64_t> &indices) const;
  /// The number that a node is, if it is one.
  std::optional<int64_t> getConstant(int64_t node) const;

  llvm::json::Value root;
  const llvm::json::Array *nodes = nullptr;
  SmallVector<int64_t> initialIndices, finalIndices;
};
} // namespace

bool IndexMap::readIndices(std::optional<int64_t> index,
                           SmallVectorImpl<int64_t> &indices) const {
  const llvm::json::Object *node = index ? getNode(*index) : nullptr;
  const llvm::json::Array *array = node ? node->getArray("data") : nullptr;
  if (!array)
    return false;
  for (const llvm::json::Value &value : *array)
    if (std::optional<int64_t> element = value.getAsInteger())
      indices.push_back(*element);
  return indices.size() == array->size();
}

bool IndexMap::read() {
  const llvm::json::Object *object = root.getAsObject();
  if (!object)
    return false;
  nodes = object->getArray("nodes");
  std::optional<int64_t> index = object->getInteger("root_index");
  const llvm::json::Object *map = index ? getNode(*index) : nullptr;
  return map &&
         readIndices(getField(*map, "initial_indices"), initialIndices) &&
         readIndices(getField(*map, "final_indices"), finalIndices);
}

std::optional<int64_t> IndexMap::getConstant(int64_t index) const {
  const llvm::json::Object *node = getNode(index);
  if (!node || node->getString("type") != StringRef("ir.IntImm"))
    return std::nullopt;
  std::optional<int64_t> value = getField(*node, "value");
  const llvm::json::Object *number = value ? getNode(*value) : nullptr;
  return number && number->getString("type") == StringRef("int")
             ? number->getInteger("data")
             : std::nullopt;
}

Dim IndexMap::getExtent(int64_t index, ArrayRef<Dim> dims, unsigned depth) {
  if (auto *found = llvm::find(initialIndices, index);
      found != initialIndices.end())
    return dims[found - initialIndices.begin()];
  const llvm::json::Object *node = getNode(index);
  if (!node || depth > maxDepth || budget == 0)
    return Dim();
  --budget;
  if (std::optional<int64_t> constant = getConstant(index))
    return *constant < 0 ? Dim() : Dim(*constant) + Dim(1);
  std::optional<int64_t> a = getField(*node, "a"), b = getField(*node, "b");
  std::optional<StringRef> type = node->getString("type");
  if (!a || !b || !type)
    return Dim();
  Dim left = getExtent(*a, dims, depth + 1);
  if (*type == "prim.Add")
    return left + getExtent(*b, dims, depth + 1) - Dim(1);
  std::optional<int64_t> number = getConstant(*b);
  if (*type == "prim.Mul" && !number) {
    number = getConstant(*a);
    left = getExtent(*b, dims, depth + 1);
  }
  if (!number || *number < 1)
    return Dim();
  if (*type == "prim.Mul")
    return left * Dim(*number) - Dim(*number) + Dim(1);
  if (*type == "prim.FloorDiv")
    return ceilDiv(left, Dim(*number));
  if (*type == "prim.FloorMod")
    return left.isNumber() ? min(left, Dim(*number)) : Dim(*number);
  return Dim();
}

FailureOr<Type>
partita::relax::inferLayoutTransform(OptionalLoc loc,
                                     LayoutTransformOp::Adaptor op) {
  FailureOr<TensorInfo> x = getTensor(loc, op.getX(), "x");
  if (failed(x))
    return failure();
  MLIRContext *context = op.getX().getContext();
  auto json = dyn_cast_if_present<OpaqueAttr>(op.getIndexMap());
  IndexMap map(json ? json.getJson() : StringRef());
  if (!map.read()) {
    x->setUnranked();
    return x->getType(context);
  }
  if (x->isRanked && x->dims.size() != map.getNumInitial())
    return emitOptionalError(loc, "expected an index map of ", x->getRank(),
                             " indices to fit ", op.getX().getType(),
                             ", found one of ", map.getNumInitial());
  SmallVector<Dim> dims;
  if (x->isRanked)
    for (int64_t index : map.getFinalIndices())
      dims.push_back(map.getExtent(index, x->dims));
  if (x->isRanked)
    x->setDims(dims);
  else
    x->setRank(map.getFinalIndices().size());
  return x->getType(context);
}
