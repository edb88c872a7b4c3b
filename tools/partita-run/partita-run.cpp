//===- partita-run.cpp - Compile a module, and call it --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libPartitaTools.so lowers the module, and libPartitaRuntime.so compiles and
// runs what comes out. There is no MLIR here.
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "Inputs.h"
#include "Outputs.h"
#include "partita/Support/OutputFile.h"
#include "partita/Tools/CommandLine.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace partita;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {
/// Made in main, when the options of LLVM's libraries are hidden.
struct Options {
  cl::opt<std::string> module{
      cl::Positional, cl::Required, cl::value_desc("module"),
      cl::desc("MLIR, TVM's JSON, or an object from --save; - for stdin")};
  cl::opt<std::string> entry{
      "entry", cl::desc("The function to call: main, or else the only one"),
      cl::value_desc("name")};
  cl::list<std::string> inputs{
      "input",
      cl::desc("Arrays of NumPy (.npz, .npy), for parameters of their names, "
               "also with in_ before it, or in order"),
      cl::value_desc("file")};
  cl::opt<std::string> output{
      "output",
      cl::desc("Write the results, and then what the function writes, as "
               "out_0, out_1, ... to a .npz. Without it, print the greatest "
               "elements of each"),
      cl::value_desc("file")};
  cl::opt<std::string> compare{
      "compare",
      cl::desc("Print elements of this .npz's out_0, out_1, ... beside the "
               "results, and the largest difference"),
      cl::value_desc("file")};
  cl::opt<uint64_t> seed{
      "seed",
      cl::desc("Make arrays for parameters that have none: -1 to 1, or 0 to 9 "
               "for integers"),
      cl::value_desc("N")};
  cl::opt<std::string> saveInputs{
      "save-inputs",
      cl::desc("Write the arrays that the function gets to a .npz"),
      cl::value_desc("file")};
  cl::list<std::string> sizes{"size",
                              cl::desc("A symbolic size of these arrays"),
                              cl::value_desc("name=N")};
  cl::opt<unsigned> optLevel{
      "O", cl::Prefix, cl::init(2),
      cl::desc("Run the default pipeline of this level first, 0 to 3"),
      cl::value_desc("N")};
  cl::opt<unsigned> threads{
      "num-threads",
      cl::desc("How many threads run loops; the default is one for "
               "each processor"),
      cl::value_desc("N")};
  cl::opt<std::string> save{"save", cl::desc("Write the native code to a file"),
                            cl::value_desc("file")};
  cl::opt<bool> printFunctions{
      "print-functions", cl::desc("Print the functions with their parameters")};

  /// --save and --print-functions do not need a call.
  bool shouldCall() const {
    return (save.empty() && !printFunctions) || !inputs.empty() ||
           output.getNumOccurrences() || compare.getNumOccurrences() ||
           seed.getNumOccurrences() || entry.getNumOccurrences();
  }
};

class Executable {
public:
  static llvm::Expected<Executable> get(const Options &options);

  StringRef getObject() const;
  std::vector<Signature> getSignatures() const;
  llvm::Error call(const Signature &signature,
                   llvm::ArrayRef<PartitaRuntimeValue> args,
                   PartitaRuntimeValue &result) const;

private:
  std::unique_ptr<PartitaRuntimeExecutable,
                  void (*)(PartitaRuntimeExecutable *)>
      executable{nullptr, partitaRuntimeDestroy};
};

/// A result, freed at the end.
struct Result {
  PartitaRuntimeValue value = {};

  ~Result() { partitaRuntimeValueRelease(&value); }
};
} // namespace

static llvm::Error check(PartitaRuntimeStatus status, char *error) {
  if (status == PartitaRuntimeSuccess)
    return llvm::Error::success();
  std::string text = error;
  partitaRuntimeErrorFree(error);
  return llvm::createStringError(text);
}

llvm::Expected<Executable> Executable::get(const Options &options) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(
      options.module, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError("expected to read '" + options.module +
                                   "', but: " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  if (options.threads)
    partitaRuntimeSetNumThreads(options.threads);
  Executable result;
  PartitaRuntimeExecutable *executable = nullptr;
  char *error = nullptr;
  PartitaRuntimeStatus status;
  if (text.starts_with("\177ELF")) {
    status = partitaRuntimeLoad(text.data(), text.size(), &executable, &error);
  } else {
    std::string code;
    auto take = [](const char *data, size_t size, void *code) {
      static_cast<std::string *>(code)->assign(data, size);
    };
    if (partitaRunLowering(text.data(), text.size(), options.module.c_str(),
                           options.optLevel, take, &code) != EXIT_SUCCESS)
      return llvm::Error(llvm::createStringError(""));
    status = partitaRuntimeCompile(code.data(), code.size(), options.optLevel,
                                   &executable, &error);
  }
  if (llvm::Error failure = check(status, error))
    return std::move(failure);
  result.executable.reset(executable);
  return result;
}

StringRef Executable::getObject() const {
  size_t size = 0;
  const char *object = partitaRuntimeGetObject(executable.get(), &size);
  return StringRef(object, size);
}

std::vector<Signature> Executable::getSignatures() const {
  std::vector<Signature> signatures;
  intptr_t count = partitaRuntimeGetNumFunctions(executable.get());
  for (intptr_t i = 0; i < count; ++i)
    signatures.push_back(Signature::parse(
        partitaRuntimeGetFunctionName(executable.get(), i),
        partitaRuntimeGetFunctionDescription(executable.get(), i)));
  return signatures;
}

llvm::Error Executable::call(const Signature &signature,
                             llvm::ArrayRef<PartitaRuntimeValue> args,
                             PartitaRuntimeValue &result) const {
  char *error = nullptr;
  PartitaRuntimeStatus status =
      partitaRuntimeCall(executable.get(), signature.name.c_str(), args.size(),
                         args.data(), &result, &error);
  return check(status, error);
}

static llvm::Error writeArrays(llvm::ArrayRef<Array> arrays, StringRef path) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    writeNpz(arrays, os);
    return llvm::Error::success();
  });
}

/// The function that --entry names, or else main, or the only one. prim_funcs
/// count if there are no other functions.
static llvm::Expected<const Signature *>
findEntry(const Options &options, llvm::ArrayRef<Signature> signatures) {
  if (signatures.empty())
    return llvm::createStringError(
        "expected a public function whose parameters are arrays and numbers, "
        "but found none");
  bool isNamed = options.entry.getNumOccurrences() != 0;
  StringRef entry = isNamed ? StringRef(options.entry) : "main";
  std::vector<const Signature *> results, all;
  std::vector<StringRef> names;
  for (const Signature &signature : signatures) {
    if (signature.name == entry)
      return &signature;
    if (signature.result)
      results.push_back(&signature);
    all.push_back(&signature);
    names.push_back(signature.name);
  }
  for (const std::vector<const Signature *> &found : {results, all})
    if (!isNamed && found.size() == 1)
      return found.front();
  return llvm::createStringError(
      "expected --entry to be one of the functions " + llvm::join(names, ", ") +
      ", but found " + (isNamed ? entry : "none"));
}

static llvm::Error callEntry(const Options &options,
                             const Executable &executable,
                             llvm::ArrayRef<Signature> signatures) {
  llvm::Expected<const Signature *> signature = findEntry(options, signatures);
  if (!signature)
    return signature.takeError();
  Inputs inputs(**signature);
  std::optional<uint64_t> seed;
  if (options.seed.getNumOccurrences())
    seed = options.seed;
  if (llvm::Error error = inputs.read(std::vector<std::string>(
          options.inputs.begin(), options.inputs.end())))
    return error;
  for (const std::string &size : options.sizes)
    if (llvm::Error error = inputs.setSize(size))
      return error;
  if (llvm::Error error = inputs.complete(seed))
    return error;
  auto args = inputs.getValues();
  if (!args)
    return args.takeError();
  if (!options.saveInputs.empty())
    if (llvm::Error error = writeArrays(inputs.getArrays(), options.saveInputs))
      return error;
  Result result;
  if (llvm::Error error = executable.call(**signature, *args, result.value))
    return error;
  std::deque<std::string> memory;
  std::vector<Array> outputs =
      getOutputs(**signature, *args, result.value, memory);
  if (!options.output.empty())
    if (llvm::Error error = writeArrays(outputs, options.output))
      return error;
  std::optional<NumPyFile> expected;
  if (!options.compare.empty()) {
    llvm::Expected<NumPyFile> file = NumPyFile::read(options.compare);
    if (!file)
      return file.takeError();
    expected = std::move(*file);
  } else if (!options.output.empty()) {
    return llvm::Error::success();
  }
  return writeFile("-", [&](llvm::raw_ostream &os) {
    return printSummary(outputs, expected ? &*expected : nullptr, os);
  });
}

static llvm::Error run(const Options &options) {
  if (options.optLevel > 3)
    return llvm::createStringError("expected -O to be 0 to 3, but found " +
                                   llvm::Twine(options.optLevel));
  llvm::Expected<Executable> executable = Executable::get(options);
  if (!executable)
    return executable.takeError();
  if (!options.save.empty())
    if (llvm::Error error = writeFile(options.save, [&](llvm::raw_ostream &os) {
          os << executable->getObject();
          return llvm::Error::success();
        }))
      return error;
  std::vector<Signature> signatures = executable->getSignatures();
  if (options.printFunctions)
    if (llvm::Error error = writeFile("-", [&](llvm::raw_ostream &os) {
          for (const Signature &signature : signatures)
            os << signature.print() << "\n";
          return llvm::Error::success();
        }))
      return error;
  return options.shouldCall() ? callEntry(options, *executable, signatures)
                              : llvm::Error::success();
}

int main(int argc, char **argv) {
  // If a standard descriptor is closed, the next file opened takes its number
  // and receives our output.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM init(argc, argv);
  OutputFile::removeAtSignals();
  hideRegisteredOptions();
  Options options;
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a module for this machine, and calls one of its functions\n");
  llvm::Error error = run(options);
  if (!error)
    return EXIT_SUCCESS;
  // An error without a text was reported before.
  std::string text = llvm::toString(std::move(error));
  if (!text.empty())
    llvm::WithColor::error(llvm::errs()) << text << "\n";
  return EXIT_FAILURE;
}
