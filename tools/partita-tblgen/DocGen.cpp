//===- DocGen.cpp - Pages of passes and instruments from their records ----===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates Markdown: a table of the facts about passes that mlir-tblgen's
// -gen-pass-doc does not know, and a reference of the instruments.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/IndentedOstream.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

/// Formats names as a list in a table cell.
static std::string getCode(ArrayRef<StringRef> names) {
  return names.empty() ? "" : "`" + llvm::join(names, "`, `") + "`";
}

static bool emitPassTable(const RecordKeeper &records, raw_ostream &os) {
  os << "| TVM's name | argument | opt_level | required | |\n"
        "| --- | --- | --- | --- | --- |\n";
  for (const Record *record : records.getAllDerivedDefinitions("PassInfo")) {
    os << "| `" << record->getValueAsString("passName") << "` | `"
       << record->getValueAsString("argument") << "` | "
       << record->getValueAsInt("optLevel") << " | "
       << getCode(record->getValueAsListOfStrings("required")) << " | "
       << record->getValueAsString("summary");
    if (record->isSubClassOf("PartitaSequential"))
      os << ": " << getCode(record->getValueAsListOfStrings("passes"));
    os << " |\n";
  }
  return false;
}

static void emitOption(const Record *option, raw_ostream &os) {
  os << "| `" << option->getValueAsString("argument") << "` | ";
  if (option->isSubClassOf("EnumOption")) {
    ListSeparator separator;
    for (const Record *enumCase : option->getValueAsListOfDefs("cases"))
      os << separator << "`" << enumCase->getValueAsString("name")
         << "`: " << enumCase->getValueAsString("description");
  } else if (option->isSubClassOf("ListOption")) {
    os << "list";
  } else {
    StringRef type = option->getValueAsString("type");
    os << (type == "std::string" ? "string" : type);
  }
  os << " | ";
  if (StringRef value = option->getValueAsString("defaultValue");
      !value.empty())
    os << "`" << value << "`";
  os << " | " << option->getValueAsString("description") << " |\n";
}

static bool emitInstrumentDoc(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *record : records.getAllDerivedDefinitions("Instrument")) {
    os << "## " << record->getValueAsString("instrumentName") << "\n\n_"
       << record->getValueAsString("summary") << "_\n\nIn Python `"
       << record->getName() << "`, in C++ `create" << record->getName()
       << "`.\n\n";
    mlir::raw_indented_ostream(os).printReindented(
        (record->getValueAsString("description").rtrim() + "\n").str());
    std::vector<const Record *> options =
        record->getValueAsListOfDefs("options");
    if (!options.empty())
      os << "\n| option | values | default | |\n| --- | --- | --- | --- |\n";
    for (const Record *option : options)
      emitOption(option, os);
    os << "\n";
  }
  return false;
}

static mlir::GenRegistration
    genPassTable("gen-pass-table",
                 "Generate a table of the PassInfo of passes and Sequentials",
                 emitPassTable);
static mlir::GenRegistration
    genInstrumentDoc("gen-instrument-doc",
                     "Generate a reference of instruments", emitInstrumentDoc);
