//===- OpaqueNodes.cpp - Nodes of TVM's that ops keep ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpaqueNodes.h"

using namespace mlir;

namespace partita {

LogicalResult verifyJSON(Operation *op, ElementsAttr json) {
  auto type = dyn_cast<RankedTensorType>(json.getType());
  if (!type || type.getRank() != 1 ||
      !type.getElementType().isUnsignedInteger(8))
    return op->emitOpError("expected 'json' to be bytes, of a type such as "
                           "tensor<100xui8>, found ")
           << json.getType();
  return success();
}

LogicalResult verifySymbols(Operation *op, ArrayAttr symbols,
                            SymbolTableCollection &symbolTables) {
  if (!symbols)
    return success();
  for (auto symbol : symbols.getAsRange<FlatSymbolRefAttr>())
    if (!symbolTables.lookupNearestSymbolFrom(op, symbol))
      return op->emitOpError("expected a function of name ")
             << symbol << ", found none";
  return success();
}

} // namespace partita
