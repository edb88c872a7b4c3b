//===- CommandLine.cpp - What the tools' command lines share --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/CommandLine.h"

#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

void partita::hideRegisteredOptions() {
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    // Those about help are of a category of their own.
    if (option->getOptionHiddenFlag() == cl::NotHidden &&
        !entry.first.starts_with("help") && entry.first != "version")
      option->setHiddenFlag(cl::Hidden);
  }
}
