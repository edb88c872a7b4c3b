//===- BundleModelParams.h - Pass weights as one tuple ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_BUNDLEMODELPARAMS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_BUNDLEMODELPARAMS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// Makes the parameters of `func` from `first` on fields of one parameter,
/// which are taken where they are used.
void bundleModelParams(FuncOp func, unsigned first, llvm::StringRef name);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_BUNDLEMODELPARAMS_H
