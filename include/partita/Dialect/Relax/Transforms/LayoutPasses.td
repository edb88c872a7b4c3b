//===- LayoutPasses.td - Passes for layouts and precision --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUTPASSES
