//===- RunMeter.h - Times of a run's passes ---------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_TRACKING_RUNMETER_H
#define PARTITA_LIB_PASS_TRACKING_RUNMETER_H

#include "../RunStack.h"

namespace partita::transform {

/// The measurements that instruments ask for.
struct Measures {
  Measures() = default;
  explicit Measures(const PassContext &context);

  bool any() const { return !records.empty() || !spans.empty(); }

  bool cpuTime = false;
  /// The instruments that want records, and the instruments that want spans.
  PassInstruments records, spans;
};

/// The time that a run spent in an entry of its plan, by the run's clock.
struct EntryTime {
  instrument::Clock::time_point begin, end;
  std::chrono::nanoseconds time{0}, wallTime{0}, cpuTime{0};
  uint64_t numRuns = 0, numUnchanged = 0;
  bool hasFailed = false;
  std::vector<std::string> vetoedBy;
  /// The records of runs that the pass started.
  RunRecords nested;

  /// How many threads are in the pass, and since when at least one is.
  unsigned numOpen = 0;
  instrument::Clock::time_point openSince;
};

/// The times that a run spent in the entries of its plan.
struct RunTimes {
  std::shared_ptr<const Plan> plan;
  std::vector<EntryTime> entries;
  bool hasCPUTime = false;

  /// Makes a record for each pass that ran or was vetoed, nested as in the
  /// plan, with the records of runs inside. `total` is the time of the whole
  /// run.
  instrument::PassRecord makeRecord(bool hasFailed,
                                    std::chrono::nanoseconds total) const;

private:
  void addMembers(size_t index, instrument::PassRecord &record) const;
  void fillRecord(size_t index, instrument::PassRecord &record) const;
};

/// Adds up the time of each pass of a run, and calls instruments at spans. The
/// caller must hold a lock.
class RunMeter {
public:
  RunMeter() = default;
  explicit RunMeter(const Run &run);

  bool isActive() const { return measures.any(); }
  bool isRecording() const { return !measures.records.empty(); }
  /// Whether `instrument` gets the record of the run.
  bool records(const instrument::PassInstrumentRef &instrument) const {
    return llvm::is_contained(measures.records, instrument);
  }

  /// Starts and stops the time of a frame's pass on `op`.
  void begin(PassFrame &frame, mlir::Operation *op) {
    beginNested(frame);
    frame.isMeasured = true;
    frame.op = op;
    if (measures.cpuTime)
      frame.cpuBegin = getCPUTime();
    instrument::Clock::time_point now = instrument::Clock::now();
    frame.begin = clock->at(now);
    EntryTime &time = times.entries[frame.step.entry];
    if (time.numOpen++ == 0) {
      time.openSince = frame.begin;
      if (time.numRuns + time.numUnchanged == 0)
        time.begin = frame.begin;
    }
    if (!measures.spans.empty()) {
      frame.spanBegin = now;
      beginSpan(frame);
    }
  }
  void end(PassFrame &frame, bool hasFailed, bool isVerified = false) {
    instrument::Clock::time_point now = instrument::Clock::now();
    instrument::Clock::time_point runNow = clock->at(now);
    EntryTime &time = times.entries[frame.step.entry];
    time.end = runNow;
    time.time += runNow - frame.begin;
    if (measures.cpuTime)
      time.cpuTime += getCPUTime() - frame.cpuBegin;
    if (--time.numOpen == 0)
      time.wallTime += runNow - time.openSince;
    if (LLVM_LIKELY(!frame.isLeftAlone))
      ++time.numRuns;
    if (LLVM_UNLIKELY(frame.numUnchanged != 0))
      time.numUnchanged += frame.numUnchanged;
    time.hasFailed |= hasFailed;
    endNested(frame);
    if (!measures.spans.empty())
      endSpan(frame, now, hasFailed, isVerified);
  }
  /// In between, records of runs on this thread belong to the frame's pass.
  void beginNested(RunFrame &frame) {
    if (isRecording())
      frame.meter = this;
  }
  void endNested(RunFrame &frame) {
    frame.meter = nullptr;
    if (!frame.nested.empty())
      takeNested(frame);
  }

  /// Records the instruments that vetoed an entry.
  void addVeto(size_t entry, const PassInstruments &against);

  /// Whether a pass has run.
  bool hasRun() const;
  /// Ends the measurement of `run`. `total` is the time of the whole run.
  RunRecordRef takeRecord(const Run &run, bool hasFailed,
                          std::chrono::nanoseconds total = {});

private:
  /// The processor time of this thread; 0 if the platform does not measure it.
  static std::chrono::nanoseconds getCPUTime();
  void takeNested(RunFrame &frame);
  instrument::PassSpan getSpan(const PassFrame &frame) const;
  void beginSpan(const PassFrame &frame);
  void endSpan(const PassFrame &frame, instrument::Clock::time_point end,
               bool hasFailed, bool isVerified);

  Measures measures;
  const RunClock *clock = nullptr;
  RunTimes times;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_TRACKING_RUNMETER_H
