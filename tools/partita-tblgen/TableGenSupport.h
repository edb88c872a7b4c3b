//===- TableGenSupport.h - Helpers for generators ---------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TBLGEN_TABLEGENSUPPORT_H
#define PARTITA_TBLGEN_TABLEGENSUPPORT_H

#include "llvm/TableGen/Record.h"

namespace partita::tblgen {

/// The name of the group of records, given by `-name`.
llvm::StringRef getGroupName();

/// The Python type of an option's values; empty if there is none.
llvm::StringRef getPythonType(const llvm::Record *option);

/// The name of an option's parameter in Python.
std::string getPythonName(const llvm::Record *option);

} // namespace partita::tblgen

#endif // PARTITA_TBLGEN_TABLEGENSUPPORT_H
