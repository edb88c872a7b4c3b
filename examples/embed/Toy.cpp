//===- Toy.cpp - A compiler that does not know Partita --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

#include "ToyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Toy.cpp.inc"

void toy::ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Toy.cpp.inc"
      >();
}

void toy::ExpandTwice::getDependentDialects(DialectRegistry &registry) const {
  registry.insert<arith::ArithDialect>();
}

void toy::ExpandTwice::runOnOperation() {
  getOperation().walk([](TwiceOp op) {
    OpBuilder builder(op);
    Value sum =
        arith::AddIOp::create(builder, op.getLoc(), op.getX(), op.getX());
    op.getResult().replaceAllUsesWith(sum);
    op.erase();
  });
}

void toy::buildPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(std::make_unique<ExpandTwice>());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addPass(createSymbolDCEPass());
}

void toy::registerDialects(DialectRegistry &registry) {
  registry.insert<ToyDialect, arith::ArithDialect, func::FuncDialect>();
}
