//===- PassMemory.cpp - How much memory each pass took -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryUse.h"
#include "Recording.h"
#include "partita/Instrument/Instruments.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <fcntl.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {
/// The process's resident set in Linux's status, in bytes.
struct ProcStatus {
  std::optional<int64_t> resident, highWater;
};
} // namespace

/// Reads a file, up to the size of `text`; empty if there is no file.
static StringRef readShortFile(const char *path, MutableArrayRef<char> text) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : read(file, text.data(), text.size());
  if (file >= 0)
    close(file);
  return StringRef(text.data(), std::max<ssize_t>(size, 0));
}

static ProcStatus readProcStatus() {
  char buffer[4096];
  StringRef text = readShortFile("/proc/self/status", buffer);
  auto find = [&](StringRef key) -> std::optional<int64_t> {
    StringRef rest = text.split(("\n" + key + ":").str()).second;
    int64_t kibibytes;
    if (rest.ltrim().consumeInteger(10, kibibytes))
      return std::nullopt;
    return kibibytes * 1024;
  };
  return {find("VmRSS"), find("VmHWM")};
}

/// Resets the high-water mark to the current resident set.
static bool resetHighWater() {
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool isReset = write(file, "5", 1) == 1;
  close(file);
  return isReset;
}

static std::optional<int64_t> getHeap() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  // All are zero if another allocator is in use.
  if (int64_t used = info.uordblks + info.hblkhd)
    return used;
  return std::nullopt;
#else
  return std::nullopt;
#endif
}

std::optional<int64_t> MemoryUse::measureResident() {
  // "SIZE RESIDENT ...", in pages.
  char buffer[128];
  StringRef text = readShortFile("/proc/self/statm", buffer);
  int64_t pages;
  if (text.split(' ').second.consumeInteger(10, pages))
    return std::nullopt;
  return pages * sysconf(_SC_PAGESIZE);
}

namespace {
/// Finds peaks in intervals that nest and overlap. A process has one high-water
/// mark: before a reset, all open intervals get its value.
class PeakMeter {
public:
  /// An interval, and its largest resident set.
  struct Interval {
    std::optional<int64_t> peak;
  };

  static PeakMeter &get() {
    // Never freed: instruments can outlive the destructors of statics.
    static auto &meter = *new PeakMeter;
    return meter;
  }

  std::optional<int64_t> begin(Interval &interval) {
    std::lock_guard<std::mutex> lock(mutex);
    ProcStatus status = fold();
    isPermitted = isPermitted && status.highWater && resetHighWater();
    if (isPermitted) {
      interval.peak = status.resident;
      intervals.insert(&interval);
    }
    return status.resident;
  }

  std::optional<int64_t> end(Interval &interval) {
    std::lock_guard<std::mutex> lock(mutex);
    ProcStatus status = fold();
    intervals.erase(&interval);
    return status.resident;
  }

private:
  ProcStatus fold() {
    ProcStatus status = readProcStatus();
    for (Interval *interval : intervals)
      if (interval->peak && status.highWater)
        interval->peak = std::max(*interval->peak, *status.highWater);
    return status;
  }

  std::mutex mutex;
  bool isPermitted = true;
  llvm::SmallPtrSet<Interval *, 8> intervals;
};
} // namespace

//===----------------------------------------------------------------------===//
// PassMemory
//===----------------------------------------------------------------------===//

namespace {
struct MemoryRecord {
  unsigned step = 0;
  std::string pass, merged;
  MemoryUse before, after;
  std::optional<int64_t> peak;
  bool hasFailed = false;
  std::vector<MemoryRecord> children;
};

/// A running pass of a run.
struct MemoryFrame {
  MemoryFrame(const transform::PassStep &step, bool findsPeak)
      : entry(step.entry), findsPeak(findsPeak) {
    record.step = step.number();
    record.pass = step.info().name;
    record.merged = describeMerged(step);
    record.before.heap = getHeap();
    record.before.resident = findsPeak ? PeakMeter::get().begin(interval)
                                       : readProcStatus().resident;
  }
  ~MemoryFrame() {
    if (findsPeak)
      PeakMeter::get().end(interval);
  }

  /// Completes the record.
  void measure(bool hasFailed) {
    record.after.heap = getHeap();
    record.after.resident = std::exchange(findsPeak, false)
                                ? PeakMeter::get().end(interval)
                                : readProcStatus().resident;
    record.peak = interval.peak;
    record.hasFailed = hasFailed;
  }

  size_t entry;
  MemoryRecord record;

private:
  PeakMeter::Interval interval;
  bool findsPeak;
};

/// The running passes of a run, the innermost last.
struct MemoryState {
  std::vector<std::unique_ptr<MemoryFrame>> open;
};

/// Reports the memory of the process before and after each pass, and the
/// largest resident set during it.
///
/// The peak is Linux's high-water mark (VmHWM), which is reset before each pass
/// through /proc/self/clear_refs.
class PassMemory : public Recording<MemoryRecord, MemoryState> {
public:
  explicit PassMemory(PassMemoryOptions options)
      : Recording(options, Wants::Module | Wants::Runs, options.json),
        findsPeak(options.peak) {}

  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  void close(const transform::Run &run, MemoryState &state, size_t index,
             bool hasFailed);

  bool findsPeak;
};
} // namespace

llvm::Error PassMemory::endRun(const transform::Run &run,
                               std::shared_ptr<const RunRecord> record) {
  // A pass that has begun and not ended has failed.
  if (MemoryState *state = findState(&run))
    while (!state->open.empty())
      close(run, *state, state->open.size() - 1, /*hasFailed=*/true);
  return Recording::endRun(run, std::move(record));
}

llvm::Error PassMemory::runBeforePass(const transform::PassStep &step) {
  if (MemoryState *state = findState(step.run))
    state->open.push_back(std::make_unique<MemoryFrame>(step, findsPeak));
  return llvm::Error::success();
}

llvm::Error PassMemory::runAfterPass(const transform::PassStep &step) {
  // Merged passes do not end in LIFO order.
  if (MemoryState *state = findState(step.run))
    for (size_t index = state->open.size(); index-- > 0;)
      if (state->open[index]->entry == step.entry) {
        close(*step.run, *state, index, /*hasFailed=*/false);
        break;
      }
  return llvm::Error::success();
}

/// Ends a pass of a run, and adds its record to the pass around it.
void PassMemory::close(const transform::Run &run, MemoryState &state,
                       size_t index, bool hasFailed) {
  std::unique_ptr<MemoryFrame> frame = std::move(state.open[index]);
  frame->measure(hasFailed);
  state.open.erase(state.open.begin() + index);
  MemoryFrame *around = index == 0 ? nullptr : state.open[index - 1].get();
  // A pass that has started a run waits for it, so that its state is not in
  // use.
  for (const transform::Run *outer = run.outer.run; outer && !around;
       outer = outer->outer.run)
    if (MemoryState *outerState = findState(outer);
        outerState && !outerState->open.empty())
      around = outerState->open.back().get();
  std::lock_guard<std::mutex> lock(mutex);
  (around ? around->record.children : records)
      .push_back(std::move(frame->record));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static std::string inKiB(std::optional<int64_t> bytes, bool isSigned = false) {
  if (!bytes)
    return "-";
  return (isSigned && *bytes > 0 ? "+" : "") + std::to_string(*bytes / 1024);
}

static std::optional<int64_t> subtract(std::optional<int64_t> lhs,
                                       std::optional<int64_t> rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  return *lhs - *rhs;
}

static void render(ArrayRef<MemoryRecord> records, unsigned depth,
                   llvm::raw_ostream &os) {
  for (const MemoryRecord &record : records) {
    for (const std::string &cell :
         {inKiB(record.before.resident), inKiB(record.after.resident),
          inKiB(subtract(record.after.resident, record.before.resident),
                /*isSigned=*/true),
          inKiB(record.peak), inKiB(record.after.heap),
          inKiB(subtract(record.after.heap, record.before.heap),
                /*isSigned=*/true)})
      os << llvm::right_justify(cell, 10);
    os << "  " << std::string(2 * depth, ' ') << escapeName(record.pass)
       << record.merged << (record.hasFailed ? " (failed)" : "") << "\n";
    ::render(record.children, depth + 1, os);
  }
}

void PassMemory::renderRecords(ArrayRef<Record> records,
                               llvm::raw_ostream &os) const {
  if (records.empty())
    return;
  os << "    before     after    change      peak      heap    change"
        "  pass (resident and malloc's KiB)\n";
  ::render(records, 0, os);
}

llvm::json::Value PassMemory::recordToJSON(const Record &record) const {
  auto orNull = [](std::optional<int64_t> bytes) {
    return bytes ? llvm::json::Value(*bytes) : llvm::json::Value(nullptr);
  };
  llvm::json::Object object{{"step", record.step},
                            {"pass", toJSONString(record.pass)},
                            {"rss_before", orNull(record.before.resident)},
                            {"rss_after", orNull(record.after.resident)},
                            {"rss_peak", orNull(record.peak)},
                            {"heap_before", orNull(record.before.heap)},
                            {"heap_after", orNull(record.after.heap)},
                            {"failed", record.hasFailed},
                            {"passes", recordsToJSON(record.children)}};
  addMerged(object, record.merged);
  return object;
}

PassInstrumentRef instrument::createPassMemory(PassMemoryOptions options) {
  return std::make_shared<PassMemory>(std::move(options));
}
