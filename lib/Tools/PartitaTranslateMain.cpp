//===- PartitaTranslateMain.cpp - partita-translate as a function ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/PartitaTranslateMain.h"
#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Support/OutputFile.h"
#include "partita/Target/TVMJson/TVMJson.h"
#include "partita/Tools/CommandLine.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

using llvm::StringRef;

static int failToWrite(std::error_code code, const llvm::Twine &name) {
  llvm::WithColor::error(llvm::errs())
      << llvm::toString(partita::makeFileError(code, "write to " + name))
      << "\n";
  return EXIT_FAILURE;
}

namespace {
/// The argument of -o.
struct Output {
  std::string name;
  /// Null if MLIR writes to the name itself.
  std::unique_ptr<partita::OutputFile> file;
};
} // namespace

/// Names the file: LLVM ends the process, without a name, if MLIR's stream
/// could not be written.
static void handleFatalError(void *output, const char *reason, bool) {
  StringRef text = reason;
  if (!text.consume_front("IO failure on output stream: ")) {
    llvm::WithColor::error(llvm::errs()) << text << "\n";
    return;
  }
  auto &[name, file] = *static_cast<Output *>(output);
  file.reset();
  llvm::WithColor::error(llvm::errs())
      << "expected to write to '" << name << "', but: " << text << "\n";
}

/// Opens the file that `args` give to -o, and replaces it in `args` by the name
/// that MLIR must write to. No file if there is no -o, or if it can't be
/// opened, which MLIR reports.
static std::unique_ptr<partita::OutputFile>
takeOutput(llvm::SmallVectorImpl<const char *> &args, llvm::StringSaver &saver,
           std::string &name) {
  for (size_t index = 1; index < args.size(); ++index) {
    StringRef arg = args[index];
    if (arg == "--")
      break;
    bool isSplit = arg == "-o" || arg == "--o";
    if (!(isSplit && index + 1 < args.size()) && !arg.consume_front("-o=") &&
        !arg.consume_front("--o="))
      continue;
    if (isSplit)
      arg = args[++index];
    name = arg.str();
    std::error_code code;
    std::unique_ptr<partita::OutputFile> file =
        partita::OutputFile::open(name, code);
    if (!file || file->getName() == name)
      return nullptr;
    args[index] = saver.save((isSplit ? "" : "-o=") + file->getName()).data();
    return file;
  }
  return nullptr;
}

/// Imports each of `inputs` to a file with its name in `directory`; `args` are
/// the other arguments. Each import is a process, because MLIR's driver can run
/// once in a process.
static int translateAll(llvm::ArrayRef<const char *> args,
                        llvm::ArrayRef<StringRef> inputs, StringRef directory,
                        bool isBytecode, llvm::StringSaver &saver) {
  auto fail = [](const llvm::Twine &message) {
    llvm::WithColor::error(llvm::errs()) << message << "\n";
    return EXIT_FAILURE;
  };
  if (directory.empty())
    return fail("expected -o with a directory for the modules of several "
                "files, found none");
  llvm::StringMap<StringRef> inputOfOutput;
  std::vector<std::pair<StringRef, StringRef>> files;
  for (StringRef input : inputs) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, llvm::sys::path::stem(input) +
                                      (isBytecode ? ".mlirbc" : ".mlir"));
    auto [other, isNew] = inputOfOutput.try_emplace(path, input);
    if (!isNew)
      return fail("expected files with different names, found '" +
                  other->second + "' and '" + input +
                  "', which would both become '" + path + "'");
    files.emplace_back(input, saver.save(path.str()));
  }
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return fail(llvm::toString(
        partita::makeFileError(code, "make directory '" + directory + "'")));
  std::string program = partita::getToolPath(args.front());
  int status = EXIT_SUCCESS;
  for (auto [input, path] : files) {
    llvm::SmallVector<StringRef> own(args.begin(), args.end());
    own.append({"-o", path, "--", input});
    std::string message;
    if (llvm::sys::ExecuteAndWait(program, own, /*Env=*/std::nullopt,
                                  /*Redirects=*/{}, /*SecondsToWait=*/0,
                                  /*MemoryLimit=*/0, &message) != 0)
      status = EXIT_FAILURE;
    if (!message.empty())
      return fail(llvm::Twine("expected to run '") + program + "': " + message);
  }
  return status;
}

/// The names of all translations, which MLIR has in a parser of flags.
static std::vector<std::string> getTranslations() {
  llvm::cl::list<const mlir::Translation *, bool, mlir::TranslationParser> list(
      "");
  std::vector<std::string> names;
  for (unsigned index = 0; index < list.getParser().getNumOptions(); ++index)
    names.push_back(list.getParser().getOption(index).str());
  list.removeArgument();
  llvm::sort(names);
  return names;
}

/// Fails if `args` name no translation. LLVM would say so once for each one
/// that is registered.
static llvm::Error checkTranslation(llvm::ArrayRef<const char *> args) {
  std::vector<std::string> names = getTranslations();
  for (StringRef arg : args) {
    StringRef name = arg.ltrim('-').split('=').first;
    if (arg.starts_with("-") &&
        (name.starts_with("help") || name == "h" || name == "version" ||
         llvm::is_contained(names, name)))
      return llvm::Error::success();
  }
  return llvm::createStringError(
      "expected a translation, but found none; there are --" +
      llvm::join(names, ", --"));
}

int partita::partitaTranslateMain(
    int argc, char **argv, llvm::function_ref<void()> registerTranslations) {
  // If a standard descriptor is closed, the next file opened takes its number
  // and receives our output.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  OutputFile::removeAtSignals();
  hideRegisteredOptions();
  registerTranslations();
  registerTVMJsonTranslation();
  registerTVMJsonExport(conversion::convertLinalgToTIR);

  llvm::SmallVector<const char *> args(argv, argv + argc);
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, args);

  llvm::SmallVector<const char *> options;
  llvm::SmallVector<StringRef> inputs;
  StringRef directory;
  bool isImport = false, isBytecode = false, isOption = true;
  for (size_t index = 0; index < args.size(); ++index) {
    StringRef arg = args[index];
    if (index == 0) {
      options.push_back(args[index]);
    } else if (!isOption || !arg.starts_with("-") || arg == "-") {
      inputs.push_back(arg);
    } else if (arg == "--") {
      isOption = false;
    } else if (arg.ltrim('-') == "o" && index + 1 < args.size()) {
      directory = args[++index];
    } else if (arg.ltrim('-').starts_with("o=")) {
      directory = arg.ltrim('-').drop_front(2);
    } else {
      isImport |= arg.ltrim('-') == "import-tvm-json";
      isBytecode |= arg.ltrim('-') == "emit-bytecode";
      options.push_back(args[index]);
    }
  }
  if (llvm::Error error = checkTranslation(options)) {
    llvm::WithColor::error(llvm::errs())
        << llvm::toString(std::move(error)) << "\n";
    return EXIT_FAILURE;
  }
  if (isImport && inputs.size() > 1)
    return translateAll(options, inputs, directory, isBytecode, saver);

  Output output;
  output.file = takeOutput(args, saver, output.name);
  args.push_back(nullptr);
  llvm::ScopedFatalErrorHandler handler(handleFatalError, &output);
  if (mlir::failed(mlir::mlirTranslateMain(static_cast<int>(args.size() - 1),
                                           const_cast<char **>(args.data()),
                                           "Partita translation driver\n")))
    return EXIT_FAILURE;
  llvm::outs().flush();
  if (std::error_code code = llvm::outs().error()) {
    llvm::outs().clear_error();
    return failToWrite(code, "stdout");
  }
  std::error_code code =
      output.file ? output.file->commit() : std::error_code();
  return code ? failToWrite(code, "'" + output.name + "'") : EXIT_SUCCESS;
}
