//===- TIRDialect.h - The tir dialect ---------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIRDIALECT_H
#define PARTITA_DIALECT_TIR_IR_TIRDIALECT_H

#include "mlir/IR/Dialect.h"

#include "partita/Dialect/TIR/IR/TIRDialect.h.inc"

#endif // PARTITA_DIALECT_TIR_IR_TIRDIALECT_H
