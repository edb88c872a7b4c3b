//===- NormalizeGlobalVar.cpp - Name functions as others do ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {
#define GEN_PASS_DEF_NORMALIZEGLOBALVAR
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct NormalizeGlobalVar
    : relax::impl::NormalizeGlobalVarBase<NormalizeGlobalVar> {
  void runOnOperation() override;
};
} // namespace

void NormalizeGlobalVar::runOnOperation() {
  IRModuleOp module = getOperation();
  bool isNormal = true;
  // The functions by the names that they get: names of public ones are given.
  llvm::MapVector<StringAttr, Operation *> taken;
  SmallVector<Operation *> privates;
  for (Operation &op : *module.getBody()) {
    StringAttr symbol = getGlobalSymbol(&op);
    if (!symbol) {
      privates.push_back(&op);
      continue;
    }
    if (symbol.getValue().empty()) {
      op.emitError("expected global_symbol to be a name, but found an empty "
                   "string");
      return signalPassFailure();
    }
    isNormal &= symbol == SymbolTable::getSymbolName(&op);
    auto [it, isNew] = taken.insert({symbol, &op});
    if (isNew)
      continue;
    InFlightDiagnostic error =
        op.emitError("expected one function of global_symbol '")
        << symbol.getValue() << "', but found two";
    error.attachNote(it->second->getLoc()) << "the other one";
    return signalPassFailure();
  }
  if (isNormal)
    return markAllAnalysesPreserved();
  NewNames names;
  llvm::StringMap<unsigned> counts;
  for (Operation *op : privates) {
    StringAttr name = SymbolTable::getSymbolName(op);
    unsigned &count = counts[name.getValue()];
    for (StringAttr stem = name; !taken.insert({name, op}).second;)
      name = StringAttr::get(&getContext(), stem.getValue() + Twine(++count));
  }
  for (auto [name, op] : taken)
    if (StringAttr old = SymbolTable::getSymbolName(op); old != name)
      names[old] = name;
  renameFunctions(module, names);
  numRenamed += names.size();
}
