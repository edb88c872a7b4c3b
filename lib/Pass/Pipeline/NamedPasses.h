//===- NamedPasses.h - Passes by name ---------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINE_NAMEDPASSES_H
#define PARTITA_LIB_PASS_PIPELINE_NAMEDPASSES_H

#include "partita/Pass/Pass.h"

#include "llvm/Support/Error.h"

namespace partita::transform {

/// The pass that MLIR knows by one of its names. A Sequential finds its members
/// when it runs.
llvm::Expected<Pass> getPassOfMLIR(llvm::StringRef name,
                                   llvm::StringRef options);

/// "'a' -> 'b' -> 'a'": the cycle that `name` closes in `chain`.
std::string describeChain(llvm::ArrayRef<std::string> chain,
                          llvm::StringRef name);

/// A warning for each name in required_pass and disabled_pass that fits neither
/// a registered pass nor a pass in `present`.
std::vector<std::string>
describeUnknownNames(const PassContext &context,
                     llvm::ArrayRef<std::string> present);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINE_NAMEDPASSES_H
