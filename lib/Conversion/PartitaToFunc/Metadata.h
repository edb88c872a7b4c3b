//===- Metadata.h - What a caller has to know of functions ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita {

/// Adds the constant `partita_metadata` to a module: JSON that says the kinds,
/// dtypes and sizes of the parameters and results of functions. Fails with an
/// error on a function whose types have no such description.
llvm::LogicalResult addMetadata(mlir::OpBuilder &builder,
                                llvm::ArrayRef<relax::FuncOp> functions);

/// The name of a parameter in TVM, which its location holds, or its position.
std::string getParameterName(mlir::BlockArgument parameter);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_METADATA_H
