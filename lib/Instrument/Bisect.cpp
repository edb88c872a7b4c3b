//===- Bisect.cpp - Runs some of the steps of a plan ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// Reads `3` or `1-5`; steps count from 1.
static std::optional<std::pair<unsigned, unsigned>>
parseRange(llvm::StringRef text) {
  unsigned first, last;
  if (text.consumeInteger(10, first) || first == 0)
    return std::nullopt;
  if (text.empty())
    return std::make_pair(first, first);
  if (!text.consume_front("-") || text.getAsInteger(10, last) || last < first)
    return std::nullopt;
  return std::make_pair(first, last);
}

namespace {
/// The decision about a pass; its number is 0 for a Sequential.
struct BisectRecord {
  unsigned number;
  std::string pass;
  bool runs;
  std::string text;
};

/// Runs only the first steps of a plan, or only the listed steps, as LLVM's
/// opt-bisect does.
class Bisect : public Recording<BisectRecord> {
public:
  explicit Bisect(BisectOptions options);

  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override {
    for (const Record &record : records)
      os << record.text;
  }
  llvm::json::Value recordToJSON(const Record &record) const override {
    llvm::json::Value number = nullptr;
    if (record.number != 0)
      number = record.number;
    return llvm::json::Object{{"step", std::move(number)},
                              {"pass", toJSONString(record.pass)},
                              {"runs", record.runs}};
  }

  /// The number of the step; nothing for a Sequential, and for passes that a
  /// pass runs.
  std::optional<unsigned> getNumber(const transform::PassStep &step);
  /// Records the numbers in the options that no step of `plan` has.
  void noteMissingSteps(const transform::Plan &plan);
  bool isInside(const transform::Run &run);
  bool isSelected(unsigned number) const;
  /// Records and prints whether a pass runs; 0 stands for no number.
  void note(bool runs, unsigned number, const transform::PassStep &step);

  BisectOptions options;
  std::vector<std::pair<unsigned, unsigned>> ranges;
  std::vector<unsigned> disabledSteps;
  std::vector<std::string> disabledPasses;
  /// The error in the options; empty without one.
  std::string optionsError;
};
} // namespace

Bisect::Bisect(BisectOptions options)
    : Recording(options.kName, Wants::Module | Wants::Runs),
      options(std::move(options)) {
  for (const std::string &text : this->options.steps) {
    if (auto range = parseRange(text))
      ranges.push_back(*range);
    else
      optionsError = "expected steps as 1-5,8, but found '" + text + "'";
  }
  for (const std::string &text : this->options.disable) {
    unsigned number;
    if (llvm::StringRef(text).getAsInteger(10, number))
      disabledPasses.push_back(transform::canonicalPassName(text));
    else if (number == 0)
      optionsError = "expected the numbers in 'disable' to be 1 or more, as a "
                     "plan counts, but found '" +
                     text + "'";
    else
      disabledSteps.push_back(number);
  }
}

llvm::Error Bisect::beginRun(const transform::Run &run) {
  if (!optionsError.empty())
    return llvm::createStringError(optionsError);
  for (const std::string &name : disabledPasses)
    if (!transform::isRegisteredPass(name) &&
        llvm::none_of(run.plan->entries(),
                      [&](const transform::Plan::Entry &entry) {
                        return entry.pass.info().name == name;
                      }))
      return llvm::createStringError(
          "expected numbers of steps and names of passes in "
          "'disable', but found '" +
          name + "'" + transform::suggestPassNames(name));
  if (!isInside(run))
    noteMissingSteps(*run.plan);
  return Recording::beginRun(run);
}

void Bisect::noteMissingSteps(const transform::Plan &plan) {
  unsigned numSteps = plan.getNumSteps();
  std::vector<std::string> missing;
  for (auto [first, last] : ranges)
    if (first > numSteps)
      missing.push_back(std::to_string(first) +
                        (first == last ? "" : "-" + std::to_string(last)));
  for (unsigned number : disabledSteps)
    if (number > numSteps)
      missing.push_back(std::to_string(number));
  if (missing.empty() || !options.print)
    return;
  std::string steps = missing.size() > 1 || StringRef(missing[0]).contains('-')
                          ? "steps "
                          : "step ";
  writeToStderr("BISECT: no " + steps + llvm::join(missing, ", ") + ": '" +
                escapeName(plan.entries().front().pass.info().name) + "' has " +
                std::to_string(numSteps) +
                (numSteps == 1 ? " step\n" : " steps\n"));
}

/// Whether a pass inside the bisected run has started `run`.
bool Bisect::isInside(const transform::Run &run) {
  for (const transform::Run *outer = run.outer.run; outer;
       outer = outer->outer.run)
    if (findState(outer))
      return true;
  return false;
}

std::optional<unsigned> Bisect::getNumber(const transform::PassStep &step) {
  if (step.isSequential() || isInside(*step.run))
    return std::nullopt;
  return step.number();
}

bool Bisect::isSelected(unsigned number) const {
  if (options.limit >= 0 && number > static_cast<unsigned>(options.limit))
    return false;
  if (!ranges.empty() && llvm::none_of(ranges, [&](const auto &range) {
        return range.first <= number && number <= range.second;
      }))
    return false;
  return !llvm::is_contained(disabledSteps, number);
}

void Bisect::note(bool runs, unsigned number, const transform::PassStep &step) {
  Operation *module = step.module();
  const transform::PassInfo &info = step.info();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "BISECT: " << (runs ? "running" : "NOT running") << " pass ";
  if (number != 0)
    os << "(" << number << ") ";
  os << escapeName(info.name) << " on " << module->getName();
  if (auto name =
          module->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    os << " @" << escapeName(name.getValue());
  os << "\n";
  // One write, so that runs on several threads do not mix their lines.
  if (options.print)
    writeToStderr(text);
  add({number, info.name, runs, std::move(text)});
}

llvm::Expected<bool> Bisect::shouldRun(const transform::PassStep &step) {
  bool isDisabled = llvm::is_contained(
      disabledPasses, transform::canonicalPassName(step.info().name));
  std::optional<unsigned> number = getNumber(step);
  if (!number) {
    // A Sequential has no number, but can be disabled by name.
    if (isDisabled)
      note(/*runs=*/false, 0, step);
    return !isDisabled;
  }
  if (!isDisabled && isSelected(*number))
    return true;
  note(/*runs=*/false, *number, step);
  return false;
}

llvm::Error Bisect::runBeforePass(const transform::PassStep &step) {
  if (std::optional<unsigned> number = getNumber(step))
    note(/*runs=*/true, *number, step);
  return llvm::Error::success();
}

PassInstrumentRef instrument::createBisect(BisectOptions options) {
  return std::make_shared<Bisect>(std::move(options));
}
