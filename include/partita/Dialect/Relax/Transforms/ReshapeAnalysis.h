//===- ReshapeAnalysis.h - Find prim_funcs that reshape ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_RESHAPEANALYSIS_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_RESHAPEANALYSIS_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {

/// The parameter whose elements `func` copies, in row-major order, to its last
/// one, if that is all that `func` does. Sizes of buffers may differ.
std::optional<unsigned> findReshaped(tir::PrimFuncOp func);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_RESHAPEANALYSIS_H
