//===- Threads.h - Loops of compiled code on several threads ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_THREADS_H
#define PARTITA_LIB_RUNTIME_THREADS_H

#include <cstdint>

namespace partita::runtime {

/// Runs the iterations from `begin` to `end` of a loop.
using LoopBody = void (*)(int64_t begin, int64_t end, uint64_t *slots);

/// Runs a loop on the calling thread and on those that have nothing else to do.
/// Each gets at least `grain` iterations at a time.
void runParallel(int64_t count, int64_t grain, LoopBody body, uint64_t *slots);

/// How many threads run a loop. At first this is the number of processors that
/// the process may use.
unsigned getNumThreads();
void setNumThreads(unsigned count);

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_THREADS_H
