//===- PartitaDialect.cpp - The partita dialect ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"

#include "partita/Dialect/Partita/IR/PartitaDialect.cpp.inc"

using namespace partita;

void PartitaDialect::initialize() {
  registerAttributes();
  registerBytecode();
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Partita/IR/PartitaOps.cpp.inc"
      >();
}
