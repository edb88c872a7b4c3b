//===- OpTableGen.cpp - A table of the ops that TVM has, too --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates docs/relax_ops.md from the records of the ops.
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/STLExtras.h"
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
        "but for those on distributed tensors.\n"
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

static mlir::GenRegistration
    genTable("gen-op-table", "Generate a table of the ops that TVM has, too",
             emitTable);
