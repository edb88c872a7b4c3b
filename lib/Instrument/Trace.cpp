//===- Trace.cpp - A timeline of passes for trace viewers ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: "Trace Event Format", Google, 2016; complete events ("X"),
// counters ("C") and metadata ("M") in the JSON object form.
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Trace.h"
#include "partita/Instrument/PassMemory.h"
#include "partita/Pass/Plan.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// Reading the resident set is a system call that takes some microseconds.
static constexpr std::chrono::milliseconds samplingInterval(1);

/// A span around those of passes: a Sequential, or a function in it.
struct Trace::Group {
  /// Of the plan's entry, or of the function's name.
  uint64_t plan;
  size_t key;
  Kind kind;
  size_t event;

  bool operator==(const Group &other) const {
    return plan == other.plan && key == other.key && kind == other.kind;
  }
};

/// A thread's track.
struct Trace::Thread {
  Thread(uint64_t id, uint32_t index) : id(id), index(index) {}

  /// What is open inside a pass that is open, or outside of any.
  struct Level {
    std::vector<Group> groups;
    size_t pass = 0;
  };

  uint64_t id;
  uint32_t index;
  /// How many spans a new one is in.
  uint32_t depth = 0;
  std::vector<Level> levels = std::vector<Level>(1);
};

/// The names of a plan's entries, and the Sequentials around each.
struct Trace::PlanNames {
  std::vector<NameId> names;
  /// The entry of the innermost Sequential, or the entry itself for the root.
  std::vector<size_t> parents;
};

Trace::Trace(std::unique_ptr<Options> options)
    : PassInstrument(kName), options(std::move(options)),
      output(this->options->output) {
  reset();
}
Trace::~Trace() = default;

void Trace::reset() {
  events.clear();
  samples.clear();
  names.clear();
  nameIds.clear();
  plans.clear();
  threadIndices.clear();
  threads.clear();
  // What is no function.
  getNameId("");
}

LogicalResult Trace::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  reset();
  return success();
}

LogicalResult Trace::exitPassContext() {
  if (!options->print)
    return success();
  std::string text;
  {
    std::lock_guard<std::mutex> lock(mutex);
    llvm::raw_string_ostream os(text);
    write(os);
  }
  llvm::Error error = output.open();
  if (!error)
    error = output.write(text);
  output.close();
  if (error)
    return emitError(llvm::toString(std::move(error)));
  return success();
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Trace::NameId Trace::getNameId(StringRef name) {
  auto [it, inserted] = nameIds.try_emplace(name, names.size());
  if (inserted)
    names.push_back(it->first());
  return it->second;
}

Trace::PlanNames &Trace::getPlanNames(const transform::Plan &plan) {
  std::unique_ptr<PlanNames> &found = plans[plan.getId()];
  if (found)
    return *found;
  found = std::make_unique<PlanNames>();
  std::vector<size_t> open;
  for (auto [index, entry] : llvm::enumerate(plan.entries())) {
    while (!open.empty() && plan.entries()[open.back()].end <= index)
      open.pop_back();
    found->names.push_back(getNameId(entry.pass.info().name));
    found->parents.push_back(open.empty() ? index : open.back());
    if (entry.pass.isSequential())
      open.push_back(index);
  }
  return *found;
}

Trace::Thread &Trace::getThread(uint64_t id) {
  auto [it, inserted] = threadIndices.try_emplace(id, threads.size());
  if (inserted)
    threads.push_back(std::make_unique<Thread>(id, it->second));
  return *threads[it->second];
}

/// Opens a span inside what is open on its thread.
size_t Trace::addEvent(Thread &thread, Clock::time_point begin, NameId name,
                       Kind kind) {
  events.push_back({begin, begin, name, /*function=*/0, thread.index,
                    thread.depth++, /*step=*/0, kind, /*hasFailed=*/false});
  return events.size() - 1;
}

void Trace::sampleMemory(Clock::time_point now) {
  if (!samples.empty() && now - samples.back().time < samplingInterval)
    return;
  if (std::optional<int64_t> resident = MemoryUse::measureResident())
    samples.push_back({now, *resident});
}

void Trace::beginSpan(const PassSpan &span) {
  std::string function;
  if (isa<FunctionOpInterface>(span.op)) {
    Operation *root = span.op;
    while (Operation *parent = root->getParentOp())
      root = parent;
    function = getFunctionPath(span.op, root);
  }

  std::lock_guard<std::mutex> lock(mutex);
  PlanNames &planNames = getPlanNames(*span.plan);
  Thread &thread = getThread(span.thread);
  uint64_t planId = span.plan->getId();
  NameId functionName = getNameId(function);

  SmallVector<Group, 4> groups;
  for (size_t entry = span.entry; planNames.parents[entry] != entry;) {
    entry = planNames.parents[entry];
    groups.push_back({planId, entry, Kind::Sequential, 0});
  }
  std::reverse(groups.begin(), groups.end());
  if (!function.empty())
    groups.push_back({planId, functionName, Kind::Function, 0});

  // What this span is in, too, goes on; the rest has ended.
  std::vector<Group> &open = thread.levels.back().groups;
  size_t common = 0;
  while (common < open.size() && common < groups.size() &&
         open[common] == groups[common])
    ++common;
  thread.depth -= open.size() - common;
  open.resize(common);
  for (Group &group : llvm::drop_begin(groups, common)) {
    NameId name = group.kind == Kind::Function ? functionName
                                               : planNames.names[group.key];
    group.event = addEvent(thread, span.begin, name, group.kind);
    open.push_back(group);
  }

  Thread::Level level;
  level.pass =
      addEvent(thread, span.begin, planNames.names[span.entry], Kind::Pass);
  Event &event = events[level.pass];
  event.function = functionName;
  event.step = span.plan->entries()[span.entry].number;
  thread.levels.push_back(std::move(level));
  sampleMemory(span.begin);
}

void Trace::endSpan(const PassSpan &span) {
  std::lock_guard<std::mutex> lock(mutex);
  Thread &thread = getThread(span.thread);
  // One that was entered before the scope was.
  if (thread.levels.size() == 1)
    return;
  Thread::Level level = std::move(thread.levels.back());
  thread.levels.pop_back();
  thread.depth -= level.groups.size() + 1;
  events[level.pass].end = span.end;
  events[level.pass].hasFailed = span.hasFailed;
  for (const Group &group : thread.levels.back().groups) {
    events[group.event].end = span.end;
    events[group.event].hasFailed |= span.hasFailed;
  }
  sampleMemory(span.end);
}

void Trace::recordRun(PassRecord) {
  std::lock_guard<std::mutex> lock(mutex);
  // A run of the same plan that follows is another.
  for (const std::unique_ptr<Thread> &thread : threads)
    if (thread->levels.size() == 1) {
      thread->depth = 0;
      thread->levels.back().groups.clear();
    }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// By Kind.
static constexpr llvm::StringLiteral categories[] = {"pass", "function",
                                                     "sequential"};

/// Microseconds, as the format wants, to the nanosecond.
static void printMicroseconds(std::chrono::nanoseconds time,
                              llvm::raw_ostream &os) {
  int64_t count = time.count();
  unsigned rest = count % 1000;
  os << count / 1000 << '.' << char('0' + rest / 100)
     << char('0' + rest / 10 % 10) << char('0' + rest % 10);
}

void Trace::write(llvm::raw_ostream &os) const {
  auto pid = static_cast<uint64_t>(llvm::sys::Process::getProcessId());
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (StringRef name : names)
    quoted.push_back(llvm::formatv("{0}", toJSONString(name)));
  std::vector<const Event *> sorted;
  sorted.reserve(events.size());
  for (const Event &event : events)
    sorted.push_back(&event);
  // A span comes before those in it.
  llvm::stable_sort(sorted, [](const Event *lhs, const Event *rhs) {
    return std::pair(lhs->begin, lhs->depth) <
           std::pair(rhs->begin, rhs->depth);
  });
  Clock::time_point start =
      sorted.empty() ? Clock::time_point() : sorted.front()->begin;

  os << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
     << "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" << pid
     << ",\"tid\":0,\"args\":{\"name\":\"Partita\"}}";
  unsigned numWorkers = 0;
  for (const std::unique_ptr<Thread> &thread : threads) {
    // On Linux the process has the id of its first thread.
    std::string name =
        thread->id == pid ? "main" : "thread " + std::to_string(++numWorkers);
    os << ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" << pid
       << ",\"tid\":" << thread->id << ",\"args\":{\"name\":\"" << name
       << "\"}}";
  }
  for (const Event *event : sorted) {
    os << ",\n{\"name\":" << quoted[event->name] << ",\"cat\":\""
       << categories[unsigned(event->kind)] << "\",\"ph\":\"X\",\"ts\":";
    printMicroseconds(event->begin - start, os);
    os << ",\"dur\":";
    printMicroseconds(event->end - event->begin, os);
    os << ",\"pid\":" << pid << ",\"tid\":" << threads[event->thread]->id
       << ",\"args\":{";
    if (event->kind == Kind::Pass) {
      os << "\"step\":" << event->step << ',';
      if (event->function != 0)
        os << "\"function\":" << quoted[event->function] << ',';
    }
    os << "\"failed\":" << (event->hasFailed ? "true" : "false") << "}}";
  }
  for (const MemorySample &sample : samples) {
    os << ",\n{\"name\":\"memory\",\"ph\":\"C\",\"ts\":";
    printMicroseconds(sample.time - start, os);
    os << ",\"pid\":" << pid
       << ",\"tid\":0,\"args\":{\"resident bytes\":" << sample.resident << "}}";
  }
  os << "\n]}\n";
}

void Trace::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!events.empty())
    os << events.size() << " spans on " << threads.size() << " thread"
       << (threads.size() == 1 ? "" : "s") << "\n";
}

llvm::json::Value Trace::toJSON() const {
  std::string text;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (events.empty())
      return llvm::json::Array();
    llvm::raw_string_ostream os(text);
    write(os);
  }
  llvm::json::Value trace = llvm::cantFail(llvm::json::parse(text));
  return std::move(*trace.getAsObject()->get("traceEvents"));
}
