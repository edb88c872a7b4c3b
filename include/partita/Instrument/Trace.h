//===- Trace.h - A timeline of passes for trace viewers -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_TRACE_H
#define PARTITA_INSTRUMENT_TRACE_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "llvm/ADT/StringMap.h"

namespace partita::instrument {

/// Writes a timeline in Chrome's trace event format, which ui.perfetto.dev and
/// chrome://tracing open: a track for each thread, on it a span for each pass
/// on each function, in spans for the function and for the Sequentials around
/// it, and the process's resident set as a counter.
///
/// It looks at no module, so passes run as they do without it. Where they run
/// merged, a thread takes each function through all of them, and a Sequential
/// has a span wherever a thread is in it without being outside in between.
class Trace : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "trace";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where the trace goes when the scope is left: a file, - "
                       "for stdout; stderr by default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to write it at all"),
                       llvm::cl::init(true)};
  };

  explicit Trace(std::unique_ptr<Options> options);
  ~Trace() override;

  /// The end of a run is where its Sequentials end.
  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  void beginSpan(const PassSpan &span) override;
  void endSpan(const PassSpan &span) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;

  /// How much there is, in a line.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// The array of trace events.
  llvm::json::Value toJSON() const override;

private:
  /// Names are kept once.
  using NameId = uint32_t;
  enum class Kind : uint8_t { Pass, Function, Sequential };
  struct Event {
    Clock::time_point begin, end;
    NameId name, function;
    uint32_t thread;
    /// The pass's number in its plan.
    uint32_t step;
    Kind kind;
    bool hasFailed;
  };
  struct MemorySample {
    Clock::time_point time;
    int64_t resident;
  };
  struct Group;
  struct Thread;
  struct PlanNames;

  void reset();
  NameId getNameId(llvm::StringRef name);
  /// 0 for what is no function.
  NameId getFunctionName(Thread &thread, mlir::Operation *op);
  PlanNames &getPlanNames(const transform::Plan &plan);
  Thread &getThread(uint64_t id);
  void openGroups(Thread &thread, const PassSpan &span,
                  const PlanNames &planNames, NameId functionName);
  size_t addEvent(const Thread &thread, Clock::time_point begin, NameId name,
                  Kind kind);
  void sampleMemory(Clock::time_point now);
  void write(llvm::function_ref<void(llvm::StringRef)> consume) const;

  std::unique_ptr<Options> options;
  InstrumentOutput output;

  mutable std::mutex mutex;
  std::vector<Event> events;
  std::vector<MemorySample> samples;
  llvm::StringMap<NameId> nameIds;
  std::vector<llvm::StringRef> names;
  llvm::DenseMap<uint64_t, std::unique_ptr<PlanNames>> plans;
  llvm::DenseMap<uint64_t, unsigned> threadIndices;
  std::vector<std::unique_ptr<Thread>> threads;
  /// The one that was asked for last.
  Thread *lastThread = nullptr;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_TRACE_H
