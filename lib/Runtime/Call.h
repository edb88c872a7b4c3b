//===- Call.h - One call of compiled code ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_CALL_H
#define PARTITA_LIB_RUNTIME_CALL_H

#include "Memory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <csetjmp>
#include <string>
#include <utility>

namespace partita::runtime {

class PackedCaller;

/// Compiled code: loads its arguments from slots, and stores a scalar result
/// behind them.
using Entry = void (*)(uint64_t *slots);

/// A call: the memory that the code has allocated, and where it goes on after
/// an error.
class Call {
public:
  Call(Pool &pool, PackedCaller &packed) : pool(pool), packed(packed) {}
  /// Frees what the code has left, except results that were taken.
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// Runs the code on this thread.
  llvm::Error run(Entry entry, uint64_t *slots);

  /// A block of this call, or an error.
  llvm::Expected<Block *> allocate(size_t size);
  /// Makes `memory` the caller's; false if it is no block of this call.
  bool take(void *memory);

private:
  friend class CodeSymbols;

  bool enter(Entry entry, uint64_t *slots);
  /// Whether the packed function has succeeded. If not, `message` is set.
  bool callPacked(int64_t index, uint64_t *slots, void *result);
  [[noreturn]] void leave();
  [[noreturn]] void fail(const char *message);
  Block *tryAllocate(size_t size, size_t alignment);

  Pool &pool;
  PackedCaller &packed;
  BlockList live;
  std::jmp_buf exit;
  /// From malloc: the stack that is left has no destructors.
  char *message = nullptr;
};

/// MLIR's descriptor of a memref whose rank is known. Its sizes and strides are
/// behind it.
struct MemRef {
  char *allocated;
  char *aligned;
  int64_t offset;

  const int64_t *getSizes() const {
    return reinterpret_cast<const int64_t *>(this + 1);
  }
};

/// Copies a tensor with strides, in elements, to one that is contiguous.
void copyToContiguous(const char *source, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> strides, size_t elementBytes,
                      char *target);

/// The functions that compiled code calls.
llvm::ArrayRef<std::pair<const char *, void *>> getCodeSymbols();

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_CALL_H
