//===- PassConfigGen.h - C++ of PassConfig records --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_PARTITA_TBLGEN_PASSCONFIGGEN_H
#define PARTITA_TOOLS_PARTITA_TBLGEN_PASSCONFIGGEN_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

/// Emits the declarations by which passes read their config: a C++ struct with
/// `get` for each struct, and a function for each other key.
void emitConfigDecls(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitConfigDefs(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// Emits calls that register the keys.
void emitConfigRegistration(const llvm::RecordKeeper &records,
                            llvm::raw_ostream &os);

#endif // PARTITA_TOOLS_PARTITA_TBLGEN_PASSCONFIGGEN_H
