//===- UniqueFunctions.h - Functions that a pass adds -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UNIQUEFUNCTIONS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UNIQUEFUNCTIONS_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace partita::relax {

/// Whether two functions differ in locations and names alone.
bool areSame(mlir::FunctionOpInterface a, mlir::FunctionOpInterface b);

/// Adds functions to a module, each once (TVM's BlockBuilder.add_func).
class UniqueFunctions {
public:
  explicit UniqueFunctions(IRModuleOp module) : symbols(module) {}

  /// Adds `func`, which is in no module, and gives it a name that is free: add,
  /// add1. If the function of this name that was added before, or one with a
  /// number, is the same, erases `func` and returns the function. Locations and
  /// names do not count, nor do the names of sizes: a call takes its sizes from
  /// its arguments.
  mlir::FunctionOpInterface insert(mlir::FunctionOpInterface func);

  /// The number of functions that were added.
  int64_t getNumAdded() const { return numAdded; }
  mlir::SymbolTable &getSymbols() { return symbols; }

private:
  struct Known {
    mlir::FunctionOpInterface func;
    /// `func` with numbers as the names of its sizes; null if it has none.
    mlir::OwningOpRef<FuncOp> numbered;

    mlir::FunctionOpInterface getForm() { return numbered ? *numbered : func; }
  };
  /// Functions that were added under one name and numbers.
  struct Names {
    llvm::DenseMap<size_t, std::vector<Known>> byBody;
    unsigned count = 0;
  };

  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::StringAttr, Names> namesOf;
  int64_t numAdded = 0;
};

/// Replaces `op` by a call of the prim_func that `build` makes of it. Returns
/// null, and leaves `op`, if `build` fails or a type does not say all.
CallTIROp
replaceByKernel(mlir::Operation *op, UniqueFunctions &functions,
                llvm::function_ref<llvm::LogicalResult(KernelBuilder &)> build);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_UNIQUEFUNCTIONS_H
