//===- BindingCanonicalizer.h - Drop what only passes on --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrite of CanonicalizeBindings, for passes that end with it in TVM.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_BINDINGCANONICALIZER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_BINDINGCANONICALIZER_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace partita::relax {

/// Bindings and outputs of dataflow blocks that only pass a value on, and
/// whether the function is another one, if only in the order of its ops.
struct NumDropped {
  int64_t bindings = 0, outputs = 0;
  bool hasChanged = false;
};

/// The patterns that canonicalizeBindings takes, which a pass makes once.
mlir::FrozenRewritePatternSet getBindingPatterns(mlir::MLIRContext *context);

/// Drops bindings and outputs that only pass a value on, after replacing names
/// of dimensions that are known by another name or size. If there were any,
/// types become as specific as operands let them be. Fails if a name would
/// stand for two sizes.
mlir::FailureOr<NumDropped>
canonicalizeBindings(FuncOp func,
                     const mlir::FrozenRewritePatternSet &patterns);

/// What TVM does after it has applied rules to a function: drops bindings that
/// only pass a value on, and equal and unused values. Fails as
/// canonicalizeBindings does.
llvm::LogicalResult
cleanUpBindings(FuncOp func, const mlir::FrozenRewritePatternSet &patterns);

/// Whether variables are bound outside of dataflow blocks. TVM's rewriter
/// cleans up what it visits there, whether it finds something or not.
bool hasPlainBindings(FuncOp func);

/// A pass that calls canonicalizeBindings, over its generated class `Base`.
template <typename Base>
class BindingPass : public Base {
public:
  using Base::Base;

  llvm::LogicalResult initialize(mlir::MLIRContext *context) override {
    patterns = getBindingPatterns(context);
    return mlir::success();
  }

protected:
  mlir::FrozenRewritePatternSet patterns;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_BINDINGCANONICALIZER_H
