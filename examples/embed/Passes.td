//===- Passes.td - The example's own pass ------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBED_PASSES
#define EMBED_PASSES

include "partita/Pass/PassBase.td"

def CountOps : PartitaPass<"embed-count-ops", "::mlir::func::FuncOp",
                           "embed.transform", "CountOps", /*level=*/0> {
  let summary = "Note on each function how many ops it has";
}

#endif // EMBED_PASSES
