//===- PrintChanged.cpp - What passes change, as diffs -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PrintChanged.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

//===----------------------------------------------------------------------===//
// UnifiedDiff
//===----------------------------------------------------------------------===//

/// The edits from `a` to `b`, as ' ' for an element of both, '-' for one of
/// `a`, and '+' for one of `b`.
static std::string computeEdits(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  // Time and memory grow with the square of the number of differences.
  constexpr int maxDifferences = 2000;
  int n = a.size(), m = b.size();
  int limit = std::min(n + m, maxDifferences);
  // How far a path along each diagonal has come in `a`, and that before each
  // round.
  std::vector<int> reached(2 * limit + 3, 0);
  int *v = reached.data() + limit + 1;
  std::vector<std::vector<int>> rounds;
  auto goesDown = [](const int *v, int k, int d) {
    return k == -d || (k != d && v[k - 1] < v[k + 1]);
  };
  for (int d = 0; d <= limit; ++d) {
    rounds.emplace_back(v - d, v + d + 1);
    for (int k = -d; k <= d; k += 2) {
      int x = goesDown(v, k, d) ? v[k + 1] : v[k - 1] + 1, y = x - k;
      while (x < n && y < m && a[x] == b[y])
        ++x, ++y;
      v[k] = x;
      if (x < n || y < m)
        continue;
      std::string edits;
      for (; d > 0; --d) {
        const int *before = rounds[d].data() + d;
        int diagonal = x - y;
        bool isAdded = goesDown(before, diagonal, d);
        int beforeX = before[isAdded ? diagonal + 1 : diagonal - 1];
        for (; x > beforeX + !isAdded; --x, --y)
          edits += ' ';
        edits += isAdded ? '+' : '-';
        (isAdded ? y : x) -= 1;
      }
      edits.append(x, ' ');
      std::reverse(edits.begin(), edits.end());
      return edits;
    }
  }
  return std::string(n, '-') + std::string(m, '+');
}

UnifiedDiff::UnifiedDiff(StringRef before, StringRef after, unsigned context) {
  SmallVector<StringRef> oldLines, newLines;
  before.rtrim('\n').split(oldLines, '\n');
  after.rtrim('\n').split(newLines, '\n');
  llvm::StringMap<unsigned> ids;
  auto toIds = [&](ArrayRef<StringRef> lines) {
    std::vector<unsigned> result;
    for (StringRef line : lines)
      result.push_back(ids.try_emplace(line, ids.size()).first->second);
    return result;
  };
  std::vector<unsigned> a = toIds(oldLines), b = toIds(newLines);
  size_t prefix = 0, suffix = 0, shorter = std::min(a.size(), b.size());
  while (prefix < shorter && a[prefix] == b[prefix])
    ++prefix;
  while (suffix < shorter - prefix &&
         a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix])
    ++suffix;
  std::string edits =
      std::string(prefix, ' ') +
      computeEdits(ArrayRef(a).drop_front(prefix).drop_back(suffix),
                   ArrayRef(b).drop_front(prefix).drop_back(suffix)) +
      std::string(suffix, ' ');

  llvm::raw_string_ostream os(text);
  size_t oldLine = 0, newLine = 0, index = 0;
  while (true) {
    size_t first = edits.find_first_of("+-", index);
    if (first == std::string::npos)
      return;
    // Up to the last change that fewer than twice the context lines follow.
    size_t end = first + 1, next = first;
    while ((next = edits.find_first_of("+-", end)) != std::string::npos &&
           next - end <= 2 * size_t(context))
      end = next + 1;
    size_t begin = first - std::min<size_t>(context, first - index);
    end = std::min(end + context, edits.size());
    oldLine += begin - index;
    newLine += begin - index;
    StringRef hunk = StringRef(edits).slice(begin, end);
    size_t added = hunk.count('+'), removed = hunk.count('-');
    size_t oldCount = hunk.size() - added, newCount = hunk.size() - removed;
    os << "@@ -" << oldLine + (oldCount != 0) << "," << oldCount << " +"
       << newLine + (newCount != 0) << "," << newCount << " @@\n";
    for (char edit : hunk) {
      os << edit << (edit == '+' ? newLines[newLine] : oldLines[oldLine])
         << "\n";
      oldLine += edit != '+';
      newLine += edit != '-';
    }
    numAdded += added;
    numRemoved += removed;
    index = end;
  }
}

//===----------------------------------------------------------------------===//
// PrintChanged
//===----------------------------------------------------------------------===//

PrintChanged::PrintChanged(std::unique_ptr<Options> options)
    : PassInstrument(kName), options(std::move(options)),
      filter(this->options->passes), output(this->options->output) {}

LogicalResult PrintChanged::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  if (!options->print)
    return success();
  if (llvm::Error error = output.open())
    return emitError(llvm::toString(std::move(error)));
  return success();
}

LogicalResult PrintChanged::exitPassContext() {
  output.close();
  return success();
}

LogicalResult PrintChanged::beginRun(Operation *module,
                                     const transform::Plan &) {
  states.push(module);
  return success();
}

LogicalResult PrintChanged::endRun(Operation *module, const transform::Plan &,
                                   bool) {
  states.pop(module);
  return success();
}

void PrintChanged::update(State &state, Operation *module) {
  state.hash = hashStructure(module);
  state.text = printIR(module, options->elide);
}

LogicalResult PrintChanged::runBeforePass(Operation *module,
                                          const transform::PassInfo &info) {
  State *state = states.find(module);
  if (getCurrentPass().isSequential || !state)
    return success();
  if (!filter.matches(info))
    state->hash.reset();
  else if (!state->hash)
    update(*state, module);
  return success();
}

LogicalResult PrintChanged::runAfterPass(Operation *module,
                                         const transform::PassInfo &info) {
  CurrentPass pass = getCurrentPass();
  State *state = states.find(module);
  if (pass.isSequential || !state || !state->hash)
    return success();
  Record record{pass.number, info.name, false, 0, 0, ""};
  record.hasChanged = *state->hash != hashStructure(module);
  if (record.hasChanged) {
    std::string before = std::move(state->text);
    update(*state, module);
    UnifiedDiff diff(before, state->text, options->context);
    record.numAdded = diff.numAdded;
    record.numRemoved = diff.numRemoved;
    record.diff = std::move(diff.text);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options->print) {
    os.enable_colors(options->color == Color::Always ||
                     (options->color == Color::Auto && output.hasColors()));
    render(record, os);
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    records.push_back(std::move(record));
  }
  if (!options->print)
    return success();
  if (llvm::Error error = output.write(text))
    return emitError(llvm::toString(std::move(error)));
  return success();
}

void PrintChanged::render(const Record &record, llvm::raw_ostream &os) {
  os << "// ";
  if (record.step != 0)
    os << record.step << " ";
  os << record.pass;
  if (!record.hasChanged) {
    os << ": no change\n";
    return;
  }
  os << ": +" << record.numAdded << " -" << record.numRemoved << "\n";
  SmallVector<StringRef> lines;
  StringRef(record.diff).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    bool isPlain = line.starts_with(" ");
    if (!isPlain)
      os.changeColor(line.starts_with("@")   ? llvm::raw_ostream::CYAN
                     : line.starts_with("+") ? llvm::raw_ostream::GREEN
                                             : llvm::raw_ostream::RED);
    os << line;
    if (!isPlain)
      os.resetColor();
    os << "\n";
  }
}

void PrintChanged::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Record &record : records)
    render(record, os);
}

llvm::json::Value PrintChanged::toJSON() const {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array array;
  for (const Record &record : records)
    array.push_back(llvm::json::Object{{"step", record.step},
                                       {"pass", toJSONString(record.pass)},
                                       {"changed", record.hasChanged},
                                       {"added", record.numAdded},
                                       {"removed", record.numRemoved},
                                       {"diff", toJSONString(record.diff)}});
  return array;
}
