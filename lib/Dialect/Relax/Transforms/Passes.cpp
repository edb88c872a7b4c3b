//===- Passes.cpp - Registration of the relax passes ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax::transform {
#include "partita/Dialect/Relax/Transforms/PassInfos.cpp.inc"
} // namespace partita::relax::transform
