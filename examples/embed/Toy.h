//===- Toy.h - A compiler that does not know Partita ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect, a pass, and a pipeline, as a compiler without Partita has them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBED_TOY_H
#define EMBED_TOY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "ToyDialect.h.inc"

#define GET_OP_CLASSES
#include "Toy.h.inc"

namespace toy {

/// Turns `toy.twice` into an addition. It is registered nowhere, and has no
/// argument.
struct ExpandTwice
    : mlir::PassWrapper<ExpandTwice, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandTwice)
  void getDependentDialects(mlir::DialectRegistry &registry) const override;
  void runOnOperation() override;
};

/// Adds the passes of the compiler.
void buildPipeline(mlir::OpPassManager &pm);

/// Adds the dialects of the compiler.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace toy

#endif // EMBED_TOY_H
