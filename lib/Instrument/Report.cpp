//===- Report.cpp - A page about a run ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "partita/Pass/PassContext.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Threading.h"

#include <map>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using namespace partita::instrument::report;
using std::chrono::nanoseconds;

/// The number of equal lines shown around a change.
static constexpr size_t kContextLines = 3;
/// Limits that keep the page below 20 MB: changed lines of a pass, bytes of a
/// line, and bytes of all diffs.
static constexpr size_t kMaxDiffLines = 4000;
static constexpr size_t kMaxLineLength = 4096;
static constexpr size_t kMaxDiffSize = 8 << 20;

//===----------------------------------------------------------------------===//
// Scopes and runs
//===----------------------------------------------------------------------===//

Report::Report(ReportOptions options)
    : PassInstrument(options.kName, Wants::Module | Wants::Runs |
                                        Wants::Records | Wants::Spans),
      options(std::move(options)),
      output(this->options.kName, this->options.output) {}

llvm::Error Report::enterPassContext() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[thread, spans] : openSpans)
      for (OpenSpan &span : spans)
        if (span.run && span.run->outermost->numRunning == 0)
          span.run = nullptr;
    // Decided by the outermost run, which comes before the runs inside it.
    for (std::unique_ptr<Run> &run : llvm::reverse(runs))
      if (run->outermost->numRunning == 0)
        run = nullptr;
    llvm::erase(runs, nullptr);
    diffSize = 0;
    for (const std::unique_ptr<Run> &run : runs)
      diffSize += run->diffSize;
    if (runs.empty()) {
      openSpans.clear();
      threads.clear();
      start = Clock::now();
    }
  }
  if (options.output.empty())
    return llvm::Error::success();
  return output.open();
}

llvm::Error Report::exitPassContext() {
  if (options.output.empty())
    return llvm::Error::success();
  return output.writeReport(*this, /*asJSON=*/false);
}

nanoseconds Report::getTime(const Run &run, Clock::time_point time) const {
  return std::max(nanoseconds(run.clock->at(time) - start), nanoseconds(0));
}

std::pair<Run *, Row *> Report::findStep(const transform::PassStep &step) {
  Run *run = findRun(step.run);
  if (!run)
    return {nullptr, nullptr};
  noteStep(*run, step.entry, getTime(*run, Clock::now()));
  return {run, &run->rows[step.entry]};
}

/// Records that a run has reached an entry, and so is inside the Sequentials
/// around it.
void Report::noteStep(Run &run, size_t entry, nanoseconds time) {
  run.numSeen = std::max(run.numSeen, entry + 1);
  for (Row *row = run.rows[entry].parent; row && !row->hasBegun;
       row = row->parent) {
    row->hasBegun = true;
    row->begin = time;
  }
}

std::optional<int> Report::getElide() const {
  return options.diffs ? std::optional<int>(options.elide) : std::nullopt;
}

llvm::Error Report::beginRun(const transform::Run &begun) {
  Clock::time_point now = Clock::now();
  uint64_t thread = llvm::get_threadid();
  Operation *module = begun.module;
  Run *run;
  {
    std::lock_guard<std::mutex> lock(mutex);
    run = runs.emplace_back(std::make_unique<Run>(begun)).get();
    openRuns[&begun] = run;
    for (transform::PassStep outer = begun.outer; outer.run && !run->parent;
         outer = outer.run->outer) {
      run->parent = findRun(outer.run);
      run->parentRow = outer.entry;
    }
    if (run->parent)
      run->outermost = run->parent->outermost;
    ++run->outermost->numRunning;
  }
  transform::RunPause pause(begun, now);
  if (!run->parent)
    run->diagnosticHandler = std::make_unique<ScopedDiagnosticHandler>(
        module->getContext(), [this, run, thread](Diagnostic &diagnostic) {
          // Diagnostics of worker threads come on the thread that waits for
          // them.
          if (llvm::get_threadid() != thread)
            return failure();
          auto kept = transform::PassDiagnostic::get(diagnostic);
          llvm::append_range(kept.notes, transform::describeRunningPasses());
          std::lock_guard<std::mutex> lock(mutex);
          run->diagnostics.push_back(std::move(kept));
          return failure();
        });
  run->snapshot = ModuleSnapshot(module, getElide());
  return llvm::Error::success();
}

llvm::Error Report::endRun(const transform::Run &ended,
                           std::shared_ptr<const RunRecord> record) {
  Clock::time_point now = Clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  Run *run = findRun(&ended);
  if (!run)
    return llvm::Error::success();
  bool hasFailed = record->hasFailed();
  run->setUp = record->getSetUp();
  run->finish = getTime(*run, now);
  transform::RunPause pause(ended, now);
  lock.unlock();
  run->diagnosticHandler = nullptr;
  // A pass that fails has often changed the module before.
  Row *last = run->numSeen == 0 ? nullptr : &run->rows[run->numSeen - 1];
  bool knowsLast = hasFailed && !run->isStale;
  size_t heap = 0;
  if (knowsLast && last && last->opsBefore && !last->hasEnded &&
      !last->isSequential) {
    heap = llvm::sys::Process::GetMallocUsage();
    update(*run, *last, ended);
  }
  lock.lock();
  if (heap != 0)
    last->heapAfter = heap;
  bool isNamed = false;
  for (Row &row : run->rows) {
    if (!hasFailed || !row.hasBegun || row.hasEnded || row.end < run->numSeen)
      continue;
    if (knowsLast)
      row.opsAfter = run->snapshot.getNumOps();
    row.hasFailed = isNamed = true;
  }
  if (hasFailed && !isNamed)
    (last ? *last : run->rows.front()).hasFailed = true;
  run->hasEnded = true;
  run->hasFailed = hasFailed;
  run->snapshot = ModuleSnapshot();
  openRuns.erase(&ended);
  // Without a record, the run has begun before the report joined it.
  if (record->getRoot().plan)
    takeRecord(*run, record->getRoot());
  // The pass was asked about, but neither began nor was vetoed: a should_run
  // failed.
  if (hasFailed && run->numSeen != 0) {
    Row &asked = run->rows[run->numSeen - 1];
    asked.hasFailed |=
        asked.wasAsked && !asked.hasBegun && asked.vetoedBy.empty();
  }
  --run->outermost->numRunning;
  return llvm::Error::success();
}

/// Copies the times of the run's passes, and the names of the instruments that
/// vetoed some.
void Report::takeRecord(Run &run, const PassRecord &record) {
  Row &row = run.rows[record.entry];
  row.vetoedBy = record.vetoedBy;
  // Sequentials in which nothing ran have no times, and runs that the report
  // joined can have begun before it did.
  if (record.begin >= start)
    row.times =
        RowTimes{record.begin - start,
                 // The root's time is the time of the whole run.
                 std::max(record.end, record.begin + record.wallTime) - start,
                 record.time, record.wallTime};
  // A run inside a pass has records of its own, whose root is entry 0.
  for (const PassRecord &child : record.children)
    if (child.entry != 0)
      takeRecord(run, child);
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

llvm::Expected<bool> Report::shouldRun(const transform::PassStep &step) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto [run, row] = findStep(step); run)
    row->wasAsked = true;
  return true;
}

llvm::Error Report::runBeforePass(const transform::PassStep &step) {
  std::unique_lock<std::mutex> lock(mutex);
  auto [run, row] = findStep(step);
  if (!run)
    return llvm::Error::success();
  row->hasBegun = true;
  row->begin = getTime(*run, Clock::now());
  transform::RunPause pause(*step.run);
  if (std::exchange(run->isStale, false)) {
    lock.unlock();
    run->snapshot = ModuleSnapshot(step.module(), getElide(), &run->snapshot);
    lock.lock();
  }
  row->opsBefore = run->snapshot.getNumOps();
  row->heapBefore = llvm::sys::Process::GetMallocUsage();
  return llvm::Error::success();
}

llvm::Error Report::runAfterPass(const transform::PassStep &step) {
  Clock::time_point now = Clock::now();
  size_t heap = llvm::sys::Process::GetMallocUsage();
  std::unique_lock<std::mutex> lock(mutex);
  auto [run, row] = findStep(step);
  // If the report was added during a pass, too little is known about the pass.
  if (!run || !row->hasBegun)
    return llvm::Error::success();
  row->finish = getTime(*run, now);
  transform::RunPause pause(*step.run, now);
  if (!row->isSequential && row->opsBefore) {
    lock.unlock();
    update(*run, *row, *step.run);
    lock.lock();
  }
  row->hasEnded = true;
  row->heapAfter = heap;
  if (!run->isStale)
    row->opsAfter = run->snapshot.getNumOps();
  return llvm::Error::success();
}

void Report::beginSpan(const PassSpan &span) {
  std::lock_guard<std::mutex> lock(mutex);
  Run *run = findRun(span.step.run);
  nanoseconds begin = run ? getTime(*run, span.begin) : nanoseconds(0);
  openSpans[span.thread].push_back({run, span.step.entry, begin});
  if (!run)
    return;
  Row &row = run->rows[span.step.entry];
  if (std::exchange(run->verifiedAfter, span.step.entry) != span.step.entry)
    run->verified.clear();
  run->hasSpans = true;
  noteStep(*run, span.step.entry, begin);
  if (!std::exchange(row.hasBegun, true))
    row.begin = begin;
  run->isStale |= !row.opsBefore;
}

size_t Report::getFunctionIndex(Run &run, Operation *op) {
  auto find = [&] {
    std::string path = getFunctionPath(op, run.module);
    return run.functions.getIndex(path.empty() ? op->getName().getStringRef()
                                               : StringRef(path));
  };
  Attribute symbol = op->getAttr(SymbolTable::getSymbolAttrName());
  // Most functions are directly in the module; they need no path text.
  if (!symbol || op->getParentOp() != run.module)
    return find();
  auto [it, isNew] = run.functionIndices.try_emplace(symbol, 0);
  if (isNew)
    it->second = find();
  return it->second;
}

void Report::endSpan(const PassSpan &span) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = openSpans.find(span.thread);
  if (it == openSpans.end() || it->second.empty())
    return;
  OpenSpan open = it->second.back();
  it->second.pop_back();
  if (!open.run)
    return;
  Run &run = *open.run;
  Row &row = run.rows[open.row];
  row.finish = std::max(getTime(run, span.end), open.begin);
  ++row.numRuns;
  row.hasFailed |= span.hasFailed;
  if (span.isVerified && run.verifiedAfter == open.row)
    run.verified.insert(span.op);
  if (span.op == run.module)
    return;
  run.spans.push_back(
      {open.row, getFunctionIndex(run, span.op),
       threads.try_emplace(span.thread, threads.size()).first->second,
       open.begin, row.finish - open.begin});
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Compares the module with its last seen state, and records the changes in
/// `row`.
void Report::update(Run &run, Row &row, const transform::Run &current) {
  Operation *module = current.module;
  // Another instrument that gets the module may have changed it since.
  auto instruments = current.context.instruments();
  bool isAlone = llvm::count_if(*instruments, [](const auto &instrument) {
                   return instrument->wants(Wants::Module);
                 }) == 1;
  auto isVerified = [&](Operation *op) {
    return isAlone && run.verified.contains(op);
  };
  ModuleSnapshot before =
      std::exchange(run.snapshot, ModuleSnapshot(module, getElide(),
                                                 &run.snapshot, isVerified));
  if (before.getHash() == run.snapshot.getHash())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    row.opChanges = run.snapshot.countChanges(before);
    row.hasChanged = true;
  }
  if (options.diffs)
    addDiff(run, row, before);
}

/// The symbol of the innermost op with a symbol around a line.
static std::string findSymbol(const LineTable &table, ArrayRef<unsigned> lines,
                              size_t index) {
  size_t indent = StringRef::npos;
  for (unsigned number : llvm::reverse(lines.take_front(index + 1))) {
    StringRef line = table.getText(number);
    size_t lineIndent = line.find_first_not_of(' ');
    if (lineIndent >= indent || !line.ends_with("{"))
      continue;
    indent = lineIndent;
    size_t begin = line.find(" @");
    if (begin == StringRef::npos)
      continue;
    StringRef symbol = line.substr(begin + 1);
    size_t end = symbol.starts_with("@\"") ? symbol.find('"', 2) + 1
                                           : symbol.find_first_of(" (<{:");
    return symbol.take_front(end).str();
  }
  return "";
}

void Report::addDiff(Run &run, Row &row, const ModuleSnapshot &before) {
  std::vector<unsigned> oldLines = before.getLineNumbers();
  std::vector<unsigned> newLines = run.snapshot.getLineNumbers();
  LineTable &table = run.snapshot.getTable();
  std::vector<LineEdit> edits = run.snapshot.diff(before);
  auto isChange = [](LineEdit edit) {
    return edit == LineEdit::Removed || edit == LineEdit::Added;
  };

  std::lock_guard<std::mutex> lock(mutex);
  row.hasDiff = true;
  row.numAdded = llvm::count(edits, LineEdit::Added);
  row.numRemoved = llvm::count(edits, LineEdit::Removed);
  auto addLine = [&](Hunk &hunk, unsigned number) {
    // The line's index in the page plus one, once it is there; else 0.
    unsigned &mark = table.mark(number);
    size_t size = 8;
    if (mark == 0) {
      StringRef line = table.getText(number);
      std::string text = line.take_front(kMaxLineLength).str();
      if (text.size() != line.size())
        text += " ...";
      size_t numLines = run.lines.list.size();
      mark = run.lines.getIndex(text) + 1;
      size += (run.lines.list.size() - numLines) * text.size();
    }
    hunk.edits.push_back(mark - 1);
    run.diffSize += size;
    diffSize += size;
  };
  size_t oldLine = 0, newLine = 0, numShown = 0;
  auto isFull = [&] {
    return numShown >= kMaxDiffLines || diffSize >= kMaxDiffSize;
  };
  auto *it = edits.data(), *end = it + edits.size();
  while (true) {
    auto *change = std::find_if(it, end, isChange);
    if (change == end)
      return;
    if (isFull()) {
      row.isDiffCut = true;
      return;
    }
    // Up to the last change that is close to the previous one.
    auto *last = change;
    for (auto *next = last; next != end;
         next = std::find_if(next + 1, end, isChange)) {
      if (next - last > ptrdiff_t(2 * kContextLines + 1))
        break;
      last = next;
    }
    auto *first = change - std::min<ptrdiff_t>(kContextLines, change - it);
    auto *stop = last + std::min<ptrdiff_t>(kContextLines + 1, end - last);
    oldLine += first - it;
    newLine += first - it;
    Hunk &hunk = row.hunks.emplace_back();
    hunk.oldLine = oldLine + 1;
    hunk.newLine = newLine + 1;
    hunk.symbol = findSymbol(
        table, newLines,
        std::min<size_t>(newLine + (change - first), newLines.size() - 1));
    for (it = first; it != stop; ++it) {
      hunk.edits.push_back(size_t(*it));
      if (*it != LineEdit::Added)
        addLine(hunk, oldLines[oldLine]);
      if (*it == LineEdit::Added || *it == LineEdit::Renamed)
        addLine(hunk, newLines[newLine]);
      oldLine += *it != LineEdit::Added;
      newLine += *it != LineEdit::Removed;
      numShown += isChange(*it);
      if (isFull()) {
        ++it;
        break;
      }
    }
    row.isDiffCut |= it != stop;
  }
}

PassInstrumentRef instrument::createReport(ReportOptions options) {
  return std::make_shared<Report>(std::move(options));
}
