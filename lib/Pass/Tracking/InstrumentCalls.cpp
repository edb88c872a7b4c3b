//===- InstrumentCalls.cpp - Calling the instruments of a run -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstrumentCalls.h"
#include "../PassInstrumentImpl.h"
#include "RunMeter.h"
#include "partita/Support/EscapeText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace partita::transform {

using instrument::PassInstrument;
using instrument::PassInstrumentRef;
using instrument::Wants;

/// Emits the error that an instrument returned, if it is one.
static LogicalResult check(const Run &run, const PassInstrument &instrument,
                           const Twine &what, llvm::Error error) {
  if (!error)
    return success();
  return emitError(run.module->getLoc(),
                   describeFailure(instrument, what, std::move(error)));
}

/// The same, for a callback at a pass.
static LogicalResult check(const PassStep &step,
                           const PassInstrument &instrument, StringRef callback,
                           llvm::Error error) {
  if (!error)
    return success();
  return check(*step.run, instrument,
               callback + " of pass '" + step.info().name + "'",
               std::move(error));
}

LogicalResult callBeginRun(const Run &run, PassInstruments &begun) {
  run.context.noteRun();
  std::shared_ptr<const PassInstruments> list = run.context.instruments();
  for (const PassInstrumentRef &instrument : *list) {
    if (!instrument->wants(Wants::Runs) ||
        llvm::is_contained(begun, instrument))
      continue;
    if (failed(check(run, *instrument, "to begin the run",
                     instrument->beginRun(run))))
      return failure();
    begun.push_back(instrument);
  }
  return success();
}

/// The frame of the innermost measured pass around this one on this thread.
static RunFrame *getMeasured(RunFrame *frame) {
  while (frame && !frame->meter)
    frame = frame->outer;
  return frame;
}

/// Whether `instrument` gets the record of an outer run on this thread.
static bool getsRecordAround(const PassInstrumentRef &instrument) {
  for (RunFrame *frame = getMeasured(getInnermostFrame()); frame;
       frame = getMeasured(frame->outer))
    if (frame->meter->records(instrument))
      return true;
  return false;
}

LogicalResult callEndRun(const Run &run, const RunRecordRef &record,
                         bool isFilled, const PassInstruments &begun) {
  LogicalResult result = success();
  auto call = [&](const PassInstrumentRef &instrument) {
    if (failed(check(run, *instrument, "to end the run",
                     instrument->endRun(run, record))))
      result = failure();
  };
  if (isFilled) {
    run.context.noteRun();
    std::shared_ptr<const PassInstruments> list = run.context.instruments();
    for (const PassInstrumentRef &instrument : *list)
      if (instrument->wants(Wants::Records) &&
          !instrument->wants(Wants::Runs) && !getsRecordAround(instrument))
        call(instrument);
    if (RunFrame *around = getMeasured(getInnermostFrame()))
      around->nested.push_back(record);
  }
  llvm::for_each(begun, call);
  return result;
}

FailureOr<bool> callShouldRun(const PassStep &step, PassInstruments &against) {
  if (step.getEntry().inRequiredPass)
    return true;
  std::shared_ptr<const PassInstruments> list = step.run->context.instruments();
  bool shouldRun = true;
  for (const PassInstrumentRef &instrument : *list) {
    if (!instrument->wants(Wants::Module))
      continue;
    llvm::Expected<bool> answer = instrument->shouldRun(step);
    if (!answer)
      return check(step, *instrument, "should_run", answer.takeError());
    shouldRun &= *answer;
    if (!*answer)
      against.push_back(instrument);
  }
  return shouldRun;
}

LogicalResult callRunBeforePass(const PassStep &step) {
  std::shared_ptr<const PassInstruments> list = step.run->context.instruments();
  for (const PassInstrumentRef &instrument : *list)
    if (instrument->wants(Wants::Module) &&
        failed(check(step, *instrument, "run_before_pass",
                     instrument->runBeforePass(step))))
      return failure();
  return success();
}

LogicalResult callRunAfterPass(const PassStep &step) {
  std::shared_ptr<const PassInstruments> list = step.run->context.instruments();
  for (const PassInstrumentRef &instrument : *list)
    if (instrument->wants(Wants::Module) &&
        failed(check(step, *instrument, "run_after_pass",
                     instrument->runAfterPass(step))))
      return failure();
  return success();
}

} // namespace partita::transform
