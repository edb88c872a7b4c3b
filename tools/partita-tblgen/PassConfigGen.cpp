//===- PassConfigGen.cpp - C++ of PassConfig records ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassConfigGen.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;

/// The C++ expression for the ConfigType called `type`.
static std::string configType(const Record *record, StringRef type) {
  static constexpr StringLiteral prefix =
      "::partita::transform::ConfigType::get";
  if (type.consume_front("list<") && type.consume_back(">"))
    return (prefix + "List(" + configType(record, type) + ")").str();
  if (!is_contained({"bool", "int", "float", "string"}, type))
    PrintFatalError(record->getLoc(),
                    "expected the type bool, int, float, string or a list<> of "
                    "one of them, but found '" +
                        type + "'");
  return (prefix + Twine(toUpper(type.front())) + type.drop_front() + "()")
      .str();
}

/// The C++ expression for the ConfigType of a PassConfig.
static std::string configType(const Record *record) {
  std::vector<const Record *> fields = record->getValueAsListOfDefs("fields");
  StringRef type = record->getValueAsString("type");
  if (fields.empty())
    return configType(record, type);
  std::string result =
      ("::partita::transform::ConfigType::getStruct(\"" + type + "\", {").str();
  for (const Record *field : fields)
    result += ("\n          {\"" + field->getValueAsString("fieldName") +
               "\", " + configType(field, field->getValueAsString("type")) +
               ", R\"(" + field->getValueAsString("defaultValue") +
               ")\", R\"(" + field->getValueAsString("description") + ")\"},")
                  .str();
  return result + "})";
}

void emitConfigRegistration(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *record : records.getAllDerivedDefinitions("PassConfig"))
    os << "  ::partita::transform::registerPassConfigOption(\n      \""
       << record->getValueAsString("fieldName") << "\", " << configType(record)
       << ",\n      R\"(" << record->getValueAsString("defaultValue")
       << ")\", R\"(" << record->getValueAsString("description") << ")\");\n";
}

//===----------------------------------------------------------------------===//
// Typed access
//===----------------------------------------------------------------------===//

static constexpr StringLiteral contextParameter =
    "(const ::partita::transform::PassContext &context)";

static std::string cppType(StringRef type) {
  if (type.consume_front("list<") && type.consume_back(">"))
    return "::std::vector<" + cppType(type) + ">";
  return StringSwitch<StringRef>(type)
      .Case("int", "int64_t")
      .Case("float", "double")
      .Case("string", "::std::string")
      .Default(type)
      .str();
}

/// The default of a field or key in C++, which writes all but lists as MLIR
/// does.
static std::string cppDefault(const Record *record) {
  std::string value = record->getValueAsString("defaultValue").str();
  if (record->getValueAsString("type").starts_with("list<")) {
    value.front() = '{';
    value.back() = '}';
  }
  return value;
}

/// auto_max_step -> autoMaxStep
static std::string cppName(const Record *field) {
  return convertToCamelFromSnakeCase(field->getValueAsString("fieldName"));
}

static bool isStruct(const Record *record) {
  return !record->getValueAsListOfDefs("fields").empty();
}

void emitConfigDecls(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *record : records.getAllDerivedDefinitions("PassConfig")) {
    StringRef type = record->getValueAsString("type");
    os << "/// " << record->getValueAsString("description") << "\n";
    if (!isStruct(record)) {
      os << cppType(type) << " get" << record->getName() << contextParameter
         << ";\n\n";
      continue;
    }
    os << "struct " << type << " {\n";
    for (const Record *field : record->getValueAsListOfDefs("fields"))
      os << "  /// " << field->getValueAsString("description") << "\n  "
         << cppType(field->getValueAsString("type")) << " " << cppName(field)
         << " = " << cppDefault(field) << ";\n";
    os << "\n  /// The value of " << record->getValueAsString("fieldName")
       << ".\n  static " << type << " get" << contextParameter << ";\n};\n\n";
  }
}

void emitConfigDefs(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *record : records.getAllDerivedDefinitions("PassConfig")) {
    StringRef type = record->getValueAsString("type");
    std::string key =
        ("\"" + record->getValueAsString("fieldName") + "\"").str();
    if (!isStruct(record)) {
      os << cppType(type) << " get" << record->getName() << contextParameter
         << " {\n  " << cppType(type) << " value = " << cppDefault(record)
         << ";\n  ::partita::transform::readConfig(context.config(" << key
         << "), value);\n  return value;\n}\n\n";
      continue;
    }
    os << type << " " << type << "::get" << contextParameter << " {\n  " << type
       << " value;\n  ::mlir::Attribute fields = context.config(" << key
       << ");\n";
    for (const Record *field : record->getValueAsListOfDefs("fields"))
      os << "  ::partita::transform::readConfig(fields, \""
         << field->getValueAsString("fieldName") << "\", value."
         << cppName(field) << ");\n";
    os << "  return value;\n}\n\n";
  }
}
