//===- PrintIR.cpp - The module before and after passes ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstrumentSupport.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
/// Prints the module, or functions in it, to stderr before or after passes, as
/// TVM's PrintBeforeAll and PrintAfterAll.
class PrintIR : public PassInstrument {
public:
  template <typename OptionsT>
  PrintIR(StringRef when, const OptionsT &options)
      : PassInstrument(options.kName), when(when), filter(options.passes),
        functionNames(options.functions), elide(options.elide) {
    for (const std::string &function : functionNames)
      if (llvm::Expected<llvm::GlobPattern> pattern =
              llvm::GlobPattern::create(function))
        functions.push_back(std::move(*pattern));
      else
        optionsError = "expected functions to be glob patterns, but found '" +
                       function + "': " + llvm::toString(pattern.takeError());
  }

  llvm::Error enterPassContext() override {
    if (!optionsError.empty())
      return llvm::createStringError(optionsError);
    return llvm::Error::success();
  }
  llvm::Error runBeforePass(const transform::PassStep &step) override {
    if (when == "before")
      print(step);
    return llvm::Error::success();
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    if (when == "after")
      print(step);
    return llvm::Error::success();
  }

private:
  /// Prints under a title, if the pass is selected.
  void print(const transform::PassStep &step);

  StringRef when;
  PassFilter filter;
  /// The patterns, and their texts, to which the patterns refer.
  std::vector<std::string> functionNames;
  std::vector<llvm::GlobPattern> functions;
  int elide;
  /// The error in the options; empty without one.
  std::string optionsError;
};
} // namespace

void PrintIR::print(const transform::PassStep &step) {
  if (!filter.matches(step))
    return;
  Operation *module = step.module();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printOp = [&](Operation *op, const Twine &what) {
    os << "// IR " << when << " " << escapeName(step.info().name)
       << describeMerged(step) << what << "\n"
       << printIR(op, elide) << "\n";
  };
  if (functions.empty())
    printOp(module, "");
  else
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<FunctionOpInterface>(op))
        return WalkResult::advance();
      std::string path = getFunctionPath(op, module);
      if (llvm::any_of(functions, [&](const llvm::GlobPattern &pattern) {
            return pattern.match(path);
          }))
        printOp(op, " of @" + escapeName(path));
      return WalkResult::skip();
    });
  // One write, so that runs on several threads do not mix their lines.
  writeToStderr(text);
}

PassInstrumentRef
instrument::createPrintIRBefore(PrintIRBeforeOptions options) {
  return std::make_shared<PrintIR>("before", options);
}
PassInstrumentRef instrument::createPrintIRAfter(PrintIRAfterOptions options) {
  return std::make_shared<PrintIR>("after", options);
}
