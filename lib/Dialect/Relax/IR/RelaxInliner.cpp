//===- RelaxInliner.cpp - How Relax functions are inlined -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace partita::relax;

void RelaxDialect::registerInliner() {}
