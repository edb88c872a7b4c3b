//===- ReducePass.h - Makes a module smaller --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_REDUCEPASS_H
#define PARTITA_LIB_TOOLS_REDUCEPASS_H

namespace partita {

/// Registers `partita-reduce{test=script}`: leaves out operations as long as
/// the script finds the module interesting, which it says, as to mlir-reduce,
/// by an exit code that is not 0. A module that is not valid is never tried.
void registerReducePass();

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REDUCEPASS_H
