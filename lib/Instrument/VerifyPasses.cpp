//===- VerifyPasses.cpp - Which pass broke the module --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

namespace {
struct VerifyRecord {
  unsigned step;
  std::string pass;
  std::optional<std::string> error, before;
};

/// The last valid module of a run, and the running pass.
struct VerifyState {
  std::optional<uint64_t> hash;
  OwningOpRef<Operation *> copy;
  std::optional<std::pair<unsigned, std::string>> open;
  /// The errors that were emitted since that pass began.
  std::vector<std::string> errors;
  std::unique_ptr<ScopedDiagnosticHandler> handler;
};

/// Runs the verifier after each pass that changed something, even if the pass
/// manager does not. The error names the pass, and the file with the module
/// before the pass. If the pass manager's verifier finds the error first, this
/// adds to its error. The module after a pass that has failed by itself is not
/// checked: MLIR promises nothing about it.
class VerifyPasses : public Recording<VerifyRecord, VerifyState> {
public:
  explicit VerifyPasses(VerifyPassesOptions options)
      : Recording(options.kName, Wants::Module | Wants::Runs),
        saveDir(std::move(options.saveDir)) {}

  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  llvm::Error check(Operation *module, VerifyState &state);
  llvm::Expected<std::string> save(VerifyState &state) const;

  std::string saveDir;
};
} // namespace

/// The verifier's first error about `module`, if there is one.
static std::optional<std::string> findError(Operation *module) {
  std::optional<std::string> first;
  ThreadDiagnosticHandler handler(
      module->getContext(), [&](Diagnostic &diagnostic) {
        if (!first && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          first = diagnostic.str();
        return success();
      });
  if (succeeded(verify(module)))
    return std::nullopt;
  return first.value_or("the verifier failed without a message");
}

llvm::Error VerifyPasses::beginRun(const transform::Run &run) {
  llvm::Error error = Recording::beginRun(run);
  VerifyState *state = findState(&run);
  state->handler = std::make_unique<ScopedDiagnosticHandler>(
      run.module->getContext(),
      [state, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
        if (llvm::get_threadid() == thread &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          state->errors.push_back(diagnostic.str());
        return failure();
      });
  return error;
}

llvm::Error VerifyPasses::runBeforePass(const transform::PassStep &step) {
  VerifyState *state = findState(step.run);
  if (step.isSequential() || !state)
    return llvm::Error::success();
  if (!state->hash) {
    if (std::optional<std::string> error = findError(step.module()))
      return llvm::createStringError(
          "expected the module to be valid before the first "
          "pass, but: " +
          *error);
    state->hash = hashStructure(step.module());
    state->copy = step.module()->clone();
  }
  state->open.emplace(step.number(), step.info().name + describeMerged(step));
  state->errors.clear();
  return llvm::Error::success();
}

llvm::Error VerifyPasses::runAfterPass(const transform::PassStep &step) {
  VerifyState *state = findState(step.run);
  if (step.isSequential() || !state || !state->open)
    return llvm::Error::success();
  llvm::Error result = check(step.module(), *state);
  state->open.reset();
  return result;
}

llvm::Error VerifyPasses::endRun(const transform::Run &run,
                                 std::shared_ptr<const RunRecord> record) {
  auto checkOpen = [&]() -> llvm::Error {
    VerifyState *state = findState(&run);
    if (!state || !state->open || !record->hasFailed())
      return llvm::Error::success();
    // The pass has failed by itself, or in the pass manager's verifier, which
    // then has emitted the error that is found here.
    std::optional<std::string> found = findError(run.module);
    if (!found || !llvm::is_contained(state->errors, *found))
      return llvm::Error::success();
    return check(run.module, *state);
  };
  llvm::Error error = checkOpen();
  return llvm::joinErrors(std::move(error), Recording::endRun(run, record));
}

/// Verifies the module after the current pass.
llvm::Error VerifyPasses::check(Operation *module, VerifyState &state) {
  auto [step, pass] = *state.open;
  Record record{step, pass, std::nullopt, std::nullopt};
  uint64_t hash = hashStructure(module);
  if (hash != *state.hash)
    record.error = findError(module);
  std::string message;
  if (record.error) {
    message = "expected the module to be valid after pass '" + pass +
              "', but: " + *record.error;
    llvm::Expected<std::string> file = save(state);
    if (file) {
      record.before = *file;
      message += "; the module before it is in '" + *file + "'";
    } else {
      message += "; " + llvm::toString(file.takeError());
    }
  } else if (hash != *state.hash) {
    state.hash = hash;
    state.copy = module->clone();
  }
  add(std::move(record));
  return message.empty() ? llvm::Error::success()
                         : llvm::createStringError(message);
}

/// Saves the module before the current pass.
llvm::Expected<std::string> VerifyPasses::save(VerifyState &state) const {
  std::string name = "before-" + std::to_string(state.open->first) + "-" +
                     toFileName(state.open->second);
  SmallString<128> path(saveDir);
  std::error_code code;
  if (path.empty()) {
    code = llvm::sys::fs::createTemporaryFile(name, "mlir", path);
  } else {
    code = llvm::sys::fs::create_directories(path);
    llvm::sys::path::append(path, name + ".mlir");
  }
  if (code)
    return llvm::createStringError(code, "expected to make the file '" + path +
                                             "', but: " + code.message());
  if (llvm::Error error =
          writeFile(path, [&](llvm::raw_ostream &os) -> llvm::Error {
            os << printIR(*state.copy, /*elide=*/-1);
            return llvm::Error::success();
          }))
    return std::move(error);
  return path.str().str();
}

void VerifyPasses::renderRecords(ArrayRef<Record> records,
                                 llvm::raw_ostream &os) const {
  for (const Record &record : records) {
    os << "// ";
    if (record.step != 0)
      os << record.step << " ";
    os << escapeName(record.pass) << ": ";
    if (!record.error) {
      os << "valid\n";
      continue;
    }
    os << "invalid: " << escapeText(*record.error) << "\n";
    if (record.before)
      os << "//   the module before it: " << *record.before << "\n";
  }
}

llvm::json::Value VerifyPasses::recordToJSON(const Record &record) const {
  return llvm::json::Object{{"step", record.step},
                            {"pass", toJSONString(record.pass)},
                            {"valid", !record.error.has_value()},
                            {"error", toJSONOrNull(record.error)},
                            {"before", toJSONOrNull(record.before)}};
}

PassInstrumentRef instrument::createVerifyPasses(VerifyPassesOptions options) {
  return std::make_shared<VerifyPasses>(std::move(options));
}
