//===- InstrumentGen.cpp - Instruments from their records -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the options and the registration of instruments in C++, and their
// classes in Python, from the records of an Instruments.td (see
// InstrumentBase.td).
//
//===----------------------------------------------------------------------===//

#include "TableGenSupport.h"

#include "mlir/Support/IndentedOstream.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace partita::tblgen;

static ArrayRef<const Record *> getInstruments(const RecordKeeper &records) {
  return records.getAllDerivedDefinitions("Instrument");
}

static std::vector<const Record *> getOptions(const Record *instrument) {
  return instrument->getValueAsListOfDefs("options");
}

static std::vector<const Record *> getCases(const Record *option) {
  return option->getValueAsListOfDefs("cases");
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

static void emitOptionsStruct(const Record *instrument, raw_ostream &os) {
  os << "/// " << instrument->getValueAsString("summary") << ".\nstruct "
     << instrument->getName()
     << "Options {\n  static constexpr ::llvm::StringLiteral kName = \""
     << instrument->getValueAsString("instrumentName") << "\";\n\n";
  for (const Record *option : getOptions(instrument)) {
    StringRef type = option->getValueAsString("type");
    StringRef value = option->getValueAsString("defaultValue");
    os << "  /// " << option->getValueAsString("description") << ".\n  ";
    if (option->isSubClassOf("EnumOption")) {
      ListSeparator separator;
      os << "enum class " << type << " { ";
      for (const Record *enumCase : getCases(option))
        os << separator << enumCase->getValueAsString("cppName");
      os << " };\n  " << type << " " << option->getValueAsString("cppName")
         << " = " << type
         << "::" << getCases(option).front()->getValueAsString("cppName");
    } else if (option->isSubClassOf("ListOption")) {
      os << "std::vector<" << type << "> "
         << option->getValueAsString("cppName");
    } else {
      os << type << " " << option->getValueAsString("cppName");
      if (value.empty())
        os << "{}";
      else
        os << " = " << value;
    }
    os << ";\n";
  }
  os << "};\n";
}

static bool emitInstrumentDecls(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *instrument : getInstruments(records)) {
    emitOptionsStruct(instrument, os);
    os << "::partita::instrument::PassInstrumentRef create"
       << instrument->getName() << "(" << instrument->getName()
       << "Options options = {});\n\n";
  }
  os << "/// Registers the instruments of this group by name.\nvoid register"
     << getGroupName() << "();\n";
  return false;
}

static bool emitInstrumentDefs(const RecordKeeper &records, raw_ostream &os) {
  os << "void register" << getGroupName() << "() {\n";
  for (const Record *instrument : getInstruments(records)) {
    StringRef name = instrument->getName();
    if (instrument->getValueAsString("summary").empty())
      PrintFatalError(instrument->getLoc(), "expected a summary");
    os << "  ::partita::instrument::registerInstrument<" << name
       << "Options>(\n      R\"(" << instrument->getValueAsString("summary")
       << ")\",\n      ::partita::instrument::Replay::"
       << instrument->getValueAsDef("replay")->getValueAsString("cppName")
       << ",\n      []([[maybe_unused]] "
          "::partita::instrument::InstrumentOptionParser &parser,\n"
          "         [[maybe_unused]] "
       << name << "Options &options) {\n";
    for (const Record *option : getOptions(instrument)) {
      os << "        parser.add(options." << option->getValueAsString("cppName")
         << ", \"" << option->getValueAsString("argument") << "\", R\"("
         << option->getValueAsString("description") << ")\"";
      if (option->isSubClassOf("EnumOption")) {
        ListSeparator separator;
        StringRef note = " (the default)";
        os << ",\n                   ::llvm::cl::values(";
        for (const Record *enumCase : getCases(option)) {
          os << separator << "\n                       clEnumValN(" << name
             << "Options::" << option->getValueAsString("type")
             << "::" << enumCase->getValueAsString("cppName") << ", \""
             << enumCase->getValueAsString("name") << "\", R\"("
             << enumCase->getValueAsString("description") << note << ")\")";
          note = "";
        }
        os << ")";
      }
      os << ");\n";
    }
    os << "      },\n      create" << name << ");\n";
  }
  os << "}\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

namespace {
/// An option as a parameter of the Python class.
struct Parameter {
  std::string name, type, defaultValue;
  /// The expression that is passed to the instrument.
  std::string argument;
  std::string documentation;
};
} // namespace

static Parameter getParameter(const Record *option) {
  Parameter parameter;
  parameter.name = getPythonName(option);
  const std::string &name = parameter.name;
  auto check = [&](StringRef function, const Twine &more = "") {
    return (function + "(\"" + name + "\", " + name + more + ")").str();
  };
  raw_string_ostream documentation(parameter.documentation);
  documentation << option->getValueAsString("description") << ".";
  StringRef value = option->getValueAsString("defaultValue");
  parameter.type = getPythonType(option);
  parameter.argument = name;
  if (option->isSubClassOf("PathOption")) {
    parameter.type = "Path";
    parameter.argument = "decode(" + name + ")";
    if (option->getValueAsBit("isRequired"))
      return parameter;
  } else if (option->isSubClassOf("RunnerOption")) {
    parameter.type = "str | Runner";
  } else if (option->isSubClassOf("EnumOption")) {
    parameter.type = "str";
    StringRef start = " Default: ";
    for (const Record *enumCase : getCases(option)) {
      documentation << start << '"' << enumCase->getValueAsString("name")
                    << "\", " << enumCase->getValueAsString("description");
      start = start == " Default: " ? ". Others: " : "; ";
    }
    documentation << ".";
  } else if (option->isSubClassOf("StepListOption")) {
    parameter.type = "Sequence[int | str]";
    parameter.defaultValue = "()";
    parameter.argument = check(
        "check_steps", ", \"" + option->getValueAsString("elements") + "\"");
    return parameter;
  } else if (option->isSubClassOf("ListOption")) {
    parameter.type = "Sequence[str]";
    parameter.defaultValue = "()";
    parameter.argument = check("check_names");
    return parameter;
  } else if (parameter.type == "bool") {
    bool isPrint = option->isSubClassOf("PrintOption");
    parameter.defaultValue =
        isPrint           ? option->getValueAsString("pythonDefault").str()
        : value == "true" ? "True"
                          : "False";
    parameter.argument = check("check_bool");
    if (parameter.defaultValue == "True" || parameter.defaultValue == "False")
      return parameter;
    documentation << " Default: " << parameter.defaultValue << ".";
    parameter.argument = "check_bool(\"" + name + "\", " +
                         parameter.defaultValue + " if " + name +
                         " is None else " + name + ")";
    value = "";
  } else if (parameter.type.empty()) {
    PrintFatalError(option->getLoc(),
                    "expected an option of a type that Python "
                    "has, but found '" +
                        option->getValueAsString("type") + "'");
  }
  if (!value.empty())
    documentation << " Default: " << value << ".";
  parameter.type += " | None";
  parameter.defaultValue = "None";
  return parameter;
}

static void emitPythonClass(const Record *instrument, raw_ostream &os) {
  StringRef notebook = instrument->getValueAsString("notebook");
  if (!is_contained({"table", "text", "page"}, notebook))
    PrintFatalError(instrument->getLoc(),
                    "expected notebook to be 'table', 'text' or 'page', but "
                    "found '" +
                        notebook + "'");
  std::vector<Parameter> parameters;
  for (const Record *option : getOptions(instrument))
    parameters.push_back(getParameter(option));

  mlir::raw_indented_ostream indented(os);
  os << "\n\nclass " << instrument->getName()
     << "(RegisteredInstrument):\n    \"\"\""
     << instrument->getValueAsString("summary") << ".\n";
  indented.indent().indent();
  if (StringRef text = instrument->getValueAsString("description");
      !text.trim().empty()) {
    indented << "\n";
    indented.printReindented((text.rtrim() + "\n").str());
  }
  indented << "\nParameters\n----------\n";
  for (const Parameter &parameter : parameters) {
    std::string type = parameter.type;
    if (size_t path = type.find("Path"); path != std::string::npos)
      type.replace(path, 4, "str | bytes | os.PathLike");
    indented << parameter.name << " : " << type << "\n    "
             << parameter.documentation << "\n";
  }
  indented << "\"\"\"\n\n";
  if (notebook != "table")
    indented << "_notebook = \"" << notebook << "\"\n\n";
  indented << "def __init__(self";
  int64_t numPositional = instrument->getValueAsInt("numPositional");
  for (const auto &[index, parameter] : enumerate(parameters)) {
    if (static_cast<int64_t>(index) == numPositional)
      indented << ", *";
    indented << ", " << parameter.name << ": " << parameter.type;
    if (!parameter.defaultValue.empty())
      indented << " = "
               << (StringRef(parameter.type).ends_with("None")
                       ? "None"
                       : parameter.defaultValue);
  }
  indented << ") -> None:\n    super().__init__(\n        \""
           << instrument->getValueAsString("instrumentName") << "\",\n";
  for (const Parameter &parameter : parameters)
    indented << "        " << parameter.name << "=" << parameter.argument
             << ",\n";
  indented << "    )\n";
  if (StringRef text = instrument->getValueAsString("renderDescription").trim();
      !text.empty()) {
    auto [first, rest] = text.split('\n');
    indented << "\ndef render(self) -> str:\n    \"\"\"" << first << "\n\n";
    indented.indent().indent();
    indented.printReindented((rest + "\n").str());
    indented << "\"\"\"\nreturn super().render()\n";
  }
}

static bool emitPython(const RecordKeeper &records, raw_ostream &os) {
  os << "# Generated from Instruments.td.\n"
        "\"\"\"The instruments that are written in C++.\"\"\"\n\n"
        "from __future__ import annotations\n\n"
        "from collections.abc import Sequence\n\n"
        "from .options import Path, Runner, check_bool, check_names, "
        "check_steps, decode\n"
        "from .registered import RegisteredInstrument\n\n"
        "__all__ = [\n";
  for (const Record *instrument : getInstruments(records))
    os << "    \"" << instrument->getName() << "\",\n";
  os << "]\n";
  for (const Record *instrument : getInstruments(records))
    emitPythonClass(instrument, os);
  return false;
}

static mlir::GenRegistration
    genPython("gen-python-instruments",
              "Generate the classes of instruments in Python", emitPython);
static mlir::GenRegistration
    genInstrumentDecls("gen-instrument-decls",
                       "Generate the options and declarations of instruments",
                       emitInstrumentDecls);
static mlir::GenRegistration
    genInstrumentDefs("gen-instrument-defs",
                      "Generate the registration of instruments",
                      emitInstrumentDefs);
