//===- Fields.h - The fields of one object of TVM's JSON --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object is read by naming all its fields and what each of them holds, so
// that a field which TVM has added or renamed is an error, not a silent loss.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_FIELDS_H
#define PARTITA_LIB_TARGET_TVMJSON_FIELDS_H

#include "NodeTable.h"

namespace partita::tvmjson {

/// Reads the fields of one object, in the manner of llvm::json::ObjectMapper;
/// the readers that are made of TVMNodes.td use it. Fields that are missing, of
/// another kind, or not asked for are errors.
class Fields {
public:
  Fields(NodeTable &table, const Node &node, llvm::StringRef type);

  explicit operator bool() const { return isObject; }

  bool integer(llvm::StringRef name, int64_t &result);
  bool boolean(llvm::StringRef name, bool &result);
  bool number(llvm::StringRef name, double &result);
  /// A string that stands inline (dtypes).
  bool text(llvm::StringRef name, llvm::StringRef &result);
  /// An `int`.
  bool boxedInteger(llvm::StringRef name, int64_t &result);
  bool bigInteger(llvm::StringRef name, uint64_t &result);
  /// An ffi.String.
  bool string(llvm::StringRef name, llvm::StringRef &result);
  bool ref(llvm::StringRef name, Node &result);
  /// An object of this type.
  bool ref(llvm::StringRef name, llvm::StringRef type, Node &result);
  bool array(llvm::StringRef name, llvm::SmallVectorImpl<Node> &elements);
  bool map(llvm::StringRef name,
           llvm::SmallVectorImpl<std::pair<Node, Node>> &entries);
  /// The field 'span': None, ir.Span or ir.SequentialSpan. `loc` stays as it is
  /// when there is none.
  bool span(mlir::Location *loc = nullptr);

  /// Fails if the object has a field that none of the above asked for.
  bool done();

private:
  JsonValue find(llvm::StringRef name);
  template <typename T>
  bool read(llvm::StringRef name, llvm::StringRef expected,
            std::optional<T> (JsonValue::*get)() const, T &result);
  bool mismatch(llvm::StringRef name, llvm::StringRef expected,
                JsonValue found);

  NodeTable &table;
  const Node &node;
  bool isObject = false;
  NodeTable::FieldList fields;
  llvm::SmallVector<llvm::StringRef> known;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_FIELDS_H
