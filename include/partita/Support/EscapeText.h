//===- EscapeText.h - Escapes text for terminals ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_ESCAPETEXT_H
#define PARTITA_SUPPORT_ESCAPETEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace partita {

/// `name`, of a pass, function or op, as one line of text without control codes
/// for terminals: control characters become `\1B`, as in MLIR's strings, and so
/// do bytes that are not UTF-8.
std::string escapeName(llvm::StringRef name);

/// The same for a text of several lines; tabs and line ends stay.
std::string escapeText(llvm::StringRef text);

/// The same for the text of a JSON value; control characters become `\u001b`.
std::string escapeJSON(llvm::StringRef text);

} // namespace partita

#endif // PARTITA_SUPPORT_ESCAPETEXT_H
