//===- Json.h - JSON text that is read where it stands ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::json::parse makes a tree that takes a hundred times the memory of the
// text. Here the text is checked once and never copied: a value is a pointer
// into it, which is parsed when somebody asks.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_JSON_H
#define PARTITA_LIB_TARGET_TVMJSON_JSON_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"

namespace partita::tvmjson {

/// Fails, in the words of llvm::json::parse, unless `text` is JSON that is
/// nested at most `maxDepth` deep.
llvm::Error checkJson(llvm::StringRef text, unsigned maxDepth);

/// A value in text that checkJson has accepted and that outlives it. The
/// getters return nothing if the value has another kind. They read numbers as
/// llvm::json::Value's getters do.
class JsonValue {
public:
  JsonValue() = default;
  /// The value at the start of `text`, which can go on after it.
  explicit JsonValue(const char *text) : text(text) {}

  explicit operator bool() const { return text; }
  const char *getPointer() const { return text; }

  bool isArray() const { return text && *text == '['; }
  bool isObject() const { return text && *text == '{'; }

  std::optional<bool> getBoolean() const;
  std::optional<int64_t> getInteger() const;
  std::optional<uint64_t> getUnsigned() const;
  std::optional<double> getNumber() const;
  /// The string, which is in the text itself unless it has escapes: then
  /// `saver` keeps it.
  std::optional<llvm::StringRef> getString(llvm::StringSaver &saver) const;

  /// Calls `fn` for the elements of an array until it returns false. Returns
  /// false if `fn` did.
  bool forEachElement(llvm::function_ref<bool(JsonValue)> fn) const;
  /// Calls `fn` for the fields of an object, as above.
  bool forEachField(
      llvm::function_ref<bool(JsonValue key, JsonValue value)> fn) const;

  /// Describes the value for diagnostics: `number 5`, `an array`, `nothing`.
  std::string describe() const;

  /// The text of the value.
  llvm::StringRef getToken() const;

private:
  const char *text = nullptr;
};

/// A string, in quotes and escaped. Bytes that are not UTF-8 are replaced.
std::string toJsonString(llvm::StringRef text);

/// Text of the file for diagnostics: in quotes, escaped and shortened.
std::string quote(llvm::StringRef text);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_JSON_H
