//===- LayoutInterfaces.h - Layouts and precision of ops --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES_H

#include "partita/Dialect/Relax/Transforms/Layout.h"

#include "mlir/IR/OpDefinition.h"

#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h.inc"

namespace partita::relax {

/// Adds the layouts of the ops of the relax dialect to `registry`.
void registerLayoutModels(mlir::DialectRegistry &registry);

/// Adds to `registry` which ops of the relax dialect compute in 16 bits.
void registerPrecisionModels(mlir::DialectRegistry &registry);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTINTERFACES_H
