//===- PartitaAttrs.h - PassInfo and PassContext as attributes --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS_H
#define PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS_H

#include "mlir/IR/BuiltinAttributes.h"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Partita/IR/PartitaAttrs.h.inc"

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS_H
