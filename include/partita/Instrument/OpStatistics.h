//===- OpStatistics.h - How passes change the number of ops ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_OPSTATISTICS_H
#define PARTITA_INSTRUMENT_OPSTATISTICS_H

#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Instrument/InstrumentSupport.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

#include <map>

namespace partita::instrument {

/// Counts the ops of the module after each pass, by their name and the function
/// that they are in, and reports what has become more and less: MLIR's
/// -print-op-stats for every pass. One op put in the place of another of its
/// name does not show.
class OpStatistics : public PassInstrument {
public:
  static constexpr llvm::StringLiteral kName = "op-statistics";

  struct Options : InstrumentOptions<Options> {
    Option<std::string> output{
        *this, "output",
        llvm::cl::desc("Where the report goes when the scope is left: a file, "
                       "- for stdout; stderr by default"),
        llvm::cl::init("")};
    Option<bool> print{*this, "print",
                       llvm::cl::desc("Whether to print it at all"),
                       llvm::cl::init(true)};
    Option<bool> json{*this, "json",
                      llvm::cl::desc("Print JSON in place of a table"),
                      llvm::cl::init(false)};
    Option<bool> functions{
        *this, "functions",
        llvm::cl::desc("Have a line for each function that changed, too"),
        llvm::cl::init(false)};
  };

  explicit OpStatistics(std::unique_ptr<Options> options);

  llvm::Error enterPassContext() override;
  llvm::Error exitPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const PassRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

  /// A table with a line a pass.
  using PassInstrument::render;
  void render(llvm::raw_ostream &os) const override;
  /// Records with `step`, `pass`, `before` and `after` (ops in the module),
  /// `ops` (name to change) and `functions` (name to name to change). Ops
  /// outside of functions are in the function "".
  llvm::json::Value toJSON() const override;

private:
  using Changes = std::map<std::string, int64_t>;
  struct Record {
    unsigned step;
    std::string pass;
    int64_t before, after;
    Changes ops;
    std::map<std::string, Changes> functions;
  };
  /// How many ops of each name a module has in each function.
  struct Counts {
    /// The module, a function, or what else has a name, with functions in it.
    struct Scope {
      mlir::StringAttr symbol;
      size_t parent;
      /// Where in `ops` those are that are in it, and in no inner function.
      size_t begin = 0, end = 0;
    };

    mlir::ArrayRef<std::pair<mlir::OperationName, int64_t>>
    getOps(size_t scope) const {
      return mlir::ArrayRef(ops).slice(scopes[scope].begin,
                                       scopes[scope].end - scopes[scope].begin);
    }
    /// As `getFunctionPath`.
    std::string getPath(size_t scope) const;

    std::vector<Scope> scopes;
    std::vector<std::pair<mlir::OperationName, int64_t>> ops;
    int64_t numOps = 0;
  };
  static Counts count(mlir::Operation *module);

  /// The ops of a run's module when they were last counted.
  struct State {
    std::optional<Counts> counts;
  };

  std::unique_ptr<Options> options;
  InstrumentOutput output;
  RunStates<State> states;
  mutable std::mutex mutex;
  std::vector<Record> records;
};

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_OPSTATISTICS_H
