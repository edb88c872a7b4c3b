//===- CommandLine.h - What the tools' command lines share ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_COMMANDLINE_H
#define PARTITA_TOOLS_COMMANDLINE_H

#include <string>

namespace partita {

/// Leaves the options that are registered by now, which are those of the LLVM
/// libraries, to --help-hidden.
void hideRegisteredOptions();

/// The file that starts this tool again, from the first of main's arguments. It
/// can be a script: Python runs the tools of the package.
std::string getToolPath(const char *program);

} // namespace partita

#endif // PARTITA_TOOLS_COMMANDLINE_H
