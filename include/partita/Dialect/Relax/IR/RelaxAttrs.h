//===- RelaxAttrs.h - Shapes and tensors ------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXATTRS_H
#define PARTITA_DIALECT_RELAX_IR_RELAXATTRS_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Relax/IR/RelaxAttrs.h.inc"

#endif // PARTITA_DIALECT_RELAX_IR_RELAXATTRS_H
