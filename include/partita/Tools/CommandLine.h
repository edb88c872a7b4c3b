//===- CommandLine.h - What the tools' command lines share ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_COMMANDLINE_H
#define PARTITA_TOOLS_COMMANDLINE_H

namespace partita {

/// Leaves the options that are registered by now, which are those of the LLVM
/// libraries, to --help-hidden.
void hideRegisteredOptions();

} // namespace partita

#endif // PARTITA_TOOLS_COMMANDLINE_H
