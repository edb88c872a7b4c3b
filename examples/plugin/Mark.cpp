//===- Mark.cpp - A pass for Sequentials in a stock mlir-opt --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt loads libPartitaPlugin.so first, then this:
//   --load-pass-plugin=libPartitaPlugin.so --load-pass-plugin=libMark.so
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace partita;

namespace {
/// Marks functions that return nothing.
struct MarkVoid
    : mlir::PassWrapper<MarkVoid, mlir::OperationPass<mlir::func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkVoid)
  llvm::StringRef getArgument() const override { return "mark-void"; }
  llvm::StringRef getDescription() const override {
    return "Mark functions that return nothing";
  }
  void runOnOperation() override {
    if (getOperation().getNumResults() == 0)
      getOperation()->setAttr("mark.void", mlir::UnitAttr::get(&getContext()));
  }
};
} // namespace

static void registerPasses() {
  mlir::PassRegistration<MarkVoid>();
  // Names and requirements, as in any other tool.
  transform::registerPassInfo("canonicalize", {"Canonicalize", 1, {}});
  transform::registerPassInfo("mark-void", {"MarkVoid", 2, {"Canonicalize"}});
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mark", "0.1", registerPasses};
}
