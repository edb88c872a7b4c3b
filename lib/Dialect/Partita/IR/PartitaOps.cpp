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
  // An op with an optional name is no symbol without it.
  for (Operation &op : *getBody())
    if (!isa<SymbolOpInterface>(op))
      return op.emitOpError("expected symbols with names in a "
                            "'partita.module', found an op without one");
  return success();
}
