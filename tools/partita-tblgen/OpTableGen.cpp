//===- OpTableGen.cpp - Tables of the ops of Relax ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates docs/relax_ops.md, and the table with which Python calls ops, from
// the records of the ops.
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/TableGen/Record.h"

#include <map>

using namespace llvm;
using namespace mlir::tblgen;

/// `x`, `strides...` or `weights?`.
static void emitOperands(const Operator &op, raw_ostream &os) {
  ListSeparator separator;
  for (const NamedTypeConstraint &operand : op.getOperands())
    os << separator << operand.name
       << (operand.isOptional()   ? "?"
           : operand.isVariadic() ? "..."
                                  : "");
}

/// `axis = -1`, or `axis?` for one that may be absent.
static void emitAttributes(const Operator &op, raw_ostream &os) {
  ListSeparator separator;
  for (const NamedAttribute &attribute : op.getAttributes()) {
    os << separator << attribute.name;
    if (attribute.attr.hasDefaultValue())
      os << " = " << attribute.attr.getDefaultValue();
    else if (attribute.attr.isOptional())
      os << "?";
  }
}

static bool emitTable(const RecordKeeper &records, raw_ostream &os) {
  std::map<std::string, const Record *> ops;
  for (const Record *record : records.getAllDerivedDefinitions("Op"))
    if (Operator op(record);
        op.getTrait("::partita::relax::TVMCallOpInterface::"
                    "Trait"))
      ops[op.getOperationName()] = record;
  os << "# Relax ops that TVM has, too\n\n"
        "They have TVM's names, arguments and attributes; `?` marks what may "
        "be "
        "absent, `...` a list. `relax.op`\nin Python has a function for each, "
        "except for ops on distributed tensors.\n"
        "`partita-tblgen -gen-op-table` makes this page of RelaxOps.td.\n\n"
        "| op | operands | attributes | |\n| --- | --- | --- | --- |\n";
  for (const auto &[name, record] : ops) {
    Operator op(record);
    os << "| `" << name << "` | ";
    emitOperands(op, os);
    os << " | ";
    emitAttributes(op, os);
    os << " | " << op.getSummary() << " |\n";
  }
  return false;
}

/// The Python class of an attribute; empty if there is no specific class.
static StringRef getPythonClass(const Attribute &attribute) {
  StringRef name = attribute.getStorageType().rsplit("::").second;
  return StringSwitch<StringRef>(name)
      .Cases({"BoolAttr", "DenseF64ArrayAttr", "DenseI64ArrayAttr",
              "FlatSymbolRefAttr", "FloatAttr", "IntegerAttr", "StringAttr",
              "TypeAttr"},
             name)
      .Default("Attribute");
}

/// Whether values of the type are numbers, so that a call accepts Python's
/// numbers.
static bool isNumber(const TypeConstraint &type) {
  const Record *def = &type.getDef();
  if (type.isVariableLength())
    def = def->getValueAsDef("baseType");
  return def->getName() == "Relax_Number";
}

/// The parameters of a call: (name, kind, whether it is required).
static void emitPythonParams(const Operator &op, raw_ostream &os) {
  SmallVector<std::string> required, others;
  for (const Argument &argument : op.getArgs()) {
    std::string text;
    raw_string_ostream param(text);
    bool isRequired;
    if (auto *operand = dyn_cast<NamedTypeConstraint *>(argument)) {
      bool isList = operand->isVariadic() && !operand->isOptional();
      isRequired = !operand->isOptional();
      param << "(\"" << operand->name << "\", \""
            << (isList                          ? "operands"
                : isNumber(operand->constraint) ? "number"
                                                : "operand");
    } else {
      const auto *attribute = cast<NamedAttribute *>(argument);
      isRequired =
          !attribute->attr.hasDefaultValue() && !attribute->attr.isOptional();
      param << "(\"" << attribute->name << "\", \""
            << getPythonClass(attribute->attr.getBaseAttr());
    }
    param << "\", " << (isRequired ? "True" : "False") << "), ";
    (isRequired ? required : others).push_back(std::move(text));
  }
  os << "(" << join(required, "") << join(others, "") << ")";
}

/// Whether TVM lets calls of the op be moved, merged and dropped: True, False,
/// or None for an op that TVM lacks.
static StringRef getPurity(const Operator &op) {
  if (op.getTrait("::partita::relax::CallsValue")) {
    for (const NamedAttribute &attribute : op.getAttributes())
      if (attribute.name == "is_pure")
        return attribute.attr.getDefaultValue() == "true" ? "True" : "False";
  }
  if (!op.getTrait("::partita::relax::TVMCallOpInterface::Trait") &&
      !op.getTrait("::partita::relax::HasTVMTuple"))
    return "None";
  // Ops without a result are called for their effects.
  return op.getNumResults() == 0 ? "False" : "True";
}

static bool emitPythonOps(const RecordKeeper &records, raw_ostream &os) {
  os << "# Generated from the records of the ops by partita-tblgen.\n"
        "\"\"\"What Python knows of the ops.\"\"\"\n\n"
        "#: The description of each op, the argument that is a tuple in TVM or "
        "-1, whether TVM\n#: takes calls for pure, and for each parameter its "
        "name, its kind and whether it is\n#: required. No parameters if the "
        "results do not follow from them.\nOPS: dict[str, tuple[str, int, "
        "bool | None, tuple[tuple[str, str, bool], ...] | None]] = {\n";
  for (const Record *record : records.getAllDerivedDefinitions("Op")) {
    Operator op(record);
    const Trait *tuple = op.getTrait("::partita::relax::HasTVMTuple");
    os << "    \"" << op.getOperationName() << "\": ("
       << json::Value(op.getDescription()) << ", "
       << (tuple ? tuple->getDef().getValueAsInt("tupleIndex") : -1) << ", "
       << getPurity(op) << ", ";
    if (op.getTrait("::mlir::InferTypeOpInterface::Trait"))
      emitPythonParams(op, os);
    else
      os << "None";
    os << "),\n";
  }
  os << "}\n\n#: The ops that call a value, and have any arguments.\n"
        "VALUE_CALLS = {\n";
  for (const Record *record :
       records.getAllDerivedDefinitions("Relax_ValueCallOp"))
    os << "    \"" << Operator(record).getOperationName() << "\",\n";
  os << "}\n";
  return false;
}

static mlir::GenRegistration
    genPythonOps("gen-python-ops", "Generate a table of all ops for Python",
                 emitPythonOps);
static mlir::GenRegistration
    genTable("gen-op-table", "Generate a table of the ops that TVM has, too",
             emitTable);
