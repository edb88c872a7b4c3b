//===- Globals.cpp - What functions name beside functions -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Globals.h"
#include "RoundTrips.h"
#include "SavingPass.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::transform {

Globals::Globals(Operation *root, RoundTrips &roundTrips) {
  SmallVector<Operation *> tables, ops;
  collectOps(root, tables, ops);
  for (Operation *op : ops) {
    if (isa<FunctionOpInterface>(op))
      continue;
    auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name)
      continue;
    HashStream contents;
    std::optional<ContentHash> hash;
    if (roundTrips.collectShared(op) &&
        succeeded(writeBytecodeToFile(op, contents)))
      hash = contents.getHash();
    globals[name].push_back({hash, getNames(op)});
  }
}

Globals::Names Globals::getNames(Operation *op) {
  llvm::SetVector<StringAttr, Names> names;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](SymbolRefAttr symbol) { names.insert(symbol.getRootReference()); });
  walkAttributesAndTypes(op, walker);
  return names.takeVector();
}

std::optional<ContentHash> Globals::hashNamed(Operation *op) const {
  HashStream stream;
  if (globals.empty())
    return stream.getHash();
  Names names = getNames(op);
  llvm::DenseSet<StringAttr> seen(names.begin(), names.end());
  // More names come while it runs.
  for (size_t index = 0; index < names.size(); ++index) {
    auto it = globals.find(names[index]);
    if (it == globals.end())
      continue;
    for (const Global &global : it->second) {
      if (!global.contents)
        return std::nullopt;
      stream << llvm::toStringRef(*global.contents);
      for (StringAttr name : global.names)
        if (seen.insert(name).second)
          names.push_back(name);
    }
  }
  return stream.getHash();
}

} // namespace partita::transform
