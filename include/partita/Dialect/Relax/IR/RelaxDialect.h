//===- RelaxDialect.h - The relax dialect -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXDIALECT_H
#define PARTITA_DIALECT_RELAX_IR_RELAXDIALECT_H

#include "mlir/IR/Dialect.h"

#include <memory>

namespace partita::relax {
class TensorNames;
} // namespace partita::relax

#include "partita/Dialect/Relax/IR/RelaxDialect.h.inc"

#endif // PARTITA_DIALECT_RELAX_IR_RELAXDIALECT_H
