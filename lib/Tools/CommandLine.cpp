//===- CommandLine.cpp - Common parts of command lines --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/CommandLine.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;

void partita::hideRegisteredOptions() {
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    // The options about help have a category of their own.
    if (option->getOptionHiddenFlag() == cl::NotHidden &&
        !entry.first.starts_with("help") && entry.first != "version")
      option->setHiddenFlag(cl::Hidden);
  }
}

std::string partita::getToolPath(const char *program) {
  // A name without a folder was found in PATH, by a shell, and is no script.
  llvm::SmallString<128> path;
  if (llvm::sys::path::has_parent_path(program) && fs::can_execute(program) &&
      !fs::real_path(program, path))
    return path.str().str();
  static int anchor;
  return fs::getMainExecutable(program, &anchor);
}

bool partita::isJSON(llvm::StringRef module) {
  module = module.ltrim();
  return module.consume_front("{") && module.ltrim().starts_with("\"");
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
partita::openMLIRFile(llvm::StringRef path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  if (isJSON(file->getBuffer()))
    return llvm::createStringError(
        "expected MLIR in '" + path +
        "', but found JSON; 'partita-translate --import-tvm-json' makes MLIR "
        "of TVM's");
  return file;
}
