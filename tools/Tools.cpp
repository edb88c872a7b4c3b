//===- Tools.cpp - The tools, with all of MLIR ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"
#include "partita/Conversion/Passes.h"
#include "partita/InitAll.h"
#include "partita/Target/LLVMIR/LowerToLLVMIR.h"
#include "partita/Target/TVMJson/TVMJson.h"
#include "partita/Tools/CommandLine.h"
#include "partita/Tools/PartitaBisectMain.h"
#include "partita/Tools/PartitaOptMain.h"
#include "partita/Tools/PartitaTranslateMain.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

int partitaRunBisect(int argc, char **argv) {
  return partita::partitaBisectMain(argc, argv);
}

static void addAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  partita::registerAllDialects(registry);
}

static void registerPasses() {
  mlir::registerAllPasses();
  partita::registerAllPasses();
  partita::conversion::registerConversionPasses();
}

int partitaRunLspServer(int argc, char **argv) {
  mlir::DialectRegistry registry;
  addAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}

int partitaRunOpt(int argc, char **argv) {
  mlir::DialectRegistry registry;
  addAllDialects(registry);
  registerPasses();
  // Needed by gpu-module-to-binary, if there are targets; mlir-opt does the
  // same.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  return partita::partitaOptMain(argc, argv, "Partita optimizer driver\n",
                                 registry);
}

int partitaRunTranslate(int argc, char **argv) {
  return partita::partitaTranslateMain(argc, argv,
                                       mlir::registerAllTranslations);
}

int partitaRunLowering(const char *module, size_t size, const char *name,
                       unsigned optLevel,
                       void (*take)(const char *code, size_t size, void *data),
                       void *data) {
  mlir::DialectRegistry registry;
  addAllDialects(registry);
  partita::registerLoweringInterfaces(registry);
  partita::registerAllPasses();
  partita::registerLoweringPasses();
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  llvm::StringRef text(module, size);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                             llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);

  mlir::OwningOpRef<mlir::Operation *> op;
  if (partita::isJSON(text))
    op = partita::importTVMJson(text, name, &context).release().getOperation();
  else
    op = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context)
             .release()
             .getOperation();
  if (!op)
    return EXIT_FAILURE;
  partita::transform::PassContextOptions options;
  options.optLevel = optLevel;
  llvm::Expected<partita::transform::PassContext> passContext =
      partita::transform::PassContext::create(std::move(options));
  if (!passContext) {
    llvm::WithColor::error(llvm::errs())
        << llvm::toString(passContext.takeError()) << "\n";
    return EXIT_FAILURE;
  }
  auto pipeline = partita::transform::getRegisteredPass(
      "default-O" + std::to_string(optLevel));
  if (failed(pipeline.run(*op, *passContext)))
    return EXIT_FAILURE;
  mlir::FailureOr<std::string> code = partita::lowerToLLVMIR(*op, *passContext);
  if (failed(code))
    return EXIT_FAILURE;
  take(code->data(), code->size(), data);
  return EXIT_SUCCESS;
}
