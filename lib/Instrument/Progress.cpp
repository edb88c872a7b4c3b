//===- Progress.cpp - A progress bar for long pipelines ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Progress.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <sys/ioctl.h>
#include <unistd.h>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
using llvm::sys::Process;

Progress::Progress(std::unique_ptr<Options> options)
    : PassInstrument(kName, Process::StandardErrIsDisplayed()
                                ? Wants::Module | Wants::Runs
                                : Wants::Nothing),
      options(std::move(options)) {}

llvm::Error Progress::beginRun(const transform::Run &run) {
  if (!followed.begin(run))
    return llvm::Error::success();
  {
    std::lock_guard<std::mutex> lock(mutex);
    numSteps = run.plan->getNumSteps();
    begin = Clock::now();
    lastDrawn = begin - std::chrono::milliseconds(options->interval);
  }
  handler = run.module->getContext()->getDiagEngine().registerHandler(
      [this](Diagnostic &) {
        eraseStatusLine();
        // Somebody else prints it.
        return failure();
      });
  return llvm::Error::success();
}

llvm::Error Progress::endRun(const transform::Run &run,
                             std::shared_ptr<const PassRecord> record) {
  if (!followed.isCurrent(run))
    return llvm::Error::success();
  run.module->getContext()->getDiagEngine().eraseHandler(handler);
  eraseStatusLine();
  followed.end();
  return llvm::Error::success();
}

llvm::Error Progress::runBeforePass(const transform::PassStep &step) {
  if (!followed.isCurrent(*step.run) || step.isSequential())
    return llvm::Error::success();
  Clock::time_point now = Clock::now();
  std::lock_guard<std::mutex> lock(mutex);
  if (now - lastDrawn >= std::chrono::milliseconds(options->interval))
    draw(step.number(), step.info().name, now);
  return llvm::Error::success();
}

/// Hours, minutes and seconds.
static std::string formatTime(std::chrono::duration<double> time) {
  auto seconds = static_cast<uint64_t>(time.count());
  if (seconds < 3600)
    return llvm::formatv("{0}:{1,0+2}", seconds / 60, seconds % 60);
  return llvm::formatv("{0}:{1,0+2}:{2,0+2}", seconds / 3600, seconds / 60 % 60,
                       seconds % 60);
}

/// How wide the terminal is; LLVM asks COLUMNS alone.
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
  text += " " + pass.str();
  // A line that wraps can't be drawn again.
  text.resize(std::min<size_t>(text.size(), getColumns() - 1));
  lastDrawn = now;
  drawStatusLine(text);
}
