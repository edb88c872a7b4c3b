//===- PassConfig.h - Options that passes read from a PassContext -*- C++ -*-=//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Config keys, as in TVM's TVM_REGISTER_PASS_CONFIG_OPTION. Values are MLIR
// attributes of one context that lives as long as the process, so that a
// PassContext serves any number of MLIRContexts.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSCONFIG_H
#define PARTITA_PASS_PASSCONFIG_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace partita::transform {

struct ConfigField;

/// The keys that save work, which any PassContext may set.
inline constexpr llvm::StringLiteral skipUnchangedKey =
    "partita.skip_unchanged";
inline constexpr llvm::StringLiteral nestInFunctionsKey =
    "partita.nest_in_functions";
inline constexpr llvm::StringLiteral verifyKey = "partita.verify";
inline constexpr llvm::StringLiteral passCacheKey = "partita.pass_cache";
inline constexpr llvm::StringLiteral passCacheSizeKey =
    "partita.pass_cache_size";

/// The type of a config value: a scalar, a list of one type, or a struct.
class ConfigType {
public:
  enum class Kind { Bool, Int, Float, String, List, Struct };

  static ConfigType getBool() { return ConfigType(Kind::Bool); }
  static ConfigType getInt() { return ConfigType(Kind::Int); }
  static ConfigType getFloat() { return ConfigType(Kind::Float); }
  static ConfigType getString() { return ConfigType(Kind::String); }
  static ConfigType getList(ConfigType element);
  static ConfigType getStruct(llvm::StringRef name,
                              std::vector<ConfigField> fields);

  Kind getKind() const { return kind; }
  /// "bool", "int", "float", "string", "list<int>", or the struct's name.
  std::string str() const;
  /// The fields of a struct, or none.
  llvm::ArrayRef<ConfigField> getFields() const;

  /// Returns `value` in the form that passes read: BoolAttr, i64 IntegerAttr,
  /// f64 FloatAttr, StringAttr, ArrayAttr, or DictionaryAttr with every field.
  /// The error names `key`, the expected type and the actual type.
  llvm::Expected<mlir::Attribute> convert(llvm::StringRef key,
                                          mlir::Attribute value) const;

private:
  explicit ConfigType(Kind kind) : kind(kind) {}
  llvm::Expected<mlir::Attribute>
  convertStruct(llvm::StringRef key, mlir::DictionaryAttr dictionary) const;

  Kind kind;
  std::string name;
  std::shared_ptr<const std::vector<ConfigField>> fields;
  std::shared_ptr<const ConfigType> element;
};

/// A field of a struct, with its default in MLIR's syntax ("8", "true").
struct ConfigField {
  std::string name;
  ConfigType type;
  std::string defaultValue;
  std::string description;
};

/// A key that PassContexts may set.
struct PassConfigOption {
  std::string key;
  ConfigType type;
  mlir::Attribute defaultValue;
  std::string description;
};

/// Registers `key`. `defaultValue` is in MLIR's attribute syntax; a struct's
/// is "{}". Registering a key again replaces nothing and keeps the first.
void registerPassConfigOption(llvm::StringRef key, ConfigType type,
                              llvm::StringRef defaultValue,
                              llvm::StringRef description);

/// Every registered option, by key (TVM: `PassContext.list_configs`).
std::vector<PassConfigOption> listPassConfigOptions();

/// The option called `key`. The error names the nearest keys, and how to list
/// all.
llvm::Expected<PassConfigOption> lookupPassConfigOption(llvm::StringRef key);

/// Parses a config value in MLIR's attribute syntax; errors name `key`.
llvm::Expected<mlir::Attribute> parsePassConfigValue(llvm::StringRef key,
                                                     llvm::StringRef text);

/// Reads a value in the form that ConfigType::convert returns. A null value
/// leaves `result` as it is. partita-tblgen makes the calls from PassConfig
/// records.
void readConfig(mlir::Attribute value, bool &result);
void readConfig(mlir::Attribute value, int64_t &result);
void readConfig(mlir::Attribute value, double &result);
void readConfig(mlir::Attribute value, std::string &result);
template <typename T>
void readConfig(mlir::Attribute value, std::vector<T> &result) {
  auto array = llvm::dyn_cast_or_null<mlir::ArrayAttr>(value);
  if (!array)
    return;
  result.clear();
  for (mlir::Attribute attribute : array) {
    T element{};
    readConfig(attribute, element);
    result.push_back(std::move(element));
  }
}
/// The same for a field of a struct.
template <typename T>
void readConfig(mlir::Attribute value, llvm::StringRef field, T &result) {
  if (auto fields = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(value))
    readConfig(fields.get(field), result);
}

/// The context of config values.
mlir::MLIRContext *getPassConfigContext();

} // namespace partita::transform

#endif // PARTITA_PASS_PASSCONFIG_H
