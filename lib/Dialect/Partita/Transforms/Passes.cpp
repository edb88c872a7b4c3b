//===- Passes.cpp - Registration of the partita passes --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Partita/Transforms/Passes.h"

namespace partita::transform {
#include "partita/Dialect/Partita/Transforms/PassInfos.cpp.inc"
} // namespace partita::transform
