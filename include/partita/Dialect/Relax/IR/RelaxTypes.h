//===- RelaxTypes.h - Types beside builtin tensors --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXTYPES_H
#define PARTITA_DIALECT_RELAX_IR_RELAXTYPES_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/Relax/IR/RelaxTypes.h.inc"

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTYPES_H
