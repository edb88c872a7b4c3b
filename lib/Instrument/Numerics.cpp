//===- Numerics.cpp - Which pass changed the numbers ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numerics.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/NumPy/NumPyFile.h"
#include "partita/Support/DTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
namespace fs = llvm::sys::fs;

Numerics::Numerics(NumericsOptions options, NumericsRunner runner)
    : Recording(options.kName, Wants::Module | Wants::Runs),
      options(std::move(options)), filter(this->options.passes),
      callback(std::move(runner)) {}

NumericsState::~NumericsState() {
  [[maybe_unused]] std::error_code error;
  if (!directory.empty())
    error = fs::remove_directories(directory);
}

//===----------------------------------------------------------------------===//
// Runs of the module
//===----------------------------------------------------------------------===//

/// The function of this name; without a name, main or the only public one.
static FunctionOpInterface findEntry(Operation *module, StringRef entry) {
  SmallVector<FunctionOpInterface> functions;
  module->walk([&](FunctionOpInterface op) { functions.push_back(op); });
  auto *found = llvm::find_if(functions, [&](FunctionOpInterface op) {
    return op.getName() == (entry.empty() ? "main" : entry);
  });
  if (found != functions.end())
    return *found;
  llvm::erase_if(functions, [](FunctionOpInterface op) {
    return op.isExternal() || !op.isPublic();
  });
  return entry.empty() && functions.size() == 1 ? functions.front() : nullptr;
}

/// The dtypes of the tensors that a function returns, in order.
static std::vector<DType> getOutputTypes(Operation *module, StringRef entry) {
  std::vector<DType> dtypes;
  if (FunctionOpInterface function = findEntry(module, entry))
    for (Type result : function.getResultTypes())
      result.walk([&](ShapedType type) {
        dtypes.push_back(getDType(type.getElementType()));
      });
  return dtypes;
}

/// Makes the arguments of a function, and writes them.
static llvm::Error makeInputs(Operation *module, StringRef entry, uint64_t seed,
                              StringRef path) {
  FunctionOpInterface function = findEntry(module, entry);
  if (!function)
    return llvm::createStringError("expected a function '" +
                                   (entry.empty() ? "main" : entry) +
                                   "' to make inputs for, but found none");
  NumericsOutputs inputs;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shaped = dyn_cast<ShapedType>(type);
    Type element = shaped ? shaped.getElementType() : type;
    DType dtype =
        isa<IndexType>(element) ? getDType("int64") : getDType(element);
    if (dtype.bits == 0 || (shaped && !shaped.hasStaticShape())) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return llvm::createStringError(
          "expected the option 'inputs', or arguments of numbers and of "
          "tensors and memrefs with static shapes, but found " +
          text);
    }
    int64_t count = shaped ? shaped.getNumElements() : 1;
    std::string data(count * dtype.getBytes(), '\0');
    fillRandomly(dtype, count, seed + index, data.data());
    if (llvm::Error error = inputs.add(
            "in_" + std::to_string(index), dtype,
            shaped ? shaped.getShape() : ArrayRef<int64_t>(), data.data()))
      return error;
  }
  return writeFile(path, [&](llvm::raw_ostream &os) {
    writeNpz(inputs.arrays, os);
    return llvm::Error::success();
  });
}

llvm::Error Numerics::setUp(NumericsState &state) {
  if (callback)
    return llvm::Error::success();
  SmallString<128> directory;
  if (std::error_code code =
          fs::createUniqueDirectory("partita-numerics", directory))
    return makeFileError(code, "make a directory for temporary files");
  state.directory = directory.str().str();
  llvm::Expected<NumericsProcess> process =
      NumericsProcess::create(options, state.directory);
  if (!process)
    return process.takeError();
  state.process = std::move(*process);
  return llvm::Error::success();
}

NumericsOutcome Numerics::runCallback(Operation *module) {
  OwningOpRef<Operation *> copy = module->clone();
  llvm::Expected<NumericsOutputs> outputs = callback(*copy);
  NumericsOutcome outcome;
  if (outputs) {
    outcome.kind = NumericsOutcome::Outputs;
    outcome.outputs = std::move(*outputs);
    return outcome;
  }
  outcome.message = llvm::toString(outputs.takeError());
  outcome.isFatal = outcome.message.empty();
  return outcome;
}

NumericsOutcome Numerics::run(Operation *module, NumericsState &state) {
  NumericsOutcome outcome =
      callback ? runCallback(module) : runProcess(module, state);
  state.isFatal |= outcome.isFatal;
  return outcome;
}

NumericsOutcome Numerics::runProcess(Operation *module, NumericsState &state) {
  NumericsProcess &process = *state.process;
  auto write = [&]() -> llvm::Error {
    if (process.needsInputs()) {
      std::string inputs = joinPath(state.directory, "inputs.npz");
      if (llvm::Error error =
              makeInputs(module, options.entry, options.seed, inputs))
        return error;
      process.setInputs(inputs);
    }
    return writeFile(joinPath(state.directory, "module.mlir"),
                     [&](llvm::raw_ostream &os) -> llvm::Error {
                       if (!process.takesText())
                         return printBytecode(module, os);
                       os << printIR(module, /*elide=*/-1);
                       return llvm::Error::success();
                     });
  };
  if (llvm::Error error = write())
    return NumericsOutcome::refuse(llvm::toString(std::move(error)));
  NumericsOutcome outcome =
      process.run(joinPath(state.directory, "module.mlir"));
  // The file does not say which of the floats of 8 bits it has.
  std::vector<Array> &arrays = outcome.outputs.arrays;
  if (arrays.size() == state.outputTypes.size())
    for (auto [array, dtype] : llvm::zip_equal(arrays, state.outputTypes))
      if (getNumPyName(array.dtype) == getNumPyName(dtype))
        array.dtype = dtype;
  return outcome;
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

/// The outermost of the runs around `run` that this instrument knows.
const transform::Run *Numerics::getOutermost(const transform::Run *run) {
  const transform::Run *outermost = run;
  for (; run; run = run->outer.run)
    if (findState(run))
      outermost = run;
  return outermost;
}

/// The state of that run, if `step` is about its module.
NumericsState *Numerics::findStateOf(const transform::PassStep &step) {
  const transform::Run *outermost = getOutermost(step.run);
  if (step.isSequential() || step.module() != outermost->module)
    return nullptr;
  NumericsState *state = findState(outermost);
  return state && !state->isDone ? state : nullptr;
}

llvm::Error Numerics::beginRun(const transform::Run &run) {
  if (options.every == 0)
    return llvm::createStringError(
        "expected option 'every' of instrument 'numerics' to be 1 or more, but "
        "found 0");
  if (llvm::Error error = Recording::beginRun(run))
    return error;
  return getOutermost(&run) == &run ? setUp(*findState(&run))
                                    : llvm::Error::success();
}

llvm::Error Numerics::runBeforePass(const transform::PassStep &step) {
  NumericsState *state = findStateOf(step);
  if (!state || state->hash)
    return llvm::Error::success();
  transform::RunPause pause(*step.run);
  state->hash = hashStructure(step.module());
  state->outputTypes = getOutputTypes(step.module(), options.entry);
  NumericsOutcome outcome = run(step.module(), *state);
  if (state->isFatal)
    return llvm::createStringError("");
  if (outcome.kind == NumericsOutcome::Outputs) {
    state->reference = std::move(outcome);
    state->good = step.module()->clone();
  } else {
    state->message = outcome.message;
    ++state->numRefused;
  }
  return llvm::Error::success();
}

llvm::Error Numerics::runAfterPass(const transform::PassStep &step) {
  NumericsState *state = findStateOf(step);
  if (!state || !state->hash)
    return llvm::Error::success();
  transform::RunPause pause(*step.run);
  Record record{step.number(), step.info().name + describeMerged(step)};
  ++state->numSteps;
  uint64_t hash = hashStructure(step.module());
  bool isChecked = filter.matches(step) && state->numSteps % options.every == 0;
  if (hash != *state->hash) {
    state->hash = hash;
    state->since.push_back({record.step, record.pass, step.module()->clone()});
  } else if (!isChecked || state->since.empty() ||
             state->since.back().isRefused) {
    record.status = "unchanged";
    add(std::move(record));
    return llvm::Error::success();
  }
  if (isChecked)
    return check(*state, std::move(record));
  record.status = "not checked";
  add(std::move(record));
  return llvm::Error::success();
}

llvm::Error Numerics::endRun(const transform::Run &run,
                             std::shared_ptr<const RunRecord> record) {
  auto checkLast = [&]() -> llvm::Error {
    NumericsState *state = findState(&run);
    if (!state || getOutermost(&run) != &run || state->isDone ||
        record->hasFailed())
      return llvm::Error::success();
    transform::RunPause pause(run);
    if (options.passes.empty() && !state->since.empty() &&
        !state->since.back().isRefused)
      if (llvm::Error error = check(
              *state, {state->since.back().step, state->since.back().pass}))
        return error;
    return finish(*state);
  };
  llvm::Error error = checkLast();
  return llvm::joinErrors(std::move(error), Recording::endRun(run, record));
}

/// At the end: what could not be run.
llvm::Error Numerics::finish(const NumericsState &state) {
  // There were no passes.
  if (!state.hash)
    return llvm::Error::success();
  if (!state.reference)
    return llvm::createStringError(
        "expected a module that the runner of 'numerics' can run before or "
        "after a pass, but found none: " +
        state.message);
  if (state.numRefused == 0 || !options.print)
    return llvm::Error::success();
  writeToStderr("NUMERICS: " + std::to_string(state.numRefused) +
                (state.numRefused == 1 ? " module" : " modules") +
                " could not be run: " + escapeText(state.message) + "\n");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Runs the last module that was seen, and compares its outputs.
llvm::Error Numerics::check(NumericsState &state, Record record) {
  Operation *module = *state.since.back().module;
  NumericsOutcome outcome = run(module, state);
  if (state.isFatal)
    return llvm::createStringError("");
  if (state.reference)
    if (std::optional<NumericsDifference> difference = compare(state, outcome))
      return blame(state, std::move(record), std::move(*difference));
  if (outcome.kind == NumericsOutcome::Outputs) {
    if (!state.reference)
      state.reference = std::move(outcome);
    record.status = "same";
    state.good = std::move(state.since.back().module);
    state.since.clear();
  } else {
    record.status = "not run";
    record.message = state.message = outcome.message;
    ++state.numRefused;
    // It would be refused again.
    state.since.back().module = nullptr;
    state.since.back().isRefused = true;
  }
  add(std::move(record));
  return llvm::Error::success();
}

std::optional<NumericsDifference>
Numerics::compare(const NumericsState &state,
                  const NumericsOutcome &outcome) const {
  return findDifference(*state.reference, outcome, getTolerance(options));
}

/// Whether the modules before and after have the same results in a second run.
bool Numerics::isStable(NumericsState &state) {
  NumericsOutcome good = run(*state.good, state);
  if (good.kind != NumericsOutcome::Outputs || compare(state, good))
    return false;
  NumericsOutcome bad = run(*state.since.back().module, state);
  return compare(state, bad).has_value();
}

/// Among the modules since the last good one, the first that differs: halves
/// their number. Modules that cannot be run are left out.
size_t Numerics::narrow(NumericsState &state, NumericsDifference &difference) {
  SmallVector<size_t> indices;
  for (auto [index, seen] : llvm::enumerate(state.since))
    if (seen.module)
      indices.push_back(index);
  while (indices.size() > 1) {
    size_t middle = (indices.size() - 2) / 2;
    NumericsOutcome found = run(*state.since[indices[middle]].module, state);
    if (found.kind == NumericsOutcome::Refused) {
      indices.erase(indices.begin() + middle);
    } else if (auto here = compare(state, found)) {
      difference = std::move(*here);
      indices.truncate(middle + 1);
    } else {
      state.good = std::move(state.since[indices[middle]].module);
      indices.erase(indices.begin(), indices.begin() + middle + 1);
    }
  }
  return indices.front();
}

/// Names the pass after which the outputs differ, unless they differ from run
/// to run.
llvm::Error Numerics::blame(NumericsState &state, Record record,
                            NumericsDifference difference) {
  state.isDone = true;
  bool stable = isStable(state);
  size_t index = stable ? narrow(state, difference) : 0;
  if (state.isFatal)
    return llvm::createStringError("");
  if (!stable) {
    record.status = "unstable";
    record.message =
        "the outputs differ from run to run: found " + difference.message;
    if (options.print)
      writeToStderr("NUMERICS: " + record.message +
                    "; no step is checked from step " +
                    std::to_string(record.step) + " on\n");
    add(std::move(record));
    return llvm::Error::success();
  }
  const NumericsSeen &culprit = state.since[index];
  // Modules before it, after the last good one, could not be run.
  size_t first = index;
  while (first > 0 && state.since[first - 1].isRefused)
    --first;
  record.step = culprit.step;
  record.pass = culprit.pass;
  record.status = "differs";
  record.message = difference.message;
  record.difference = difference.arrays;
  std::string message =
      "expected the same outputs after pass '" + culprit.pass + "' (step " +
      std::to_string(culprit.step) + "), but found " + record.message;
  if (first != index)
    message += "; the module could not be run after the passes from step " +
               std::to_string(state.since[first].step) + " on before it";
  if (llvm::Error error = save(state, *culprit.module, record))
    message += "; " + llvm::toString(std::move(error));
  else
    message += "; the modules before and after it are in '" + *record.before +
               "' and '" + *record.after + "'";
  add(std::move(record));
  return llvm::createStringError(message);
}

/// Writes the modules before and after the pass, and the inputs.
llvm::Error Numerics::save(NumericsState &state, Operation *after,
                           Record &record) {
  SmallString<128> directory(options.saveDir);
  std::error_code code = directory.empty()
                             ? fs::createUniqueDirectory("numerics", directory)
                             : fs::create_directories(directory);
  if (code)
    return makeFileError(code, "make the directory '" + directory + "'");
  std::string name =
      std::to_string(record.step) + "-" + toFileName(record.pass) + ".mlir";
  auto write = [&](StringRef name, Operation *module,
                   std::optional<std::string> &path) {
    path = joinPath(directory, name);
    return writeFile(*path, [&](llvm::raw_ostream &os) -> llvm::Error {
      os << printIR(module, /*elide=*/-1);
      return llvm::Error::success();
    });
  };
  if (llvm::Error error = write("before-" + name, *state.good, record.before))
    return error;
  if (llvm::Error error = write("after-" + name, after, record.after))
    return error;
  std::string inputs =
      state.process ? state.process->getInputs() : std::string(options.inputs);
  if (inputs.empty())
    return llvm::Error::success();
  record.inputs = joinPath(directory, "inputs.npz");
  auto contents = llvm::MemoryBuffer::getFile(inputs, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
  if (!contents)
    return makeFileError(contents.getError(), "read '" + inputs + "'");
  return writeFile(*record.inputs, [&](llvm::raw_ostream &os) -> llvm::Error {
    os << (*contents)->getBuffer();
    return llvm::Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void Numerics::renderRecords(ArrayRef<Record> records,
                             llvm::raw_ostream &os) const {
  for (const Record &record : records) {
    os << "// ";
    if (record.step != 0)
      os << record.step << " ";
    os << escapeName(record.pass) << ": " << record.status;
    if (!record.message.empty())
      os << ": " << escapeText(record.message);
    os << "\n";
  }
}

llvm::json::Value Numerics::recordToJSON(const Record &record) const {
  llvm::json::Object object{{"step", record.step},
                            {"pass", toJSONString(record.pass)},
                            {"status", record.status},
                            {"message", nullptr},
                            {"before", toJSONOrNull(record.before)},
                            {"after", toJSONOrNull(record.after)},
                            {"inputs", toJSONOrNull(record.inputs)}};
  if (!record.message.empty())
    object["message"] = toJSONString(record.message);
  bool hasElement = record.difference && !record.difference->place.empty();
  for (StringRef name : {"output", "element", "expected", "found"})
    object[name] = nullptr;
  if (!hasElement)
    return object;
  object["output"] = int64_t(*record.difference->output);
  object["element"] = record.difference->place;
  object["expected"] = record.difference->expected;
  object["found"] = record.difference->found;
  return object;
}

//===----------------------------------------------------------------------===//
// Making it
//===----------------------------------------------------------------------===//

PassInstrumentRef instrument::createNumerics(NumericsOptions options) {
  return createNumerics(std::move(options), nullptr);
}

PassInstrumentRef instrument::createNumerics(NumericsOptions options,
                                             NumericsRunner runner) {
  return std::make_shared<Numerics>(std::move(options), std::move(runner));
}

llvm::Expected<NumericsOptions>
instrument::parseNumericsOptions(StringRef text) {
  llvm::Expected<PassInstrumentRef> made = createInstrument(text);
  if (!made)
    return made.takeError();
  if ((*made)->getName() == NumericsOptions::kName)
    return static_cast<Numerics &>(**made).getOptions();
  return llvm::createStringError("expected instrument '" +
                                 NumericsOptions::kName + "', but found '" +
                                 text + "'");
}

llvm::Expected<PassInstrumentRef>
instrument::createNumerics(StringRef text, NumericsRunner runner) {
  llvm::Expected<NumericsOptions> options = parseNumericsOptions(text);
  if (!options)
    return options.takeError();
  return createNumerics(std::move(*options), std::move(runner));
}
