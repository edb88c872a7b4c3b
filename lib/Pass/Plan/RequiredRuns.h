//===- RequiredRuns.h - Required passes that have run -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PLAN_REQUIREDRUNS_H
#define PARTITA_LIB_PASS_PLAN_REQUIREDRUNS_H

#include "partita/Pass/Plan.h"

namespace partita::transform {

/// PassInfo.reuseRequired: whether `pass` has run before, so that it need not
/// run again for the pass that requires it. It must be the last of `entries`,
/// from `begin` on, that runs, in the same place (see Plan::Entry::place). Only
/// the passes that `allowedAfter` names, and the passes that these require, may
/// come after it. As all of a plan, it is decided before the run, because
/// instruments that look must not change what runs.
bool hasRunBefore(llvm::ArrayRef<Plan::Entry> entries, size_t begin,
                  const Pass &pass, const Pass &place,
                  llvm::ArrayRef<std::string> allowedAfter);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PLAN_REQUIREDRUNS_H
