//===- Results.h - Results of compiled code -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_RESULTS_H
#define PARTITA_LIB_RUNTIME_RESULTS_H

#include "Call.h"
#include "Metadata.h"

#include "partita-c/Runtime.h"

namespace partita::runtime {

/// Makes values of the struct that the code writes its results to.
class ResultReader {
public:
  ResultReader(const Function &function, Call &call);

  /// For the struct.
  void *getMemory() { return words.data(); }
  /// `scalar` is where a result is that the code returns.
  llvm::Error read(const void *scalar, PartitaRuntimeValue &result);

private:
  llvm::Error readParam(const Param &param, PartitaRuntimeValue &value);
  llvm::Error readTensor(const Param &param, PartitaRuntimeValue &value);
  void readShape(const Param &param, PartitaRuntimeValue &value);
  void readPrim(const Param &param, PartitaRuntimeValue &value);
  llvm::Error readTuple(const Param &param, PartitaRuntimeValue &value);

  /// The next field of the struct, aligned as in C.
  const char *advance(size_t bytes, size_t alignment);

  const Function &function;
  Call &call;
  llvm::SmallVector<uint64_t, 32> words;
  const char *next;
};

/// The number that has these bits, the lowest of `bits`.
PartitaRuntimeValue makeScalar(DType dtype, uint64_t bits);

/// Frees what a value owns.
void release(PartitaRuntimeValue &value);
void releaseTensor(void *owner);

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_RESULTS_H
