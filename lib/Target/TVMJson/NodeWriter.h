//===- NodeWriter.h - Writes TVM's JSON object graph ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counterpart of NodeTable: nodes are written before the nodes that refer
// to them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_NODEWRITER_H
#define PARTITA_LIB_TARGET_TVMJSON_NODEWRITER_H

#include "Json.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "llvm/ADT/StringMap.h"

namespace partita::tvmjson {

/// The text of a value. A float has a point in it, by which TVM tells it from
/// an integer.
struct JsonText {
  JsonText(int64_t value) : text(std::to_string(value)) {}
  JsonText(int value) : text(std::to_string(value)) {}
  JsonText(bool value) : text(value ? "true" : "false") {}
  JsonText(double value);
  JsonText(llvm::StringRef value) : text(toJsonString(value)) {}
  JsonText(const char *value) : JsonText(llvm::StringRef(value)) {}
  JsonText(const std::string &value) : JsonText(llvm::StringRef(value)) {}

  std::string text;
};

/// The fields of an object.
using JsonFields = llvm::SmallVector<std::pair<llvm::StringRef, JsonText>, 6>;

/// The table of nodes of a module.
class NodeWriter {
public:
  NodeWriter() { addText("None", ""); }

  /// Adds a node, and returns its index.
  int64_t add(llvm::StringRef type, const JsonText &data) {
    return addText(type, data.text);
  }
  int64_t addObject(llvm::StringRef type, const JsonFields &fields);
  /// Adds an object whose `span` is None.
  int64_t addSpanned(llvm::StringRef type, JsonFields fields);

  /// The nodes of the module's vdevices.
  llvm::SmallVector<int64_t> vdevices;
  /// The nodes of all vdevices, which TVM tells apart by identity: the module's
  /// vdevices, which types name by number, and others.
  llvm::DenseMap<mlir::Attribute, int64_t> nodeOfGlobalInfo, nodeOfVDevice;

  /// The nodes of variables that several functions share, by their numbers and
  /// types, and the variables that a function of Relax has: in TVM no other
  /// function of Relax may have them.
  using ModuleVar = std::pair<mlir::Attribute, int64_t>;
  llvm::DenseMap<ModuleVar, int64_t> nodeOfModuleVar;
  llvm::DenseSet<ModuleVar> moduleVarsOfRelax;

  int64_t getNone() const { return 0; }
  int64_t getString(llvm::StringRef text);
  int64_t getInt(int64_t value) { return add("int", value); }
  /// An ffi.BigInt, which TVM has for what no int64 can hold.
  int64_t getBigInt(uint64_t value) {
    return add("ffi.BigInt", std::to_string(value));
  }
  int64_t getArray(llvm::ArrayRef<int64_t> elements);
  /// The array of the nodes that `addElement` adds for a range, or failure.
  template <typename Range, typename AddElement>
  mlir::FailureOr<int64_t> addArray(const Range &range, AddElement addElement) {
    llvm::SmallVector<int64_t> elements;
    for (const auto &element : range) {
      mlir::FailureOr<int64_t> node = addElement(element);
      if (failed(node))
        return mlir::failure();
      elements.push_back(*node);
    }
    return getArray(elements);
  }
  /// The keys and values of a map, one after the other.
  int64_t getMap(llvm::ArrayRef<int64_t> entries);
  /// The map of a dictionary whose values `addValue` adds, or failure.
  mlir::FailureOr<int64_t> addMap(
      llvm::ArrayRef<mlir::NamedAttribute> dictionary,
      llvm::function_ref<mlir::FailureOr<int64_t>(mlir::Attribute)> addValue);
  /// An ir.EnvFunc; TVM has one for each name.
  int64_t getEnvFunc(llvm::StringRef name);
  /// An ir.PrimType.
  int64_t getPrimType(llvm::StringRef dtype);
  /// An ir.IntImm.
  int64_t getIntImm(llvm::StringRef dtype, int64_t value);

  /// Adds a graph that was kept by writeSubgraph, and returns the index of its
  /// root. `resolve` gives the node that a placeholder stands for, or -1.
  mlir::FailureOr<int64_t>
  paste(llvm::StringRef json,
        llvm::function_ref<int64_t(llvm::StringRef type, JsonValue data)>
            resolve);

  void write(int64_t root, llvm::raw_ostream &os) const;

private:
  int64_t addText(llvm::StringRef type, llvm::StringRef data);

  std::string nodes;
  int64_t numNodes = 0;
  llvm::StringMap<int64_t> strings, primTypes, envFuncs;
};

/// The name of the dtype that a type stands for; empty if it has none.
llvm::StringRef getDTypeName(mlir::Type type);

/// The value of a constant as an ffi.Tensor, or failure.
mlir::FailureOr<int64_t> addTensor(NodeWriter &writer,
                                   mlir::ElementsAttr value);

/// The number that `value` is rounded from. TVM keeps numbers of any type as
/// double; the double with a float's shortest text is the most likely one.
double getUnrounded(mlir::FloatAttr value);

/// The full name of TVM's class of attributes; empty for an empty one.
inline std::string getAttrsClass(llvm::StringRef name) {
  return name.empty() ? "" : ("relax.attrs." + name).str();
}

/// A node for an attribute, as getAttribute reads it, or failure.
mlir::FailureOr<int64_t> addAttribute(NodeWriter &writer,
                                      mlir::Attribute attribute);

/// An ir.DictAttrs.
mlir::FailureOr<int64_t>
addDictAttrs(NodeWriter &writer, llvm::ArrayRef<mlir::NamedAttribute> list);

/// The object of attributes of class `type`; of an absent one, None.
mlir::FailureOr<int64_t>
addAttrs(NodeWriter &writer, llvm::StringRef type,
         llvm::ArrayRef<mlir::NamedAttribute> attributes);

/// Adds a global info, such as a relax.VDevice.
mlir::FailureOr<int64_t> addGlobalInfo(NodeWriter &writer,
                                       mlir::Attribute info);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_NODEWRITER_H
