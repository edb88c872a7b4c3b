//===- Passes.cpp - Registration of the passes that lower -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

namespace partita::conversion {
#include "partita/Conversion/PassInfos.cpp.inc"
} // namespace partita::conversion
