//===- ReducePass.h - Makes a module smaller --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_REDUCEPASS_H
#define PARTITA_LIB_TOOLS_REDUCEPASS_H

namespace partita {

/// Registers `partita-reduce{test=script}`, which leaves out operations as long
/// as the script finds the module interesting. As for mlir-reduce, an exit code
/// other than 0 says so. The script never gets an invalid module.
void registerReducePass();

} // namespace partita

#endif // PARTITA_LIB_TOOLS_REDUCEPASS_H
