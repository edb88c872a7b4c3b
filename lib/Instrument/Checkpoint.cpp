//===- Checkpoint.cpp - Runs that resume after a kill --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Instrument/Checkpoint.h"
#include "Recording.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/Pass.h"
#include "partita/Pass/Plan.h"

#include "mlir/IR/Operation.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_sha1_ostream.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The file that describes the run.
static constexpr llvm::StringLiteral runName = "checkpoint.json";

static std::string getFileName(unsigned step) {
  return llvm::formatv("checkpoint-{0,0+5}.mlirbc", step);
}

/// The steps with checkpoints in a directory, in order.
static llvm::Expected<std::vector<unsigned>> listSteps(StringRef dir) {
  std::vector<unsigned> steps;
  std::error_code code;
  for (fs::directory_iterator file(dir, code), end; file != end && !code;
       file.increment(code)) {
    StringRef name = path::filename(file->path());
    unsigned step;
    if (name.consume_front("checkpoint-") && !name.consumeInteger(10, step) &&
        path::filename(file->path()) == getFileName(step))
      steps.push_back(step);
  }
  if (code && code != std::errc::no_such_file_or_directory)
    return makeFileError(code, "list the directory '" + dir + "'");
  llvm::sort(steps);
  return steps;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The hash for CheckpointedRun::input.
static std::string hashInput(Operation *module) {
  // Flags on the command line change the options that are not set here.
  OpPrintingFlags flags;
  flags.assumeVerified()
      .elideLargeElementsAttrs(INT64_MAX)
      .elideLargeResourceString(INT64_MAX)
      .printLargeElementsAttrWithHex(100)
      .enableDebugInfo(false)
      .printGenericOpForm(false)
      .skipRegions(false)
      .printValueUsers(false)
      .printUniqueSSAIDs(false)
      .printNameLocAsPrefix(false)
      .useLocalScope(false);
  llvm::raw_sha1_ostream os;
  module->print(os, flags);
  return llvm::toHex(os.sha1(), /*LowerCase=*/true);
}

llvm::Expected<CheckpointedRun>
CheckpointedRun::get(const transform::Plan &plan,
                     const transform::PassContext &context, Operation *module) {
  CheckpointedRun run;
  for (const transform::Plan::Entry &entry : plan.entries())
    if (entry.number != 0) {
      run.passes.push_back(entry.pass.info().name);
      llvm::Expected<std::string> version = entry.pass.version();
      bool isKnown = bool(version);
      run.versions.push_back(
          {isKnown ? *version : llvm::toString(version.takeError()), isKnown});
    }
  llvm::Expected<std::string> pipeline =
      plan.getPipeline(module->getName().getStringRef());
  if (!pipeline)
    return pipeline.takeError();
  run.pipeline = std::move(*pipeline);
  run.context = context.describeForPasses();
  run.input = hashInput(module);
  return run;
}

static llvm::json::Value toJSON(const CheckpointedRun &run) {
  llvm::json::Array passes;
  for (const std::string &pass : run.passes)
    passes.push_back(toJSONString(pass));
  llvm::json::Array versions;
  for (const CheckpointedRun::Version &version : run.versions)
    versions.push_back(version.isKnown ? toJSONString(version.text) : nullptr);
  return llvm::json::Object{{"passes", std::move(passes)},
                            {"versions", std::move(versions)},
                            {"pipeline", toJSONString(run.pipeline)},
                            {"context", toJSONString(run.context)},
                            {"input", run.input}};
}

/// Fails, and says what differs, if the checkpoints in `dir` belong to another
/// run.
static llvm::Error checkRun(StringRef dir, const CheckpointedRun &run) {
  std::string file = joinPath(dir, runName);
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return makeFileError(buffer.getError(), "read '" + file + "'");
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return llvm::createStringError(
        "expected '" + file +
        "' to describe a run, but: " + llvm::toString(parsed.takeError()));
  // The file's content for this run; its texts are UTF-8 there, too.
  llvm::json::Value value = toJSON(run);
  const llvm::json::Object &ours = *value.getAsObject();
  const llvm::json::Object *theirs = parsed->getAsObject();
  const llvm::json::Array *passes =
      theirs ? theirs->getArray("passes") : nullptr;
  if (!passes || !theirs->getString("pipeline") ||
      !theirs->getString("context") || !theirs->getString("input"))
    return llvm::createStringError(
        "expected '" + file +
        "' to describe a run, but found no passes, pipeline, context or input");

  auto differ = [&](const Twine &what, const Twine &found) {
    return llvm::createStringError("expected to resume the run in '" + dir +
                                   "', " + what + ", but found " + found);
  };
  const llvm::json::Array &ourPasses = *ours.getArray("passes");
  for (size_t i = 0, e = std::max(passes->size(), ourPasses.size()); i < e;
       ++i) {
    auto get = [&](const llvm::json::Array &list) -> std::string {
      if (i >= list.size())
        return "none";
      return "'" + list[i].getAsString().value_or("").str() + "'";
    };
    if (get(*passes) != get(ourPasses))
      return differ("whose pass " + Twine(i + 1) + " is " + get(*passes),
                    get(ourPasses));
  }
  for (StringRef field : {"pipeline", "context", "input"}) {
    StringRef before = *theirs->getString(field);
    StringRef now = *ours.getString(field);
    if (before != now)
      return differ("whose " + field +
                        (field == "input" ? " has the hash '" : " is '") +
                        before + "'",
                    "'" + now + "'");
  }
  llvm::Expected<std::vector<unsigned>> steps = listSteps(dir);
  if (!steps)
    return steps.takeError();
  if (!steps->empty() && steps->back() > ourPasses.size())
    return differ("which has a checkpoint of pass " + Twine(steps->back()),
                  Twine(ourPasses.size()) + " passes");
  const llvm::json::Array *versions = theirs->getArray("versions");
  // Steps that have not run yet may have been fixed.
  size_t numDone = steps->empty() ? 0 : steps->back();
  for (size_t i = 0; i < numDone; ++i) {
    const CheckpointedRun::Version &version = run.versions[i];
    std::string what = ("whose pass " + Twine(i + 1) + " is ").str();
    if (!version.isKnown)
      return differ(
          what + "'" + run.passes[i] + "'",
          "that it can't be distinguished from others of that name: " +
              version.text);
    llvm::json::Value none = "";
    const llvm::json::Value &before =
        versions && i < versions->size() ? (*versions)[i] : none;
    if (before != (*ours.getArray("versions"))[i])
      return differ(what + "another '" + run.passes[i] + "'",
                    "one with other code, values or version");
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// The file with the hash of a checkpoint's bytes. MLIR can read damaged
/// bytecode as some other module.
static std::string getHashFile(StringRef checkpoint) {
  return (checkpoint + ".sha1").str();
}

static std::string toText(llvm::ArrayRef<uint8_t> hash) {
  return llvm::toHex(hash, /*LowerCase=*/true) + "\n";
}

namespace {
/// Writes to another stream, and hashes its output.
class HashingStream : public llvm::raw_ostream {
public:
  explicit HashingStream(llvm::raw_ostream &os)
      : raw_ostream(/*unbuffered=*/true), os(os) {}

  std::string getHash() { return toText(hash.final()); }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(StringRef(data, size));
    os.write(data, size);
  }
  uint64_t current_pos() const override { return os.tell(); }

  llvm::raw_ostream &os;
  llvm::SHA1 hash;
};
} // namespace

/// Fails if a checkpoint has changed since it was written.
static llvm::Error checkHash(StringRef checkpoint) {
  auto contents = llvm::MemoryBuffer::getFile(checkpoint);
  auto hash = llvm::MemoryBuffer::getFile(getHashFile(checkpoint));
  if (contents && hash &&
      (*hash)->getBuffer() ==
          toText(llvm::SHA1::hash(
              llvm::arrayRefFromStringRef((*contents)->getBuffer()))))
    return llvm::Error::success();
  return llvm::createStringError(
      "expected checkpoint '" + checkpoint +
      "' to be as it was written, but '" + getHashFile(checkpoint) +
      "' has another hash; delete it to resume from the checkpoint before, or "
      "from the beginning");
}

llvm::Expected<std::optional<CheckpointFile>> instrument::findCheckpoint(
    StringRef dir,
    llvm::function_ref<llvm::Expected<CheckpointedRun>()> getRun) {
  llvm::Expected<std::vector<unsigned>> steps = listSteps(dir);
  if (!steps)
    return steps.takeError();
  if (steps->empty())
    return std::nullopt;
  CheckpointFile file{steps->back(), joinPath(dir, getFileName(steps->back()))};
  if (llvm::Error error = checkHash(file.path))
    return std::move(error);
  llvm::Expected<CheckpointedRun> run = getRun();
  if (!run)
    return run.takeError();
  if (llvm::Error error = checkRun(dir, *run))
    return std::move(error);
  return file;
}

llvm::Expected<unsigned>
instrument::restoreCheckpoint(StringRef dir, Operation *module,
                              const transform::Plan &plan,
                              const transform::PassContext &context) {
  llvm::Expected<std::optional<CheckpointFile>> file = findCheckpoint(
      dir, [&] { return CheckpointedRun::get(plan, context, module); });
  if (!file)
    return file.takeError();
  if (!*file)
    return 0;
  Block block;
  if (failed(parseSourceFile((*file)->path, &block,
                             ParserConfig(module->getContext()))) ||
      !llvm::hasSingleElement(block) ||
      block.front().getName() != module->getName())
    return llvm::createStringError(
        "expected '" + (*file)->path + "' to be a " +
        module->getName().getStringRef() +
        " of this version; delete it to resume from an earlier checkpoint");
  transform::replaceModule(module, &block.front());
  return (*file)->step;
}

/// Deletes the checkpoints for which `isOld` returns true, but keeps the last
/// `numKept` of them.
static llvm::Error removeCheckpoints(StringRef dir, unsigned numKept,
                                     llvm::function_ref<bool(unsigned)> isOld) {
  llvm::Expected<std::vector<unsigned>> steps = listSteps(dir);
  if (!steps)
    return steps.takeError();
  llvm::erase_if(*steps, [&](unsigned step) { return !isOld(step); });
  steps->resize(steps->size() - std::min<size_t>(numKept, steps->size()));
  for (unsigned step : *steps) {
    std::string file = joinPath(dir, getFileName(step));
    // In this order: a checkpoint without its hash counts as damaged.
    for (const std::string &name : {file, getHashFile(file)})
      if (std::error_code code = fs::remove(name))
        return makeFileError(code, "delete '" + name + "'");
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Checkpoint
//===----------------------------------------------------------------------===//

namespace {
struct CheckpointRecord {
  unsigned step;
  std::string pass, file;
};

/// An exclusive lock on a directory. It ends with the process at the latest.
class DirectoryLock {
public:
  ~DirectoryLock() { release(); }

  /// Fails if another owner has the lock. Some file systems have no locks.
  llvm::Error acquire(StringRef dir) {
    release();
    file = open(dir.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return llvm::Error::success();
    release();
    return llvm::createStringError(
        "expected to be the only run that writes checkpoints to '" + dir +
        "', but another run writes there; wait for its end, or name another "
        "directory");
  }
  void release() {
    if (file >= 0)
      close(file);
    file = -1;
  }

private:
  int file = -1;
};

/// Writes the module after each pass as bytecode, `checkpoint-STEP.mlirbc`,
/// with a hash beside it. `checkpoint.json` describes the run.
class Checkpoint : public Recording<CheckpointRecord> {
public:
  explicit Checkpoint(CheckpointOptions options)
      : Recording(options.kName,
                  Wants::Module | Wants::Runs | Wants::Pipelines),
        options(std::move(options)) {}

  llvm::Error enterPassContext() override;
  llvm::Error beginRun(const transform::Run &run) override;
  llvm::Error endRun(const transform::Run &run,
                     std::shared_ptr<const RunRecord> record) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override {
    for (const Record &record : records)
      os << record.file << "\n";
  }
  llvm::json::Value recordToJSON(const Record &record) const override {
    return llvm::json::Object{{"step", record.step},
                              {"pass", toJSONString(record.pass)},
                              {"file", toJSONString(record.file)}};
  }

  llvm::Error start(const transform::Run &run);
  llvm::Error replaceRun();
  llvm::Error save(const transform::PassStep &step);

  CheckpointOptions options;
  /// The run that is followed: the first of concurrent runs, the outermost of
  /// nested runs.
  std::atomic<const transform::Run *> followed{nullptr};
  /// The last step with no skipped step before it.
  unsigned lastStep = 0;
  DirectoryLock directoryLock;
  /// The description of the run, until its first checkpoint replaces the
  /// checkpoints of an earlier run.
  std::optional<CheckpointedRun> described;
};
} // namespace

llvm::Error Checkpoint::enterPassContext() {
  if (options.dir.empty())
    return llvm::createStringError(
        "expected dir to be a directory to write to, but it is empty");
  return Recording::enterPassContext();
}

llvm::Error Checkpoint::start(const transform::Run &run) {
  const transform::Plan &plan = *run.plan;
  Operation *module = run.module;
  StringRef dir = options.dir;
  described.reset();
  if (plan.getNumDone() != 0) {
    // The files of the resumed run stay; restoreCheckpoint has checked the last
    // one.
    llvm::Expected<std::vector<unsigned>> steps = listSteps(dir);
    if (!steps)
      return steps.takeError();
    if (!steps->empty() && steps->back() == plan.getNumDone())
      return directoryLock.acquire(dir);
    return llvm::createStringError(
        "expected dir to be the directory that the run resumes from, but "
        "found '" +
        dir + "', which has no checkpoint of pass " + Twine(plan.getNumDone()));
  }
  if (std::error_code code = fs::create_directories(dir))
    return makeFileError(code, "make the directory '" + dir + "'");
  // A name that is no directory is an error before the passes run.
  if (llvm::Error error = listSteps(dir).takeError())
    return error;
  if (llvm::Error error = directoryLock.acquire(dir))
    return error;
  llvm::Expected<CheckpointedRun> made =
      CheckpointedRun::get(plan, run.context, module);
  if (!made)
    return made.takeError();
  described = std::move(*made);
  return llvm::Error::success();
}

/// Removes the checkpoints of an earlier run before the first checkpoint of a
/// new run.
llvm::Error Checkpoint::replaceRun() {
  // In this order: no checkpoint is ever beside another run's description.
  if (llvm::Error error = removeCheckpoints(options.dir, /*numKept=*/0,
                                            [](unsigned) { return true; }))
    return error;
  return writeFile(joinPath(options.dir, runName),
                   [&](llvm::raw_ostream &os) -> llvm::Error {
                     os << llvm::formatv("{0:2}\n", ::toJSON(*described));
                     return llvm::Error::success();
                   });
}

llvm::Error Checkpoint::beginRun(const transform::Run &run) {
  const transform::Run *none = nullptr;
  if (!followed.compare_exchange_strong(none, &run))
    return llvm::Error::success();
  lastStep = run.plan->getNumDone();
  llvm::Error error = start(run);
  if (error) {
    directoryLock.release();
    followed = nullptr;
  }
  return error;
}

llvm::Error Checkpoint::endRun(const transform::Run &run,
                               std::shared_ptr<const RunRecord>) {
  if (followed == &run) {
    directoryLock.release();
    followed = nullptr;
  }
  return llvm::Error::success();
}

llvm::Error Checkpoint::save(const transform::PassStep &step) {
  unsigned number = step.number();
  std::string file = joinPath(options.dir, getFileName(number));
  // In one run, an earlier checkpoint stays until there is a later one.
  bool isFirst = described.has_value();
  if (isFirst) {
    if (llvm::Error error = checkRun(options.dir, *described)) {
      llvm::consumeError(std::move(error));
      if (llvm::Error failed = replaceRun())
        return failed;
    }
    described.reset();
  }
  llvm::Error error =
      writeFile(file, [&](llvm::raw_ostream &os) -> llvm::Error {
        HashingStream hashing(os);
        if (llvm::Error error = printBytecode(step.module(), hashing))
          return error;
        // Before the checkpoint gets its name.
        return writeFile(getHashFile(file),
                         [&](llvm::raw_ostream &hashOS) -> llvm::Error {
                           hashOS << hashing.getHash();
                           return llvm::Error::success();
                         });
      });
  if (error)
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  records.push_back({number, step.info().name, file});
  if (isFirst)
    return removeCheckpoints(options.dir, /*numKept=*/0,
                             [&](unsigned other) { return other != number; });
  if (options.keep == 0)
    return llvm::Error::success();
  return removeCheckpoints(options.dir, options.keep,
                           [&](unsigned other) { return other <= number; });
}

llvm::Error Checkpoint::runAfterPass(const transform::PassStep &step) {
  if (followed != step.run || step.number() != lastStep + 1)
    return llvm::Error::success();
  lastStep = step.number();
  return save(step);
}

PassInstrumentRef instrument::createCheckpoint(CheckpointOptions options) {
  return std::make_shared<Checkpoint>(std::move(options));
}
