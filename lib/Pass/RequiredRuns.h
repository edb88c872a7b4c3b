//===- RequiredRuns.h - Required passes that have run -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_REQUIREDRUNS_H
#define PARTITA_LIB_PASS_REQUIREDRUNS_H

#include "partita/Pass/Plan.h"

namespace partita::transform {

/// PassInfo.reuseRequired: whether the last of `entries` that runs, from
/// `begin` on, is `pass`, where the owner that requires it has it run (see
/// Plan::Entry::place). Passes that `allowedAfter` names, and what these
/// require, may come after it. It is decided before the run, as all that a plan
/// says: instruments that look must not change what runs.
bool hasRunBefore(llvm::ArrayRef<Plan::Entry> entries, size_t begin,
                  const Pass &pass, const Pass &place,
                  llvm::ArrayRef<std::string> allowedAfter);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_REQUIREDRUNS_H
