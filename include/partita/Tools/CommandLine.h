//===- CommandLine.h - Common parts of command lines ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_COMMANDLINE_H
#define PARTITA_TOOLS_COMMANDLINE_H

#include <string>

namespace partita {

/// Hides the options that are registered by now, which belong to LLVM's
/// libraries. --help-hidden still shows them.
void hideRegisteredOptions();

/// The file to start this tool again, from the first of main's arguments. It
/// can be a script: Python runs the tools of the package.
std::string getToolPath(const char *program);

} // namespace partita

#endif // PARTITA_TOOLS_COMMANDLINE_H
