//===- Symbols.cpp - Functions of a module and their calls ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Pass/Pass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// Whether `op` can only name symbols in its discardable attributes. MLIR makes
/// the dictionary of all attributes only when it is asked for, and relax ops
/// that are modelled keep symbols in few attributes.
static bool hasSymbolsAsExtra(Operation *op) {
  return isa_and_present<RelaxDialect>(op->getDialect()) &&
         !isa<CallOp, CallOpOp, CallTIROp, FuncOp, GlobalOp, OpaqueExprOp>(op);
}

void partita::relax::collectSymbols(Operation *op,
                                    SmallVectorImpl<StringAttr> &names) {
  auto collect = [&](Attribute attr) {
    attr.walk(
        [&](SymbolRefAttr ref) { names.push_back(ref.getRootReference()); });
  };
  auto collectAll = [&](DictionaryAttr attrs) {
    if (!attrs.empty())
      collect(attrs);
  };
  auto collectSignature = [&](auto callable) {
    if (ArrayAttr attrs = callable.getArgAttrsAttr())
      collect(attrs);
    if (ArrayAttr attrs = callable.getResAttrsAttr())
      collect(attrs);
  };
  // Most ops of kernels compute numbers. They name nothing.
  if (!isa_and_present<RelaxDialect, arith::ArithDialect>(op->getDialect()) ||
      isa<CallOpOp, OpaqueExprOp>(op))
    return collectAll(op->getAttrDictionary());
  collectAll(op->getDiscardableAttrDictionary());
  if (auto call = dyn_cast<CallOp>(op)) {
    names.push_back(call.getCalleeAttr().getAttr());
    collectSignature(call);
  } else if (auto call = dyn_cast<CallTIROp>(op)) {
    names.push_back(call.getCalleeAttr().getAttr());
  } else if (auto global = dyn_cast<GlobalOp>(op)) {
    names.push_back(global.getValueAttr().getAttr());
  } else if (auto func = dyn_cast<FuncOp>(op)) {
    collectSignature(func);
  }
}

StringAttr partita::relax::getGlobalSymbol(Operation *function) {
  if (auto name = function->getAttrOfType<StringAttr>("global_symbol"))
    return name;
  auto symbol = dyn_cast<SymbolOpInterface>(function);
  return symbol && symbol.isPublic() ? symbol.getNameAttr() : StringAttr();
}

void partita::relax::renameFunctions(IRModuleOp module, const NewNames &names) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr ref) -> std::optional<Attribute> {
    const auto *it = names.find(ref.getRootReference());
    if (it == names.end())
      return std::nullopt;
    return SymbolRefAttr::get(it->second, ref.getNestedReferences());
  });
  module->walk([&](Operation *op) {
    if (!hasSymbolsAsExtra(op))
      return replacer.replaceElementsIn(op);
    if (DictionaryAttr extra = op->getDiscardableAttrDictionary();
        !extra.empty())
      op->setDiscardableAttrs(cast<DictionaryAttr>(replacer.replace(extra)));
  });
  for (Operation &op : *module.getBody())
    if (const auto *it = names.find(SymbolTable::getSymbolName(&op));
        it != names.end())
      SymbolTable::setSymbolName(&op, it->second);
}

bool partita::relax::isChangeable(FuncOp func) {
  return !func.isExternal() && !func.getKeptBody() &&
         !partita::transform::skipsOptimization(func);
}

llvm::MapVector<StringAttr, PrivateFunction>
partita::relax::findPrivateFunctions(IRModuleOp module) {
  llvm::MapVector<StringAttr, PrivateFunction> functions;
  for (auto func : module.getOps<FuncOp>())
    if (!getGlobalSymbol(func) && isChangeable(func))
      functions[func.getSymNameAttr()].func = func;
  if (functions.empty())
    return functions;
  llvm::DenseSet<StringAttr> others;
  SmallVector<StringAttr> named;
  collectSymbols(module, named);
  for (Operation &function : *module.getBody()) {
    auto func = dyn_cast<FuncOp>(function);
    bool canChange = func && isChangeable(func);
    function.walk([&](Operation *op) {
      unsigned before = named.size();
      collectSymbols(op, named);
      auto call = dyn_cast<CallOp>(op);
      if (!call || !canChange)
        return;
      auto *it = functions.find(call.getCalleeAttr().getAttr());
      if (it == functions.end())
        return;
      it->second.calls.push_back(call);
      named.erase(llvm::find(llvm::drop_begin(named, before), it->first));
    });
  }
  others.insert_range(named);
  functions.remove_if(
      [&](const auto &entry) { return others.contains(entry.first); });
  return functions;
}
