//===- VectorFunctions.h - Functions of vectors -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_RUNTIME_VECTORFUNCTIONS_H
#define PARTITA_RUNTIME_VECTORFUNCTIONS_H

#include "llvm/Analysis/TargetLibraryInfo.h"

#include <vector>

namespace llvm {
class CallBase;
class Module;
class TargetMachine;
} // namespace llvm

namespace partita::runtime {

/// The functions of a library that compute exp and the like for vectors, on the
/// processor of this machine.
class VectorFunctions {
public:
  explicit VectorFunctions(const llvm::TargetMachine &machine);

  /// Tells LLVM's vectorizer about the functions.
  void describe(llvm::TargetLibraryInfoImpl &library) const;
  /// Calls the functions for numbers that are in no vector, too. An element has
  /// the same result in the middle of an array and at its end.
  void replaceScalarCalls(llvm::Module &module) const;

private:
  const llvm::VecDesc *find(const llvm::CallBase &call) const;

  std::vector<llvm::VecDesc> functions;
};

} // namespace partita::runtime

#endif // PARTITA_RUNTIME_VECTORFUNCTIONS_H
