//===- Resume.cpp - Runs that go on after a checkpoint --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resume.h"
#include "partita/Instrument/Checkpoint.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace partita;

/// Parses `buffer` as the tool does. `resources` gets those that belong to no
/// dialect.
static OwningOpRef<Operation *> parse(const MlirOptMainConfig &config,
                                      llvm::MemoryBufferRef buffer,
                                      MLIRContext &context,
                                      FallbackAsmResourceMap &resources) {
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(buffer),
                              llvm::SMLoc());
  return parseSourceFileForTool(
      sources,
      ParserConfig(&context, config.shouldVerifyOnParsing(), &resources),
      !config.shouldUseExplicitModule());
}

llvm::Error partita::makeCheckpointError(StringRef path) {
  return llvm::createStringError("expected '" + path +
                                 "' to be a module that this version reads; "
                                 "delete it to resume earlier");
}

/// Adds `resources` to a checkpoint: a module, and so a checkpoint, does not
/// hold the resources of its file.
static llvm::Error addResources(const MlirOptMainConfig &config,
                                const DialectRegistry &registry,
                                FallbackAsmResourceMap &resources,
                                std::unique_ptr<llvm::MemoryBuffer> &file) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  FallbackAsmResourceMap none;
  OwningOpRef<Operation *> module =
      parse(config, file->getMemBufferRef(), context, none);
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (!module ||
      failed(writeBytecodeToFile(*module, os, BytecodeWriterConfig(resources))))
    return makeCheckpointError(file->getBufferIdentifier());
  file = llvm::MemoryBuffer::getMemBufferCopy(bytecode,
                                              file->getBufferIdentifier());
  return llvm::Error::success();
}

/// The rest of the plan after the last checkpoint in `dir`, which replaces the
/// input. Null if there is nothing to resume.
static llvm::Expected<ResumableScope::PlanRef>
resume(const MlirOptMainConfig &config, StringRef dir,
       const transform::PassContext &passContext,
       const DialectRegistry &registry,
       std::unique_ptr<llvm::MemoryBuffer> &input,
       ResumableScope::GetPlan getPlan) {
  // Steps that are left out emit no diagnostics to verify.
  if (dir.empty() || config.shouldVerifyDiagnostics())
    return nullptr;
  if (!config.inputSplitMarker().empty() || config.shouldRunReproducer())
    return llvm::createStringError(
        "expected one module to resume, but found --split-input-file or "
        "--run-reproducer");

  ResumableScope::PlanRef plan;
  FallbackAsmResourceMap resources;
  auto getRun = [&]() -> llvm::Expected<instrument::CheckpointedRun> {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    OwningOpRef<Operation *> module =
        parse(config, input->getMemBufferRef(), context, resources);
    if (!module)
      return llvm::createStringError("expected an input that can be parsed, to "
                                     "compare it with the input of "
                                     "the checkpoints in '" +
                                     dir + "'");
    auto made = getPlan(&context, module->getName().getStringRef());
    if (!made)
      return made.takeError();
    plan = *made;
    return instrument::CheckpointedRun::get(*plan, passContext, *module);
  };
  llvm::Expected<std::optional<instrument::CheckpointFile>> checkpoint =
      instrument::findCheckpoint(dir, getRun);
  if (!checkpoint)
    return checkpoint.takeError();
  if (!*checkpoint)
    return nullptr;
  std::string message;
  input = openInputFile((*checkpoint)->path, &message);
  if (!input)
    return llvm::createStringError(message);
  if (!resources.getPrinters().empty())
    if (llvm::Error error = addResources(config, registry, resources, input))
      return std::move(error);
  return plan->resumeAfter((*checkpoint)->step);
}

llvm::Error ResumableScope::enter(const MlirOptMainConfig &config,
                                  StringRef dir,
                                  const transform::PassContext &passContext,
                                  const DialectRegistry &registry,
                                  std::unique_ptr<llvm::MemoryBuffer> &input,
                                  GetPlan getPlan) {
  auto found = resume(config, dir, passContext, registry, input, getPlan);
  if (!found)
    return found.takeError();
  resumed = *found;
  if (resumed)
    checkpoint = input->getBufferIdentifier().str();
  auto entered = transform::PassContextScope::enter(passContext);
  if (!entered)
    return entered.takeError();
  scope.emplace(std::move(*entered));
  return llvm::Error::success();
}
