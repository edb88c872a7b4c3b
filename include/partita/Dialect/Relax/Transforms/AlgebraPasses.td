//===- AlgebraPasses.td - Passes for algebra and training --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_ALGEBRAPASSES
