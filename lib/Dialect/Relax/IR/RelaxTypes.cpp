//===- RelaxTypes.cpp - Types beside builtin tensors ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxTypes.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::relax;

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/Relax/IR/RelaxTypes.cpp.inc"

LogicalResult ShapeType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Dim> dims) {
  return verifyDims(emitError, dims);
}

void RelaxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "partita/Dialect/Relax/IR/RelaxTypes.cpp.inc"
      >();
}
