//===- Bind.h - Bind parameters and sizes of functions ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's Function.bind_params and Function.bind_symbolic_vars.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_BIND_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_BIND_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/MapVector.h"

namespace partita::relax {

/// A parameter's index, and its value: the elements of a relax.constant, the
/// number of a relax.prim_value or the #relax.shape of a relax.shape.
using ParamBinding = std::pair<unsigned, mlir::Attribute>;

/// Replaces parameters of `func`, which has a body, by constants, and with them
/// the names of dimensions that their types introduce. Fails after a diagnostic
/// if a value is not one of its parameter's type, or import has kept the body
/// as it is; `func` is then to be dropped.
mlir::LogicalResult bindParams(FuncOp func,
                               llvm::ArrayRef<ParamBinding> bindings);

/// Dimensions by their names: numbers, other names or expressions of them.
using DimMap = llvm::MapVector<mlir::StringAttr, Dim>;

/// Replaces names of dimensions in `func`, all at once. Fails after a
/// diagnostic if one is none that its parameters introduce, or import has kept
/// the body as it is.
mlir::LogicalResult bindSymbolicVars(FuncOp func, const DimMap &bindings);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_BIND_H
