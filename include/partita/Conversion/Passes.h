//===- Passes.h - Passes that lower to other dialects -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated from Passes.td: for each pass a free function,
// `partita::conversion::NAME()`, that makes the Pass.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_CONVERSION_PASSES_H
#define PARTITA_CONVERSION_PASSES_H

#include "partita/Pass/PassRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace partita::conversion {

#define GEN_PASS_DECL
#include "partita/Conversion/Passes.h.inc"

#include "partita/Conversion/PassInfos.h.inc"

} // namespace partita::conversion

#endif // PARTITA_CONVERSION_PASSES_H
