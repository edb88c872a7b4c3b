//===- Report.h - A page about a run --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_REPORT_H
#define PARTITA_LIB_INSTRUMENT_REPORT_H

#include "InstrumentSupport.h"
#include "ModuleSnapshot.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassContext.h"
#include "partita/Pass/Run.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace partita::instrument {

namespace report {
/// Changed lines, with lines around them.
struct Hunk {
  size_t oldLine, newLine;
  std::string symbol;
  std::vector<size_t> edits;
};

/// Strings with numbers that refer to them.
struct Names {
  size_t getIndex(llvm::StringRef name) {
    auto [it, isNew] = indices.try_emplace(name, list.size());
    if (isNew)
      list.push_back(it->getKey());
    return it->second;
  }

  llvm::StringMap<size_t> indices;
  std::vector<llvm::StringRef> list;
};

struct Span {
  size_t row, function, thread;
  std::chrono::nanoseconds begin, time;
};

/// The times of a pass, since the report's scope began; without the time of the
/// report itself.
struct RowTimes {
  std::chrono::nanoseconds begin{0}, end{0}, time{0}, wall{0};
};

/// An entry of the plan of a run.
struct Row {
  Row(const transform::Plan &plan, const transform::Plan::Entry &entry)
      : step(entry.number), name(entry.pass.info().name),
        argument(entry.pass.argument()), depth(entry.depth), end(entry.end),
        isSequential(entry.pass.isSequential()), isEnabled(entry.runs()),
        isDisabled(entry.disabledByName && entry.runs()),
        reason(plan.describe(entry)) {}

  unsigned step;
  std::string name, argument;
  unsigned depth;
  size_t end;
  /// The Sequential around the entry; null for the root.
  Row *parent = nullptr;
  bool isSequential, isEnabled, isDisabled;
  std::string reason;
  std::vector<std::string> vetoedBy;

  bool wasAsked = false, hasBegun = false, hasEnded = false, hasFailed = false;
  /// When the callbacks at its beginning and its end came.
  std::chrono::nanoseconds begin{0}, finish{0};
  /// The times in the run's record, once it is there.
  std::optional<RowTimes> times;
  uint64_t numRuns = 0;
  size_t heapBefore = 0, heapAfter = 0;
  std::optional<int64_t> opsBefore, opsAfter;
  std::map<std::string, int64_t> opChanges;
  bool hasChanged = false, hasDiff = false, isDiffCut = false;
  size_t numAdded = 0, numRemoved = 0;
  std::vector<Hunk> hunks;
};

struct Run {
  explicit Run(const transform::Run &run)
      : module(run.module), clock(&run.getClock()),
        optLevel(run.context.optLevel()),
        requiredPass(run.context.requiredPass()),
        disabledPass(run.context.disabledPass()) {
    const transform::Plan &plan = *run.plan;
    rows.reserve(plan.entries().size());
    mlir::SmallVector<Row *> around;
    for (const transform::Plan::Entry &entry : plan.entries()) {
      Row &row = rows.emplace_back(plan, entry);
      around.resize(row.depth);
      row.parent = around.empty() ? nullptr : around.back();
      around.push_back(&row);
    }
    if (auto symbol = module->getAttrOfType<mlir::StringAttr>(
            mlir::SymbolTable::getSymbolAttrName()))
      moduleName = symbol.str();
    else if (auto loc =
                 module->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
      moduleName = loc.getFilename().str();
  }

  /// Whether a pass has not ended, or it is not known that it has.
  bool isOpen(const Row &row) const {
    return !row.hasEnded && row.end >= numSeen;
  }

  mlir::Operation *module;
  /// Lives until the run ends.
  const transform::RunClock *clock;
  std::string moduleName;
  int optLevel;
  std::vector<std::string> requiredPass, disabledPass;
  /// The outer run, for a run inside a pass.
  Run *parent = nullptr;
  size_t parentRow = 0;
  Run *outermost = this;
  /// For the outermost run: how many of it and the runs inside it have not
  /// ended. Until all have ended, callbacks refer to all of them.
  size_t numRunning = 0;
  bool hasEnded = false, hasFailed = false;
  std::chrono::nanoseconds finish{0};
  PipelineSetUp setUp;
  std::vector<Row> rows;
  /// One more than the last row with an event. Rows before it that are not
  /// around it have ended.
  size_t numSeen = 0;
  bool hasSpans = false;

  ModuleSnapshot snapshot;
  /// The entry of the last span that began, and the ops that were verified
  /// after it.
  size_t verifiedAfter = 0;
  llvm::DenseSet<mlir::Operation *> verified;
  /// Whether a pass has run since whose spans alone are known, because other
  /// instruments had replaced the report.
  bool isStale = false;
  size_t diffSize = 0;

  std::unique_ptr<mlir::ScopedDiagnosticHandler> diagnosticHandler;
  std::vector<transform::PassDiagnostic> diagnostics;

  Names functions, lines;
  /// The numbers of functions directly in the module, by their symbols.
  llvm::DenseMap<mlir::Attribute, size_t> functionIndices;
  std::vector<Span> spans;
};

struct OpenSpan {
  Run *run;
  size_t row;
  std::chrono::nanoseconds begin;
};
} // namespace report

/// Writes an HTML page about the runs. A structural hash detects whether a pass
/// changed something, so that only changed IR is printed.
class Report : public PassInstrument {
public:
  explicit Report(ReportOptions options);

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error abandonPassContext() override {
    output.abandon();
    return llvm::Error::success();
  }
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;
  void beginSpan(const PassSpan &span) override;
  void endSpan(const PassSpan &span) override;

  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;

  llvm::json::Value toJSON() const override;

private:
  using Row = report::Row;
  using Run = report::Run;
  using OpenSpan = report::OpenSpan;

  Run *findRun(const transform::Run *run) const { return openRuns.lookup(run); }
  /// The run, and the entry of its plan, for a callback.
  std::pair<Run *, Row *> findStep(const transform::PassStep &step);
  std::chrono::nanoseconds getTime(const Run &run,
                                   Clock::time_point time) const;
  /// The number of a span's function.
  static size_t getFunctionIndex(Run &run, mlir::Operation *op);
  static void noteStep(Run &run, size_t entry, std::chrono::nanoseconds time);
  /// The limit of elements in diffs' constants; nothing without diffs.
  std::optional<int> getElide() const;
  void update(Run &run, Row &row, const transform::Run &current);
  void addDiff(Run &run, Row &row, const ModuleSnapshot &before);
  void takeRecord(Run &run, const PassRecord &record);
  report::RowTimes getTimes(const Run &run, const Row &row) const;
  void writeJSON(llvm::json::OStream &json, const Run &run,
                 std::chrono::nanoseconds shortestSpan) const;
  void writeJSON(llvm::raw_ostream &os) const;

  ReportOptions options;
  InstrumentOutput output;
  /// Guards the following members. The last seen module of a run belongs to its
  /// thread, without the lock.
  mutable std::mutex mutex;
  Clock::time_point start = Clock::now();
  std::vector<std::unique_ptr<Run>> runs;
  size_t diffSize = 0;
  /// The threads of spans, with their numbers.
  llvm::DenseMap<uint64_t, size_t> threads;
  /// The runs that have not ended.
  llvm::DenseMap<const transform::Run *, Run *> openRuns;
  /// The open spans of each thread.
  llvm::DenseMap<uint64_t, std::vector<OpenSpan>> openSpans;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_REPORT_H
