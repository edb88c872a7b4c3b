//===- PartitaDialect.h - The partita dialect -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT_H
#define PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT_H

#include "mlir/IR/Dialect.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.h.inc"

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT_H
