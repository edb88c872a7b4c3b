//===- ReportPage.cpp - What a report says
//---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using namespace partita::instrument::report;
using std::chrono::nanoseconds;

static constexpr llvm::StringLiteral kPage =
#include "Report.html.inc"
    ;

/// How many spans there are at most, so that the page stays below 20 MB.
static constexpr size_t kMaxSpans = 200'000;

template <typename RangeT>
static llvm::json::Array toJSONStrings(const RangeT &texts) {
  llvm::json::Array array;
  for (const auto &text : texts)
    array.push_back(toJSONString(text));
  return array;
}

static llvm::json::Value toJSONTime(nanoseconds time) {
  return int64_t(time.count());
}

static StringRef getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

llvm::json::Value Report::toJSON(const Run &run,
                                 nanoseconds shortestSpan) const {
  using llvm::json::Array;
  using llvm::json::Object;

  // What has not ended lasts up to now. A Sequential's times are those of its
  // members.
  nanoseconds now = run.hasEnded ? run.finish : getTime(run, Clock::now());
  struct Times {
    nanoseconds end, time, wall;
  };
  std::vector<Times> times;
  for (const Row &row : run.rows) {
    bool isLast = !row.hasEnded && row.end >= run.numSeen;
    nanoseconds end = std::max(isLast ? now : row.finish, row.begin);
    Times &of = times.emplace_back(Times{end, row.time, row.wallTime});
    if (!row.hasBegun) {
      of = {};
      continue;
    }
    if (row.numOpen != 0)
      of.wall += end - std::min(row.openSince, end);
    // Nobody counts the runs for one that comes in the middle.
    if (!run.hasSpans && !row.isSequential)
      of.time = of.wall = end - row.begin;
  }
  for (const auto &[thread, open] : openSpans)
    for (const OpenSpan &span : open)
      if (span.run == &run)
        times[span.row].time += now - std::min(span.begin, now);
  for (size_t i = run.rows.size(); i-- > 0;) {
    const Row &row = run.rows[i];
    if (!row.isSequential || !row.hasBegun)
      continue;
    for (size_t child = i + 1; child < row.end; child = run.rows[child].end) {
      times[i].time += times[child].time;
      if (!row.hasEnded)
        times[i].end = std::max(times[i].end, times[child].end);
    }
    times[i].wall = times[i].end - row.begin;
  }

  Array passes;
  size_t vetoedEnd = 0;
  for (auto [index, row] : llvm::enumerate(run.rows)) {
    bool isVetoed = index < vetoedEnd;
    StringRef status = "not reached";
    if (row.hasFailed) {
      status = "failed";
    } else if (!row.isEnabled) {
      status = "skipped";
    } else if (row.hasBegun) {
      bool isLast = !row.hasEnded && row.end >= run.numSeen;
      status = isLast && !run.hasEnded ? "running" : "ran";
    } else if (row.wasAsked || isVetoed) {
      status = "vetoed";
      vetoedEnd = std::max(vetoedEnd, row.end);
    } else if (index < run.numSeen || (run.hasEnded && !run.hasFailed)) {
      status = "not seen";
    }
    Object pass{{"step", row.step},
                {"name", toJSONString(row.name)},
                {"argument", toJSONString(row.argument)},
                {"depth", row.depth},
                {"sequential", row.isSequential},
                {"reason", toJSONString(row.reason)},
                {"status", status}};
    if (row.isDisabled)
      pass["disabled"] = true;
    if (!row.vetoedBy.empty())
      pass["vetoed_by"] = toJSONStrings(row.vetoedBy);
    if (row.hasBegun) {
      pass["begin"] = toJSONTime(row.begin);
      pass["end"] = toJSONTime(times[index].end);
      pass["time"] = toJSONTime(times[index].time);
      pass["wall"] = toJSONTime(times[index].wall);
      if (row.isSequential || run.hasSpans)
        pass["runs"] = int64_t(row.isSequential ? 1 : row.numRuns);
      // That of a Sequential has what the report itself keeps in it.
      if (!row.isSequential && row.heapBefore != 0 && row.heapAfter != 0)
        pass["memory"] = Array{int64_t(row.heapBefore), int64_t(row.heapAfter)};
      if (row.opsBefore && row.opsAfter)
        pass["ops"] = Array{*row.opsBefore, *row.opsAfter};
    }
    if (row.hasChanged) {
      pass["changed"] = true;
      Object changes;
      for (const auto &[name, change] : row.opChanges)
        changes[toJSONString(name).getAsString()->str()] = change;
      pass["op_changes"] = std::move(changes);
    }
    if (row.hasDiff) {
      pass["added"] = int64_t(row.numAdded);
      pass["removed"] = int64_t(row.numRemoved);
      Array hunks;
      for (const Hunk &hunk : row.hunks)
        hunks.push_back(Object{{"old", int64_t(hunk.oldLine)},
                               {"new", int64_t(hunk.newLine)},
                               {"in", toJSONString(hunk.symbol)},
                               {"edits", Array(hunk.edits)}});
      pass["diff"] = std::move(hunks);
      if (row.isDiffCut)
        pass["diff_cut"] = true;
    }
    passes.push_back(std::move(pass));
  }

  std::vector<Span> shown;
  for (const Span &span : run.spans)
    if (span.time >= shortestSpan)
      shown.push_back(span);
  llvm::stable_sort(
      shown, [](const Span &a, const Span &b) { return a.begin < b.begin; });
  Array spans;
  nanoseconds last(0);
  for (const Span &span : shown) {
    for (size_t value : {span.row, span.function, span.thread})
      spans.push_back(int64_t(value));
    spans.push_back(toJSONTime(span.begin - last));
    spans.push_back(toJSONTime(span.time));
    last = span.begin;
  }

  Array diagnostics;
  for (const transform::PassDiagnostic &diagnostic : run.diagnostics)
    diagnostics.push_back(
        Object{{"severity", getSeverity(diagnostic.severity)},
               {"location", toJSONString(diagnostic.location)},
               {"message", toJSONString(diagnostic.message)},
               {"notes", toJSONStrings(diagnostic.notes)}});

  Object object{{"root", toJSONString(run.rows.front().name)},
                {"module", toJSONString(run.moduleName)},
                {"opt_level", run.optLevel},
                {"required_pass", toJSONStrings(run.requiredPass)},
                {"disabled_pass", toJSONStrings(run.disabledPass)},
                {"failed", run.hasFailed},
                {"diagnostics", std::move(diagnostics)},
                {"passes", std::move(passes)},
                {"functions", toJSONStrings(run.functions.list)},
                {"spans", std::move(spans)},
                {"spans_left_out", int64_t(run.spans.size() - shown.size())},
                {"lines", toJSONStrings(run.lines.list)}};
  if (run.parent) {
    auto isParent = [&](const auto &other) {
      return other.get() == run.parent;
    };
    object["parent"] =
        Array{llvm::find_if(runs, isParent) - runs.begin(), run.parentRow};
  }
  return object;
}

llvm::json::Value Report::toJSON() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<nanoseconds> times;
  for (const std::unique_ptr<Run> &run : runs)
    for (const Span &span : run->spans)
      times.push_back(span.time);
  nanoseconds shortest(0);
  if (times.size() > kMaxSpans) {
    auto nth = times.begin() + kMaxSpans;
    std::nth_element(times.begin(), nth, times.end(), std::greater<>());
    // All that are as short as the first that is too much go with it.
    shortest = *nth + nanoseconds(1);
  }
  llvm::json::Array array;
  for (const std::unique_ptr<Run> &run : runs)
    array.push_back(toJSON(*run, shortest));
  return array;
}

void Report::render(llvm::raw_ostream &os) const {
  std::string title;
  llvm::raw_string_ostream titleStream(title);
  llvm::printHTMLEscaped(escapeText(llvm::json::fixUTF8(options.title)),
                         titleStream);
  std::string data;
  llvm::raw_string_ostream(data) << toJSON();
  data = escapeJSON(data);

  StringRef page = kPage;
  while (true) {
    size_t begin = page.find("{{");
    os << page.take_front(begin);
    if (begin == StringRef::npos)
      return;
    page = page.substr(begin + 2);
    if (page.consume_front("title}}")) {
      os << title;
    } else if (page.consume_front("data}}")) {
      // In JSON, it is in strings only; there, it could end the script.
      for (StringRef rest = data; !rest.empty();) {
        auto [text, after] = rest.split('<');
        os << text << (text.size() == rest.size() ? "" : "\\u003c");
        rest = after;
      }
    } else {
      os << "{{";
    }
  }
}
