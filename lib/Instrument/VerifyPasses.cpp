//===- VerifyPasses.cpp - Which pass broke the module --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/VerifyPasses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

VerifyPasses::VerifyPasses(std::unique_ptr<Options> options)
    : PassInstrument(kName, Wants::Module | Wants::Runs),
      options(std::move(options)) {}

/// The first thing that the verifier has against `module`, if there is one.
static std::optional<std::string> findError(Operation *module) {
  std::optional<std::string> first;
  uint64_t thread = llvm::get_threadid();
  // MLIR hands over what its threads find on the one that waits for them.
  ScopedDiagnosticHandler handler(
      module->getContext(), [&](Diagnostic &diagnostic) {
        if (llvm::get_threadid() != thread)
          return failure();
        if (!first && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          first = diagnostic.str();
        return success();
      });
  if (succeeded(verify(module)))
    return std::nullopt;
  return first.value_or("the verifier failed without a word");
}

llvm::Error VerifyPasses::enterPassContext() {
  std::lock_guard<std::mutex> lock(mutex);
  records.clear();
  return llvm::Error::success();
}

llvm::Error VerifyPasses::beginRun(const transform::Run &run) {
  states.push(run);
  return llvm::Error::success();
}

llvm::Error VerifyPasses::runBeforePass(const transform::PassStep &step) {
  State *state = states.find(*step.run);
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
  state->open.emplace(step.number(), step.info().name);
  return llvm::Error::success();
}

llvm::Error VerifyPasses::runAfterPass(const transform::PassStep &step) {
  State *state = states.find(*step.run);
  if (step.isSequential() || !state || !state->open)
    return llvm::Error::success();
  llvm::Error result = check(step.module(), *state);
  state->open.reset();
  return result;
}

llvm::Error VerifyPasses::endRun(const transform::Run &run,
                                 std::shared_ptr<const PassRecord> record) {
  std::unique_ptr<State> state = states.pop(run);
  // A pass that has begun and not ended has failed, by itself or at the pass
  // manager's verifier.
  if (state && state->open && record->hasFailed)
    return check(run.module, *state);
  return llvm::Error::success();
}

/// Verifies the module after the pass that is open.
llvm::Error VerifyPasses::check(Operation *module, State &state) {
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
  {
    std::lock_guard<std::mutex> lock(mutex);
    records.push_back(std::move(record));
  }
  return message.empty() ? llvm::Error::success()
                         : llvm::createStringError(message);
}

/// Writes the module as it was before the pass that is open.
llvm::Expected<std::string> VerifyPasses::save(State &state) const {
  std::string name = "before-" + std::to_string(state.open->first) + "-" +
                     toFileName(state.open->second);
  SmallString<128> path(options->saveDir.getValue());
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
  InstrumentOutput file(path);
  if (llvm::Error error = file.open())
    return std::move(error);
  if (llvm::Error error = file.write(printIR(*state.copy, /*elide=*/-1)))
    return std::move(error);
  return path.str().str();
}

void VerifyPasses::render(llvm::raw_ostream &os) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Record &record : records) {
    os << "// ";
    if (record.step != 0)
      os << record.step << " ";
    os << record.pass << ": ";
    if (!record.error) {
      os << "valid\n";
      continue;
    }
    os << "invalid: " << *record.error << "\n";
    if (record.before)
      os << "//   the module before it: " << *record.before << "\n";
  }
}

llvm::json::Value VerifyPasses::toJSON() const {
  auto orNull = [](const std::optional<std::string> &text) {
    return text ? toJSONString(*text) : llvm::json::Value(nullptr);
  };
  std::lock_guard<std::mutex> lock(mutex);
  llvm::json::Array array;
  for (const Record &record : records)
    array.push_back(llvm::json::Object{{"step", record.step},
                                       {"pass", toJSONString(record.pass)},
                                       {"valid", !record.error.has_value()},
                                       {"error", orNull(record.error)},
                                       {"before", orNull(record.before)}});
  return array;
}
