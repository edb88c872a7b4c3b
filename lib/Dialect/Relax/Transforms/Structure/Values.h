//===- Values.h - Values and types of functions -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VALUES_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VALUES_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

namespace partita::relax {

/// The name of the variable that `parameter` is in TVM.
std::string getParameterName(mlir::BlockArgument parameter);

/// Whether `op` is a part of the expression that uses it in TVM, and no
/// binding.
bool isPartOfUser(mlir::Operation *op);

/// `type` without the dimensions of tensors and shapes that have names for
/// which `isKnown` does not hold.
mlir::Type forgetNames(mlir::Type type,
                       llvm::function_ref<bool(mlir::StringAttr)> isKnown);

/// Calls `visit` with all names in the dimensions of `type`, also with names in
/// expressions.
void forEachNameIn(mlir::Type type,
                   llvm::function_ref<void(mlir::StringAttr)> visit);
/// The same for the types of the results, and for what the attributes say.
void forEachNameIn(mlir::Operation *op,
                   llvm::function_ref<void(mlir::StringAttr)> visit);

/// Lets `func` return values of `types`. Values of other types are cast.
void setResultTypes(FuncOp func, mlir::TypeRange types);

/// Erases the op of `value`, if that is no binding in TVM and nothing uses it,
/// and what only it has used.
void eraseUnusedPart(mlir::Value value);

/// The size that `number` is, if that is known.
Dim getSizeOf(mlir::Value number);

/// The names of sizes that parameter `index` of `func` introduces.
llvm::SmallVector<mlir::StringAttr> getNamesOfParameter(FuncOp func,
                                                        unsigned index);

/// The sizes that `names` of `callee` are when it is called with `operands`.
llvm::SmallVector<Dim> getSizesOfNames(FuncOp callee, mlir::ValueRange operands,
                                       llvm::ArrayRef<mlir::StringAttr> names);

/// The `num_input` of `func`, or `otherwise`. Fails after a diagnostic if there
/// are fewer parameters.
mlir::FailureOr<unsigned> getNumInput(FuncOp func, unsigned otherwise);
/// Sets the `num_input` of `func`.
void setNumInput(FuncOp func, unsigned numInput);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_VALUES_H
