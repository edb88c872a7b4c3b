//===- PassMemory.cpp - How much memory each pass took -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PassMemory.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Threading.h"

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
/// What Linux says of this process's resident set, in bytes.
struct ProcStatus {
  std::optional<int64_t> resident, highWater;
};
} // namespace

/// Reads a file whole, as far as `text` has room; nothing if there is none.
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

/// Sets the high-water mark back to what is resident now.
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
  // All zero where another allocator has taken its place.
  if (int64_t used = info.uordblks + info.hblkhd)
    return used;
  return std::nullopt;
#else
  return std::nullopt;
#endif
}

MemoryUse MemoryUse::measure() { return {measureResident(), getHeap()}; }

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
/// Finds peaks within intervals that nest and overlap. There is one high-water
/// mark in a process: whoever sets it back tells the others what it was.
class PeakMeter {
public:
  /// An interval, and the most that was resident in it.
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

/// A pass that a thread is in.
struct PassMemory::Frame {
  Record record;
  PeakMeter::Interval interval;
};

PassMemory::PassMemory(std::unique_ptr<Options> options)
    : PassInstrument(kName, Wants::Module | Wants::Runs),
      options(std::move(options)), output(this->options->output) {}

PassMemory::~PassMemory() {
  // Of runs whose end was not seen.
  for (auto &[thread, frames] : openFrames)
    for (std::unique_ptr<Frame> &frame : frames)
      PeakMeter::get().end(frame->interval);
}

llvm::Error PassMemory::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  return llvm::Error::success();
}

llvm::Error PassMemory::exitPassContext() {
  if (!options->print)
    return llvm::Error::success();
  if (llvm::Error error = output.writeReport(*this, options->json))
    return error;
  return llvm::Error::success();
}

llvm::Error PassMemory::beginRun(const transform::Run &run) {
  std::lock_guard<std::mutex> lock(mutex);
  states.push(run).depth = openFrames[llvm::get_threadid()].size();
  return llvm::Error::success();
}

llvm::Error PassMemory::endRun(const transform::Run &run,
                               std::shared_ptr<const PassRecord> record) {
  std::unique_ptr<State> state = states.pop(run);
  std::lock_guard<std::mutex> lock(mutex);
  auto it = openFrames.find(llvm::get_threadid());
  if (it == openFrames.end())
    return llvm::Error::success();
  // What has begun and not ended has failed.
  while (state && it->second.size() > state->depth)
    close(it->second, it->second.size() - 1, /*hasFailed=*/true);
  if (it->second.empty())
    openFrames.erase(it);
  return llvm::Error::success();
}

llvm::Error PassMemory::runBeforePass(const transform::PassStep &step) {
  auto frame = std::make_unique<Frame>();
  Record &record = frame->record;
  record.step = step.number();
  record.pass = step.info().name;
  record.before.heap = getHeap();
  record.before.resident = options->peak
                               ? PeakMeter::get().begin(frame->interval)
                               : readProcStatus().resident;
  std::lock_guard<std::mutex> lock(mutex);
  openFrames[llvm::get_threadid()].push_back(std::move(frame));
  return llvm::Error::success();
}

llvm::Error PassMemory::runAfterPass(const transform::PassStep &step) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::unique_ptr<Frame>> &open = openFrames[llvm::get_threadid()];
  // Those of merged passes do not end in reverse.
  for (size_t index = open.size(); index-- > 0;)
    if (open[index]->record.pass == step.info().name &&
        open[index]->record.step == step.number()) {
      close(open, index, /*hasFailed=*/false);
      break;
    }
  return llvm::Error::success();
}

/// Ends a pass of this thread, and hands its record to the one around it.
void PassMemory::close(std::vector<std::unique_ptr<Frame>> &open, size_t index,
                       bool hasFailed) {
  Frame &frame = *open[index];
  Record &record = frame.record;
  record.after.heap = getHeap();
  record.after.resident = options->peak ? PeakMeter::get().end(frame.interval)
                                        : readProcStatus().resident;
  record.peak = frame.interval.peak;
  record.hasFailed = hasFailed;
  std::vector<Record> &target =
      index == 0 ? records : open[index - 1]->record.children;
  target.push_back(std::move(record));
  open.erase(open.begin() + index);
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

void PassMemory::render(ArrayRef<Record> records, unsigned depth,
                        llvm::raw_ostream &os) {
  for (const Record &record : records) {
    for (const std::string &cell :
         {inKiB(record.before.resident), inKiB(record.after.resident),
          inKiB(subtract(record.after.resident, record.before.resident),
                /*isSigned=*/true),
          inKiB(record.peak), inKiB(record.after.heap),
          inKiB(subtract(record.after.heap, record.before.heap),
                /*isSigned=*/true)})
      os << llvm::right_justify(cell, 10);
    os << "  " << std::string(2 * depth, ' ') << record.pass
       << (record.hasFailed ? " (failed)" : "") << "\n";
    render(record.children, depth + 1, os);
  }
}

void PassMemory::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (records.empty())
    return;
  os << "    before     after    change      peak      heap    change"
        "  pass (resident and malloc's KiB)\n";
  render(records, 0, os);
}

llvm::json::Array PassMemory::toArray(ArrayRef<Record> records) {
  auto orNull = [](std::optional<int64_t> bytes) {
    return bytes ? llvm::json::Value(*bytes) : llvm::json::Value(nullptr);
  };
  llvm::json::Array array;
  for (const Record &record : records)
    array.push_back(
        llvm::json::Object{{"step", record.step},
                           {"pass", toJSONString(record.pass)},
                           {"rss_before", orNull(record.before.resident)},
                           {"rss_after", orNull(record.after.resident)},
                           {"rss_peak", orNull(record.peak)},
                           {"heap_before", orNull(record.before.heap)},
                           {"heap_after", orNull(record.after.heap)},
                           {"failed", record.hasFailed},
                           {"passes", toArray(record.children)}});
  return array;
}

llvm::json::Value PassMemory::toJSON() const {
  std::lock_guard<std::mutex> lock(mutex);
  return toArray(records);
}
