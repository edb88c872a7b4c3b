//===- RunPass.h - Running a pass on a module -------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_RUN_RUNPASS_H
#define PARTITA_LIB_PASS_RUN_RUNPASS_H

#include "partita/Pass/Run.h"

namespace partita::transform {

/// Runs the run's plan from inside a pass, by a pass manager of its own.
mlir::LogicalResult runInside(const Run &run);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_RUN_RUNPASS_H
