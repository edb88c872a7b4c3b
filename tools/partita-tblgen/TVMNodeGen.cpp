//===- TVMNodeGen.cpp - TVM's nodes from their records --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates a struct for each node of TVM's JSON, with a reader and a writer,
// from the records of TVMNodes.td.
//
//===----------------------------------------------------------------------===//

#include "TableGenSupport.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

static ArrayRef<const Record *> getNodes(const RecordKeeper &records) {
  return records.getAllDerivedDefinitions("TVMNode");
}

static std::vector<const Record *> getFields(const Record *node) {
  return node->getValueAsListOfDefs("fields");
}

static std::vector<StringRef> getVariants(const Record *node) {
  return node->getValueAsListOfStrings("variants");
}

/// The member for a field: `tyArgs` for `ty_args`, `dict` for `__dict__`.
static std::string getMember(const Record *field) {
  return convertToCamelFromSnakeCase(field->getValueAsString("name").trim('_'));
}

/// What `add` returns: it can fail if a field can be a failure.
static StringRef getAddResult(const Record *node) {
  bool canFail = any_of(getFields(node), [](const Record *field) {
    return field->isSubClassOf("NodeField");
  });
  return canFail ? "::mlir::FailureOr<int64_t> " : "int64_t ";
}

/// What `add` takes in front of the fields: the kind, if a node has several.
static StringRef getKindParameter(const Record *node) {
  return getVariants(node).empty() ? "" : "::llvm::StringRef kind, ";
}

static void emitStruct(const Record *node, raw_ostream &os) {
  os << "/// " << node->getValueAsString("key");
  for (StringRef variant : getVariants(node))
    os << " or " << variant;
  os << ".\nstruct " << node->getName() << " {\n";
  for (const Record *field : getFields(node))
    os << "  " << field->getValueAsString("type") << " " << getMember(field)
       << "{};\n";
  os << "\n  static bool is(::llvm::StringRef type) {\n    return type == \""
     << node->getValueAsString("key") << '"';
  for (StringRef variant : getVariants(node))
    os << " || type == \"" << variant << '"';
  os << ";\n  }\n  ::llvm::LogicalResult read(NodeTable &table, const Node "
        "&from"
     << (node->getValueAsBit("hasSpan") ? ", ::mlir::Location *span = nullptr"
                                        : "")
     << ");\n\n  struct New {\n";
  for (const Record *field : getFields(node))
    os << "    " << field->getValueAsString("newType") << " "
       << getMember(field) << "{};\n";
  os << "  };\n  static " << getAddResult(node) << "add(NodeWriter &writer, "
     << getKindParameter(node) << "const New &parts);\n};\n\n";
}

static void emitRead(const Record *node, raw_ostream &os) {
  bool hasSpan = node->getValueAsBit("hasSpan");
  os << "::llvm::LogicalResult " << node->getName()
     << "::read(NodeTable &table, const Node &from"
     << (hasSpan ? ", ::mlir::Location *span" : "")
     << ") {\n  Fields object(table, from, "
     << (getVariants(node).empty() ? "" : "is(from.type) ? from.type : ") << '"'
     << node->getValueAsString("key")
     << "\");\n  return ::llvm::success(object";
  bool isSpanLast = node->getValueAsBit("isSpanLast");
  StringRef readSpan = hasSpan ? "\n      && object.span(span)" : "";
  os << (isSpanLast ? "" : readSpan);
  for (const Record *field : getFields(node)) {
    os << "\n      && object." << field->getValueAsString("reader") << "(\""
       << field->getValueAsString("name") << "\", ";
    if (StringRef target = field->getValueAsString("target"); !target.empty())
      os << "\"" << target << "\", ";
    os << getMember(field) << ")";
  }
  os << (isSpanLast ? readSpan : "") << " && object.done());\n}\n\n";
}

static void emitAdd(const Record *node, raw_ostream &os) {
  os << getAddResult(node) << node->getName() << "::add(NodeWriter &writer, "
     << getKindParameter(node) << "[[maybe_unused]] const New &parts) {\n";
  std::string values;
  raw_string_ostream list(values);
  ListSeparator separator(",\n      ");
  for (const Record *field : getFields(node)) {
    std::string value = "parts." + getMember(field);
    StringRef maker = field->getValueAsString("maker");
    if (field->isSubClassOf("NodeField")) {
      os << "  if (failed(" << value << "))\n    return ::mlir::failure();\n";
      value.insert(0, "*");
    } else if (!maker.empty()) {
      os << "  int64_t " << getMember(field) << " = writer." << maker << "("
         << value << ");\n";
      value = getMember(field);
    }
    list << separator << "{\"" << field->getValueAsString("name") << "\", "
         << value << "}";
  }
  os << "  return writer."
     << (node->getValueAsBit("hasSpan") ? "addSpanned" : "addObject") << "(";
  if (getVariants(node).empty())
    os << "\"" << node->getValueAsString("key") << "\"";
  else
    os << "kind";
  os << ", JsonFields{" << values << "});\n}\n\n";
}

static bool emitDecls(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *node : getNodes(records))
    emitStruct(node, os);
  return false;
}

static bool emitDefs(const RecordKeeper &records, raw_ostream &os) {
  for (const Record *node : getNodes(records)) {
    emitRead(node, os);
    emitAdd(node, os);
  }
  return false;
}

static mlir::GenRegistration genDecls("gen-tvm-node-decls",
                                      "Generate the structs of TVM's nodes",
                                      emitDecls);
static mlir::GenRegistration
    genDefs("gen-tvm-node-defs",
            "Generate the readers and writers of TVM's nodes", emitDefs);
