//===- OpaqueNodes.h - Nodes of TVM's that ops keep -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of each dialect keeps a TVM node that the dialects lack, as TVM's JSON.
// The functions that the node names are attributes, so that they can be
// renamed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_OPAQUENODES_H
#define PARTITA_LIB_DIALECT_OPAQUENODES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/SymbolTable.h"

namespace partita {

/// Verifies that `json` is a list of bytes.
llvm::LogicalResult verifyJSON(mlir::Operation *op, mlir::ElementsAttr json);

/// Verifies that the module has the functions that `symbols` names. It can be
/// null.
llvm::LogicalResult verifySymbols(mlir::Operation *op, mlir::ArrayAttr symbols,
                                  mlir::SymbolTableCollection &symbolTables);

} // namespace partita

#endif // PARTITA_LIB_DIALECT_OPAQUENODES_H
