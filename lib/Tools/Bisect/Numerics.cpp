//===- Numerics.cpp - Outputs of modules as a test ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"
#include "Process.h"

#include "Instrument/Numerics.h"
#include "partita/NumPy/NumPyFile.h"
#include "partita/Support/Processes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace partita::bisect {
using instrument::NumericsOptions;
using instrument::NumericsOutcome;
using instrument::NumericsProcess;

constexpr StringRef kOptions = "numerics.txt", kInputs = "inputs.npz",
                    kExpected = "expected.npz";

template <typename T>
static T unwrap(llvm::Expected<T> value) {
  if (!value)
    fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

static NumericsOptions readOptions(StringRef text) {
  static bool isRegistered = false;
  if (!std::exchange(isRegistered, true))
    instrument::registerAllInstruments();
  return unwrap(instrument::parseNumericsOptions(
      (NumericsOptions::kName + "{" + text + "}").str()));
}

std::string getNumericsTest(StringRef selfPath, StringRef directory) {
  auto quote = [](StringRef word) {
    std::string text = "\"";
    for (char c : word)
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return text + "\"";
  };
  return quote(makeAbsolute(selfPath)) + " " +
         quote("--check-numerics=" + makeAbsolute(directory));
}

void prepareNumerics(StringRef text, StringRef directory, StringRef module) {
  NumericsOptions options = readOptions(text);
  std::string scratch = getScratchPath("numerics");
  check(fs::create_directories(scratch), "create '" + scratch + "'");
  NumericsProcess process = unwrap(NumericsProcess::create(options, scratch));
  if (process.needsInputs())
    fail(
        "expected inputs=FILE in --numerics for a runner with %i, but found '" +
        text + "'");
  NumericsOutcome expected = process.run(module);
  if (expected.kind != NumericsOutcome::Outputs)
    fail("expected a module that can be run before the first step, but: " +
         expected.message);
  if (auto difference =
          findDifference(expected, process.run(module), getTolerance(options)))
    fail("expected the same outputs in each run, but they differ from run to "
         "run: found " +
         difference->message);
  auto write = [&](StringRef name, const llvm::Twine &contents) {
    check(writeText(joinPath(directory, name), contents),
          "write '" + joinPath(directory, name) + "'");
  };
  std::string arrays;
  llvm::raw_string_ostream os(arrays);
  writeNpz(expected.outputs.arrays, os);
  write(kExpected, arrays);
  write(kOptions, text);
  if (std::string inputs = process.getInputs(); !inputs.empty())
    write(kInputs, readFile(inputs));
}

/// The outputs that prepareNumerics has written.
static NumericsOutcome readExpected(StringRef directory, bool isText) {
  NumericsOutcome outcome =
      instrument::readArrays(joinPath(directory, kExpected));
  if (outcome.kind != NumericsOutcome::Outputs)
    fail(outcome.message);
  outcome.isText = isText;
  outcome.hasIntegersAlone = true;
  for (const Array &array : outcome.outputs.arrays)
    for (size_t i = 0; isText && i < array.getNumElements(); ++i) {
      double number = readNumber(array.dtype, array.getBits(i));
      outcome.hasIntegersAlone &= std::trunc(number) == number;
    }
  return outcome;
}

int checkNumerics(StringRef directory, StringRef module) {
  constexpr int bad = 1, skipped = 125;
  NumericsOptions options =
      readOptions(readFile(joinPath(directory, kOptions)));
  if (std::string inputs = joinPath(directory, kInputs); fs::exists(inputs))
    options.inputs = inputs;
  NumericsProcess process =
      unwrap(NumericsProcess::create(options, getScratchPath("")));
  NumericsOutcome found = process.run(makeAbsolute(module));
  if (found.kind == NumericsOutcome::Refused) {
    llvm::WithColor::error() << found.message << "\n";
    return skipped;
  }
  auto difference = findDifference(readExpected(directory, found.isText), found,
                                   getTolerance(options));
  if (!difference)
    return 0;
  llvm::WithColor::error()
      << "expected the outputs from before the first step, "
         "but found "
      << difference->message << "\n";
  return bad;
}

} // namespace partita::bisect
