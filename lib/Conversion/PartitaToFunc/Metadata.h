//===- Metadata.h - What a caller has to know of functions ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/Support/JSON.h"

namespace partita {

/// Describes a type: its kind, dtype and sizes. Nothing if a type has no such
/// description.
std::optional<llvm::json::Object> describeType(mlir::Type type);
/// Describes a string that is known.
llvm::json::Object describeString(llvm::StringRef text);
/// Describes a dtype that is known, as TVM's name of it.
llvm::json::Object describeDType(mlir::Type type);

/// Whether a caller can call `func`: it is public, and its parameters are
/// numbers and buffers whose elements can lie one after the other.
bool isEntry(tir::PrimFuncOp func);

/// Adds the constant `partita_metadata` to a module: JSON that describes the
/// parameters and results of functions, of those that `closures` call, and of
/// packed functions by the symbols that the code calls. Fails with an error on
/// a function whose types have no description.
llvm::LogicalResult
addMetadata(mlir::OpBuilder &builder,
            llvm::ArrayRef<mlir::FunctionOpInterface> functions,
            llvm::ArrayRef<mlir::FunctionOpInterface> closures,
            llvm::json::Object packed);

/// The name of a parameter in TVM, which its location holds, or its position.
std::string getParameterName(mlir::BlockArgument parameter);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H
