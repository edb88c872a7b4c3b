//===- MemRefCopyToLinalg.cpp - Copy strided memrefs by loops -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace partita::conversion {
#define GEN_PASS_DEF_CONVERTMEMREFCOPYTOLINALG
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ConvertMemRefCopyToLinalg
    : conversion::impl::ConvertMemRefCopyToLinalgBase<
          ConvertMemRefCopyToLinalg> {
  void runOnOperation() override;
};
} // namespace

static bool isStrided(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && !type.getLayout().isIdentity();
}

void ConvertMemRefCopyToLinalg::runOnOperation() {
  getOperation()->walk([](memref::CopyOp op) {
    if (!isStrided(op.getSource()) && !isStrided(op.getTarget()))
      return;
    OpBuilder builder(op);
    linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                             op.getTarget());
    op.erase();
  });
}
