//===- CommandLine.h - Common parts of command lines ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_COMMANDLINE_H
#define PARTITA_TOOLS_COMMANDLINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace partita {

/// Hides the options that are registered by now, which belong to LLVM's
/// libraries. --help-hidden still shows them.
void hideRegisteredOptions();

/// The file to start this tool again, from the first of main's arguments. It
/// can be a script: Python runs the tools of the package.
std::string getToolPath(const char *program);

/// Whether a module is a JSON object, such as TVM writes. MLIR can begin with a
/// brace, too, but not with a brace and a string.
bool isJSON(llvm::StringRef module);

/// Opens a file of MLIR, or stdin for "-". TVM's JSON is an error that says how
/// to import it.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openMLIRFile(llvm::StringRef path);

} // namespace partita

#endif // PARTITA_TOOLS_COMMANDLINE_H
