//===- PrintChanged.cpp - What passes change, as diffs -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PrintChanged.h"
#include "LineDiff.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

//===----------------------------------------------------------------------===//
// UnifiedDiff
//===----------------------------------------------------------------------===//

UnifiedDiff::UnifiedDiff(StringRef before, StringRef after, unsigned context) {
  SmallVector<StringRef> oldLines, newLines;
  before.rtrim('\n').split(oldLines, '\n');
  after.rtrim('\n').split(newLines, '\n');
  std::string edits;
  for (LineEdit edit : diffIR(oldLines, newLines))
    edits += edit == LineEdit::Removed ? '-'
             : edit == LineEdit::Added ? '+'
                                       : ' ';

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
      os << edit << (edit == '-' ? oldLines[oldLine] : newLines[newLine])
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
    : PassInstrument(kName, Wants::Module | Wants::Runs),
      options(std::move(options)), filter(this->options->passes),
      output(this->options->output) {}

llvm::Error PrintChanged::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  if (!options->print)
    return llvm::Error::success();
  if (llvm::Error error = output.open())
    return error;
  return llvm::Error::success();
}

llvm::Error PrintChanged::exitPassContext() {
  output.close();
  return llvm::Error::success();
}

llvm::Error PrintChanged::beginRun(const transform::Run &run) {
  states.push(run);
  return llvm::Error::success();
}

llvm::Error PrintChanged::endRun(const transform::Run &run,
                                 std::shared_ptr<const PassRecord> record) {
  states.pop(run);
  return llvm::Error::success();
}

void PrintChanged::update(State &state, Operation *module) {
  state.hash = hashStructure(module);
  state.text = printIR(module, options->elide, /*withLocations=*/false);
}

llvm::Error PrintChanged::runBeforePass(const transform::PassStep &step) {
  State *state = states.find(*step.run);
  if (step.isSequential() || !state)
    return llvm::Error::success();
  if (!filter.matches(step.info()))
    state->hash.reset();
  else if (!state->hash)
    update(*state, step.module());
  return llvm::Error::success();
}

llvm::Error PrintChanged::runAfterPass(const transform::PassStep &step) {
  State *state = states.find(*step.run);
  if (step.isSequential() || !state || !state->hash)
    return llvm::Error::success();
  Record record{step.number(), step.info().name, false, 0, 0, ""};
  record.hasChanged = *state->hash != hashStructure(step.module());
  if (record.hasChanged) {
    std::string before = std::move(state->text);
    update(*state, step.module());
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
    return llvm::Error::success();
  if (llvm::Error error = output.write(text))
    return error;
  return llvm::Error::success();
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
