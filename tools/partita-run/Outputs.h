//===- Outputs.h - Results of partita-run -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_RUN_OUTPUTS_H
#define PARTITA_TOOLS_RUN_OUTPUTS_H

#include "Signature.h"

#include "partita-c/Runtime.h"

namespace partita {

/// The tensors, shapes and numbers of a result, and then the arguments that the
/// function writes, as arrays called out_0, out_1 and so on. `memory` gets what
/// the result does not have as an array.
std::vector<Array> getOutputs(const Signature &signature,
                              llvm::ArrayRef<PartitaRuntimeValue> args,
                              const PartitaRuntimeValue &result,
                              std::deque<std::string> &memory);

/// Prints type and shape of each array, and its greatest elements. With
/// `expected`, also that file's element beside each, and the largest difference
/// to its array of the same name.
llvm::Error printSummary(llvm::ArrayRef<Array> arrays,
                         const NumPyFile *expected, llvm::raw_ostream &os);

} // namespace partita

#endif // PARTITA_TOOLS_RUN_OUTPUTS_H
