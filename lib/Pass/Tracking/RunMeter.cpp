//===- RunMeter.cpp - Times of a run's passes -----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunMeter.h"

#include <ctime>

using namespace mlir;

namespace partita::transform {

using instrument::Clock;
using instrument::PassInstrumentRef;
using instrument::Wants;

std::chrono::nanoseconds RunMeter::getCPUTime() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return std::chrono::seconds(now.tv_sec) +
           std::chrono::nanoseconds(now.tv_nsec);
#endif
  return std::chrono::nanoseconds(0);
}

static bool knowsCPUTime() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  return true;
#else
  return false;
#endif
}

Measures::Measures(const PassContext &context) {
  std::shared_ptr<const PassInstruments> instruments = context.instruments();
  for (const PassInstrumentRef &instrument : *instruments) {
    if (instrument->wants(Wants::Records)) {
      records.push_back(instrument);
      cpuTime |= instrument->wants(Wants::CPUTime);
    }
    if (instrument->wants(Wants::Spans))
      spans.push_back(instrument);
  }
  cpuTime &= knowsCPUTime();
}

RunMeter::RunMeter(const Run &run)
    : measures(run.context), clock(&run.getClock()) {
  if (!measures.any())
    return;
  times.plan = run.plan;
  times.entries.resize(run.plan->entries().size());
  times.hasCPUTime = measures.cpuTime;
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

void RunMeter::takeNested(RunFrame &frame) {
  llvm::append_range(times.entries[frame.step.entry].nested,
                     std::exchange(frame.nested, {}));
}

instrument::PassSpan RunMeter::getSpan(const PassFrame &frame) const {
  return {frame.step, frame.op, frame.thread, frame.spanBegin, {}};
}

void RunMeter::beginSpan(const PassFrame &frame) {
  instrument::PassSpan span = getSpan(frame);
  for (const PassInstrumentRef &instrument : measures.spans)
    instrument->beginSpan(span);
}

void RunMeter::endSpan(const PassFrame &frame, Clock::time_point end,
                       bool hasFailed, bool isVerified) {
  instrument::PassSpan span = getSpan(frame);
  span.end = end;
  span.hasFailed = hasFailed;
  span.isVerified = isVerified;
  span.isSkipped = frame.isLeftAlone;
  for (const PassInstrumentRef &instrument : measures.spans)
    instrument->endSpan(span);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void RunMeter::addVeto(size_t entry, const PassInstruments &against) {
  if (isRecording())
    for (const PassInstrumentRef &instrument : against)
      times.entries[entry].vetoedBy.push_back(instrument->getName().str());
}

bool RunMeter::hasRun() const {
  return llvm::any_of(times.entries, [](const EntryTime &time) {
    return time.numRuns + time.numUnchanged != 0;
  });
}

/// Fills `record` with the times of an entry's pass; for a Sequential, without
/// its members.
void RunTimes::fillRecord(size_t index, instrument::PassRecord &record) const {
  const Plan::Entry &entry = plan->entries()[index];
  const EntryTime &time = entries[index];
  record.plan = plan;
  record.entry = index;
  record.isDisabled = entry.disabledByName && entry.runs();
  record.vetoedBy = time.vetoedBy;
  for (const RunRecordRef &nested : time.nested)
    record.children.push_back(nested->getRoot());
  record.hasFailed = time.hasFailed;
  record.numRuns = time.numRuns;
  record.numUnchanged = time.numUnchanged;
  record.begin = time.begin;
  record.end = time.end;
  record.time = time.time;
  record.wallTime = time.wallTime;
  if (hasCPUTime)
    record.cpuTime = time.cpuTime;
}

/// Adds the records of the members of the Sequential at `index`.
void RunTimes::addMembers(size_t index, instrument::PassRecord &record) const {
  ArrayRef<Plan::Entry> planned = plan->entries();
  record.children.reserve(planned[index].pass.passes().size());
  for (size_t child = index + 1; child < planned[index].end;
       child = planned[child].end) {
    const EntryTime &time = entries[child];
    bool isSequential = planned[child].pass.isSequential();
    if (time.numRuns + time.numUnchanged == 0 && time.vetoedBy.empty() &&
        !isSequential)
      continue;
    instrument::PassRecord &inner = record.children.emplace_back();
    fillRecord(child, inner);
    if (isSequential)
      addMembers(child, inner);
    if (inner.numRuns == 0) {
      // Passes that were skipped keep their records.
      if (inner.vetoedBy.empty() && inner.children.empty() &&
          inner.numUnchanged == 0)
        record.children.pop_back();
      continue;
    }
    record.begin =
        record.numRuns == 0 ? inner.begin : std::min(record.begin, inner.begin);
    record.end = std::max(record.end, inner.end);
    record.time += inner.time;
    if (inner.cpuTime)
      record.cpuTime = *record.cpuTime + *inner.cpuTime;
    record.hasFailed |= inner.hasFailed;
    record.numRuns = 1;
  }
  record.wallTime = record.end - record.begin;
}

instrument::PassRecord
RunTimes::makeRecord(bool hasFailed, std::chrono::nanoseconds total) const {
  instrument::PassRecord record;
  fillRecord(0, record);
  if (plan->entries().front().pass.isSequential())
    addMembers(0, record);
  record.time = std::max(record.time, total);
  record.wallTime = std::max(record.wallTime, total);
  record.hasFailed |= hasFailed;
  if (record.vetoedBy.empty())
    record.numRuns = std::max<uint64_t>(record.numRuns, 1);
  return record;
}

RunRecordRef RunMeter::takeRecord(const Run &run, bool hasFailed,
                                  std::chrono::nanoseconds total) {
  instrument::PassRecord empty;
  empty.hasFailed = hasFailed;
  if (!isRecording())
    return std::make_shared<const instrument::RunRecord>(std::move(empty),
                                                         run.setUp);
  return std::make_shared<const instrument::RunRecord>(
      hasFailed,
      [times = std::exchange(times, {}), hasFailed, total] {
        return times.makeRecord(hasFailed, total);
      },
      run.setUp);
}

} // namespace partita::transform
