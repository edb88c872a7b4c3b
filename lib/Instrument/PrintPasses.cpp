//===- PrintPasses.cpp - The name of each pass ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstrumentSupport.h"
#include "partita/Instrument/Instruments.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
/// Prints the running pass, its number and the number of passes, as LLVM's
/// -debug-pass-manager.
class PrintPasses : public PassInstrument {
public:
  explicit PrintPasses(PrintPassesOptions options)
      : PassInstrument(options.kName) {}

  llvm::Error runBeforePass(const transform::PassStep &step) override {
    std::string place;
    if (!step.isSequential())
      place = " " + std::to_string(step.number()) + " of " +
              std::to_string(step.run->plan->getNumSteps());
    writeToStderr("Running pass" + place + ": " + escapeName(step.info().name) +
                  "\n");
    return llvm::Error::success();
  }
};
} // namespace

PassInstrumentRef instrument::createPrintPasses(PrintPassesOptions options) {
  return std::make_shared<PrintPasses>(options);
}
