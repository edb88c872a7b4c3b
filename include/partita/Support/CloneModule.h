//===- CloneModule.h - Copies of modules ------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_CLONEMODULE_H
#define PARTITA_SUPPORT_CLONEMODULE_H

#include "mlir/IR/OwningOpRef.h"

namespace partita {

/// The same as `op->clone()`, but takes less than a third of the time for a
/// module of many functions. Functions share no values, so they are copied in
/// parallel, on the threads of the context.
mlir::OwningOpRef<mlir::Operation *> cloneModule(mlir::Operation *op);

/// Gives `op` the attributes, the location and the regions of `source`, an op
/// of the same name, which loses its regions.
void replaceContents(mlir::Operation *op, mlir::Operation *source);

} // namespace partita

#endif // PARTITA_SUPPORT_CLONEMODULE_H
