//===- main.cpp - A compiler that embeds Partita --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// embed LEVEL FILE: runs three passes of MLIR and one of its own on a file of
// func and arith, under an opt_level. Prints the module; on stderr it prints
// which passes ran, why, and for how long. It knows none of Partita's dialects.
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Pass.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"

using namespace partita::transform;

namespace embed {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_COUNTOPS
#include "Passes.h.inc"

namespace {
struct CountOps : impl::CountOpsBase<CountOps> {
  void runOnOperation() override {
    int64_t count = 0;
    getOperation().getBody().walk([&](mlir::Operation *) { ++count; });
    getOperation()->setAttr(
        "embed.ops", mlir::Builder(&getContext()).getI64IntegerAttr(count));
  }
};
} // namespace

namespace transform {
#include "PassInfos.h.inc"

#include "PassInfos.cpp.inc"
} // namespace transform
} // namespace embed

namespace {

Pass createPipeline() {
  // The passes of Passes.td have their opt_level there; MLIR's passes get it
  // here. A required pass is found by its name, so it is registered with MLIR.
  embed::transform::registerEmbedPasses();
  mlir::registerCanonicalizerPass();
  registerPassInfo("canonicalize", {"Canonicalize", 1, {}});
  registerPassInfo("cse", {"CommonSubexpr", 2, {}});
  registerPassInfo("inline", {"Inline", 3, {"Canonicalize"}});
  return Sequential(
      {createPass("inline", [] { return mlir::createInlinerPass(); }),
       createPass("cse", [] { return mlir::createCSEPass(); }),
       createPass("canonicalize",
                  [] { return mlir::createCanonicalizerPass(); }),
       embed::transform::CountOps()},
      {"EmbedPipeline", 0, {}});
}

int fail(llvm::Error error) {
  llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "error: ");
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  PassContextOptions options;
  if (argc != 3 ||
      llvm::StringRef(argv[1]).getAsInteger(10, options.optLevel)) {
    llvm::errs() << "usage: embed LEVEL FILE\n";
    return 1;
  }
  partita::instrument::PassTimingInstrumentOptions timingOptions;
  timingOptions.print = false; // `render` gives the report.
  auto timing = partita::instrument::createPassTimingInstrument(timingOptions);
  options.instruments = {timing};
  llvm::Expected<PassContext> passContext = PassContext::create(options);
  if (!passContext)
    return fail(passContext.takeError());

  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  mlir::func::registerInlinerExtension(registry);
  mlir::MLIRContext context(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(argv[2], &context);
  if (!module)
    return 1;

  Pass pipeline = createPipeline();
  auto plan = Plan::get(pipeline, *passContext);
  if (!plan)
    return fail(plan.takeError());
  (*plan)->print(llvm::errs());

  llvm::Expected<PassContextScope> scope =
      PassContextScope::enter(*passContext);
  if (!scope)
    return fail(scope.takeError());
  if (mlir::failed(pipeline.run(*module)))
    return 1;
  llvm::errs() << timing->render();
  if (llvm::Error error = scope->exit())
    return fail(std::move(error));

  module->print(llvm::outs());
  return 0;
}
