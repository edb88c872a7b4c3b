//===- PassConfig.cpp - Options that passes read from a PassContext -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassConfig.h"
#include "PassRegistryImpl.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <shared_mutex>

using namespace mlir;

namespace partita::transform {

namespace {
/// Options by key, in order.
struct ConfigRegistry {
  std::shared_mutex mutex;
  std::map<std::string, PassConfigOption, std::less<>> options;
};
} // namespace

static ConfigRegistry &getConfigRegistry() {
  static auto &registry = *[] {
    // Never freed: runs can end after the destructors of statics.
    auto *made = new ConfigRegistry;
    MLIRContext *context = getPassConfigContext();
    auto add = [&](StringRef key, StringRef description,
                   ConfigType type = ConfigType::getBool(),
                   Attribute value = nullptr) {
      made->options.try_emplace(
          key.str(),
          PassConfigOption{key.str(), std::move(type),
                           value ? value : BoolAttr::get(context, false),
                           description.str()});
    };
    add(skipUnchangedKey,
        "Do not run a pass again on an op that it has left as it is, as long "
        "as the op and the attributes around it are the same");
    add(nestInFunctionsKey,
        "Run passes on the module that look at one function at a time on the "
        "functions, on all threads");
    add(verifyKey,
        "Which ops the verifier runs on, if it is on: those that a pass runs "
        "on (each), those that it has changed (changed), or the module at the "
        "end of a run (end)",
        ConfigType::getString(), StringAttr::get(context, "each"));
    add(passCacheKey,
        "A directory for results of passes, which later runs of the same "
        "passes on the same functions take from there; empty for none",
        ConfigType::getString(), StringAttr::get(context, ""));
    add(passCacheSizeKey,
        "The greatest size of that directory in MiB; 0 for any size",
        ConfigType::getInt(), Builder(context).getI64IntegerAttr(1024));
    return made;
  }();
  return registry;
}

MLIRContext *getPassConfigContext() {
  // Never freed: config values are read until the last thread ends.
  static auto *context = new MLIRContext(MLIRContext::Threading::ENABLED);
  return context;
}

//===----------------------------------------------------------------------===//
// ConfigType
//===----------------------------------------------------------------------===//

ConfigType ConfigType::getList(ConfigType element) {
  ConfigType type(Kind::List);
  type.element = std::make_shared<const ConfigType>(std::move(element));
  return type;
}

ConfigType ConfigType::getStruct(StringRef name,
                                 std::vector<ConfigField> fields) {
  ConfigType type(Kind::Struct);
  type.name = name.str();
  type.fields =
      std::make_shared<const std::vector<ConfigField>>(std::move(fields));
  return type;
}

ArrayRef<ConfigField> ConfigType::getFields() const {
  return fields ? ArrayRef(*fields) : ArrayRef<ConfigField>();
}

std::string ConfigType::str() const {
  switch (kind) {
  case Kind::Bool:
    return "bool";
  case Kind::Int:
    return "int";
  case Kind::Float:
    return "float";
  case Kind::String:
    return "string";
  case Kind::List:
    return "list<" + element->str() + ">";
  case Kind::Struct:
    return name;
  }
  llvm_unreachable("unknown kind of config type");
}

/// The config type that fits a value, for messages.
static std::string describe(Attribute value) {
  if (!value || isa<UnitAttr>(value))
    return "none";
  if (isa<BoolAttr>(value))
    return "bool";
  if (isa<IntegerAttr>(value))
    return "int";
  if (isa<FloatAttr>(value))
    return "float";
  if (isa<StringAttr>(value))
    return "string";
  if (isa<ArrayAttr, DenseArrayAttr>(value))
    return "list";
  if (isa<DictionaryAttr>(value))
    return "struct";
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// The elements of a list, in both forms that a list can have.
static std::optional<SmallVector<Attribute>> getElements(Attribute value) {
  if (auto array = dyn_cast<ArrayAttr>(value))
    return llvm::to_vector(array);
  SmallVector<Attribute> elements;
  Builder builder(value.getContext());
  if (auto array = dyn_cast<DenseI64ArrayAttr>(value)) {
    for (int64_t element : array.asArrayRef())
      elements.push_back(builder.getI64IntegerAttr(element));
    return elements;
  }
  if (auto array = dyn_cast<DenseF64ArrayAttr>(value)) {
    for (double element : array.asArrayRef())
      elements.push_back(builder.getF64FloatAttr(element));
    return elements;
  }
  if (auto array = dyn_cast<DenseBoolArrayAttr>(value)) {
    for (bool element : array.asArrayRef())
      elements.push_back(builder.getBoolAttr(element));
    return elements;
  }
  return std::nullopt;
}

llvm::Expected<Attribute> ConfigType::convert(StringRef key,
                                              Attribute value) const {
  auto mismatch = [&] {
    return llvm::createStringError("expected config '" + key +
                                   "' to have type " + str() + ", but found " +
                                   describe(value));
  };
  if (!value)
    return mismatch();
  // The value can come from any MLIRContext: make it anew in the config
  // context.
  Builder builder(getPassConfigContext());
  // As in TVM, a bool is a number, and each number but 0 is true.
  switch (kind) {
  case Kind::Bool:
    if (auto attr = dyn_cast<IntegerAttr>(value))
      return builder.getBoolAttr(!attr.getValue().isZero());
    return mismatch();
  case Kind::Int:
    if (auto attr = dyn_cast<BoolAttr>(value))
      return builder.getI64IntegerAttr(attr.getValue());
    if (auto attr = dyn_cast<IntegerAttr>(value)) {
      std::optional<int64_t> number = attr.getValue().trySExtValue();
      if (!number)
        return llvm::createStringError(
            "expected config '" + key +
            "' to fit in 64 bits, but found a larger number");
      return builder.getI64IntegerAttr(*number);
    }
    return mismatch();
  case Kind::Float:
    if (auto attr = dyn_cast<FloatAttr>(value))
      return builder.getF64FloatAttr(attr.getValueAsDouble());
    if (auto attr = dyn_cast<BoolAttr>(value))
      return builder.getF64FloatAttr(attr.getValue());
    if (auto attr = dyn_cast<IntegerAttr>(value))
      return builder.getF64FloatAttr(attr.getValue().signedRoundToDouble());
    return mismatch();
  case Kind::String:
    if (auto attr = dyn_cast<StringAttr>(value))
      return builder.getStringAttr(attr.getValue());
    return mismatch();
  case Kind::List: {
    std::optional<SmallVector<Attribute>> elements = getElements(value);
    if (!elements)
      return mismatch();
    for (auto [index, item] : llvm::enumerate(*elements)) {
      llvm::Expected<Attribute> converted =
          element->convert((key + "[" + Twine(index) + "]").str(), item);
      if (!converted)
        return converted.takeError();
      item = *converted;
    }
    return builder.getArrayAttr(*elements);
  }
  case Kind::Struct:
    auto dictionary = dyn_cast<DictionaryAttr>(value);
    return dictionary ? convertStruct(key, dictionary) : mismatch();
  }
  llvm_unreachable("unknown kind of config");
}

llvm::Expected<Attribute>
ConfigType::convertStruct(StringRef key, DictionaryAttr dictionary) const {
  std::vector<std::string> names;
  for (const ConfigField &field : *fields)
    names.push_back(field.name);
  for (NamedAttribute entry : dictionary)
    if (!llvm::is_contained(names, entry.getName().getValue())) {
      std::string list;
      llvm::raw_string_ostream os(list);
      llvm::interleaveComma(*fields, os, [&](const ConfigField &field) {
        os << field.name << ": " << field.type.str();
      });
      return llvm::createStringError(
          "expected config '" + key + "' of type " + str() +
          " to have the fields {" + list + "}, but found '" +
          entry.getName().getValue() + "'" +
          suggestNames(entry.getName().getValue(), names));
    }
  Builder builder(getPassConfigContext());
  SmallVector<NamedAttribute> complete;
  for (const ConfigField &field : *fields) {
    std::string path = (key + "." + field.name).str();
    Attribute given = dictionary.get(field.name);
    if (!given) {
      llvm::Expected<Attribute> parsed =
          parsePassConfigValue(path, field.defaultValue);
      if (!parsed)
        return parsed.takeError();
      given = *parsed;
    }
    llvm::Expected<Attribute> converted = field.type.convert(path, given);
    if (!converted)
      return converted.takeError();
    complete.push_back(builder.getNamedAttr(field.name, *converted));
  }
  return builder.getDictionaryAttr(complete);
}

void readConfig(Attribute value, bool &result) {
  if (auto attr = dyn_cast_or_null<BoolAttr>(value))
    result = attr.getValue();
}

void readConfig(Attribute value, int64_t &result) {
  if (auto attr = dyn_cast_or_null<IntegerAttr>(value))
    result = attr.getInt();
}

void readConfig(Attribute value, double &result) {
  if (auto attr = dyn_cast_or_null<FloatAttr>(value))
    result = attr.getValueAsDouble();
}

void readConfig(Attribute value, std::string &result) {
  if (auto attr = dyn_cast_or_null<StringAttr>(value))
    result = attr.str();
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

void registerPassConfigOption(StringRef key, ConfigType type,
                              StringRef defaultValue, StringRef description) {
  llvm::Expected<Attribute> parsed = parsePassConfigValue(key, defaultValue);
  Attribute value =
      llvm::cantFail(type.convert(key, llvm::cantFail(std::move(parsed))));
  ConfigRegistry &registry = getConfigRegistry();
  std::unique_lock lock(registry.mutex);
  registry.options.try_emplace(
      key.str(),
      PassConfigOption{key.str(), std::move(type), value, description.str()});
}

std::vector<PassConfigOption> listPassConfigOptions() {
  ConfigRegistry &registry = getConfigRegistry();
  std::shared_lock lock(registry.mutex);
  std::vector<PassConfigOption> options;
  for (const auto &[key, option] : registry.options)
    options.push_back(option);
  return options;
}

llvm::Expected<PassConfigOption> lookupPassConfigOption(StringRef key) {
  ConfigRegistry &registry = getConfigRegistry();
  std::shared_lock lock(registry.mutex);
  auto it = registry.options.find(std::string_view(key));
  if (it == registry.options.end())
    it = registry.options.find(getOldSpelling(key));
  if (it != registry.options.end())
    return it->second;
  std::vector<std::string> keys;
  for (const auto &[name, option] : registry.options)
    keys.push_back(name);
  return llvm::createStringError(
      "expected a registered config key, but found '" + key + "'" +
      suggestNames(key, keys) +
      "; listPassConfigOptions (--list-pass-configs, or "
      "PassContext.list_configs() in Python) lists all");
}

llvm::Expected<Attribute> parsePassConfigValue(StringRef key, StringRef text) {
  MLIRContext *context = getPassConfigContext();
  std::string message = "the text is empty";
  // The context is shared: a handler on it must not see another thread's
  // parse.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  // The parser has no place to point at in an empty text.
  if (!text.trim().empty())
    if (Attribute value = parseAttribute(text, context))
      return value;
  return llvm::createStringError(
      "expected config '" + key +
      "' to be an attribute such as true, 8, 0.5, \"text\", [1, "
      "2] or {field = 1}, but found '" +
      text + "': " + message);
}

} // namespace partita::transform
