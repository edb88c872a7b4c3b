//===- Passes.cpp - Registration of the tir passes ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/Transforms/Passes.h"

namespace partita::tir::transform {
#include "partita/Dialect/TIR/Transforms/PassInfos.cpp.inc"
} // namespace partita::tir::transform
