//===- PassTiming.cpp - How long each pass took --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/PassTiming.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace partita::instrument;

PassTimingInstrument::PassTimingInstrument()
    : PassTimingInstrument(std::make_unique<Options>()) {
  options->print = false;
}

PassTimingInstrument::PassTimingInstrument(std::unique_ptr<Options> options)
    : PassInstrument(kName), options(std::move(options)) {}

LogicalResult PassTimingInstrument::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  return success();
}

void PassTimingInstrument::recordRun(PassRecord record) {
  std::lock_guard<std::mutex> lock(mutex);
  records.push_back(std::move(record));
}

LogicalResult PassTimingInstrument::exitPassContext() {
  std::string report = options->print ? render() : "";
  {
    std::lock_guard<std::mutex> lock(mutex);
    records.clear();
  }
  if (!options->print)
    return success();
  if (options->output.empty()) {
    llvm::errs() << report;
    return success();
  }
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      openOutputFile(options->output, &message);
  if (!file)
    return emitError("expected to open the timing report's output: " + message);
  file->os() << report;
  file->keep();
  return success();
}

using Microseconds = std::chrono::duration<double, std::micro>;

static void renderRecord(const PassRecord &record, unsigned depth,
                         Microseconds all, Microseconds parent,
                         llvm::raw_ostream &os) {
  Microseconds total = record.time, self = record.time;
  for (const PassRecord &child : record.children)
    self -= Microseconds(child.time);
  auto percent = [&](Microseconds of) {
    return of.count() > 0 ? 100 * (total / of) : 100;
  };
  os << std::string(depth, '\t')
     << llvm::formatv("{0}: {1:F0}us [{2:F0}us] ({3:F2}%; {4:F2}%)\n",
                      record.info.name, total.count(),
                      std::max(self.count(), 0.0), percent(all),
                      percent(parent));
  for (const PassRecord &child : record.children)
    if (child.numRuns != 0)
      renderRecord(child, depth + 1, all, total, os);
}

void PassTimingInstrument::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  Microseconds all(0);
  for (const PassRecord &record : records)
    all += record.time;
  for (const PassRecord &record : records)
    if (record.numRuns != 0)
      renderRecord(record, 0, all, all, os);
}
