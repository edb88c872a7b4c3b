//===- PrintChanged.cpp - Changes of passes as diffs ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSnapshot.h"
#include "Recording.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
struct PrintChangedRecord {
  unsigned step;
  std::string pass;
  bool hasChanged;
  unsigned numAdded, numRemoved;
  std::string diff, merged;
};

/// The last seen module of a run, unless another pass has run since.
struct PrintChangedState {
  std::optional<ModuleSnapshot> snapshot;
};

/// Prints the changes of each pass as a unified diff of the IR, and a line for
/// a pass without changes, as LLVM's -print-changed=diff. A structural hash
/// detects changes, so that only changed IR is printed.
class PrintChanged : public Recording<PrintChangedRecord, PrintChangedState> {
public:
  explicit PrintChanged(PrintChangedOptions options)
      : Recording(options.kName, Wants::Module | Wants::Runs),
        options(std::move(options)), filter(this->options.passes),
        output(this->options.kName, this->options.output) {}

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error abandonPassContext() override {
    output.abandon();
    return llvm::Error::success();
  }
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  /// Renders its output, also if it was not printed; without colours.
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override {
    for (const Record &record : records)
      render(record, os);
  }
  llvm::json::Value recordToJSON(const Record &record) const override {
    llvm::json::Object object{
        {"step", record.step},          {"pass", toJSONString(record.pass)},
        {"changed", record.hasChanged}, {"added", record.numAdded},
        {"removed", record.numRemoved}, {"diff", toJSONString(record.diff)}};
    addMerged(object, record.merged);
    return object;
  }

  static void render(const Record &record, llvm::raw_ostream &os);

  using Color = PrintChangedOptions::Color;
  PrintChangedOptions options;
  PassFilter filter;
  InstrumentOutput output;
};
} // namespace

llvm::Error PrintChanged::enterPassContext() {
  if (llvm::Error error = Recording::enterPassContext())
    return error;
  return options.print ? output.open() : llvm::Error::success();
}

llvm::Error PrintChanged::exitPassContext() { return output.close(); }

llvm::Error PrintChanged::runBeforePass(const transform::PassStep &step) {
  PrintChangedState *state = findState(step.run);
  if (step.isSequential() || !state)
    return llvm::Error::success();
  if (!filter.matches(step))
    state->snapshot.reset();
  else if (!state->snapshot)
    state->snapshot = ModuleSnapshot(step.module(), options.elide);
  return llvm::Error::success();
}

llvm::Error PrintChanged::runAfterPass(const transform::PassStep &step) {
  PrintChangedState *state = findState(step.run);
  if (step.isSequential() || !state || !state->snapshot)
    return llvm::Error::success();
  Record record{step.number(),       step.info().name, false, 0, 0, "",
                describeMerged(step)};
  ModuleSnapshot after(step.module(), options.elide, &*state->snapshot);
  record.hasChanged = state->snapshot->getHash() != after.getHash();
  if (record.hasChanged) {
    UnifiedDiff diff(state->snapshot->getLines(), after.getLines(),
                     after.diff(*state->snapshot), options.context);
    record.numAdded = diff.numAdded;
    record.numRemoved = diff.numRemoved;
    record.diff = std::move(diff.text);
  }
  state->snapshot = std::move(after);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options.print) {
    os.enable_colors(options.color == Color::Always ||
                     (options.color == Color::Auto && output.hasColors()));
    render(record, os);
  }
  add(std::move(record));
  return options.print ? output.write(text) : llvm::Error::success();
}

void PrintChanged::render(const Record &record, llvm::raw_ostream &os) {
  os << "// ";
  if (record.step != 0)
    os << record.step << " ";
  os << escapeName(record.pass) << record.merged;
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

PassInstrumentRef instrument::createPrintChanged(PrintChangedOptions options) {
  return std::make_shared<PrintChanged>(std::move(options));
}
