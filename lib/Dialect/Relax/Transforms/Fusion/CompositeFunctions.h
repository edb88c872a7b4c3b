//===- CompositeFunctions.h - Functions for external compilers --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function with the attribute `Composite` is what a pattern matched. One with
// the attribute `Codegen` goes to an external compiler, and has composite
// functions in it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_COMPOSITEFUNCTIONS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_COMPOSITEFUNCTIONS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/Builders.h"

namespace partita::relax {

constexpr llvm::StringLiteral primitiveAttrName = "Primitive";
constexpr llvm::StringLiteral compositeAttrName = "Composite";
constexpr llvm::StringLiteral codegenAttrName = "Codegen";

/// Whether FuseOpsByPattern or an importer made `func` of a match.
inline bool isComposite(FuncOp func) {
  return func->hasAttrOfType<mlir::StringAttr>(compositeAttrName);
}
inline bool hasCodegen(FuncOp func) {
  return func->hasAttrOfType<mlir::StringAttr>(codegenAttrName);
}

/// The compiler that the composite function `func` is for: its name up to the
/// first dot. Emits an error if there is no dot.
mlir::FailureOr<mlir::StringAttr> getCompiler(FuncOp func);

/// Makes a function in the function of the composite function `func`.
LocalFuncOp createLocalFunction(mlir::OpBuilder &builder, FuncOp func);

/// Calls `local`, a copy of a function whose call would give results of
/// `types`. Returns these.
llvm::SmallVector<mlir::Value> callLocalFunction(mlir::OpBuilder &builder,
                                                 LocalFuncOp local,
                                                 mlir::ValueRange operands,
                                                 mlir::TypeRange types);

/// Makes a function with the signature and the name of `func`, which is in no
/// module, and which has a copy of `func` in it and calls it.
FuncOp createWrapper(mlir::OpBuilder &builder, FuncOp func);

/// Makes `func` a public function for `compiler`, named for it.
void giveToCompiler(FuncOp func, mlir::StringAttr compiler);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_COMPOSITEFUNCTIONS_H
