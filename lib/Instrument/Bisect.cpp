//===- Bisect.cpp - Runs some of the steps of a plan ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Bisect.h"
#include "partita/Instrument/InstrumentSupport.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// Reads `3` or `1-5`; steps are counted from 1 on.
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

Bisect::Bisect(std::unique_ptr<Options> options)
    : PassInstrument(kName, Wants::Module | Wants::Runs),
      options(std::move(options)) {
  for (const std::string &text : this->options->steps) {
    if (auto range = parseRange(text))
      ranges.push_back(*range);
    else
      optionsError = "expected steps as 1-5,8, but found '" + text + "'";
  }
  for (const std::string &text : this->options->disable) {
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
  std::lock_guard<std::mutex> lock(mutex);
  openRuns.insert(&run);
  return llvm::Error::success();
}

llvm::Error Bisect::endRun(const transform::Run &run,
                           std::shared_ptr<const PassRecord> record) {
  std::lock_guard<std::mutex> lock(mutex);
  openRuns.erase(&run);
  return llvm::Error::success();
}

std::optional<unsigned> Bisect::getNumber(const transform::PassStep &step) {
  if (step.isSequential())
    return std::nullopt;
  std::lock_guard<std::mutex> lock(mutex);
  for (const transform::Run *run = step.run->outer.run; run;
       run = run->outer.run)
    if (openRuns.contains(run))
      return std::nullopt;
  return step.number();
}

bool Bisect::isSelected(unsigned number) const {
  if (options->limit >= 0 && number > static_cast<unsigned>(options->limit))
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
  os << info.name << " on " << module->getName();
  if (auto name =
          module->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    os << " @" << name.getValue();
  os << "\n";
  // One write, so that runs on several threads do not mix their lines.
  if (options->print)
    writeToStderr(text);
  std::lock_guard<std::mutex> lock(mutex);
  records.push_back({number, info.name, runs, std::move(text)});
}

llvm::Error Bisect::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  return llvm::Error::success();
}

void Bisect::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Record &record : records)
    os << record.text;
}

llvm::json::Value Bisect::toJSON() const {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array array;
  for (const Record &record : records)
    array.push_back(llvm::json::Object{
        {"step", record.number == 0 ? llvm::json::Value(nullptr)
                                    : llvm::json::Value(record.number)},
        {"pass", toJSONString(record.pass)},
        {"runs", record.runs}});
  return array;
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
