//===- Memory.cpp - Memory of compiled code -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/sysinfo.h>

namespace partita::runtime {

/// malloc takes smaller blocks from memory that it has; it gives larger ones
/// back to the kernel.
constexpr size_t kSmallest = size_t(64) << 10;
/// A pool keeps no more than this.
constexpr size_t kMostKept = size_t(1) << 30;

/// The bytes in large blocks of all pools, apart from those that are kept.
static std::atomic<size_t> usedByAll{0};

static size_t findMachineMemory() {
  size_t bytes = SIZE_MAX;
  struct sysinfo info;
  if (!sysinfo(&info))
    bytes = (size_t(info.totalram) + info.totalswap) * info.mem_unit;
  // The limits of a container, of either version of control groups.
  for (const char *path : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    auto file = llvm::MemoryBuffer::getFileAsStream(path);
    size_t limit;
    if (file && !(*file)->getBuffer().trim().getAsInteger(10, limit))
      bytes = std::min(bytes, limit);
  }
  return bytes;
}

size_t getMachineMemory() {
  static const size_t bytes = findMachineMemory();
  return bytes;
}

void BlockList::push(Block *block) {
  block->next = ends.next;
  block->previous = &ends;
  ends.next->previous = block;
  ends.next = block;
}

void BlockList::remove(Block *block) {
  if (!block->next)
    return;
  block->next->previous = block->previous;
  block->previous->next = block->next;
  block->next = block->previous = nullptr;
}

bool BlockList::contains(const Block *block) const {
  for (const Block *it = ends.next; it != &ends; it = it->next)
    if (it == block)
      return true;
  return false;
}

/// A block from malloc.
static Block *createBlock(size_t size, size_t alignment) {
  void *allocation = std::aligned_alloc(
      alignment, llvm::alignTo(sizeof(Block), alignment) + size);
  if (!allocation)
    return nullptr;
  // The block ends where the memory begins.
  char *memory =
      static_cast<char *>(allocation) + llvm::alignTo(sizeof(Block), alignment);
  Block *block = new (memory - sizeof(Block)) Block();
  block->allocation = allocation;
  block->size = size;
  return block;
}

Block *Pool::allocate(size_t size, size_t alignment) {
  alignment = std::max(alignment, alignof(Block));
  // No address is that large, and sums of sizes do not overflow.
  if (size >= PTRDIFF_MAX / 4 || alignment >= PTRDIFF_MAX / 4)
    return nullptr;
  size = llvm::alignTo(std::max<size_t>(size, 1), alignment);
  if (size < kSmallest)
    return createBlock(size, alignment);
  // Linux can promise more memory than there is, and end the process later.
  if (usedByAll.load(std::memory_order_relaxed) + size > getMachineMemory())
    return nullptr;
  Block *block = takeKept(size, alignment);
  if (!block)
    block = createBlock(size, alignment);
  if (!block)
    return nullptr;
  usedByAll += block->size;
  block->pool = this;
  Retain();
  std::lock_guard<std::mutex> lock(mutex);
  usedBytes += block->size;
  mostUsed = std::max(mostUsed, usedBytes);
  return block;
}

Block *Pool::takeKept(size_t size, size_t alignment) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = bySize.lower_bound(size);
  // A larger block would be missed where it is needed.
  for (; it != bySize.end() && it->first <= 2 * size; ++it) {
    Block *block = it->second;
    if (reinterpret_cast<uintptr_t>(block->getMemory()) % alignment)
      continue;
    bySize.erase(it);
    BlockList::remove(block);
    keptBytes -= block->size;
    return block;
  }
  return nullptr;
}

void Pool::release(Block *block) {
  BlockList::remove(block);
  Pool *pool = block->pool;
  if (!pool)
    return destroy(block);
  usedByAll -= block->size;
  pool->put(block);
  pool->Release();
}

void Pool::put(Block *block) {
  std::lock_guard<std::mutex> lock(mutex);
  usedBytes -= block->size;
  size_t limit = std::min(mostUsed, kMostKept);
  if (isClosed || block->size > limit)
    return destroy(block);
  while (keptBytes + block->size > limit)
    forget(kept.getOldest());
  kept.push(block);
  keptBytes += block->size;
  bySize.emplace(block->size, block);
}

void Pool::forget(Block *block) {
  auto it = bySize.lower_bound(block->size);
  while (it->second != block)
    ++it;
  bySize.erase(it);
  BlockList::remove(block);
  keptBytes -= block->size;
  destroy(block);
}

void Pool::close() {
  std::lock_guard<std::mutex> lock(mutex);
  isClosed = true;
  while (Block *block = kept.getOldest())
    forget(block);
}

void Pool::destroy(Block *block) { std::free(block->allocation); }

} // namespace partita::runtime
