//===- NumericsProcess.h - Modules that are run in processes ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_NUMERICSPROCESS_H
#define PARTITA_LIB_INSTRUMENT_NUMERICSPROCESS_H

#include "partita/Instrument/NumericsRunner.h"
#include "partita/NumPy/Compare.h"

namespace partita::instrument {

/// What came of a run of a module.
struct NumericsOutcome {
  enum Kind { Outputs, Refused, Crash, Hang };

  Kind kind = Refused;
  NumericsOutputs outputs;
  /// Without outputs: why the module could not be run, or how the process
  /// ended.
  std::string message;
  /// Whether the outputs are numbers of a text, and whether it has integers
  /// alone.
  bool isText = false, hasIntegersAlone = false;
  /// Whether the run of the passes is to end.
  bool isFatal = false;

  static NumericsOutcome refuse(const llvm::Twine &why) {
    return {Refused, {}, why.str()};
  }
};

/// How an outcome differs from the outputs that are expected.
struct NumericsDifference {
  /// What stands behind "but found".
  std::string message;
  /// The arrays that differ, if there are outputs.
  std::optional<Difference> arrays;
};

/// None for an outcome that was refused, which has nothing to compare.
std::optional<NumericsDifference>
findDifference(const NumericsOutcome &expected, const NumericsOutcome &found,
               const Tolerance &tolerance);
Tolerance getTolerance(const NumericsOptions &options);

/// Runs the modules in files by partita-run or the user's command, each in a
/// process of its own, which may crash.
class NumericsProcess {
public:
  /// Fails for a command that cannot be run. Files go to `directory`.
  static llvm::Expected<NumericsProcess> create(const NumericsOptions &options,
                                                llvm::StringRef directory);

  /// Whether the runner takes text; partita-run also takes bytecode.
  bool takesText() const { return !isDefault; }
  /// Whether the command has a place for inputs that nobody has given.
  bool needsInputs() const { return hasInputs && inputs.empty(); }
  void setInputs(llvm::StringRef path) { inputs = path.str(); }
  /// The file with the inputs; empty if there is none.
  std::string getInputs() const;
  NumericsOutcome run(llvm::StringRef module);

private:
  std::vector<std::string> getCommand(llvm::StringRef module) const;
  NumericsOutcome readOutputs() const;
  std::string getPath(llvm::StringRef name) const;

  /// The words of the command, with %s, %i and %o.
  std::vector<std::string> words;
  std::string directory, inputs;
  unsigned timeLimit = 0;
  bool isDefault = false, hasInputs = false, hasOutputs = false;
};

/// The arrays of a .npz.
NumericsOutcome readArrays(llvm::StringRef path);
/// An array with the numbers in a text, without its words.
NumericsOutcome readNumbers(llvm::StringRef text);

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_NUMERICSPROCESS_H
