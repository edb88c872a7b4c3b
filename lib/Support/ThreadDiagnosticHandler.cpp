//===- ThreadDiagnosticHandler.cpp - Diagnostics of a thread --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/ThreadDiagnosticHandler.h"

using namespace partita;

static thread_local unsigned numTasks = 0;

ThreadTask::ThreadTask() { ++numTasks; }
ThreadTask::~ThreadTask() { --numTasks; }
unsigned ThreadTask::getDepth() { return numTasks; }
