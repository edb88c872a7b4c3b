//===- LegalizeOpInterface.h - How ops are lowered --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE_H

#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

#include "mlir/IR/OpDefinition.h"

#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h.inc"

namespace partita::relax {

/// Adds the lowering of the ops of the relax dialect to `registry`, and the
/// dialects that it makes ops of.
void registerLegalizeModels(mlir::DialectRegistry &registry);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LEGALIZEOPINTERFACE_H
