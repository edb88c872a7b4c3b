//===- TIREvaluation.h - Which ops are part of one statement ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In MLIR a load is an op at a place, in TVM it is part of the expression of a
// statement. The two are the same if nothing else of consequence happens
// between the op and the statement.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TIREVALUATION_H
#define PARTITA_LIB_TARGET_TVMJSON_TIREVALUATION_H

#include "mlir/IR/Operation.h"

namespace partita::tvmjson {

/// Whether `op` says something of the op that it is in, or of a variable.
bool isDeclaration(mlir::Operation *op);

/// Whether `op` computes a value, as an expression of TVM's does.
bool isExpression(mlir::Operation *op);

/// Whether `op`, an expression that is not free of effects, can be evaluated as
/// part of the one statement that uses it.
bool isPartOfStatement(mlir::Operation *op);

/// Whether `func`, a PrimFunc, writes only to buffers that it allocates, and
/// makes only calls that at most read. TVM takes calls of such a function for
/// pure.
bool isPureFunction(mlir::Operation *func);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TIREVALUATION_H
