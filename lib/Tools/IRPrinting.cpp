//===- IRPrinting.cpp - MLIR's printing of IR around passes ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IRPrinting.h"
#include "Pass/HelperPass.h"
#include "Pass/PlanRunnerPass.h"
#include "Pass/Saving/SavingPass.h"
#include "Reproducer.h"
#include "partita/Support/OutputFile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace partita;

static bool hasFlag(StringRef name) {
  llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
  return option && option->getNumOccurrences();
}

/// Whether flags of MLIR's show the module between passes.
static bool isAsked() {
  return llvm::any_of(
      ArrayRef<StringRef>{"mlir-print-ir-before", "mlir-print-ir-after",
                          "mlir-print-ir-before-all", "mlir-print-ir-after-all",
                          "mlir-print-ir-after-failure",
                          "mlir-pass-pipeline-local-reproducer"},
      hasFlag);
}

PolicyTexts IRPrinting::saveLess(PolicyTexts texts, bool showsHelpers) {
  // Passes that are skipped count nothing, and on functions some count anew.
  bool isCounting = hasFlag("mlir-pass-statistics");
  bool showsAll = isCounting || (showsHelpers && isAsked());
  std::vector<std::string> &config = texts.passConfig;
  // Functions from the cache have their results before the passes run.
  if (isCounting || isAsked())
    config.push_back("partita.pass_cache=\"\"");
  // MLIR would show a pass on the root, and in its place, where it is named.
  if (showsAll || hasFlag("mlir-print-ir-before") ||
      hasFlag("mlir-print-ir-after"))
    config.push_back("partita.nest_in_functions=false");
  if (showsAll)
    config.push_back("partita.skip_unchanged=false");
  if (showsAll && showsHelpers)
    for (std::string &text : config)
      if (auto [key, value] = StringRef(text).split('=');
          key.trim() == "partita.verify" && value.trim() == "\"changed\"")
        text = "partita.verify=\"each\"";
  return texts;
}

IRPrinting::IRPrinting()
    : beforeAll(getFlag<bool>("mlir-print-ir-before-all")),
      afterAll(getFlag<bool>("mlir-print-ir-after-all")),
      afterFailure(getFlag<bool>("mlir-print-ir-after-failure")),
      atModuleScope(getFlag<bool>("mlir-print-ir-module-scope")),
      afterChange(getFlag<bool>("mlir-print-ir-after-change")),
      directory(getFlag<std::string>("mlir-print-ir-tree-dir")) {
  afterAll |= afterFailure;
  // MLIR prints around the passes of a list. It numbers the files itself.
  if (!directory.empty() && ((!beforeAll && hasFlag("mlir-print-ir-before")) ||
                             (!afterAll && hasFlag("mlir-print-ir-after")))) {
    beforeAll = afterAll = false;
    return;
  }
  if (beforeAll)
    for (StringRef name : {"mlir-print-ir-before-all", "mlir-print-ir-before"})
      clearFlag(name);
  if (afterAll)
    for (StringRef name : {"mlir-print-ir-after-all", "mlir-print-ir-after",
                           "mlir-print-ir-after-failure"})
      clearFlag(name);
}

/// Whether `pass` is a pass that runs on `op`, rather than one that runs a
/// plan.
static bool runsOn(const Pass &pass, Operation *op, bool hasRun) {
  if (auto *runner = dyn_cast<transform::PlanRunnerPass>(&pass))
    return runner->isSequential();
  return !isa<transform::HelperPass>(pass) &&
         !transform::runsElsewhere(pass, op, hasRun);
}

llvm::Error IRPrinting::makeDirectory() {
  std::string directory = getFlag<std::string>("mlir-print-ir-tree-dir");
  if (directory.empty() || !isAsked())
    return llvm::Error::success();
  std::error_code code = llvm::sys::fs::create_directories(directory);
  // That succeeds for a file, too.
  if (!code && !llvm::sys::fs::is_directory(directory))
    code = std::make_error_code(std::errc::not_a_directory);
  return code ? makeFileError(code, "make the directory '" + directory + "'")
              : llvm::Error::success();
}

void IRPrinting::enable(PassManager &pm) const {
  if (!beforeAll && !afterAll)
    return;
  using Filter = std::function<bool(Pass *, Operation *)>;
  Filter before, after;
  if (beforeAll)
    before = [](Pass *pass, Operation *op) {
      return runsOn(*pass, op, /*hasRun=*/false);
    };
  if (afterAll)
    after = [](Pass *pass, Operation *op) {
      return runsOn(*pass, op, /*hasRun=*/true);
    };
  if (directory.empty())
    pm.enableIRPrinting(before, after, atModuleScope, afterChange, afterFailure,
                        llvm::errs());
  else
    pm.enableIRPrintingToFileTree(before, after, atModuleScope, afterChange,
                                  afterFailure, directory);
}
