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

#include "llvm/Support/Alignment.h"

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

  const Function &function;
  Call &call;
  llvm::SmallVector<uint64_t, 32> words;
  const char *next;
};

/// The number that has these bits, the lowest of `bits`.
PartitaRuntimeValue makeScalar(DType dtype, uint64_t bits);
/// A tensor of code that the sizes and strides describe. It owns nothing.
PartitaRuntimeTensor makeTensor(DType dtype, char *data, size_t rank,
                                const int64_t *sizes, const int64_t *strides);

/// The next field of a struct, aligned as in C. Moves `next` behind it.
template <typename CharT>
CharT *takeField(CharT *&next, size_t bytes, size_t alignment) {
  CharT *field = next + llvm::offsetToAlignedAddr(next, llvm::Align(alignment));
  next = field + bytes;
  return field;
}

/// Frees what a value owns.
void release(PartitaRuntimeValue &value);
void releaseTensor(void *owner);

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_RESULTS_H
