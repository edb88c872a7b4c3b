//===- OpStatistics.cpp - How passes change the number of ops ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
using Changes = std::map<std::string, int64_t>;

struct OpStatisticsRecord {
  unsigned step;
  std::string pass;
  /// The number of ops in the module.
  int64_t before, after;
  /// By op name, in the module and in each function.
  Changes ops;
  std::map<std::string, Changes> functions;
  /// The text of describeMerged.
  std::string merged;
};

/// The number of ops of each name in each function of a module.
struct Counts {
  /// The module, a function, or another named op with functions in it.
  struct Scope {
    StringAttr symbol;
    size_t parent;
    /// The range in `ops` for the ops in this scope, but in no inner function.
    size_t begin = 0, end = 0;
  };

  ArrayRef<std::pair<OperationName, int64_t>> getOps(size_t scope) const {
    return ArrayRef(ops).slice(scopes[scope].begin,
                               scopes[scope].end - scopes[scope].begin);
  }
  /// As `getFunctionPath`.
  std::string getPath(size_t scope) const;

  std::vector<Scope> scopes;
  std::vector<std::pair<OperationName, int64_t>> ops;
  int64_t numOps = 0;
};

/// The last counts of a run's module.
struct OpStatisticsState {
  std::optional<Counts> counts;
};

/// Reports how each pass changed the number of ops, as MLIR's -print-op-stats
/// would for every pass.
class OpStatistics : public Recording<OpStatisticsRecord, OpStatisticsState> {
public:
  explicit OpStatistics(OpStatisticsOptions options)
      : Recording(options, Wants::Module | Wants::Runs, options.json),
        showsFunctions(options.functions) {}

  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  bool showsFunctions;
};
} // namespace

static Counts count(Operation *module) {
  Counts counts;
  counts.scopes.push_back({StringAttr(), 0});
  // The last place of each name in counts.ops.
  llvm::DenseMap<OperationName, size_t> places;
  // Functions come one after another, so that the ops of each are consecutive.
  SmallVector<std::pair<Operation *, size_t>> functions = {{module, 0}};
  for (size_t next = 0; next < functions.size(); ++next) {
    auto [function, index] = functions[next];
    size_t begin = counts.ops.size();
    auto visit = [&](auto &self, Operation *parent, size_t scope) -> void {
      for (Region &region : parent->getRegions())
        for (Operation &op : region.getOps()) {
          auto [it, isNew] =
              places.try_emplace(op.getName(), counts.ops.size());
          if (isNew || it->second < begin) {
            it->second = counts.ops.size();
            counts.ops.emplace_back(op.getName(), 0);
          }
          ++counts.ops[it->second].second;
          ++counts.numOps;
          if (op.getNumRegions() == 0)
            continue;
          auto symbol =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
          bool isFunction = isa<FunctionOpInterface>(op);
          size_t inner = scope;
          if (symbol || isFunction) {
            inner = counts.scopes.size();
            counts.scopes.push_back({symbol, scope});
          }
          if (isFunction)
            functions.emplace_back(&op, inner);
          else
            self(self, &op, inner);
        }
    };
    visit(visit, function, index);
    counts.scopes[index].begin = begin;
    counts.scopes[index].end = counts.ops.size();
  }
  return counts;
}

std::string Counts::getPath(size_t scope) const {
  std::string path;
  for (; scope != 0; scope = scopes[scope].parent)
    if (StringAttr symbol = scopes[scope].symbol)
      path = (symbol.getValue() + (path.empty() ? "" : "::") + path).str();
  return path;
}

llvm::Error OpStatistics::runBeforePass(const transform::PassStep &step) {
  OpStatisticsState *state = findState(step.run);
  if (!step.isSequential() && state && !state->counts)
    state->counts = count(step.module());
  return llvm::Error::success();
}

llvm::Error OpStatistics::runAfterPass(const transform::PassStep &step) {
  OpStatisticsState *state = findState(step.run);
  if (step.isSequential() || !state || !state->counts)
    return llvm::Error::success();
  Counts before = std::move(*state->counts);
  Counts &after = state->counts.emplace(count(step.module()));

  Record record{step.number(),
                step.info().name,
                before.numOps,
                after.numOps,
                {},
                {},
                describeMerged(step)};
  // Most passes change few functions, and move none.
  bool sameScopes = before.scopes.size() == after.scopes.size() &&
                    llvm::all_of(llvm::zip(before.scopes, after.scopes),
                                 [](const auto &pair) {
                                   const auto &[one, other] = pair;
                                   return one.symbol == other.symbol &&
                                          one.parent == other.parent;
                                 });
  auto addCounts = [&](const Counts &from, const Counts &other, int64_t sign) {
    for (size_t scope = 0; scope < from.scopes.size(); ++scope) {
      auto ops = from.getOps(scope);
      if (ops.empty() || (sameScopes && ops == other.getOps(scope)))
        continue;
      Changes &changes = record.functions[from.getPath(scope)];
      for (auto [op, count] : ops) {
        std::string name = op.getStringRef().str();
        record.ops[name] += sign * count;
        changes[name] += sign * count;
      }
    }
  };
  addCounts(before, after, -1);
  addCounts(after, before, 1);
  auto dropEqual = [](Changes &changes) {
    for (auto it = changes.begin(); it != changes.end();)
      it = it->second == 0 ? changes.erase(it) : std::next(it);
  };
  dropEqual(record.ops);
  for (auto it = record.functions.begin(); it != record.functions.end();) {
    dropEqual(it->second);
    it = it->second.empty() ? record.functions.erase(it) : std::next(it);
  }
  add(std::move(record));
  return llvm::Error::success();
}

/// "arith.addi -1, arith.muli +2".
static std::string describe(const Changes &changes) {
  std::string text;
  for (const auto &[op, change] : changes)
    text += (text.empty() ? "" : ", ") + escapeName(op) +
            (change > 0 ? " +" : " ") + std::to_string(change);
  return text;
}

void OpStatistics::renderRecords(ArrayRef<Record> records,
                                 llvm::raw_ostream &os) const {
  if (records.empty())
    return;
  size_t width = 4;
  for (const Record &record : records)
    width =
        std::max(width, escapeName(record.pass).size() + record.merged.size());
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
  printLine("step", "pass", "ops", "change", "by name");
  for (const Record &record : records) {
    int64_t change = record.after - record.before;
    printLine(
        record.step != 0 ? std::to_string(record.step) : "",
        escapeName(record.pass) + record.merged, std::to_string(record.after),
        (change > 0 ? "+" : "") + std::to_string(change), describe(record.ops));
    if (!showsFunctions)
      continue;
    for (const auto &[function, changes] : record.functions)
      printLine("", "", "", "",
                (function.empty() ? "" : "@" + escapeName(function) + ": ") +
                    describe(changes));
  }
}

llvm::json::Value OpStatistics::recordToJSON(const Record &record) const {
  auto toObject = [](const Changes &changes) {
    llvm::json::Object object;
    for (const auto &[op, change] : changes)
      object[llvm::json::fixUTF8(op)] = change;
    return object;
  };
  llvm::json::Object functions;
  for (const auto &[function, changes] : record.functions)
    functions[llvm::json::fixUTF8(function)] = toObject(changes);
  llvm::json::Object object{
      {"step", record.step},         {"pass", toJSONString(record.pass)},
      {"before", record.before},     {"after", record.after},
      {"ops", toObject(record.ops)}, {"functions", std::move(functions)}};
  addMerged(object, record.merged);
  return object;
}

PassInstrumentRef instrument::createOpStatistics(OpStatisticsOptions options) {
  return std::make_shared<OpStatistics>(std::move(options));
}
