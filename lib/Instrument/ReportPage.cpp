//===- ReportPage.cpp - The data in a report's page -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <limits>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using namespace partita::instrument::report;
using std::chrono::nanoseconds;

static constexpr llvm::StringLiteral kPage =
#include "Report.html.inc"
    ;

/// The largest number of spans, so that the page stays below 20 MB.
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

/// Valid UTF-8, for the keys of an object.
static std::string fixUTF8(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

/// Writes numbers without making a json::Value for each, because there are
/// many.
static void writeNumbers(llvm::json::OStream &json, StringRef name,
                         ArrayRef<size_t> numbers) {
  json.attributeBegin(name);
  json.rawValue([&](llvm::raw_ostream &os) {
    // A comma or bracket, and digits.
    char text[1 + std::numeric_limits<size_t>::digits10 + 1];
    text[0] = '[';
    for (size_t number : numbers) {
      char *end = std::to_chars(text + 1, std::end(text), number).ptr;
      os.write(text, end - text);
      text[0] = ',';
    }
    os << (numbers.empty() ? "[]" : "]");
  });
  json.attributeEnd();
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

/// Writes an array: `write` writes an element for each of `values`.
template <typename RangeT, typename WriteT>
static void writeArray(llvm::json::OStream &json, StringRef name,
                       const RangeT &values, WriteT &&write) {
  json.attributeArray(name, [&] {
    for (const auto &value : values)
      write(value);
  });
}

/// The times of a row that has begun. As long as there is no record of them,
/// they are the times of the callbacks; a pass that has not ended lasts up to
/// now.
RowTimes Report::getTimes(const Run &run, const Row &row) const {
  if (row.times)
    return *row.times;
  nanoseconds end = row.finish;
  if (run.isOpen(row))
    end = run.hasEnded ? run.finish : getTime(run, Clock::now());
  end = std::max(end, row.begin);
  return {row.begin, end, end - row.begin, end - row.begin};
}

/// What the page says of a row. `isVetoed` tells whether a Sequential around it
/// was vetoed.
static StringRef getStatus(const Run &run, size_t index, bool isVetoed) {
  const Row &row = run.rows[index];
  if (row.hasFailed)
    return "failed";
  if (!row.isEnabled)
    return "skipped";
  if (row.hasBegun)
    return run.isOpen(row) && !run.hasEnded ? "running" : "ran";
  if (row.wasAsked || isVetoed)
    return "vetoed";
  bool isBehind = index < run.numSeen || (run.hasEnded && !run.hasFailed);
  return isBehind ? "not seen" : "not reached";
}

static void writeMeasures(llvm::json::OStream &json, const Run &run,
                          const Row &row, const RowTimes &times) {
  json.attribute("begin", toJSONTime(times.begin));
  json.attribute("end", toJSONTime(times.end));
  json.attribute("time", toJSONTime(times.time));
  json.attribute("wall", toJSONTime(times.wall));
  if (row.isSequential || run.hasSpans)
    json.attribute("runs", int64_t(row.isSequential ? 1 : row.numRuns));
  // A Sequential's memory would include the report's own.
  if (!row.isSequential && row.heapBefore != 0 && row.heapAfter != 0)
    writeNumbers(json, "memory", {row.heapBefore, row.heapAfter});
  if (row.opsBefore && row.opsAfter)
    writeNumbers(json, "ops", {size_t(*row.opsBefore), size_t(*row.opsAfter)});
}

static void writeChanges(llvm::json::OStream &json, const Row &row) {
  if (row.hasChanged) {
    json.attribute("changed", true);
    json.attributeObject("op_changes", [&] {
      for (const auto &[name, change] : row.opChanges)
        json.attribute(fixUTF8(name), change);
    });
  }
  if (!row.hasDiff)
    return;
  json.attribute("added", int64_t(row.numAdded));
  json.attribute("removed", int64_t(row.numRemoved));
  writeArray(json, "diff", row.hunks, [&](const Hunk &hunk) {
    json.object([&] {
      json.attribute("old", int64_t(hunk.oldLine));
      json.attribute("new", int64_t(hunk.newLine));
      json.attribute("in", toJSONString(hunk.symbol));
      writeNumbers(json, "edits", hunk.edits);
    });
  });
  if (row.isDiffCut)
    json.attribute("diff_cut", true);
}

static void writeRow(llvm::json::OStream &json, const Run &run, const Row &row,
                     const RowTimes &times, StringRef status) {
  json.object([&] {
    json.attribute("step", row.step);
    json.attribute("name", toJSONString(row.name));
    json.attribute("argument", toJSONString(row.argument));
    json.attribute("depth", row.depth);
    json.attribute("sequential", row.isSequential);
    json.attribute("reason", toJSONString(row.reason));
    json.attribute("status", status);
    if (row.isDisabled)
      json.attribute("disabled", true);
    if (!row.vetoedBy.empty())
      json.attribute("vetoed_by", toJSONStrings(row.vetoedBy));
    if (row.hasBegun)
      writeMeasures(json, run, row, times);
    writeChanges(json, row);
  });
}

/// Writes the spans that are not shorter than `shortest`, by their beginning:
/// row, function, thread, time since the span before, duration.
static void writeSpans(llvm::json::OStream &json, const Run &run,
                       nanoseconds shortest) {
  std::vector<Span> shown;
  shown.reserve(run.spans.size());
  for (const Span &span : run.spans)
    if (span.time >= shortest)
      shown.push_back(span);
  auto isBefore = [](const Span &a, const Span &b) {
    return a.begin < b.begin;
  };
  if (!llvm::is_sorted(shown, isBefore))
    llvm::stable_sort(shown, isBefore);
  std::vector<size_t> spans(shown.size() * 5);
  auto *it = spans.data();
  nanoseconds last(0);
  for (const Span &span : shown) {
    *it++ = span.row;
    *it++ = span.function;
    *it++ = span.thread;
    *it++ = (span.begin - last).count();
    *it++ = span.time.count();
    last = span.begin;
  }
  writeNumbers(json, "spans", spans);
  json.attribute("spans_left_out", int64_t(run.spans.size() - shown.size()));
}

void Report::writeJSON(llvm::json::OStream &json, const Run &run,
                       nanoseconds shortestSpan) const {
  json.objectBegin();
  size_t index = 0, vetoedEnd = 0;
  writeArray(json, "passes", run.rows, [&](const Row &row) {
    StringRef status = getStatus(run, index, index < vetoedEnd);
    if (status == "vetoed")
      vetoedEnd = std::max(vetoedEnd, row.end);
    writeRow(json, run, row, row.hasBegun ? getTimes(run, row) : RowTimes(),
             status);
    ++index;
  });
  writeSpans(json, run, shortestSpan);
  writeArray(json, "diagnostics", run.diagnostics,
             [&](const transform::PassDiagnostic &diagnostic) {
               json.value(llvm::json::Object{
                   {"severity", getSeverity(diagnostic.severity)},
                   {"location", toJSONString(diagnostic.location)},
                   {"message", toJSONString(diagnostic.message)},
                   {"notes", toJSONStrings(diagnostic.notes)}});
             });
  json.attribute("root", toJSONString(run.rows.front().name));
  json.attribute("module", toJSONString(run.moduleName));
  json.attribute("opt_level", run.optLevel);
  json.attribute("required_pass", toJSONStrings(run.requiredPass));
  json.attribute("disabled_pass", toJSONStrings(run.disabledPass));
  json.attribute("failed", run.hasFailed);
  if (run.setUp.isMade)
    json.attribute("set_up", toJSONTime(run.setUp.time));
  json.attribute("functions", toJSONStrings(run.functions.list));
  json.attribute("lines", toJSONStrings(run.lines.list));
  if (run.parent) {
    auto isParent = [&](const auto &other) {
      return other.get() == run.parent;
    };
    writeNumbers(
        json, "parent",
        {size_t(llvm::find_if(runs, isParent) - runs.begin()), run.parentRow});
  }
  json.objectEnd();
}

void Report::writeJSON(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<nanoseconds> times;
  for (const std::unique_ptr<Run> &run : runs)
    for (const Span &span : run->spans)
      times.push_back(span.time);
  nanoseconds shortest(0);
  if (times.size() > kMaxSpans) {
    auto nth = times.begin() + kMaxSpans;
    std::nth_element(times.begin(), nth, times.end(), std::greater<>());
    // Spans as short as the first one over the limit are left out, too.
    shortest = *nth + nanoseconds(1);
  }
  llvm::json::OStream json(os);
  json.array([&] {
    for (const std::unique_ptr<Run> &run : runs)
      writeJSON(json, *run, shortest);
  });
}

llvm::json::Value Report::toJSON() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJSON(os);
  return llvm::cantFail(llvm::json::parse(text));
}

void Report::render(llvm::raw_ostream &os) const {
  std::string title;
  llvm::raw_string_ostream titleStream(title);
  llvm::printHTMLEscaped(escapeText(llvm::json::fixUTF8(options.title)),
                         titleStream);
  std::string data;
  llvm::raw_string_ostream dataStream(data);
  // Numbers are written one by one.
  dataStream.SetBufferSize(1 << 14);
  writeJSON(dataStream);
  dataStream.flush();
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
      // In JSON, it occurs in strings only, where it could end the script.
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
