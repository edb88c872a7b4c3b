//===- PartitaOps.h - partita.module ----------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITAOPS_H
#define PARTITA_DIALECT_PARTITA_IR_PARTITAOPS_H

#include "partita/Dialect/Partita/IR/PartitaAttrs.h"
#include "partita/Dialect/Partita/IR/PartitaDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

#define GET_OP_CLASSES
#include "partita/Dialect/Partita/IR/PartitaOps.h.inc"

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITAOPS_H
