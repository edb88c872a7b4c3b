//===- RemovePad.h - The prim_func that drops padding -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_REMOVEPAD_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_REMOVEPAD_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {

/// Makes the private prim_func remove_pad, outside of modules. It copies the
/// first elements of each dimension of a tensor: as many as the result has. All
/// sizes are dynamic.
tir::PrimFuncOp createRemovePad(mlir::OpBuilder &builder, mlir::Location loc,
                                int64_t rank, mlir::Type elementType);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LAYOUT_REMOVEPAD_H
