//===- ToNonDataflow.cpp - Dissolve dataflow blocks -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_TONONDATAFLOW
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct ToNonDataflow : relax::impl::ToNonDataflowBase<ToNonDataflow> {
  void runOnOperation() override {
    int64_t count = dissolveBlocks(getOperation());
    if (count == 0)
      markAllAnalysesPreserved();
    numBlocks += count;
  }
};
} // namespace
