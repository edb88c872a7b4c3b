//===- NodeTable.h - TVM's JSON object graph, checked -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM saves objects as a table of nodes: {"type": ..., "data": ...}. What a
// field holds is decided by its C++ type in TVM: booleans, integers, floats and
// dtypes stand inline, everything else is an index into the table. The JSON
// does not say which of the two a number is, so the reader of a field names the
// kind. Every read is checked, and every error names its place.
//
// The table has 16 bytes for each node, which is less than a third of its text.
// The fields of a node are read from the text each time they are requested.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_NODETABLE_H
#define PARTITA_LIB_TARGET_TVMJSON_NODETABLE_H

#include "Json.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace partita::tvmjson {

/// One entry of the table, which must outlive it.
struct Node {
  int64_t index = -1;
  llvm::StringRef type;
  JsonValue data;

  bool isNone() const { return type == "None"; }
};

/// The last of `fields` that has this name, or no value.
JsonValue
findField(llvm::ArrayRef<std::pair<llvm::StringRef, JsonValue>> fields,
          llvm::StringRef name);

/// Returned for an error: failure, false, or a null type or attribute.
struct [[nodiscard]] Failure {
  operator llvm::LogicalResult() const { return llvm::failure(); }
  template <typename T>
  operator T() const {
    return T();
  }
};

/// The parsed file. TVM writes the nodes to which a node refers before that
/// node, so that the table has no cycle; any other order is an error.
class NodeTable {
public:
  /// `loc` is the file's location; all diagnostics are emitted there.
  explicit NodeTable(mlir::Location loc) : loc(loc) {}

  /// Reads the text, which must outlive the table, and checks all that is
  /// independent of node types. A graph that was kept has no metadata.
  llvm::LogicalResult parse(llvm::StringRef text, bool isKept = false);

  Node getRoot() const { return getNode(rootIndex); }
  size_t size() const { return nodes.size(); }

  /// The node that `from` refers to with `index`.
  llvm::LogicalResult get(const Node &from, JsonValue index,
                          const llvm::Twine &what, Node &result);

  /// The elements of an ffi.Array.
  llvm::LogicalResult getArray(const Node &node,
                               llvm::SmallVectorImpl<Node> &elements);
  /// The keys and values of an ffi.Map, in the order of the file.
  llvm::LogicalResult
  getMap(const Node &node,
         llvm::SmallVectorImpl<std::pair<Node, Node>> &entries);
  /// The string that a node's data is.
  llvm::LogicalResult getText(const Node &node, llvm::StringRef &result);
  /// The scalars ffi.String, `int` and ir.IntImm.
  llvm::LogicalResult getString(const Node &node, llvm::StringRef &result);
  llvm::LogicalResult getInt(const Node &node, int64_t &result);
  llvm::LogicalResult getIntImm(const Node &node, int64_t &result);
  /// An ffi.BigInt, which must be a uint64 and no int64.
  llvm::LogicalResult getBigInt(const Node &node, uint64_t &result);
  /// Whether `node` is an ir.IntImm whose value is an ffi.BigInt.
  bool isBigIntImm(const Node &node);
  /// The dtype of an ir.PrimType. There need not be an MLIR type for it.
  llvm::LogicalResult getDType(const Node &node, llvm::StringRef &result);

  /// A string that stands inline; nothing if `value` is none.
  std::optional<llvm::StringRef> readString(JsonValue value) {
    return value.getString(saver);
  }
  /// The fields of an object, in the order of the file.
  using FieldList = llvm::SmallVector<std::pair<llvm::StringRef, JsonValue>, 8>;
  FieldList readFields(JsonValue object);
  /// A field of an object, or no value.
  JsonValue getField(const Node &node, llvm::StringRef name) {
    return node.data.isObject() ? findField(readFields(node.data), name)
                                : JsonValue();
  }

  /// Fails unless `node` has this type.
  llvm::LogicalResult expect(const Node &node, llvm::StringRef type);

  /// Fails if a node was never read, so that nothing is dropped silently.
  llvm::LogicalResult checkAllRead();

  /// Emits `message`, the node and where in the module the reader is.
  Failure error(const Node &node, const llvm::Twine &message);
  /// The same for a node that TVM can't read, either. Import fails then, even
  /// if the node is part of another one that would be kept as it is.
  Failure brokenError(const Node &node, const llvm::Twine &message);
  /// Emits the first such error; fails if there was one.
  llvm::LogicalResult checkNotBroken();
  /// Calls `verify`, which emits diagnostics of its own, and emits its first
  /// error followed by `what` and the place of `node`.
  llvm::LogicalResult
  withPlace(const Node &node, llvm::function_ref<llvm::LogicalResult()> verify,
            llvm::function_ref<std::string()> what = {});

  /// An error of the file as a whole.
  Failure error(const llvm::Twine &message);

  mlir::Location getLoc() const { return loc; }

  /// Whether `type` is TVM's node for "no type", which expressions have that
  /// TVM has not normalized.
  bool isMissingType(const Node &type);
  /// Whether the type of `expr` is missing in this sense.
  bool lacksType(const Node &expr);

  /// The places of the module's vdevices in its global infos.
  llvm::DenseMap<int64_t, int64_t> vdevices;

  /// Whether nodes that the dialects lack are an error, and not kept as they
  /// are.
  bool isStrict = false;
  /// Notes that a node is kept, as one of this kind.
  void addKept(const Node &node, const llvm::Twine &kind) {
    kept.emplace_back(node.index, kind.str());
  }
  /// Warns of all that is kept.
  void warnOfKept();

private:
  friend class Attempt;
  friend class NestingScope;
  friend class PlaceScope;

  /// `at node 5 (ir.Call) in @main, binding 3 'lv2'`.
  std::string describePlace(const Node &node) const;
  llvm::LogicalResult checkHeader(const FieldList &fields);
  llvm::LogicalResult readNodes(JsonValue array);
  llvm::LogicalResult readNode(JsonValue value);
  Node getNode(int64_t index) const {
    return {index, types[nodes[index].type], nodes[index].data};
  }

  /// A node without the parts that many nodes share.
  struct Entry {
    JsonValue data;
    /// Its index in `types`.
    uint32_t type;
  };

  /// Each node that was kept, and its kind. A node that is read repeatedly is
  /// there repeatedly.
  std::vector<std::pair<int64_t, std::string>> kept;
  /// The first error that brokenError was given.
  std::string broken;
  mlir::Location loc;
  std::vector<Entry> nodes;
  std::vector<llvm::StringRef> types;
  llvm::StringMap<uint32_t> indexOfType;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};
  llvm::BitVector read;
  int64_t rootIndex = -1;
  llvm::SmallVector<std::string> place;
  uint64_t readCount = 0, maxReadCount = 0;
  unsigned nesting = 0;
};

/// While it lives, errors say that they are in `part` of the module.
class PlaceScope {
public:
  PlaceScope(NodeTable &table, const llvm::Twine &part) : table(table) {
    table.place.push_back(part.str());
  }
  ~PlaceScope() { table.place.pop_back(); }
  PlaceScope(const PlaceScope &) = delete;

private:
  NodeTable &table;
};

/// Holds errors back while it lives, so that a failed import can be tried in
/// another way. Nodes that were kept meanwhile are forgotten, unless the
/// attempt is accepted. Nodes that were read meanwhile count as read.
class Attempt {
public:
  explicit Attempt(NodeTable &table);
  ~Attempt() {
    if (!isAccepted)
      table.kept.resize(numKept);
  }
  Attempt(const Attempt &) = delete;

  void accept() { isAccepted = true; }

private:
  NodeTable &table;
  size_t numKept;
  bool isAccepted = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// Bounds the recursion into types, attributes and tuples: false, after an
/// error, if it is too deep.
class NestingScope {
public:
  NestingScope(NodeTable &table, const Node &node);
  ~NestingScope() { --table.nesting; }
  NestingScope(const NestingScope &) = delete;

  explicit operator bool() const { return ok; }

private:
  NodeTable &table;
  bool ok;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_NODETABLE_H
