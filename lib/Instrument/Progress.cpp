//===- Progress.cpp - A progress bar for long pipelines ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstrumentSupport.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <atomic>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using llvm::sys::Process;

namespace {
/// Shows on stderr the running pass, its number and the number of passes. The
/// line is erased when the run ends, and before diagnostics and other output.
class Progress : public PassInstrument {
public:
  explicit Progress(ProgressOptions options)
      : PassInstrument(options.kName, Process::StandardErrIsDisplayed()
                                          ? Wants::Module | Wants::Runs
                                          : Wants::Nothing),
        interval(options.interval) {}

  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;

private:
  void draw(unsigned step, StringRef pass, Clock::time_point now);

  std::chrono::milliseconds interval;
  /// The run that is followed: the first of concurrent runs, the outermost of
  /// nested runs. Only its thread uses the members below.
  std::atomic<const transform::Run *> followed{nullptr};
  unsigned numSteps = 0;
  Clock::time_point begin, lastDrawn;
  DiagnosticEngine::HandlerID handler = 0;
};
} // namespace

llvm::Error Progress::beginRun(const transform::Run &run) {
  const transform::Run *none = nullptr;
  if (!followed.compare_exchange_strong(none, &run))
    return llvm::Error::success();
  numSteps = run.plan->getNumSteps();
  begin = Clock::now();
  lastDrawn = begin - interval;
  handler = run.module->getContext()->getDiagEngine().registerHandler(
      [](Diagnostic &) {
        eraseStatusLine();
        // Another handler prints the diagnostic.
        return failure();
      });
  return llvm::Error::success();
}

llvm::Error Progress::endRun(const transform::Run &run,
                             std::shared_ptr<const RunRecord>) {
  if (followed != &run)
    return llvm::Error::success();
  run.module->getContext()->getDiagEngine().eraseHandler(handler);
  eraseStatusLine();
  followed = nullptr;
  return llvm::Error::success();
}

llvm::Error Progress::runBeforePass(const transform::PassStep &step) {
  Clock::time_point now = Clock::now();
  if (followed == step.run && !step.isSequential() &&
      now - lastDrawn >= interval)
    draw(step.number(), step.info().name, now);
  return llvm::Error::success();
}

/// Formats hours, minutes and seconds.
static std::string formatTime(std::chrono::duration<double> time) {
  auto seconds = static_cast<uint64_t>(time.count());
  if (seconds < 3600)
    return llvm::formatv("{0}:{1,0+2}", seconds / 60, seconds % 60);
  return llvm::formatv("{0}:{1,0+2}:{2,0+2}", seconds / 3600, seconds / 60 % 60,
                       seconds % 60);
}

/// The width of the terminal; LLVM reads only COLUMNS.
static size_t getColumns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
    return size.ws_col;
  return 80;
}

void Progress::draw(unsigned step, StringRef pass, Clock::time_point now) {
  constexpr unsigned barWidth = 20;
  unsigned numDone = step - 1;
  unsigned filled = barWidth * numDone / numSteps;
  std::chrono::duration<double> elapsed = now - begin;
  std::string text = llvm::formatv(
      "{0}/{1} [{2}{3}] {4}", step, numSteps, std::string(filled, '#'),
      std::string(barWidth - filled, '.'), formatTime(elapsed));
  if (numDone > 0)
    text +=
        ", " + formatTime(elapsed / numDone * (numSteps - numDone)) + " left";
  text += " " + escapeName(pass);
  // A wrapped line can't be redrawn.
  text.resize(std::min<size_t>(text.size(), getColumns() - 1));
  lastDrawn = now;
  drawStatusLine(text);
}

PassInstrumentRef instrument::createProgress(ProgressOptions options) {
  return std::make_shared<Progress>(options);
}
