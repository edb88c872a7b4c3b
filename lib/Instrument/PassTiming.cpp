//===- PassTiming.cpp - How long each pass took --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
using Format = PassTimingInstrumentOptions::Format;
using Sort = PassTimingInstrumentOptions::Sort;

/// Times passes, as TVM's PassTimingInstrument.
class PassTimingInstrument
    : public Recording<std::shared_ptr<const RunRecord>> {
public:
  explicit PassTimingInstrument(PassTimingInstrumentOptions options)
      : Recording(options,
                  Wants::Records | (options.cpu || options.sort == Sort::CPU
                                        ? Wants::CPUTime
                                        : Wants::Nothing),
                  options.format == Format::JSON),
        format(options.format), sort(options.sort) {}

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Array recordsToJSON(ArrayRef<Record> records) const override;

  Format format;
  Sort sort;
  /// Whether the scope was left; then the text is empty.
  bool hasLeft = false;
};
} // namespace

llvm::Error PassTimingInstrument::enterPassContext() {
  if (llvm::Error error = Recording::enterPassContext())
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  hasLeft = false;
  return llvm::Error::success();
}

llvm::Error
PassTimingInstrument::endRun(const transform::Run &,
                             std::shared_ptr<const RunRecord> record) {
  std::lock_guard<std::mutex> lock(mutex);
  if (std::exchange(hasLeft, false))
    records.clear();
  records.push_back(std::move(record));
  return llvm::Error::success();
}

llvm::Error PassTimingInstrument::exitPassContext() {
  llvm::Error error = Recording::exitPassContext();
  std::lock_guard<std::mutex> lock(mutex);
  hasLeft = true;
  return error;
}

using Microseconds = std::chrono::duration<double, std::micro>;

/// The time of a pass without the passes in it.
static std::chrono::nanoseconds getSelf(const PassRecord &record) {
  std::chrono::nanoseconds self = record.time;
  for (const PassRecord &child : record.children)
    self -= child.time;
  return std::max(self, std::chrono::nanoseconds(0));
}

static double getPercent(Microseconds part, Microseconds all) {
  return all.count() > 0 ? 100 * (part / all) : 100;
}

static Microseconds getTotal(ArrayRef<PassRecord> records) {
  Microseconds total(0);
  for (const PassRecord &record : records)
    total += record.time;
  return total;
}

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

static void renderTree(ArrayRef<PassRecord> records, unsigned depth,
                       Microseconds all, Microseconds parent,
                       llvm::raw_ostream &os) {
  for (const PassRecord &record : records) {
    if (record.numRuns + record.numUnchanged == 0)
      continue;
    os << std::string(depth, '\t')
       << llvm::formatv("{0}: {1:F0}us [{2:F0}us] ({3:F2}%; {4:F2}%)\n",
                        escapeName(record.getInfo().name),
                        Microseconds(record.time).count(),
                        Microseconds(getSelf(record)).count(),
                        getPercent(record.time, all),
                        getPercent(record.time, parent));
    renderTree(record.children, depth + 1, all, record.time, os);
  }
}

/// Prints notes on passes that were disabled, vetoed or not needed.
static void renderNotes(ArrayRef<PassRecord> records, llvm::raw_ostream &os) {
  for (const PassRecord &record : records) {
    if (!record.vetoedBy.empty())
      os << "// " << escapeName(record.getInfo().name)
         << ": skipped by should_run of '"
         << escapeName(llvm::join(record.vetoedBy, "', '")) << "'\n";
    else if (record.isDisabled)
      os << "// " << escapeName(record.getInfo().name) << ": "
         << escapeName(record.getReason()) << "\n";
    if (record.numUnchanged != 0)
      os << "// " << escapeName(record.getInfo().name) << ": skipped on "
         << record.numUnchanged << " of "
         << record.numUnchanged + record.numRuns
         << " ops, unchanged since it left them as they are\n";
    renderNotes(record.children, os);
  }
}

//===----------------------------------------------------------------------===//
// List
//===----------------------------------------------------------------------===//

namespace {
/// The sum of all records of passes with one name.
struct Sum {
  std::chrono::nanoseconds time{0}, self{0}, wall{0}, cpu{0};
  uint64_t numRuns = 0;
  bool hasCPU = false;
};
} // namespace

static void addUp(ArrayRef<PassRecord> records,
                  llvm::MapVector<StringRef, Sum> &sums) {
  for (const PassRecord &record : records) {
    if (record.numRuns + record.numUnchanged == 0)
      continue;
    Sum &sum = sums[record.getInfo().name];
    sum.time += record.time;
    sum.self += getSelf(record);
    sum.wall += record.wallTime;
    sum.numRuns += record.numRuns;
    if (record.cpuTime) {
      sum.hasCPU = true;
      sum.cpu += *record.cpuTime;
    }
    addUp(record.children, sums);
  }
}

static void renderList(ArrayRef<PassRecord> records, Sort sort,
                       llvm::raw_ostream &os) {
  llvm::MapVector<StringRef, Sum> sums;
  addUp(records, sums);
  if (sums.empty())
    return;
  auto list = sums.takeVector();
  llvm::stable_sort(list, [&](const auto &lhs, const auto &rhs) {
    switch (sort) {
    case Sort::Time:
      return lhs.second.time > rhs.second.time;
    case Sort::Self:
      return lhs.second.self > rhs.second.self;
    case Sort::CPU:
      return lhs.second.cpu > rhs.second.cpu;
    case Sort::Runs:
      return lhs.second.numRuns > rhs.second.numRuns;
    case Sort::Name:
      return lhs.first < rhs.first;
    }
    llvm_unreachable("unknown order");
  });
  Microseconds all = getTotal(records);
  os << "   time [us]    self [us]       %    wall [us]     cpu [us]     runs"
        "  pass\n";
  for (const auto &[name, sum] : list)
    os << llvm::formatv(
        "{0,12:F0} {1,12:F0} {2,7:F2} {3,12:F0} {4,12} {5,8}  {6}\n",
        Microseconds(sum.time).count(), Microseconds(sum.self).count(),
        getPercent(sum.time, all), Microseconds(sum.wall).count(),
        sum.hasCPU
            ? llvm::formatv("{0:F0}", Microseconds(sum.cpu).count()).str()
            : "-",
        sum.numRuns, escapeName(name));
}

/// The records of runs; a nested run's record is inside the outer run's.
static std::vector<PassRecord>
copy(ArrayRef<std::shared_ptr<const RunRecord>> shared) {
  std::vector<PassRecord> records;
  for (const auto &record : shared)
    records.push_back(record->getRoot());
  return records;
}

void PassTimingInstrument::renderRecords(ArrayRef<Record> shared,
                                         llvm::raw_ostream &os) const {
  if (hasLeft)
    return;
  std::vector<PassRecord> records = copy(shared);
  Microseconds all = getTotal(records);
  if (format == Format::List)
    renderList(records, sort, os);
  else
    renderTree(records, 0, all, all, os);
  renderNotes(records, os);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Array toArray(ArrayRef<PassRecord> records,
                                 Clock::time_point origin) {
  llvm::json::Array array;
  for (const PassRecord &record : records) {
    llvm::json::Object object{{"pass", toJSONString(record.getInfo().name)},
                              {"begin", nullptr},
                              {"time", record.time.count()},
                              {"self", getSelf(record).count()},
                              {"wall", record.wallTime.count()},
                              {"cpu", nullptr},
                              {"runs", record.numRuns},
                              {"unchanged", record.numUnchanged},
                              {"reason", toJSONString(record.getReason())},
                              {"disabled", record.isDisabled},
                              {"vetoed_by", llvm::json::Array()},
                              {"failed", record.hasFailed},
                              {"passes", toArray(record.children, origin)}};
    if (record.numRuns + record.numUnchanged != 0)
      object["begin"] = std::chrono::nanoseconds(record.begin - origin).count();
    if (record.cpuTime)
      object["cpu"] = record.cpuTime->count();
    for (const std::string &name : record.vetoedBy)
      object.getArray("vetoed_by")->push_back(toJSONString(name));
    array.push_back(std::move(object));
  }
  return array;
}

llvm::json::Array
PassTimingInstrument::recordsToJSON(ArrayRef<Record> shared) const {
  std::vector<PassRecord> records = copy(shared);
  return toArray(records,
                 records.empty() ? Clock::time_point() : records.front().begin);
}

PassInstrumentRef
instrument::createPassTimingInstrument(PassTimingInstrumentOptions options) {
  return std::make_shared<PassTimingInstrument>(std::move(options));
}
