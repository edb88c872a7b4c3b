//===- Passes.h - Passes of the tir dialect ---------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated from Passes.td: for each pass a free function under TVM's name,
// `partita::tir::transform::NAME()`, that makes the Pass.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_TRANSFORMS_PASSES_H
#define PARTITA_DIALECT_TIR_TRANSFORMS_PASSES_H

#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/Pass.h"

namespace partita::tir {

#define GEN_PASS_DECL
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"

namespace transform {
#include "partita/Dialect/TIR/Transforms/PassInfos.h.inc"
} // namespace transform

} // namespace partita::tir

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_PASSES_H
