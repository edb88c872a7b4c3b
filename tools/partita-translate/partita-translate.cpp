//===- partita-translate.cpp - mlir-translate with TVM's JSON -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/OutputFile.h"
#include "partita/Target/TVMJson/TVMJson.h"
#include "partita/Tools/CommandLine.h"

#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using llvm::StringRef;

/// The file that `args` give to -o, which then give the name by which MLIR can
/// write it; null if there is none, or it can't be opened, which MLIR says.
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

int main(int argc, char **argv) {
  // A closed one would be the next file that is opened, and get what is said.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  partita::OutputFile::removeAtSignals();
  partita::hideRegisteredOptions();
  mlir::registerAllTranslations();
  partita::registerTVMJsonTranslation();
  partita::registerTVMJsonExport();

  llvm::SmallVector<const char *> args(argv, argv + argc);
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, args);
  std::string name;
  std::unique_ptr<partita::OutputFile> output = takeOutput(args, saver, name);
  args.push_back(nullptr);
  if (mlir::failed(mlir::mlirTranslateMain(static_cast<int>(args.size() - 1),
                                           const_cast<char **>(args.data()),
                                           "Partita translation driver\n")))
    return EXIT_FAILURE;
  std::error_code code = output ? output->commit() : std::error_code();
  if (!code)
    return EXIT_SUCCESS;
  llvm::WithColor::error(llvm::errs())
      << llvm::toString(partita::makeFileError(code, "write to '" + name + "'"))
      << "\n";
  return EXIT_FAILURE;
}
