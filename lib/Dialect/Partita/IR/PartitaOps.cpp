//===- PartitaOps.cpp - partita.module ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/IR/PartitaOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace partita;

#define GET_OP_CLASSES
#include "partita/Dialect/Partita/IR/PartitaOps.cpp.inc"

void IRModuleOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name) {
  state.addRegion()->emplaceBlock();
  if (!name.empty())
    state.getOrAddProperties<Properties>().sym_name =
        builder.getStringAttr(name);
}

LogicalResult IRModuleOp::verifyRegions() {
  for (Operation &op : *getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && symbol.getNameAttr())
      continue;
    InFlightDiagnostic diag =
        op.emitOpError("expected a symbol with a name in a 'partita.module'");
    return symbol ? diag << ", found no name" : diag << ", found no symbol";
  }
  return success();
}
