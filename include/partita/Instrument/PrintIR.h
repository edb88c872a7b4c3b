//===- PrintIR.h - The module before and after passes ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_PRINTIR_H
#define PARTITA_INSTRUMENT_PRINTIR_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "llvm/Support/GlobPattern.h"

namespace partita::instrument {

struct PrintIROptions : InstrumentOptions<PrintIROptions> {
  ListOption<std::string> passes{
      *this, "passes",
      llvm::cl::desc("The passes to print at, by any of their names; all if "
                     "none is given")};
  ListOption<std::string> functions{
      *this, "functions",
      llvm::cl::desc("Print the functions that one of these glob patterns fits "
                     "('main', 'inner::f', 'conv*') in place of the module")};
  Option<int> elide{*this, "elide",
                    llvm::cl::desc("Elide constants of more elements than "
                                   "this; -1 for none"),
                    llvm::cl::init(16)};
};

/// Prints the module, or functions in it, to stderr before or after passes, as
/// TVM's PrintBeforeAll and PrintAfterAll.
class PrintIRInstrument : public PassInstrument {
public:
  PrintIRInstrument(llvm::StringRef name,
                    std::unique_ptr<PrintIROptions> options);

  llvm::Error enterPassContext() override;

protected:
  /// Prints under a title, if the pass is one of those to print.
  llvm::Error print(llvm::StringRef when, const transform::PassStep &step);

private:
  std::unique_ptr<PrintIROptions> options;
  PassFilter filter;
  std::vector<llvm::GlobPattern> functions;
};

class PrintIRBefore : public PrintIRInstrument {
public:
  using Options = PrintIROptions;
  static constexpr llvm::StringLiteral kName = "print-ir-before";
  explicit PrintIRBefore(std::unique_ptr<Options> options)
      : PrintIRInstrument(kName, std::move(options)) {}
  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return print("before", step);
  }
};

class PrintIRAfter : public PrintIRInstrument {
public:
  using Options = PrintIROptions;
  static constexpr llvm::StringLiteral kName = "print-ir-after";
  explicit PrintIRAfter(std::unique_ptr<Options> options)
      : PrintIRInstrument(kName, std::move(options)) {}
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return print("after", step);
  }
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_PRINTIR_H
