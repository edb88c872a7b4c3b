//===- NumericsProcess.cpp - Modules that are run in processes ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumericsProcess.h"
#include "partita/NumPy/NumPyFile.h"
#include "partita/Support/OutputFile.h"
#include "partita/Support/Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstring>

using namespace partita;
using namespace partita::instrument;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

llvm::Error NumericsOutputs::add(StringRef name, DType dtype,
                                 llvm::ArrayRef<int64_t> shape,
                                 const void *data) {
  if (getNumPyName(dtype).empty())
    return llvm::createStringError(
        "expected outputs of integers, floats or bools, but found " +
        getName(dtype));
  Array array;
  array.name = name.str();
  array.dtype = dtype;
  array.shape.assign(shape.begin(), shape.end());
  size_t bytes = dtype.getBytes();
  for (int64_t size : shape)
    bytes *= size;
  array.data = memory.emplace_back(static_cast<const char *>(data), bytes);
  arrays.push_back(std::move(array));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Tolerance instrument::getTolerance(const NumericsOptions &options) {
  auto orNone = [](double number) {
    return number < 0 ? std::nullopt : std::optional<double>(number);
  };
  return {orNone(options.rtol), orNone(options.atol)};
}

std::optional<NumericsDifference>
instrument::findDifference(const NumericsOutcome &expected,
                           const NumericsOutcome &found,
                           const Tolerance &tolerance) {
  if (found.kind == NumericsOutcome::Refused)
    return std::nullopt;
  if (found.kind != NumericsOutcome::Outputs)
    return NumericsDifference{"that the runner " + found.message, {}};
  Tolerance used = tolerance;
  if (expected.isText) {
    // A text has few digits, and does not tell their dtype.
    bool isExact = expected.hasIntegersAlone && found.hasIntegersAlone;
    double usual = isExact ? 0 : 1e-4;
    used = {tolerance.relative.value_or(usual),
            tolerance.absolute.value_or(usual)};
  }
  std::optional<Difference> arrays = partita::findDifference(
      expected.outputs.arrays, found.outputs.arrays, used);
  if (!arrays)
    return std::nullopt;
  return NumericsDifference{arrays->print(), arrays};
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static llvm::ErrorOr<std::string> findPartitaRun() {
  std::string tool = fs::getMainExecutable(nullptr, nullptr);
  StringRef beside = llvm::sys::path::parent_path(tool);
  auto found = llvm::sys::findProgramByName("partita-run", beside);
  return found ? found : llvm::sys::findProgramByName("partita-run");
}

llvm::Expected<NumericsProcess>
NumericsProcess::create(const NumericsOptions &options, StringRef directory) {
  NumericsProcess process;
  process.directory = directory.str();
  process.timeLimit = options.timeLimit;
  if (!options.inputs.empty())
    process.inputs = makeAbsolute(options.inputs);
  process.isDefault = options.runner.empty();
  if (process.isDefault) {
    llvm::ErrorOr<std::string> program = findPartitaRun();
    if (!program)
      return llvm::createStringError(
          "expected partita-run beside the running program or on PATH, but "
          "found none; the option 'runner' of instrument 'numerics' names "
          "another command");
    process.words = {*program, "%s", "-O0",
                     "--seed=" + std::to_string(options.seed), "--output=%o"};
    if (!options.entry.empty())
      process.words.push_back("--entry=" + options.entry);
    for (const std::string &size : options.sizes)
      process.words.push_back("--size=" + size);
    process.hasOutputs = true;
    return process;
  }
  StringRef command = options.runner;
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError(
        "expected option 'runner' of instrument 'numerics' to be " + what +
        ", but found '" + options.runner + "'");
  };
  if (command.trim().empty())
    return fail("a command");
  if (!command.contains("%s"))
    return fail("a command with %s for the file of the module");
  auto words = splitCommand(command);
  if (!words)
    return fail("a command that can be run");
  process.words = std::move(*words);
  process.hasInputs = command.contains("%i");
  process.hasOutputs = command.contains("%o");
  return process;
}

std::string NumericsProcess::getPath(StringRef name) const {
  return joinPath(directory, name);
}

std::string NumericsProcess::getInputs() const {
  // partita-run has written what it was given and what it has made.
  std::string made = getPath("inputs.npz");
  return isDefault && fs::exists(made) ? made : inputs;
}

std::vector<std::string> NumericsProcess::getCommand(StringRef module) const {
  std::vector<std::string> command;
  std::string files = getInputs();
  auto replace = [](std::string &word, StringRef part, StringRef path) {
    size_t place = 0;
    while ((place = word.find(part, place)) != std::string::npos) {
      word.replace(place, part.size(), path);
      place += path.size();
    }
  };
  for (std::string word : words) {
    replace(word, "%s", module);
    replace(word, "%i", files);
    replace(word, "%o", getPath("outputs.npz"));
    command.push_back(std::move(word));
  }
  if (isDefault && !files.empty())
    command.push_back("--input=" + files);
  // Later runs get the same.
  if (isDefault && files == inputs)
    command.push_back("--save-inputs=" + getPath("inputs.npz"));
  return command;
}

/// The first error in what a process has written, or else its last line.
static std::string findError(StringRef text) {
  constexpr StringRef marker = "error: ";
  size_t begin = text.find(marker);
  StringRef found = begin == StringRef::npos
                        ? text.rtrim().rsplit('\n').second
                        : text.substr(begin + marker.size()).split('\n').first;
  if (found.empty())
    found = text;
  return found.trim().take_front(300).str();
}

static std::string readText(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

NumericsOutcome NumericsProcess::run(StringRef module) {
  if (needsInputs())
    return NumericsOutcome::refuse("expected a file of inputs for %i");
  // A process writes over a file, and does not make it shorter.
  for (StringRef name : {"outputs.npz", "stdout", "stderr"}) {
    [[maybe_unused]] std::error_code removed = fs::remove(getPath(name));
  }
  ProcessToRun process{getCommand(module), "", getPath("stdout"),
                       getPath("stderr")};
  ProcessEnd end = runProcesses(process, /*jobs=*/1, timeLimit).front();
  if (end.isInterrupted) {
    NumericsOutcome outcome = NumericsOutcome::refuse("interrupted");
    outcome.isFatal = true;
    return outcome;
  }
  if (end.isTimeout)
    return {NumericsOutcome::Hang,
            {},
            "took longer than " + std::to_string(timeLimit) + " s"};
  // A shell exits with such a code if a signal has ended its command.
  bool isSignal = !isDefault && end.code > 128 && end.code < 128 + 32;
  if (end.code == -2 || isSignal)
    return {NumericsOutcome::Crash,
            {},
            "was ended by a signal: " +
                (isSignal ? std::string(strsignal(end.code - 128))
                          : StringRef(end.message).trim().str())};
  if (end.code == -1)
    return NumericsOutcome::refuse("expected to start '" +
                                   process.command.front() +
                                   "', but: " + end.message);
  if (end.code != 0) {
    std::string error = findError(readText(getPath("stderr")));
    return NumericsOutcome::refuse(
        error.empty() ? "the runner exited with code " + llvm::Twine(end.code)
                      : llvm::Twine(error));
  }
  return readOutputs();
}

NumericsOutcome NumericsProcess::readOutputs() const {
  return hasOutputs ? readArrays(getPath("outputs.npz"))
                    : readNumbers(readText(getPath("stdout")));
}

NumericsOutcome instrument::readArrays(StringRef path) {
  llvm::Expected<NumPyFile> file = NumPyFile::read(path);
  if (!file)
    return NumericsOutcome::refuse(llvm::toString(file.takeError()));
  NumericsOutcome outcome{NumericsOutcome::Outputs};
  for (Array &array : file->arrays) {
    // The bytes of the file go away with it.
    array.data = outcome.outputs.memory.emplace_back(array.data.str());
    outcome.outputs.arrays.push_back(std::move(array));
  }
  return outcome;
}

NumericsOutcome instrument::readNumbers(StringRef text) {
  constexpr StringRef separators = " \t\r\n,;()[]{}<>";
  NumericsOutcome outcome{NumericsOutcome::Outputs};
  outcome.isText = outcome.hasIntegersAlone = true;
  std::vector<double> numbers;
  while (!(text = text.ltrim(separators)).empty()) {
    StringRef word = text.take_front(text.find_first_of(separators));
    text = text.drop_front(word.size());
    double number;
    // An address is no result: it differs from run to run.
    if (word.contains_insensitive("0x") || word.getAsDouble(number))
      continue;
    numbers.push_back(number);
    outcome.hasIntegersAlone &=
        word.ltrim("+-").find_first_not_of("0123456789") == StringRef::npos;
  }
  if (numbers.empty())
    return NumericsOutcome::refuse(
        "expected numbers on the runner's stdout, but found none");
  llvm::cantFail(outcome.outputs.add("stdout", {kFloatCode, 64},
                                     int64_t(numbers.size()), numbers.data()));
  return outcome;
}
