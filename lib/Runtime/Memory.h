//===- Memory.h - Memory of compiled code ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code allocates temporaries and results. The kernel clears each page
// of a large block when it is first touched, which takes longer than most ops.
// So a pool keeps large blocks from call to call.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_MEMORY_H
#define PARTITA_LIB_RUNTIME_MEMORY_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>

namespace partita::runtime {

class Pool;

/// What is before the memory of a block: a link in a list of blocks, and where
/// the block goes back to.
struct alignas(64) Block {
  Block *next = nullptr;
  Block *previous = nullptr;
  /// Null if the block is small, and goes back to malloc.
  Pool *pool = nullptr;
  void *allocation = nullptr;
  size_t size = 0;

  static Block *get(void *memory) { return static_cast<Block *>(memory) - 1; }
  void *getMemory() { return this + 1; }
};

/// Blocks in a circle.
class BlockList {
public:
  BlockList() { ends.next = ends.previous = &ends; }
  BlockList(const BlockList &) = delete;
  BlockList &operator=(const BlockList &) = delete;

  void push(Block *block);
  /// Takes the block out of whichever list it is in, if any.
  static void remove(Block *block);
  /// The block that was pushed first, or null.
  Block *getOldest() {
    return ends.previous == &ends ? nullptr : ends.previous;
  }
  bool contains(const Block *block) const;

private:
  Block ends;
};

/// The memory of an executable and of its results.
class Pool : public llvm::ThreadSafeRefCountedBase<Pool> {
public:
  ~Pool() { close(); }

  /// A block, or null if there is no memory. `alignment` is a power of two; it
  /// is at least 64.
  Block *allocate(size_t size, size_t alignment);
  static void release(Block *block);
  /// Keeps nothing from now on.
  void close();

private:
  Block *takeKept(size_t size, size_t alignment);
  void put(Block *block);
  void forget(Block *block);
  static void destroy(Block *block);

  std::mutex mutex;
  std::multimap<size_t, Block *> bySize;
  /// Those in `bySize`.
  BlockList kept;
  size_t keptBytes = 0;
  size_t usedBytes = 0;
  size_t mostUsed = 0;
  bool isClosed = false;
};

/// The machine's memory and swap space, in bytes, or what its container may
/// use.
size_t getMachineMemory();

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_MEMORY_H
