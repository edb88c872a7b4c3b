//===- OpStatistics.cpp - How passes change the number of ops ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/OpStatistics.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

OpStatistics::OpStatistics(std::unique_ptr<Options> options)
    : PassInstrument(kName), options(std::move(options)),
      output(this->options->output) {}

void OpStatistics::count(Operation *module, State &state) {
  state.functions.emplace();
  auto visit = [&](auto &self, Operation *parent,
                   llvm::DenseMap<OperationName, int64_t> &counts) -> void {
    for (Region &region : parent->getRegions())
      for (Operation &op : region.getOps()) {
        ++counts[op.getName()];
        ++state.numOps;
        if (isa<FunctionOpInterface>(op))
          self(self, &op, (*state.functions)[getFunctionPath(&op, module)]);
        else if (op.getNumRegions() != 0)
          self(self, &op, counts);
      }
  };
  visit(visit, module, (*state.functions)[""]);
}

LogicalResult OpStatistics::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  return success();
}

LogicalResult OpStatistics::exitPassContext() {
  if (!options->print)
    return success();
  if (llvm::Error error = output.writeReport(*this, options->json))
    return emitError(llvm::toString(std::move(error)));
  return success();
}

LogicalResult OpStatistics::beginRun(Operation *module,
                                     const transform::Plan &) {
  states.push(module);
  return success();
}

LogicalResult OpStatistics::endRun(Operation *module, const transform::Plan &,
                                   bool) {
  states.pop(module);
  return success();
}

LogicalResult OpStatistics::runBeforePass(Operation *module,
                                          const transform::PassInfo &) {
  State *state = states.find(module);
  if (!getCurrentPass().isSequential && state && !state->functions)
    count(module, *state);
  return success();
}

LogicalResult OpStatistics::runAfterPass(Operation *module,
                                         const transform::PassInfo &info) {
  CurrentPass pass = getCurrentPass();
  State *state = states.find(module);
  if (pass.isSequential || !state || !state->functions)
    return success();
  State before;
  std::swap(before, *state);
  count(module, *state);

  Record record{pass.number, info.name, before.numOps, state->numOps, {}, {}};
  auto add = [&](const State &from, const State &other, int64_t sign) {
    for (const auto &[function, counts] : *from.functions) {
      // Most passes leave most functions alone.
      auto it = other.functions->find(function);
      if (it != other.functions->end() && it->second == counts)
        continue;
      for (auto [op, count] : counts) {
        record.ops[op.getStringRef().str()] += sign * count;
        record.functions[function][op.getStringRef().str()] += sign * count;
      }
    }
  };
  add(before, *state, -1);
  add(*state, before, 1);
  auto dropEqual = [](Changes &changes) {
    for (auto it = changes.begin(); it != changes.end();)
      it = it->second == 0 ? changes.erase(it) : std::next(it);
  };
  dropEqual(record.ops);
  for (auto it = record.functions.begin(); it != record.functions.end();) {
    dropEqual(it->second);
    it = it->second.empty() ? record.functions.erase(it) : std::next(it);
  }
  std::lock_guard<std::mutex> lock(mutex);
  records.push_back(std::move(record));
  return success();
}

/// "arith.addi -1, arith.muli +2".
static std::string describe(const std::map<std::string, int64_t> &changes) {
  std::string text;
  for (const auto &[op, change] : changes)
    text += (text.empty() ? "" : ", ") + op + (change > 0 ? " +" : " ") +
            std::to_string(change);
  return text;
}

void OpStatistics::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (records.empty())
    return;
  size_t width = 4;
  for (const Record &record : records)
    width = std::max(width, record.pass.size());
  auto printLine = [&](const std::string &step, const std::string &pass,
                       const std::string &ops, const std::string &change,
                       const std::string &what) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::right_justify(step, 4) << "  "
        << llvm::left_justify(pass, width) << llvm::right_justify(ops, 9)
        << llvm::right_justify(change, 8) << "  " << what;
    os << StringRef(line).rtrim() << "\n";
  };
  printLine("step", "pass", "ops", "change", "of which");
  for (const Record &record : records) {
    int64_t change = record.after - record.before;
    printLine(record.step != 0 ? std::to_string(record.step) : "", record.pass,
              std::to_string(record.after),
              (change > 0 ? "+" : "") + std::to_string(change),
              describe(record.ops));
    if (!options->functions)
      continue;
    for (const auto &[function, changes] : record.functions)
      printLine("", "", "", "",
                (function.empty() ? "" : "@" + function + ": ") +
                    describe(changes));
  }
}

llvm::json::Value OpStatistics::toJSON() const {
  auto toObject = [](const Changes &changes) {
    llvm::json::Object object;
    for (const auto &[op, change] : changes)
      object[llvm::json::fixUTF8(op)] = change;
    return object;
  };
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array array;
  for (const Record &record : records) {
    llvm::json::Object functions;
    for (const auto &[function, changes] : record.functions)
      functions[llvm::json::fixUTF8(function)] = toObject(changes);
    array.push_back(llvm::json::Object{{"step", record.step},
                                       {"pass", toJSONString(record.pass)},
                                       {"before", record.before},
                                       {"after", record.after},
                                       {"ops", toObject(record.ops)},
                                       {"functions", std::move(functions)}});
  }
  return array;
}
