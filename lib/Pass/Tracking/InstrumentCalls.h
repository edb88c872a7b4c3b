//===- InstrumentCalls.h - Calling the instruments of a run -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_TRACKING_INSTRUMENTCALLS_H
#define PARTITA_LIB_PASS_TRACKING_INSTRUMENTCALLS_H

#include "partita/Pass/Run.h"

namespace partita::transform {

// The following functions call the instruments of the run's context, and emit
// their errors at the module.

/// Calls beginRun on instruments that have not had it, and adds them to
/// `begun`: instruments can change in the middle of a run.
mlir::LogicalResult callBeginRun(const Run &run, PassInstruments &begun);
/// Calls endRun on the instruments in `begun`. Gives `record`, if it is filled
/// in, to the instruments that want records alone, and to the pass around the
/// run.
mlir::LogicalResult
callEndRun(const Run &run,
           const std::shared_ptr<const instrument::RunRecord> &record,
           bool isFilled, const PassInstruments &begun);

/// Asks every should_run; adds the instruments that veto the pass to `against`.
mlir::FailureOr<bool> callShouldRun(const PassStep &step,
                                    PassInstruments &against);
mlir::LogicalResult callRunBeforePass(const PassStep &step);
mlir::LogicalResult callRunAfterPass(const PassStep &step);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_TRACKING_INSTRUMENTCALLS_H
