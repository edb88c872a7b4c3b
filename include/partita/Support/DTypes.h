//===- DTypes.h - Dtypes of MLIR's types ------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_DTYPES_H
#define PARTITA_SUPPORT_DTYPES_H

#include "partita/NumPy/DType.h"

#include "mlir/IR/Types.h"

namespace partita {

/// The dtype of elements of `type`: float8_e4m3fn of f8E4M3FN. One without bits
/// if code cannot compute with these, or if `type` is null.
DType getDType(mlir::Type type);

} // namespace partita

#endif // PARTITA_SUPPORT_DTYPES_H
