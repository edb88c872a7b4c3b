//===- Call.cpp - One call of compiled code -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error in compiled code leaves the code by longjmp. The frames between
// belong to the code, which has nothing to destroy, and to functions in
// CodeSymbols, which must have nothing either.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "PackedCaller.h"
#include "RuntimeError.h"
#include "Threads.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace partita::runtime {

/// The call that this thread is in. Compiled code hands no state to the
/// functions that it calls.
static thread_local Call *currentCall = nullptr;

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

Call::~Call() {
  while (Block *block = live.getOldest())
    Pool::release(block);
  std::free(message);
}

/// Nothing here changes between setjmp and longjmp.
LLVM_ATTRIBUTE_NOINLINE bool Call::enter(Entry entry, uint64_t *slots) {
  // NOLINTNEXTLINE(cert-err52-cpp): compiled code cannot throw.
  if (_setjmp(exit))
    return false;
  entry(slots);
  return true;
}

llvm::Error Call::run(Entry entry, uint64_t *slots) {
  Call *outer = std::exchange(currentCall, this);
  bool isDone = enter(entry, slots);
  currentCall = outer;
  if (isDone)
    return llvm::Error::success();
  return makeFailure(message ? message : "out of memory");
}

void Call::fail(const char *text) {
  message = strdup(text);
  leave();
}

bool Call::callPacked(int64_t index, uint64_t *slots, void *result) {
  llvm::Error error = packed.call(*this, index, slots, result);
  if (!error)
    return true;
  message = strdup(llvm::toString(std::move(error)).c_str());
  return false;
}

void Call::leave() {
  // NOLINTNEXTLINE(cert-err52-cpp): compiled code cannot throw.
  _longjmp(exit, 1);
}

Block *Call::tryAllocate(size_t size, size_t alignment) {
  Block *block = pool.allocate(size, alignment);
  if (block)
    live.push(block);
  return block;
}

constexpr const char *kNoMemory =
    "expected to allocate %zu bytes, but found no memory for them (the machine "
    "has %zu bytes)";

llvm::Expected<Block *> Call::allocate(size_t size) {
  if (Block *block = tryAllocate(size, 1))
    return block;
  char text[160];
  std::snprintf(text, sizeof(text), kNoMemory, size, getMachineMemory());
  return makeFailure(text);
}

bool Call::take(void *memory) {
  Block *block = Block::get(memory);
  // Compared, not read: it may be no block.
  if (!memory || !live.contains(block))
    return false;
  BlockList::remove(block);
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies the dimensions from `shape.front()` on. Strides are in bytes.
static void copyStrided(const char *source, char *target,
                        llvm::ArrayRef<int64_t> shape, const int64_t *from,
                        const int64_t *to, size_t elementBytes) {
  if (shape.empty()) {
    std::memcpy(target, source, elementBytes);
    return;
  }
  if (shape.size() == 1 && from[0] == int64_t(elementBytes) &&
      to[0] == int64_t(elementBytes)) {
    std::memcpy(target, source, shape[0] * elementBytes);
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    copyStrided(source + i * from[0], target + i * to[0], shape.drop_front(),
                from + 1, to + 1, elementBytes);
}

void copyToContiguous(const char *source, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> strides, size_t elementBytes,
                      char *target) {
  llvm::SmallVector<int64_t, 8> from(strides), to(shape.size());
  int64_t bytes = elementBytes;
  for (size_t i = shape.size(); i-- > 0;) {
    from[i] *= elementBytes;
    to[i] = bytes;
    bytes *= shape[i];
  }
  if (bytes)
    copyStrided(source, target, shape, from.data(), to.data(), elementBytes);
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

namespace {
/// MLIR's descriptor of a memref of any rank.
struct UnrankedMemRef {
  int64_t rank;
  MemRef *descriptor;
};
} // namespace

/// Finds where the stack of this thread is so full that compiled code should
/// call no more of its functions.
static char *findStackEnd() {
  constexpr size_t kReserve = 256 << 10;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return nullptr;
  void *memory = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &memory, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<char *>(memory) + std::min(size / 2, kReserve);
}

static bool isStackFull() {
  static thread_local char *const end = findStackEnd();
  char here;
  return &here < end;
}

class CodeSymbols {
public:
  static void *alignedAlloc(int64_t alignment, int64_t size) {
    // A negative size has overflowed.
    Call *call = getCall();
    if (Block *block = call->tryAllocate(size, alignment))
      return block->getMemory();
    char text[160];
    std::snprintf(text, sizeof(text), kNoMemory, size_t(size),
                  getMachineMemory());
    call->fail(text);
  }

  static void *alloc(int64_t size) { return alignedAlloc(1, size); }

  static void free(void *memory) {
    if (memory)
      Pool::release(Block::get(memory));
  }

  [[noreturn]] static void fail(const char *message) {
    getCall()->fail(message);
  }

  static void checkStack() {
    if (isStackFull())
      fail("expected calls that come to an end, but found that a function of "
           "the module calls itself until the stack is full");
  }

  static void callPacked(int64_t index, uint64_t *slots, void *result) {
    Call *call = getCall();
    if (call->callPacked(index, slots, result))
      return;
    call->leave();
  }

  /// Without lists of its own, because compiled code copies in loops.
  static void copy(int64_t elementBytes, UnrankedMemRef *from,
                   UnrankedMemRef *to) {
    int64_t rank = from->rank;
    MemRef *source = from->descriptor, *target = to->descriptor;
    llvm::ArrayRef<int64_t> shape(source->getSizes(), rank);
    int64_t strides[2 * kMaxRank];
    if (rank > kMaxRank)
      getCall()->fail("expected no more than 64 dimensions to copy");
    for (int64_t i = 0; i < rank; ++i) {
      if (!shape[i])
        return;
      strides[i] = source->getSizes()[rank + i] * elementBytes;
      strides[kMaxRank + i] = target->getSizes()[rank + i] * elementBytes;
    }
    copyStrided(source->aligned + source->offset * elementBytes,
                target->aligned + target->offset * elementBytes, shape, strides,
                strides + kMaxRank, elementBytes);
  }

  /// GCC has these from version 13 on. A bfloat16 is returned in the low half
  /// of the register of a float.
  static float truncateFloat(float value) {
    uint32_t bits = llvm::bit_cast<uint32_t>(value);
    bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
    // To the nearest, and to even between two.
    uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return llvm::bit_cast<float>((isNaN ? bits | 0x400000 : rounded) >> 16);
  }
  static float truncateDouble(double value) {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return llvm::bit_cast<float>(
        uint32_t(number.bitcastToAPInt().getZExtValue()));
  }

private:
  static constexpr int64_t kMaxRank = 64;

  static Call *getCall() {
    if (!currentCall)
      llvm::report_fatal_error("compiled code allocates or fails on a thread "
                               "that it has started");
    return currentCall;
  }
};

template <typename T>
static void *getAddress(T *function) {
  return reinterpret_cast<void *>(function);
}

llvm::ArrayRef<std::pair<const char *, void *>> getCodeSymbols() {
  static const std::pair<const char *, void *> symbols[] = {
      {"_mlir_memref_to_llvm_alloc", getAddress(CodeSymbols::alloc)},
      {"_mlir_memref_to_llvm_aligned_alloc",
       getAddress(CodeSymbols::alignedAlloc)},
      {"_mlir_memref_to_llvm_free", getAddress(CodeSymbols::free)},
      {"partita_runtime_fail", getAddress(CodeSymbols::fail)},
      {"partita_runtime_check_stack", getAddress(CodeSymbols::checkStack)},
      {"partita_runtime_call_packed", getAddress(CodeSymbols::callPacked)},
      {"partita_runtime_parallel", getAddress(runParallel)},
      {"memrefCopy", getAddress(CodeSymbols::copy)},
      {"__truncsfbf2", getAddress(CodeSymbols::truncateFloat)},
      {"__truncdfbf2", getAddress(CodeSymbols::truncateDouble)},
  };
  return symbols;
}

} // namespace partita::runtime
