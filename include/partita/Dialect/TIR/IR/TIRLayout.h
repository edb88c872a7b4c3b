//===- TIRLayout.h - Layouts of buffers -------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIRLAYOUT_H
#define PARTITA_DIALECT_TIR_IR_TIRLAYOUT_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::tir {

/// Whether a buffer with this layout, which may be null, has its elements in
/// row-major order, without gaps. Most buffers in TVM have such a layout.
bool isRowMajor(mlir::Attribute layout);

} // namespace partita::tir

#endif // PARTITA_DIALECT_TIR_IR_TIRLAYOUT_H
