//===- Symbols.h - Functions of a module and their calls --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SYMBOLS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SYMBOLS_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/MapVector.h"

namespace partita::relax {

/// Appends the symbols that `op` itself names.
void collectSymbols(mlir::Operation *op,
                    mlir::SmallVectorImpl<mlir::StringAttr> &names);

/// The name that others know `function` by; null if it is private.
mlir::StringAttr getGlobalSymbol(mlir::Operation *function);

using NewNames = llvm::MapVector<mlir::StringAttr, mlir::StringAttr>;

/// Gives functions of `module` other names, wherever these stand.
void renameFunctions(IRModuleOp module, const NewNames &names);

struct PrivateFunction {
  FuncOp func;
  llvm::SmallVector<CallOp> calls;
};

/// The private functions with a body that passes can change together with all
/// that names them, which are calls.
llvm::MapVector<mlir::StringAttr, PrivateFunction>
findPrivateFunctions(IRModuleOp module);

/// Whether passes can change the body of `func`: there is one, which is not as
/// import has kept it, and `func` is not to be skipped.
bool isChangeable(FuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_SYMBOLS_H
