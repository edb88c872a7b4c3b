//===- AttachGlobalSymbol.cpp - Make all functions public -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {
#define GEN_PASS_DEF_ATTACHGLOBALSYMBOL
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct AttachGlobalSymbol
    : relax::impl::AttachGlobalSymbolBase<AttachGlobalSymbol> {
  void runOnOperation() override;
};
} // namespace

void AttachGlobalSymbol::runOnOperation() {
  IRModuleOp module = getOperation();
  auto prefix = module->getAttrOfType<StringAttr>("system_lib_prefix");
  bool hasChanged = false;
  NewNames names;
  // The functions by the names that they will have.
  llvm::DenseMap<StringAttr, Operation *> functions;
  for (Operation &op : *module.getBody()) {
    StringAttr old = SymbolTable::getSymbolName(&op), name = old;
    if (isa<tir::PrimFuncOp>(op) && prefix)
      name = StringAttr::get(&getContext(),
                             prefix.getValue() + Twine(old.getValue()));
    auto [it, isNew] = functions.try_emplace(name, &op);
    if (!isNew) {
      InFlightDiagnostic error = op.emitError("expected one function @")
                                 << name.getValue() << ", but found two";
      error.attachNote(it->second->getLoc()) << "the other one";
      return signalPassFailure();
    }
    if (!isa<FuncOp, tir::PrimFuncOp>(op) || getGlobalSymbol(&op) == name)
      continue;
    op.setAttr("global_symbol", name);
    cast<SymbolOpInterface>(op).setPublic();
    hasChanged = true;
    ++numFunctions;
    if (name != old)
      names[old] = name;
  }
  if (!names.empty())
    renameFunctions(module, names);
  if (!hasChanged)
    markAllAnalysesPreserved();
}
