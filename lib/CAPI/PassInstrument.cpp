//===- PassInstrument.cpp - C API of instruments --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformWraps.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/CAPI/IR.h"

#include <mutex>

using namespace mlir;
using namespace partita;
using namespace partita::capi;
using partita::instrument::Clock;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;

static int64_t inNanoseconds(Clock::time_point time) {
  return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

namespace {
/// An instrument whose callbacks are C functions.
class CallbackInstrument : public PassInstrument {
public:
  CallbackInstrument(StringRef name,
                     const PartitaPassInstrumentCallbacks &callbacks,
                     void *userData)
      : PassInstrument(name, getWants(callbacks)), callbacks(callbacks),
        userData(userData) {}
  ~CallbackInstrument() override {
    if (callbacks.destroy)
      callbacks.destroy(userData);
  }

  llvm::Error enterPassContext() override {
    return call(callbacks.enterPassContext);
  }
  llvm::Error exitPassContext() override {
    return call(callbacks.exitPassContext);
  }
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override {
    bool answer = true;
    if (llvm::Error error = callAt(step, callbacks.shouldRun, &answer))
      return std::move(error);
    return answer;
  }
  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return callAt(step, callbacks.runBeforePass);
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return callAt(step, callbacks.runAfterPass);
  }
  llvm::Error beginRun(const transform::Run &run) override {
    PlanRef plan = run.plan;
    return call(callbacks.beginRun, wrapRun(run, plan));
  }
  llvm::Error
  endRun(const transform::Run &run,
         std::shared_ptr<const instrument::RunRecord> record) override {
    PlanRef plan = run.plan;
    llvm::Error error =
        call(callbacks.endRun, wrapRun(run, plan), record->hasFailed());
    // A run that did not begin has no plan in its record.
    if (callbacks.recordRun && record->getRoot().plan)
      error = llvm::joinErrors(std::move(error),
                               call(callbacks.recordRun, wrapRun(run, plan),
                                    wrap(&record->getRoot())));
    return error;
  }
  void beginSpan(const instrument::PassSpan &span) override {
    callAtSpan(span, callbacks.beginSpan);
  }
  void endSpan(const instrument::PassSpan &span) override {
    callAtSpan(span, callbacks.endSpan);
  }

private:
  static instrument::Wants
  getWants(const PartitaPassInstrumentCallbacks &callbacks) {
    using instrument::Wants;
    return (callbacks.shouldRun || callbacks.runBeforePass ||
                    callbacks.runAfterPass
                ? Wants::Module
                : Wants::Nothing) |
           (callbacks.beginRun || callbacks.endRun ? Wants::Runs
                                                   : Wants::Nothing) |
           (callbacks.recordRun ? Wants::Records : Wants::Nothing) |
           (callbacks.recordRun && callbacks.wantsCPUTime ? Wants::CPUTime
                                                          : Wants::Nothing) |
           (callbacks.beginSpan || callbacks.endSpan ? Wants::Spans
                                                     : Wants::Nothing);
  }

  /// Calls `callback` unless it is null. Its error has no text, since the
  /// callback has reported it itself.
  template <typename CallbackT, typename... ArgTs>
  llvm::Error call(CallbackT *callback, ArgTs... args) {
    if (!callback || mlirLogicalResultIsSuccess(callback(args..., userData)))
      return llvm::Error::success();
    return llvm::createStringError("");
  }

  static PartitaRun wrapRun(const transform::Run &run, PlanRef &plan) {
    return {wrap(run.module), wrap(&plan), &run, run.outer.run};
  }

  /// Calls `callback` with `step`, unless it is null.
  template <typename CallbackT, typename... ArgTs>
  llvm::Error callAt(const transform::PassStep &step, CallbackT *callback,
                     ArgTs... args) {
    if (!callback)
      return llvm::Error::success();
    return withStep(step, [&](const PartitaPassStep &wrapped) {
      return call(callback, wrapped, args...);
    });
  }

  /// Calls `callback` with the C form of `step`.
  template <typename CallbackT>
  static auto withStep(const transform::PassStep &step, CallbackT callback) {
    PlanRef plan = step.run->plan;
    return withInfo(step.info(), [&](PartitaPassInfo info) {
      return callback({wrapRun(*step.run, plan), info, intptr_t(step.entry),
                       step.number()});
    });
  }

  void callAtSpan(const instrument::PassSpan &span,
                  void (*callback)(PartitaPassSpan, void *)) {
    if (!callback)
      return;
    withStep(span.step, [&](const PartitaPassStep &step) {
      callback({step, wrap(span.op), span.thread, inNanoseconds(span.begin),
                inNanoseconds(span.end), span.hasFailed},
               userData);
    });
  }

  PartitaPassInstrumentCallbacks callbacks;
  void *userData;
};
} // namespace

PartitaPassInstrument
partitaPassInstrumentCreate(MlirStringRef name,
                            PartitaPassInstrumentCallbacks callbacks,
                            void *userData) {
  return wrap(new PassInstrumentRef(
      std::make_shared<CallbackInstrument>(unwrap(name), callbacks, userData)));
}

PartitaPassInstrument partitaPassInstrumentParse(MlirStringRef text,
                                                 MlirStringCallback onError,
                                                 void *userData) {
  return wrapExpected<PartitaPassInstrument>(
      instrument::createInstrument(unwrap(text)), onError, userData);
}

PartitaPassInstrument
partitaPassInstrumentCopy(PartitaPassInstrument instrument) {
  return wrap(new PassInstrumentRef(*unwrap(instrument)));
}

void partitaPassInstrumentDestroy(PartitaPassInstrument instrument) {
  delete unwrap(instrument);
}

MlirStringRef partitaPassInstrumentGetName(PartitaPassInstrument instrument) {
  return wrap((*unwrap(instrument))->getName());
}

bool partitaPassInstrumentGetsModule(PartitaPassInstrument instrument) {
  using instrument::Wants;
  return (*unwrap(instrument))
      ->wants(Wants::Module | Wants::Runs | Wants::Spans);
}

const void *partitaPassInstrumentGetId(PartitaPassInstrument instrument) {
  return unwrap(instrument)->get();
}

void partitaPassContextGetInstruments(PartitaPassContext context,
                                      void (*callback)(const void *id,
                                                       void *userData),
                                      void *userData) {
  for (const PassInstrumentRef &instrument : *unwrap(context)->instruments())
    callback(instrument.get(), userData);
}

void partitaPassInstrumentRender(PartitaPassInstrument instrument,
                                 MlirStringCallback callback, void *userData) {
  std::string text = (*unwrap(instrument))->render();
  callback(wrap(StringRef(text)), userData);
}

void partitaPassInstrumentToJSON(PartitaPassInstrument instrument,
                                 MlirStringCallback callback, void *userData) {
  std::string text;
  llvm::raw_string_ostream(text) << (*unwrap(instrument))->toJSON();
  callback(wrap(StringRef(text)), userData);
}

void partitaListInstruments(PartitaInstrumentOptionCallback callback,
                            void *userData) {
  for (const instrument::InstrumentDeclaration &declaration :
       instrument::listInstruments()) {
    MlirStringRef name = wrap(StringRef(declaration.name));
    callback(name, wrap(StringRef()), wrap(StringRef(declaration.summary)),
             userData);
    for (const instrument::InstrumentOption &option : declaration.options)
      callback(name, wrap(StringRef(option.name)),
               wrap(StringRef(option.description)), userData);
  }
}

void partitaRegisterInstruments() {
  static std::once_flag once;
  std::call_once(once, [] {
    transform::registerSequentialPass();
    transform::keepFailedReports();
    instrument::registerAllInstruments();
  });
}

//===----------------------------------------------------------------------===//
// PassRecord
//===----------------------------------------------------------------------===//

void partitaPassRecordGetInfo(PartitaPassRecord record,
                              PartitaPassInfoCallback callback,
                              void *userData) {
  withInfo(unwrap(record)->getInfo(),
           [&](PartitaPassInfo info) { callback(info, userData); });
}

void partitaPassRecordGetReason(PartitaPassRecord record,
                                MlirStringCallback callback, void *userData) {
  std::string reason = unwrap(record)->getReason();
  callback(wrap(StringRef(reason)), userData);
}

uint64_t partitaPassRecordGetNumRuns(PartitaPassRecord record) {
  return unwrap(record)->numRuns;
}

uint64_t partitaPassRecordGetNumUnchanged(PartitaPassRecord record) {
  return unwrap(record)->numUnchanged;
}

bool partitaPassRecordHasFailed(PartitaPassRecord record) {
  return unwrap(record)->hasFailed;
}

int64_t partitaPassRecordGetTime(PartitaPassRecord record) {
  return unwrap(record)->time.count();
}

int64_t partitaPassRecordGetWallTime(PartitaPassRecord record) {
  return unwrap(record)->wallTime.count();
}

int64_t partitaPassRecordGetCPUTime(PartitaPassRecord record) {
  const auto &time = unwrap(record)->cpuTime;
  return time ? time->count() : -1;
}

intptr_t partitaPassRecordGetNumVetoes(PartitaPassRecord record) {
  return unwrap(record)->vetoedBy.size();
}

MlirStringRef partitaPassRecordGetVeto(PartitaPassRecord record,
                                       intptr_t index) {
  return wrap(StringRef(unwrap(record)->vetoedBy[index]));
}

intptr_t partitaPassRecordGetNumChildren(PartitaPassRecord record) {
  return unwrap(record)->children.size();
}

PartitaPassRecord partitaPassRecordGetChild(PartitaPassRecord record,
                                            intptr_t index) {
  return wrap(&unwrap(record)->children[index]);
}
