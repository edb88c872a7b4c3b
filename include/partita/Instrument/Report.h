//===- Report.h - A page about a run --------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_REPORT_H
#define PARTITA_INSTRUMENT_REPORT_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

namespace partita::instrument {

/// Writes an HTML page about what ran: a timeline, the plan with its reasons,
/// and for each pass its time, memory, change in operations and diff. The page
/// needs no other file and no network. A structural hash tells whether a pass
/// changed something, so IR is printed only if it did.
///
/// What the report itself costs is left out of its times. So that a page stays
/// below 20 MB, the longest diffs are cut, and of very many functions the
/// shortest spans; the page says so.
///
/// Scopes on several threads, or one inside another, can share a report: to
/// enter one forgets the runs that have ended, not those that still go on.
class Report : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "report";
  struct Options : InstrumentOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("The file to write when the scope is left, - for "
                       "stdout; empty for none"),
        llvm::cl::init("report.html")};
    Option<std::string> title{*this, "title",
                              llvm::cl::desc("The title of the page"),
                              llvm::cl::init("Pass report")};
    Option<bool> diffs{*this, "diffs",
                       llvm::cl::desc("Whether to show what each pass changed"),
                       llvm::cl::init(true)};
    Option<int> elide{*this, "elide",
                      llvm::cl::desc("Elide constants of more elements than "
                                     "this; -1 for none"),
                      llvm::cl::init(16)};
  };

  explicit Report(std::unique_ptr<Options> options);
  ~Report() override;

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;
  void beginSpan(const PassSpan &span) override;
  void endSpan(const PassSpan &span) override;

  /// The page.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;

  /// A record for each run since the scope was entered, and for each that went
  /// on then, in the order in which they began:
  ///   root, module, opt_level, required_pass, disabled_pass, failed
  ///   parent           for a run inside a pass: [run, pass], as indices
  ///   diagnostics      severity, location, message, notes
  ///   passes           the plan's entries, in its order; see below
  ///   functions        the names that spans refer to
  ///   spans            of passes on functions, flat, by begin: pass, function,
  ///                    thread, begin since that of the span before, duration
  ///   spans_left_out   how many, as there were too many
  ///   lines            the lines that diffs refer to
  /// Times are in ns since a scope was entered in no run; those of a pass that
  /// is running last up to now. A pass has, where it applies and is known,
  ///   step (0 for a Sequential and for what is skipped), name, argument,
  ///   depth, sequential, reason, disabled, vetoed_by
  ///   status           ran, skipped, vetoed, failed, running, not reached, or
  ///                    not seen, if other instruments took the report's place
  ///   begin, end, runs (on how many operations it ran)
  ///   time (the sum over threads), wall (while any thread was in it)
  ///   memory           bytes of the heap before and after, if it is known
  ///   ops              how many operations before and after
  ///   op_changes       how many more there are, by name
  ///   changed          whether it changed something
  ///   added, removed   how many lines
  ///   diff             hunks: old and new (first lines, from 1), in (the
  ///                    symbol around it), edits (flat: kind, line or lines)
  ///   diff_cut         whether that is not all
  /// The kinds of edits are 0, a line of both; 1, one of both but for the
  /// numbers of values or indentation, old and new; 2, removed; 3, added.
  llvm::json::Value toJSON() const override;

private:
  struct Row;
  struct Run;
  struct OpenSpan;

  Run *findRun(const transform::Run *run) const { return openRuns.lookup(run); }
  /// The run and the entry of its plan that a callback is about.
  std::pair<Run *, Row *> findStep(const transform::PassStep &step);
  std::chrono::nanoseconds getTime(const Run &run,
                                   Clock::time_point time) const;
  static void noteStep(Run &run, size_t entry, std::chrono::nanoseconds time);
  void takeSnapshot(Run &run, mlir::Operation *module);
  void update(Run &run, Row &row, mlir::Operation *module);
  void addDiff(Run &run, Row &row, llvm::StringRef before,
               llvm::StringRef after);
  static void addVetoes(Run &run, const PassRecord &record);
  llvm::json::Value toJSON(const Run &run,
                           std::chrono::nanoseconds shortestSpan) const;

  std::unique_ptr<Options> options;
  InstrumentOutput output;
  /// Guards what follows; what a run has last seen of its module is its
  /// thread's alone.
  mutable std::mutex mutex;
  Clock::time_point start = Clock::now();
  std::vector<std::unique_ptr<Run>> runs;
  size_t diffSize = 0;
  /// The threads that spans were on, by number.
  llvm::DenseMap<uint64_t, size_t> threads;
  /// The runs that have not ended.
  llvm::DenseMap<const transform::Run *, Run *> openRuns;
  /// The spans that each thread is in.
  llvm::DenseMap<uint64_t, std::vector<OpenSpan>> openSpans;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_REPORT_H
