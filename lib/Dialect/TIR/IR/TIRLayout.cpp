//===- TIRLayout.cpp - Layouts of buffers ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIRLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace partita;

namespace {
/// The table of nodes in TVM's JSON.
class Nodes {
public:
  explicit Nodes(const llvm::json::Object &root)
      : list(root.getArray("nodes")) {}

  /// The node that `reference` refers to, if its type is `type`.
  const llvm::json::Object *get(std::optional<int64_t> reference,
                                StringRef type) const {
    if (!list || !reference || *reference < 0 ||
        size_t(*reference) >= list->size())
      return nullptr;
    const llvm::json::Object *node = (*list)[*reference].getAsObject();
    return node && node->getString("type") == type ? node : nullptr;
  }
  /// The fields of a node.
  const llvm::json::Object *getFields(std::optional<int64_t> reference,
                                      StringRef type) const {
    const llvm::json::Object *node = get(reference, type);
    return node ? node->getObject("data") : nullptr;
  }
  /// The elements of an array, or of a map.
  const llvm::json::Array *getElements(std::optional<int64_t> reference,
                                       StringRef type) const {
    const llvm::json::Object *node = get(reference, type);
    return node ? node->getArray("data") : nullptr;
  }
  std::optional<int64_t> getNumber(std::optional<int64_t> reference) const {
    const llvm::json::Object *number = getFields(reference, "ir.IntImm");
    const llvm::json::Object *value =
        number ? get(number->getInteger("value"), "int") : nullptr;
    return value ? value->getInteger("data") : std::nullopt;
  }

private:
  const llvm::json::Array *list;
};
} // namespace

/// Whether the stride of each iterator is the number of elements of the
/// iterators after it.
static bool areRowMajor(const Nodes &nodes, const llvm::json::Array &list) {
  std::optional<int64_t> stride = 1;
  return llvm::all_of(llvm::reverse(list), [&](const llvm::json::Value &value) {
    const llvm::json::Object *iterator =
        nodes.getFields(value.getAsInteger(), "tirx.Iter");
    if (!iterator)
      return false;
    const llvm::json::Object *axis =
        nodes.get(iterator->getInteger("axis"), "tirx.Axis");
    std::optional<int64_t> extent =
        nodes.getNumber(iterator->getInteger("extent"));
    if (!axis || axis->getString("data") != StringRef("m") || !extent ||
        *extent < 0 || !stride)
      return false;
    // The stride of a single element does not matter.
    bool isInOrder = *extent <= 1 ||
                     nodes.getNumber(iterator->getInteger("stride")) == stride;
    stride = llvm::checkedMul(*stride, *extent);
    return isInOrder;
  });
}

bool tir::isRowMajor(NodeAttr layout) {
  if (!layout)
    return true;
  // The parser is recursive; a table of nodes has little nesting.
  constexpr unsigned maxDepth = 64;
  unsigned depth = 0;
  for (char c : layout.getJson()) {
    depth += c == '[' || c == '{';
    depth -= (c == ']' || c == '}') && depth;
    if (depth == maxDepth)
      return false;
  }
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(layout.getJson());
  if (!json) {
    llvm::consumeError(json.takeError());
    return false;
  }
  const llvm::json::Object *root = json->getAsObject();
  if (!root)
    return false;
  Nodes nodes(*root);
  const llvm::json::Object *tiles =
      nodes.getFields(root->getInteger("root_index"), "tirx.TileLayout");
  if (!tiles)
    return false;
  const llvm::json::Array *shard = nodes.getElements(tiles->getInteger("shard"),
                                                     "ffi.Array"),
                          *replica = nodes.getElements(
                              tiles->getInteger("replica"), "ffi.Array"),
                          *offset = nodes.getElements(
                              tiles->getInteger("offset"), "ffi.Map");
  return shard && replica && offset && replica->empty() && offset->empty() &&
         areRowMajor(nodes, *shard);
}
