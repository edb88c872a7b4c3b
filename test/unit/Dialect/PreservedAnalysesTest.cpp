//===- PreservedAnalysesTest.cpp - What passes say that they keep ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR verifies an op after a pass unless the pass preserves all analyses. So
// a pass that preserves all must have left the op as it was. MLIR checks this
// in builds with expensive checks alone.
//
//===----------------------------------------------------------------------===//

#include "Pass/PassAccess.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/InitAll.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/OpHash.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace partita;
using transform::PassAccess;

namespace {
/// Compares ops before and after passes, on one thread.
struct Comparison : PassInstrumentation {
  explicit Comparison(std::vector<std::string> &wrong) : wrong(wrong) {}

  void runBeforePass(Pass *, Operation *op) override {
    before.push_back(OpHashes().get(op));
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    OpHash old = before.pop_back_val();
    if (!transform::isAdaptor(*pass) &&
        PassAccess::getState(*pass).preservedAnalyses.isAll() &&
        OpHashes().get(op) != old)
      wrong.push_back(pass->getName().str());
  }
  void runAfterPassFailed(Pass *, Operation *) override { before.pop_back(); }

  SmallVector<OpHash> before;
  std::vector<std::string> &wrong;
};

/// A pass that is found.
struct Lie : PassWrapper<Lie, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Lie)
  StringRef getName() const override { return "Lie"; }
  void runOnOperation() override {
    getOperation()->setAttr("lie", UnitAttr::get(&getContext()));
    markAllAnalysesPreserved();
  }
};

class PreservedAnalysesTest : public testing::Test {
protected:
  PreservedAnalysesTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllPasses();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The passes of Relax and TIR that run without options, as pipelines.
  static std::vector<std::string> getPipelines() {
    std::vector<std::string> pipelines;
    for (const auto &declaration : transform::listPasses()) {
      StringRef argument = declaration->argument;
      if (declaration->members ||
          !(argument.starts_with("relax-") || argument.starts_with("tir-")))
        continue;
      StringRef op = transform::getRegisteredPass(argument).opName();
      pipelines.push_back(op == IRModuleOp::getOperationName()
                              ? argument.str()
                              : (op + "(" + argument + ")").str());
    }
    return pipelines;
  }

  /// Runs each pass on a copy of each module in a test's file.
  void run(StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(buffer) << path.str();
    SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (StringRef part : parts) {
      ScopedDiagnosticHandler quiet(&context,
                                    [](Diagnostic &) { return success(); });
      ParserConfig config(&context);
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(part, config, path);
      if (!module)
        continue;
      for (const std::string &pipeline : getPipelines())
        run(*module, pipeline, path);
    }
  }

  static LogicalResult compare(PassManager &pm, ModuleOp module,
                               std::vector<std::string> &wrong) {
    pm.addInstrumentation(std::make_unique<Comparison>(wrong));
    return pm.run(module);
  }

  void run(ModuleOp module, StringRef argument, StringRef path) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager pm(&context, ModuleOp::getOperationName());
    // Not every pass can do without options.
    if (failed(
            parsePassPipeline(argument, pm.nest<IRModuleOp>(), llvm::nulls())))
      return;
    std::vector<std::string> wrong;
    numRuns += succeeded(compare(pm, *copy, wrong));
    EXPECT_TRUE(wrong.empty())
        << wrong.front() << " has changed what it preserves, in " << path.str();
  }

  MLIRContext context;
  int64_t numRuns = 0;
};

TEST_F(PreservedAnalysesTest, PassesTellTheTruth) {
  std::error_code error;
  for (const char *dialect : {"Relax", "TIR"})
    for (llvm::sys::fs::directory_iterator
             file(PARTITA_TEST_DIR + std::string("/Dialect/") + dialect +
                      "/Transforms",
                  error),
         end;
         file != end && !error; file.increment(error))
      if (StringRef(file->path()).ends_with(".mlir"))
        run(file->path());
  EXPECT_GT(numRuns, 1000);
}

TEST_F(PreservedAnalysesTest, ALieIsFound) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  PassManager pm(&context, ModuleOp::getOperationName());
  pm.addPass(std::make_unique<Lie>());
  std::vector<std::string> wrong;
  EXPECT_TRUE(succeeded(compare(pm, *module, wrong)));
  EXPECT_EQ(wrong, std::vector<std::string>{"Lie"});
}
} // namespace
