//===- Jobs.cpp - Inputs that several processes work on -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jobs.h"
#include "PolicyOptions.h"
#include "partita/Support/Processes.h"
#include "partita/Tools/CommandLine.h"

#include "mlir/Support/ToolUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <map>

using namespace mlir;
using namespace partita;
namespace fs = llvm::sys::fs;

TemporaryDirectory::TemporaryDirectory() {
  llvm::SmallString<64> made;
  code = fs::createUniqueDirectory("partita", made);
  if (!code)
    path = made.str();
}

llvm::Error TemporaryDirectory::check() const {
  if (!code)
    return llvm::Error::success();
  llvm::SmallString<64> parent;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, parent);
  return makeFileError(code, "make a directory for temporary files in '" +
                                 parent + "', which TMPDIR can change");
}

void TemporaryDirectory::clear() const {
  if (path.empty())
    return;
  [[maybe_unused]] std::error_code code = fs::remove_directories(path);
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

llvm::Error Sections::add(StringRef name, StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openMLIRFile(path);
  if (!file)
    return file.takeError();
  inputs.push_back(
      {name == "-" ? "<stdin>" : name.str(), path.str(), std::move(*file)});
  return llvm::Error::success();
}

llvm::Expected<Sections> Sections::open(ArrayRef<std::string> inputs) {
  Sections result;
  for (StringRef name : inputs)
    if (llvm::Error error = result.add(name, name))
      return std::move(error);
  return result;
}

void Sections::split(StringRef marker) {
  for (auto [index, input] : llvm::enumerate(inputs)) {
    llvm::MemoryBufferRef text = *input.buffer;
    auto add = [&, index = index](std::unique_ptr<llvm::MemoryBuffer> chunk,
                                  llvm::raw_ostream &) {
      size_t begin = chunk->getBufferStart() - text.getBufferStart();
      sections.push_back({index, begin, begin + chunk->getBufferSize()});
      return success();
    };
    (void)splitAndProcessBuffer(llvm::MemoryBuffer::getMemBuffer(
                                    text, /*RequiresNullTerminator=*/false),
                                add, llvm::nulls(), marker);
  }
}

bool Sections::hasString(StringRef name) const {
  return llvm::any_of(inputs, [&](const Input &input) {
    return partita::hasString(input.getText(), name);
  });
}

std::pair<std::unique_ptr<llvm::MemoryBuffer>, std::string>
Sections::get(const Section &section) const {
  const Input &input = inputs[section.input];
  StringRef text = input.getText();
  if (section.begin == 0)
    return {llvm::MemoryBuffer::getMemBuffer(
                {text.take_front(section.end), input.name},
                /*RequiresNullTerminator=*/false),
            ""};
  // Empty lines before the section keep its locations. The location of the
  // module is in the line of the marker.
  StringRef before = text.take_front(section.begin);
  std::string lines(before.count('\n'), '\n');
  lines += before.substr(before.rfind('\n') + 1);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      lines + text.slice(section.begin, section.end).str(), input.name);
  // MLIR compares all but the last two characters of a marker, and drops an
  // empty first section.
  return {std::move(buffer), lines + "--"};
}

std::pair<std::unique_ptr<llvm::MemoryBuffer>, std::string>
Sections::getOnly() const {
  // An empty input has no section.
  return get(sections.empty() ? Section{0, 0, 0} : sections.front());
}

bool Sections::runEach(
    llvm::function_ref<bool(std::unique_ptr<llvm::MemoryBuffer>, std::string)>
        run,
    StringRef separator, llvm::raw_ostream &os) const {
  bool isGood = true;
  llvm::interleave(
      sections, os,
      [&](const Section &section) {
        auto [buffer, marker] = get(section);
        isGood &= run(std::move(buffer), std::move(marker));
      },
      separator);
  return isGood;
}

std::string Sections::describe(size_t index) const {
  const Section &section = sections[index];
  const Input &input = inputs[section.input];
  size_t number = llvm::count_if(
      ArrayRef(sections).take_front(index + 1),
      [&](const Section &other) { return other.input == section.input; });
  std::string file = "'" + input.name + "'";
  StringRef text = input.getText();
  if (section.begin == 0 && section.end == text.size())
    return file;
  StringRef blank =
      text.slice(section.begin, section.end).take_while(llvm::isSpace);
  size_t line = text.take_front(section.begin + blank.size()).count('\n') + 1;
  return "section " + std::to_string(number) + " of " + file + ", at line " +
         std::to_string(line);
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

/// The copy of an input that can't be read twice, in the directory of `job`.
static std::string getCopyPath(StringRef directory, size_t input) {
  return joinPath(directory, "input-" + std::to_string(input));
}

static constexpr llvm::StringLiteral kFileExtension = ".file";

llvm::Expected<Sections> Sections::read(StringRef job,
                                        ArrayRef<std::string> inputs,
                                        std::string &output) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError("expected a job of --jobs in '" + job +
                                   "', but " + message);
  };
  auto file = llvm::MemoryBuffer::getFile(job);
  if (!file)
    return fail(file.getError().message());
  auto parsed =
      llvm::expectedToOptional(llvm::json::parse((*file)->getBuffer()));
  const llvm::json::Array *list = parsed ? parsed->getAsArray() : nullptr;
  if (!list)
    return fail("found no list");
  Sections result;
  std::map<size_t, size_t> opened;
  for (const llvm::json::Value &each : *list) {
    const llvm::json::Array *numbers = each.getAsArray();
    if (!numbers || numbers->size() != 3)
      return fail("found no section");
    auto getNumber = [&](size_t index) -> size_t {
      return (*numbers)[index].getAsUINT64().value_or(0);
    };
    size_t input = getNumber(0), begin = getNumber(1), end = getNumber(2);
    auto [it, isNew] = opened.try_emplace(input, result.inputs.size());
    if (isNew && input < inputs.size()) {
      std::string copy = getCopyPath(llvm::sys::path::parent_path(job), input);
      if (llvm::Error error = result.add(
              inputs[input], fs::exists(copy) ? copy : inputs[input]))
        return std::move(error);
    }
    if (it->second >= result.inputs.size() || begin > end ||
        end > result.inputs[it->second].getText().size())
      return fail("an input has changed");
    result.sections.push_back({it->second, begin, end});
  }
  if (output != "-")
    output = (job + kFileExtension).str();
  return result;
}

namespace partita {
/// One run with --jobs.
class Jobs {
public:
  Jobs(const Sections &sections, std::vector<std::string> command,
       unsigned jobs, bool hasOutputFile)
      : sections(sections), command(std::move(command)), jobs(jobs),
        hasOutputFile(hasOutputFile) {}

  llvm::Error run();
  /// Prints what the processes have written. Returns whether all succeeded.
  bool print(StringRef separator, llvm::raw_ostream &os) const;

private:
  /// Neighbouring sections, in one process.
  struct Batch {
    size_t begin, end;
    ProcessEnd result = {};
    /// What the process has written to stdout, stderr and its file.
    std::unique_ptr<llvm::MemoryBuffer> output = {}, errors = {}, file = {};

    bool hasCrashed() const { return result.code == -2; }
  };

  llvm::Error copyPipes() const;
  void makeBatches();
  llvm::Error runBatches(MutableArrayRef<Batch> batches) const;
  llvm::Error isolateCrash(Batch &batch, std::vector<Batch> &all) const;
  llvm::Error writeJob(const Batch &batch, StringRef path) const;

  const Sections &sections;
  std::vector<std::string> command;
  unsigned jobs;
  bool hasOutputFile;
  TemporaryDirectory directory;
  std::vector<Batch> batches;
};
} // namespace partita

/// Copies inputs that can't be read twice, such as pipes. A link can lead to
/// one.
llvm::Error Jobs::copyPipes() const {
  for (auto [index, input] : llvm::enumerate(sections.inputs)) {
    fs::file_status status;
    if (input.path != "-" &&
        !fs::status(input.path, status, /*follow=*/false) &&
        fs::is_regular_file(status))
      continue;
    llvm::Error error = writeFile(getCopyPath(directory.getPath(), index),
                                  [&](llvm::raw_ostream &os) {
                                    os << input.getText();
                                    return llvm::Error::success();
                                  });
    if (error)
      return error;
  }
  return llvm::Error::success();
}

/// Makes batches of about the same number of bytes. A process needs some 20 ms
/// to begin, so that short sections share one. A few batches for each job even
/// out that some sections take longer.
void Jobs::makeBatches() {
  constexpr size_t batchesPerJob = 4;
  size_t total = 0, size = 0;
  for (const Sections::Section &section : sections.sections)
    total += section.end - section.begin;
  for (auto [index, section] : llvm::enumerate(sections.sections)) {
    if (batches.empty() || size * batchesPerJob * jobs >= total) {
      batches.push_back({index, index});
      size = 0;
    }
    batches.back().end = index + 1;
    size += section.end - section.begin;
  }
}

llvm::Error Jobs::writeJob(const Batch &batch, StringRef path) const {
  llvm::json::Array list;
  for (size_t index = batch.begin; index < batch.end; ++index) {
    const Sections::Section &section = sections.sections[index];
    list.push_back(
        llvm::json::Array{section.input, section.begin, section.end});
  }
  return writeFile(path, [&](llvm::raw_ostream &os) {
    os << llvm::json::Value(std::move(list));
    return llvm::Error::success();
  });
}

/// Runs a process for each batch.
llvm::Error Jobs::runBatches(MutableArrayRef<Batch> batches) const {
  std::vector<ProcessToRun> processes;
  std::vector<std::string> paths;
  for (const Batch &batch : batches) {
    const std::string &path = paths.emplace_back(
        joinPath(directory.getPath(), std::to_string(batch.begin) + "-" +
                                          std::to_string(batch.end)));
    if (llvm::Error error = writeJob(batch, path))
      return error;
    ProcessToRun &process = processes.emplace_back(
        ProcessToRun{command, "", path + ".out", path + ".err"});
    process.command.insert(process.command.begin() + 1, "--job=" + path);
  }
  std::vector<ProcessEnd> ends = runProcesses(processes, jobs);
  auto read = [](const std::string &path) {
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? std::move(*file) : llvm::MemoryBuffer::getMemBuffer("");
  };
  for (auto [batch, path, end] : llvm::zip_equal(batches, paths, ends)) {
    batch.result = std::move(end);
    if (batch.result.code == -1)
      return llvm::createStringError("expected to run '" + command.front() +
                                     "': " + batch.result.message);
    batch.output = read(path + ".out");
    batch.errors = read(path + ".err");
    batch.file = read(path + kFileExtension.str());
  }
  return llvm::Error::success();
}

/// Runs the sections of a crashed batch one by one, and adds them to `all`: the
/// results of the others are whole then, and the crash has a place.
llvm::Error Jobs::isolateCrash(Batch &batch, std::vector<Batch> &all) const {
  std::vector<Batch> singles;
  for (size_t index = batch.begin; index < batch.end; ++index)
    singles.push_back({index, index + 1});
  if (llvm::Error error = runBatches(singles))
    return error;
  // A process can crash by what it has done for other sections.
  if (llvm::none_of(singles, std::mem_fn(&Batch::hasCrashed)))
    all.push_back(std::move(batch));
  else
    llvm::move(singles, std::back_inserter(all));
  return llvm::Error::success();
}

llvm::Error Jobs::run() {
  if (llvm::Error error = directory.check())
    return error;
  if (llvm::Error error = copyPipes())
    return error;
  makeBatches();
  if (llvm::Error error = runBatches(batches))
    return error;
  std::vector<Batch> isolated;
  for (Batch &batch : batches) {
    if (batch.hasCrashed() && batch.end != batch.begin + 1 &&
        !isInterrupted()) {
      if (llvm::Error error = isolateCrash(batch, isolated))
        return error;
    } else {
      isolated.push_back(std::move(batch));
    }
  }
  batches = std::move(isolated);
  // A signal for a closed pipe can end this process while it prints.
  directory.clear();
  return llvm::Error::success();
}

bool Jobs::print(StringRef separator, llvm::raw_ostream &os) const {
  bool isGood = true;
  llvm::interleave(
      batches, os,
      [&](const Batch &batch) {
        isGood &= batch.result.code == 0;
        llvm::errs() << batch.errors->getBuffer();
        if (hasOutputFile)
          llvm::outs() << batch.output->getBuffer();
        os << (hasOutputFile ? batch.file : batch.output)->getBuffer();
        if (!batch.hasCrashed())
          return;
        std::string last = batch.end == batch.begin + 1
                               ? ""
                               : " to " + sections.describe(batch.end - 1);
        llvm::WithColor::error(llvm::errs())
            << "expected a process that does not crash, but for "
            << sections.describe(batch.begin) << last
            << ", it was ended by a signal: " << batch.result.message << "\n";
      },
      separator);
  return isGood;
}

llvm::Error partita::checkJobs(const PolicyOptions &options,
                               size_t numSections) {
  std::string why = "expected options that several processes can share with "
                    "--jobs, as there are " +
                    std::to_string(numSections) + " sections, but found '";
  static constexpr llvm::StringLiteral alone[] = {
      // Files that each process would write.
      "mlir-generate-reproducer", "mlir-pass-pipeline-crash-reproducer",
      "mlir-print-ir-tree-dir", "remark-format", "remarks-output-file",
      "log-actions-to", "profile-actions-to",
      // Counters for all sections.
      "rewrite-limit", "mlir-debug-counter",
      // Checks and replays of one input.
      "check-inert", "check-nest", "check-cache", "resume-from",
      "run-reproducer"};
  for (StringRef name : alone) {
    llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name);
    if (option && option->getNumOccurrences())
      return llvm::createStringError(llvm::Twine(why) + "--" + name + "'");
  }
  for (const std::string &instrument : options.instrument)
    if (getReplayedInstruments({instrument}).empty())
      return llvm::createStringError(
          llvm::Twine(why) + "--instrument=" + instrument +
          "', which writes files or chooses steps by number");
  return llvm::Error::success();
}

llvm::Expected<bool> partita::runJobs(const Sections &sections,
                                      const std::string &tool,
                                      ArrayRef<const char *> args,
                                      unsigned jobs, StringRef separator,
                                      bool hasOutputFile,
                                      llvm::raw_ostream &os) {
  endProcessesAtInterrupt();
  std::vector<std::string> command(args.begin(), args.end());
  command.front() = tool;
  Jobs run(sections, std::move(command), jobs, hasOutputFile);
  if (llvm::Error error = run.run())
    return std::move(error);
  return !isInterrupted() && run.print(separator, os);
}
