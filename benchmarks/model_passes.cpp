//===- model_passes.cpp - How long passes take on models ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times passes by name on a model that TVM saved, or on a module of small
// functions, each with a dead binding and a common subexpression. Every run
// gets a fresh copy, after the passes that prepare it.
//
//===----------------------------------------------------------------------===//

#include "partita/InitAll.h"
#include "partita/Pass/Pass.h"
#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> inputFile(cl::Positional,
                                      cl::desc("[TVM's JSON, or a .mlir file]"),
                                      cl::init(""));
static cl::opt<unsigned>
    numFunctions("functions",
                 cl::desc("Make a module of this many functions, if no file is "
                          "given"),
                 cl::init(10000));
static cl::list<std::string>
    prepare("prepare", cl::CommaSeparated,
            cl::desc("Passes that run before, by any of their names"));
static cl::list<std::string> timed("pass", cl::CommaSeparated, cl::OneOrMore,
                                   cl::desc("The passes to time, each by "
                                            "itself, by any of their names"));
static cl::opt<unsigned> numRuns("runs", cl::desc("Runs per pass"),
                                 cl::init(21));
static cl::opt<bool> multithreading("multithreading",
                                    cl::desc("Run functions in parallel"),
                                    cl::init(true));
static cl::opt<bool> verifyPasses("verify", cl::desc("Verify after each pass"),
                                  cl::init(true));

/// A module of small functions.
static std::string createText() {
  std::string text = "partita.module @small {\n";
  llvm::raw_string_ostream os(text);
  for (unsigned index = 0; index < numFunctions; ++index)
    os << "  relax.func @f" << index
       << "(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
          "    %0 = relax.add %x, %x : tensor<4xf32>\n"
          "    %1 = relax.add %x, %x : tensor<4xf32>\n"
          "    %2 = relax.multiply %0, %1 : tensor<4xf32>\n"
          "    %3 = relax.subtract %x, %0 : tensor<4xf32>\n"
          "    relax.return %2 : tensor<4xf32>\n"
          "  }\n";
  os << "}\n";
  return text;
}

/// The module to time passes on, or null after a diagnostic.
static OwningOpRef<Operation *> load(MLIRContext *context) {
  if (inputFile.empty())
    return OwningOpRef<Operation *>(
        parseSourceString<partita::IRModuleOp>(createText(), context)
            .release());
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(inputFile, &message);
  if (!buffer) {
    llvm::errs() << message << "\n";
    return nullptr;
  }
  if (StringRef(inputFile).ends_with(".json"))
    return OwningOpRef<Operation *>(
        partita::importTVMJson(buffer->getBuffer(), inputFile, context)
            .release());
  return OwningOpRef<Operation *>(
      parseSourceString<partita::IRModuleOp>(buffer->getBuffer(), context)
          .release());
}

static bool findPasses(ArrayRef<std::string> names,
                       std::vector<partita::transform::Pass> &passes) {
  for (const std::string &name : names) {
    llvm::Expected<partita::transform::Pass> pass =
        partita::transform::getPass(name);
    if (!pass) {
      llvm::errs() << llvm::toString(pass.takeError()) << "\n";
      return false;
    }
    passes.push_back(*pass);
  }
  return true;
}

static unsigned countOps(Operation *module) {
  unsigned count = 0;
  module->walk([&](Operation *) { ++count; });
  return count;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Times passes on copies of a module\n");
  partita::registerAllPasses();
  DialectRegistry registry;
  partita::registerAllDialects(registry);
  MLIRContext context(registry, multithreading
                                    ? MLIRContext::Threading::ENABLED
                                    : MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<partita::transform::Pass> before, passes;
  if (!findPasses(prepare, before) || !findPasses(timed, passes))
    return 1;
  OwningOpRef<Operation *> module = load(&context);
  if (!module)
    return 1;
  for (const partita::transform::Pass &pass : before)
    if (failed(pass.run(*module)))
      return 1;

  partita::transform::RunOptions options;
  options.verify = verifyPasses;
  partita::transform::PassContext passContext;
  for (const partita::transform::Pass &pass : passes) {
    std::vector<double> times;
    unsigned opsAfter = 0;
    // The first run makes and initializes the passes; later runs reuse them.
    for (unsigned round = 0; round < numRuns + 1; ++round) {
      OwningOpRef<Operation *> copy((*module)->clone());
      auto start = std::chrono::steady_clock::now();
      if (failed(pass.run(*copy, passContext, options)))
        return 1;
      std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      if (round > 0)
        times.push_back(time.count());
      else
        opsAfter = countOps(*copy);
    }
    llvm::sort(times);
    llvm::outs() << pass.info().name << ": "
                 << llvm::format("%.3f", times[times.size() / 2])
                 << " ms median, " << llvm::format("%.3f", times.front())
                 << " ms least, of " << times.size() << " runs; ops "
                 << countOps(*module) << " -> " << opsAfter << "\n";
  }
  return 0;
}
