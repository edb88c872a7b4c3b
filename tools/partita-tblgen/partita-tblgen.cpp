//===- partita-tblgen.cpp - PassInfo from pass records --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates code from the PartitaPass and PartitaSequential records of a
// Passes.td: the registration of each PassInfo, and a free function with TVM's
// name, in C++ and in Python, that makes the pass.
//
//===----------------------------------------------------------------------===//

#include "PassConfigGen.h"
#include "TableGenSupport.h"

#include "mlir/TableGen/GenInfo.h"
#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace partita;
using tblgen::getPythonName;
using tblgen::getPythonType;

static cl::OptionCategory category("Options of -gen-pass-info-* and "
                                   "-gen-instrument-*");
static cl::opt<std::string>
    groupName("name", cl::desc("The name of this group of records"),
              cl::cat(category));

StringRef tblgen::getGroupName() { return groupName; }

/// TVM's name without a dialect prefix: the name of the C++ function.
static StringRef functionName(const Record *record) {
  return record->getValueAsString("passName").rsplit('.').second.empty()
             ? record->getValueAsString("passName")
             : record->getValueAsString("passName").rsplit('.').second;
}

static bool hasOptions(const Record *record) {
  return !record->getValueAsListOfDefs("options").empty();
}

/// A C++ brace list of string literals.
static std::string stringList(ArrayRef<StringRef> strings) {
  std::string result = "{";
  ListSeparator separator(", ");
  llvm::raw_string_ostream os(result);
  for (StringRef string : strings) {
    os << separator << '"';
    os.write_escaped(string) << '"';
  }
  return result + "}";
}

static void emitSummary(const Record *record, raw_ostream &os) {
  os << "/// " << record->getValueAsString("summary") << "\n";
}

static bool emitPassDecls(const RecordKeeper &records, raw_ostream &os) {
  emitConfigDecls(records, os);
  for (const Record *record : records.getAllDerivedDefinitions("PartitaPass")) {
    emitSummary(record, os);
    os << "::partita::transform::Pass " << functionName(record) << "(";
    if (hasOptions(record))
      os << record->getName() << "Options options = {}";
    os << ");\n\n";
  }
  for (const Record *record :
       records.getAllDerivedDefinitions("PartitaSequential")) {
    emitSummary(record, os);
    os << "::partita::transform::Pass " << functionName(record) << "();\n\n";
  }
  os << "/// Registers the PassInfo of every pass and Sequential of this "
        "group, and\n/// the passes with MLIR.\n"
     << "void register" << groupName << "();\n";
  return false;
}

static void emitInfo(const Record *record, StringRef members, raw_ostream &os) {
  os << "  ::partita::transform::PassDeclaration{\n"
     << "      {\"" << record->getValueAsString("passName") << "\", "
     << record->getValueAsInt("optLevel") << ", "
     << stringList(record->getValueAsListOfStrings("required"))
     << (record->getValueAsBit("reuseRequired") ? ", /*reuseRequired=*/true"
                                                : "")
     << "},\n"
     << "      \"" << record->getValueAsString("argument") << "\", \""
     << record->getValueAsString("qualifier") << "." << functionName(record)
     << "\",\n      R\"(" << record->getValueAsString("summary") << ")\",\n"
     << members << "}";
}

static void emitTraits(const Record *record, raw_ostream &os) {
  os << "  ::partita::transform::registerPassTraits(\""
     << record->getValueAsString("argument") << "\", {";
  llvm::interleaveComma(
      ArrayRef{"isLocal", "alwaysRuns", "isIdempotent", "isCacheable"}, os,
      [&](StringRef bit) {
        os << "/*" << bit << "=*/"
           << (record->getValueAsBit(bit) ? "true" : "false");
      });
  os << "});\n";
}

static bool emitPassDefs(const RecordKeeper &records, raw_ostream &os) {
  emitConfigDefs(records, os);
  ArrayRef<const Record *> passes =
      records.getAllDerivedDefinitions("PartitaPass");
  ArrayRef<const Record *> sequentials =
      records.getAllDerivedDefinitions("PartitaSequential");
  for (const Record *record : passes) {
    if (record->getValueAsString("summary").empty())
      PrintFatalError(record->getLoc(), "expected a summary");
    os << "::partita::transform::Pass " << functionName(record) << "(";
    if (hasOptions(record))
      os << record->getName() << "Options options";
    os << ") {\n  return ::partita::transform::createPass(\""
       << record->getValueAsString("argument") << "\", ["
       << (hasOptions(record) ? "options = std::move(options)" : "")
       << "] { return create" << record->getName()
       << (hasOptions(record) ? "(options)" : "()") << "; });\n}\n\n";
  }
  for (const Record *record : sequentials)
    os << "::partita::transform::Pass " << functionName(record)
       << "() {\n  return ::partita::transform::getRegisteredPass(\""
       << record->getValueAsString("argument") << "\");\n}\n\n";

  os << "void register" << groupName << "() {\n";
  emitConfigRegistration(records, os);
  for (const Record *record : passes) {
    os << "  ::mlir::registerPass([] { return create" << record->getName()
       << "(); });\n  ::partita::transform::registerPass(\n";
    std::string members =
        (Twine("      /*members=*/std::nullopt, /*readsPassContext=*/") +
         (record->getValueAsBit("readsPassContext") ? "true" : "false"))
            .str();
    emitInfo(record, members, os);
    os << ");\n";
    emitTraits(record, os);
  }
  for (const Record *record : sequentials) {
    os << "  ::partita::transform::registerPass(\n";
    emitInfo(record,
             "      /*members=*/std::vector<std::string>" +
                 stringList(record->getValueAsListOfStrings("passes")),
             os);
    os << ");\n";
  }
  os << "}\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

StringRef tblgen::getPythonType(const Record *option) {
  StringRef type = option->getValueAsString("type");
  return StringSwitch<StringRef>(type)
      .Case("bool", "bool")
      .Cases({"float", "double"}, "float")
      .Cases({"std::string", "::std::string"}, "str")
      .Cases({"int", "unsigned", "int32_t", "int64_t", "uint64_t", "size_t"},
             "int")
      .Default("");
}

std::string tblgen::getPythonName(const Record *option) {
  std::string name = option->getValueAsString("argument").str();
  llvm::replace(name, '-', '_');
  return name;
}

static void emitPythonFunction(const Record *record,
                               ArrayRef<const Record *> options,
                               raw_ostream &os) {
  std::string parameters, documentation, arguments;
  raw_string_ostream parameterOS(parameters), documentationOS(documentation),
      argumentOS(arguments);
  ListSeparator parameterSeparator, argumentSeparator;
  for (const Record *option : options) {
    StringRef type = getPythonType(option);
    if (type.empty())
      PrintFatalError(option->getLoc(),
                      "expected an option of a type that Python has, but found "
                      "'" +
                          option->getValueAsString("type") + "'");
    bool isList = option->isSubClassOf("ListOption");
    std::string name = getPythonName(option);
    parameterOS << parameterSeparator << name << ": Optional["
                << (isList ? "List[" : "") << type << (isList ? "]" : "")
                << "] = None";
    argumentOS << argumentSeparator << "\"" << name << "\": " << name;
    documentationOS << "    " << name << " : " << (isList ? "list of " : "")
                    << type << ", optional\n        "
                    << option->getValueAsString("description") << ".\n";
  }
  os << "\n\ndef " << functionName(record) << "(" << parameters
     << ") -> Pass:\n    \"\"\"" << record->getValueAsString("summary") << ".";
  if (!documentation.empty())
    os << "\n\n    Parameters\n    ----------\n" << documentation << "    ";
  os << "\"\"\"\n    return make_pass(\""
     << record->getValueAsString("argument") << "\", {" << arguments << "})\n";
}

static bool emitPythonPasses(const RecordKeeper &records, raw_ostream &os) {
  os << "# Generated from Passes.td.\n"
        "\"\"\"The passes that are written in C++.\"\"\"\n\n"
        "from __future__ import annotations\n\n"
        "from typing import List, Optional\n\n"
        "from ..transform.base import Pass\n"
        "from ..transform.passes import make_pass\n\n__all__ = [\n";
  auto passes = records.getAllDerivedDefinitions("PartitaPass");
  auto sequentials = records.getAllDerivedDefinitions("PartitaSequential");
  for (const Record *record : concat<const Record *const>(passes, sequentials))
    os << "    \"" << functionName(record) << "\",\n";
  os << "]\n";
  for (const Record *record : passes)
    emitPythonFunction(record, record->getValueAsListOfDefs("options"), os);
  for (const Record *record : sequentials)
    emitPythonFunction(record, {}, os);
  return false;
}

static mlir::GenRegistration
    genPythonPasses("gen-python-passes", "Generate functions that make passes",
                    emitPythonPasses);
static mlir::GenRegistration
    genPassDecls("gen-pass-info-decls",
                 "Generate declarations of pass constructors", emitPassDecls);
static mlir::GenRegistration
    genPassDefs("gen-pass-info-defs",
                "Generate PassInfo registration and pass constructors",
                emitPassDefs);

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
