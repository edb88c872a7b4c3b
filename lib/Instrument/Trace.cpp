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

#include "InstrumentSupport.h"
#include "MemoryUse.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// The interval of samples: reading the resident set takes some microseconds.
static constexpr std::chrono::milliseconds samplingInterval(1);

namespace {
/// Writes a timeline in Chrome's trace event format, which ui.perfetto.dev and
/// chrome://tracing open. Each thread has a track, with a span for each pass on
/// each function, inside spans for the function and for the Sequentials around
/// it. A counter shows the process's resident set.
///
/// It looks at no module, so passes run as they do without it. If they run
/// merged, a thread takes one function at a time through all of them. A
/// Sequential then has a span for each time that a thread is in it without a
/// break.
class Trace : public PassInstrument {
public:
  explicit Trace(TraceOptions options);
  ~Trace() override;

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error abandonPassContext() override {
    output.abandon();
    return llvm::Error::success();
  }
  void beginSpan(const PassSpan &span) override;
  void endSpan(const PassSpan &span) override;
  /// The spans of a run's Sequentials end with the run.
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;

  /// Prints the numbers of spans and threads in a line.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// The array of trace events.
  llvm::json::Value toJSON() const override;

private:
  /// Names are stored once, and referred to by id.
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
  NameId getNameId(StringRef name);
  /// The id of the function's name; 0 if `op` is no function.
  NameId getFunctionName(Thread &thread, Operation *op);
  PlanNames &getPlanNames(const transform::Plan &plan);
  Thread &getThread(uint64_t id);
  void openGroups(Thread &thread, const PassSpan &span,
                  const PlanNames &planNames, NameId functionName);
  size_t addEvent(const Thread &thread, Clock::time_point begin, NameId name,
                  Kind kind);
  void sampleMemory(Clock::time_point now);
  void write(llvm::function_ref<void(StringRef)> consume) const;

  TraceOptions options;
  InstrumentOutput output;

  mutable std::mutex mutex;
  std::vector<Event> events;
  std::vector<MemorySample> samples;
  llvm::StringMap<NameId> nameIds;
  std::vector<StringRef> names;
  llvm::DenseMap<uint64_t, std::unique_ptr<PlanNames>> plans;
  llvm::DenseMap<uint64_t, unsigned> threadIndices;
  std::vector<std::unique_ptr<Thread>> threads;
  /// The thread of the last call.
  Thread *lastThread = nullptr;
};
} // namespace

/// A span around passes: a Sequential, or a function in it.
struct Trace::Group {
  /// The plan's entry, or the id of the function's name.
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

  /// The open spans inside an open pass, or outside all passes.
  struct Level {
    std::vector<Group> groups;
    size_t pass = 0;
    /// Identifies the last pass: the next pass is in the same groups if it is
    /// in the same Sequential of the plan and in the same function.
    uint64_t plan = 0;
    size_t parent = 0;
    NameId function = 0;
  };

  uint64_t id;
  uint32_t index;
  std::vector<Level> levels = std::vector<Level>(1);

  /// The last function of the thread, by the parts of its name. A thread takes
  /// a function through many passes, and making its name takes long.
  struct {
    Operation *op = nullptr, *parent = nullptr;
    Attribute symbol;
    NameId name = 0;
  } last;
};

/// The names of a plan's entries, and the Sequentials around each.
struct Trace::PlanNames {
  std::vector<NameId> names;
  /// The entry of the innermost Sequential; the root has itself.
  std::vector<size_t> parents;
};

Trace::Trace(TraceOptions options)
    : PassInstrument(options.kName, Wants::Spans | Wants::Records),
      options(std::move(options)),
      output(this->options.kName, this->options.output) {
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
  lastThread = nullptr;
  // The name of ops that are no functions.
  getNameId("");
}

llvm::Error Trace::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  reset();
  // A file that can't be written is an error before the passes run.
  return options.print ? output.open() : llvm::Error::success();
}

llvm::Error Trace::exitPassContext() {
  if (!options.print)
    return llvm::Error::success();
  llvm::Error error = output.open();
  {
    std::lock_guard<std::mutex> lock(mutex);
    write([&](StringRef piece) {
      if (!error)
        error = output.write(piece);
    });
  }
  return error ? std::move(error) : output.close();
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
  if (lastThread && lastThread->id == id)
    return *lastThread;
  auto [it, inserted] = threadIndices.try_emplace(id, threads.size());
  if (inserted)
    threads.push_back(std::make_unique<Thread>(id, it->second));
  lastThread = threads[it->second].get();
  return *lastThread;
}

size_t Trace::addEvent(const Thread &thread, Clock::time_point begin,
                       NameId name, Kind kind) {
  events.push_back({begin, begin, name, /*function=*/0, thread.index,
                    /*step=*/0, kind, /*hasFailed=*/false});
  return events.size() - 1;
}

void Trace::sampleMemory(Clock::time_point now) {
  if (!samples.empty() && now - samples.back().time < samplingInterval)
    return;
  if (std::optional<int64_t> resident = MemoryUse::measureResident())
    samples.push_back({now, *resident});
}

Trace::NameId Trace::getFunctionName(Thread &thread, Operation *op) {
  if (!isa<FunctionOpInterface>(op))
    return 0;
  auto &last = thread.last;
  Operation *parent = op->getParentOp();
  Attribute symbol = op->getAttr(SymbolTable::getSymbolAttrName());
  if (last.op != op || last.parent != parent || last.symbol != symbol) {
    Operation *root = op;
    while (Operation *outer = root->getParentOp())
      root = outer;
    last = {op, parent, symbol, getNameId(getFunctionPath(op, root))};
  }
  return last.name;
}

void Trace::beginSpan(const PassSpan &span) {
  std::lock_guard<std::mutex> lock(mutex);
  const transform::Plan &plan = *span.step.run->plan;
  PlanNames &planNames = getPlanNames(plan);
  Thread &thread = getThread(span.thread);
  uint64_t planId = plan.getId();
  NameId functionName = getFunctionName(thread, span.op);
  size_t parent = planNames.parents[span.step.entry];
  Thread::Level &around = thread.levels.back();
  bool isInSame = !around.groups.empty() && around.plan == planId &&
                  around.parent == parent && around.function == functionName;
  if (!isInSame) {
    around.plan = planId;
    around.parent = parent;
    around.function = functionName;
    openGroups(thread, span, planNames, functionName);
  }

  Thread::Level level;
  level.pass = addEvent(thread, span.begin, planNames.names[span.step.entry],
                        Kind::Pass);
  Event &event = events[level.pass];
  event.function = functionName;
  event.step = span.step.number();
  thread.levels.push_back(std::move(level));
  sampleMemory(span.begin);
}

/// Begins the spans around a pass that are not open from the last pass.
void Trace::openGroups(Thread &thread, const PassSpan &span,
                       const PlanNames &planNames, NameId functionName) {
  uint64_t planId = span.step.run->plan->getId();
  SmallVector<Group, 4> groups;
  for (size_t entry = span.step.entry; planNames.parents[entry] != entry;) {
    entry = planNames.parents[entry];
    groups.push_back({planId, entry, Kind::Sequential, 0});
  }
  std::reverse(groups.begin(), groups.end());
  if (functionName != 0)
    groups.push_back({planId, functionName, Kind::Function, 0});

  // Spans that are also around this pass stay open; the others have ended.
  std::vector<Group> &open = thread.levels.back().groups;
  size_t common = 0;
  while (common < open.size() && common < groups.size() &&
         open[common] == groups[common])
    ++common;
  open.resize(common);
  for (Group &group : llvm::drop_begin(groups, common)) {
    NameId name = group.kind == Kind::Function ? functionName
                                               : planNames.names[group.key];
    group.event = addEvent(thread, span.begin, name, group.kind);
    open.push_back(group);
  }
}

void Trace::endSpan(const PassSpan &span) {
  std::lock_guard<std::mutex> lock(mutex);
  Thread &thread = getThread(span.thread);
  // This span began before the scope was entered.
  if (thread.levels.size() == 1)
    return;
  Thread::Level level = std::move(thread.levels.back());
  thread.levels.pop_back();
  events[level.pass].end = span.end;
  events[level.pass].hasFailed = span.hasFailed;
  for (const Group &group : thread.levels.back().groups) {
    events[group.event].end = span.end;
    events[group.event].hasFailed |= span.hasFailed;
  }
  sampleMemory(span.end);
}

llvm::Error Trace::endRun(const transform::Run &,
                          std::shared_ptr<const RunRecord>) {
  std::lock_guard<std::mutex> lock(mutex);
  // A following run of the same plan gets spans of its own.
  for (const std::unique_ptr<Thread> &thread : threads) {
    if (thread->levels.size() == 1)
      thread->levels.back().groups.clear();
    // The module may be gone by then, too.
    thread->last = {};
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
/// Passes a text on in pieces that stay in the cache. Streams and strings would
/// take most of the time for a large trace.
class TextBuilder {
public:
  explicit TextBuilder(llvm::function_ref<void(StringRef)> consume)
      : consume(consume) {}

  TextBuilder &operator<<(StringRef piece) {
    text.append(piece.begin(), piece.end());
    return *this;
  }
  TextBuilder &operator<<(uint64_t number) {
    char digits[20];
    char *begin = std::end(digits);
    do
      *--begin = char('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << StringRef(begin, std::end(digits) - begin);
  }
  /// Microseconds, as in the format, with three decimals for nanoseconds.
  TextBuilder &operator<<(std::chrono::nanoseconds time) {
    unsigned rest = time.count() % 1000;
    const char fraction[] = {'.', char('0' + rest / 100),
                             char('0' + rest / 10 % 10), char('0' + rest % 10)};
    return *this << uint64_t(time.count()) / 1000 << StringRef(fraction, 4);
  }

  void flush(size_t limit = 0) {
    if (text.size() <= limit)
      return;
    consume(StringRef(text.data(), text.size()));
    text.clear();
  }

private:
  llvm::function_ref<void(StringRef)> consume;
  SmallVector<char, 0> text;
};
} // namespace

void Trace::write(llvm::function_ref<void(StringRef)> consume) const {
  std::string pid = std::to_string(llvm::sys::Process::getProcessId());
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (StringRef name : names)
    quoted.push_back(
        escapeJSON(llvm::formatv("{0}", toJSONString(name)).str()));
  Clock::time_point start = Clock::time_point::max();
  for (const Event &event : events)
    start = std::min(start, event.begin);

  TextBuilder text(consume);
  text << R"({"displayTimeUnit":"ns","traceEvents":[)"
       << "\n"
       << R"({"name":"process_name","ph":"M","pid":)" << pid
       << R"(,"tid":0,"args":{"name":"Partita"}})";
  std::vector<std::string> tracks;
  unsigned numOthers = 0;
  for (const std::unique_ptr<Thread> &thread : threads) {
    std::string id = std::to_string(thread->id);
    // On Linux, the process's id is also the id of its first thread.
    std::string name =
        id == pid ? "main" : "thread " + std::to_string(++numOthers);
    tracks.push_back(
        llvm::formatv(R"(,"pid":{0},"tid":{1},"args":{{)", pid, id).str());
    text << ",\n"
         << R"({"name":"thread_name","ph":"M")" << tracks.back()
         << R"("name":")" << name << R"("}})";
  }
  // A thread's spans are in the order of their beginnings, outer spans first.
  for (const Event &event : events) {
    text << ",\n{\"name\":" << quoted[event.name];
    switch (event.kind) {
    case Kind::Pass:
      text << R"(,"cat":"pass","ph":"X","ts":)";
      break;
    case Kind::Function:
      text << R"(,"cat":"function","ph":"X","ts":)";
      break;
    case Kind::Sequential:
      text << R"(,"cat":"sequential","ph":"X","ts":)";
      break;
    }
    text << event.begin - start << R"(,"dur":)" << event.end - event.begin
         << tracks[event.thread] << R"("failed":)"
         << (event.hasFailed ? StringRef("true") : StringRef("false"));
    if (event.kind == Kind::Pass) {
      text << R"(,"step":)" << uint64_t(event.step);
      if (event.function != 0)
        text << R"(,"function":)" << quoted[event.function];
    }
    text << "}}";
    text.flush(/*limit=*/1 << 16);
  }
  for (const MemorySample &sample : samples)
    text << ",\n"
         << R"({"name":"memory","ph":"C","ts":)" << sample.time - start
         << R"(,"pid":)" << pid << R"(,"tid":0,"args":{"resident bytes":)"
         << uint64_t(sample.resident) << "}}";
  text << "\n]}\n";
  text.flush();
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
    write([&](StringRef piece) { text += piece; });
  }
  llvm::json::Value trace = llvm::cantFail(llvm::json::parse(text));
  return std::move(*trace.getAsObject()->get("traceEvents"));
}

PassInstrumentRef instrument::createTrace(TraceOptions options) {
  return std::make_shared<Trace>(std::move(options));
}
