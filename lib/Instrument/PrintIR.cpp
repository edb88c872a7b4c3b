//===- PrintIR.cpp - The module before and after passes ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PrintIR.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

PrintIRInstrument::PrintIRInstrument(llvm::StringRef name,
                                     std::unique_ptr<PrintIROptions> options)
    : PassInstrument(name), options(std::move(options)),
      filter(this->options->passes) {
  for (const std::string &function : this->options->functions)
    if (llvm::Expected<llvm::GlobPattern> pattern =
            llvm::GlobPattern::create(function))
      functions.push_back(std::move(*pattern));
    else
      llvm::consumeError(pattern.takeError());
}

llvm::Error PrintIRInstrument::enterPassContext() {
  for (const std::string &function : options->functions)
    if (llvm::Error error = llvm::GlobPattern::create(function).takeError())
      return llvm::createStringError(
          "expected functions to be glob patterns, but found '" + function +
          "': " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error PrintIRInstrument::print(llvm::StringRef when,
                                     const transform::PassStep &step) {
  Operation *module = step.module();
  const transform::PassInfo &info = step.info();
  if (!filter.matches(info))
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printOp = [&](Operation *op, const Twine &what) {
    os << "// IR " << when << " " << info.name << what << "\n"
       << printIR(op, options->elide) << "\n";
  };
  if (options->functions.empty())
    printOp(module, "");
  else
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<FunctionOpInterface>(op))
        return WalkResult::advance();
      std::string path = getFunctionPath(op, module);
      if (llvm::any_of(functions, [&](const llvm::GlobPattern &pattern) {
            return pattern.match(path);
          }))
        printOp(op, " of @" + path);
      return WalkResult::skip();
    });
  // One write, so that runs on several threads do not mix their lines.
  writeToStderr(text);
  return llvm::Error::success();
}
