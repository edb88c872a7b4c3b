//===- DumpIR.cpp - A file with the IR for each pass ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "partita/Instrument/Instruments.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The index of the files that dump-ir has written to a directory.
static constexpr llvm::StringLiteral indexName = "dump-ir.jsonl";

namespace {
struct DumpRecord {
  unsigned step;
  std::string pass, file, merged;
};

/// Writes the module after each pass that is no Sequential to a new file,
/// `NUMBER_PASS.mlir`. `dump-ir.jsonl` has a line for each file, so that
/// `refresh` knows the files that it may delete.
class DumpIR : public Recording<DumpRecord> {
public:
  explicit DumpIR(DumpIROptions options)
      : Recording(options.kName, Wants::Module), options(std::move(options)),
        filter(this->options.passes) {}

  llvm::Error enterPassContext() override;
  llvm::Error runBeforePass(const transform::PassStep &step) override;
  llvm::Error runAfterPass(const transform::PassStep &step) override;

private:
  void renderRecords(ArrayRef<Record> records,
                     llvm::raw_ostream &os) const override;
  llvm::json::Value recordToJSON(const Record &record) const override;

  llvm::Error prepare();
  llvm::Error begin();
  llvm::Error dump(const transform::PassStep &step);
  llvm::Error removeOldFiles();

  DumpIROptions options;
  PassFilter filter;
  bool hasBegun = false;
  unsigned nextNumber = 0;
};
} // namespace

/// The number at the beginning of a file name.
static std::optional<unsigned> getNumber(StringRef name) {
  unsigned number;
  if (name.consumeInteger(10, number) || !name.starts_with("_"))
    return std::nullopt;
  return number;
}

/// Deletes the files that the index names.
llvm::Error DumpIR::removeOldFiles() {
  std::string index = joinPath(options.dumpDir, indexName);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(index, /*IsText=*/true);
  if (!buffer)
    return llvm::Error::success();
  for (llvm::line_iterator line(**buffer); !line.is_at_end(); ++line) {
    llvm::Expected<llvm::json::Value> entry = llvm::json::parse(*line);
    if (!entry) {
      // A run was killed while it wrote this line.
      llvm::consumeError(entry.takeError());
      continue;
    }
    const llvm::json::Object *object = entry->getAsObject();
    std::optional<StringRef> file;
    if (object)
      file = object->getString("file");
    // Anybody can edit the index.
    if (!file || path::filename(*file) != *file || !getNumber(*file))
      continue;
    if (std::error_code code = fs::remove(joinPath(options.dumpDir, *file)))
      return makeFileError(code,
                           "delete '" + joinPath(options.dumpDir, *file) + "'");
  }
  if (std::error_code code = fs::remove(index))
    return makeFileError(code, "delete '" + index + "'");
  return llvm::Error::success();
}

/// Makes the directory, and finds the next number.
llvm::Error DumpIR::prepare() {
  StringRef directory = options.dumpDir;
  if (directory.empty())
    return llvm::createStringError(
        "expected dump-dir to be a directory to write to, but it is empty");
  if (std::error_code code = fs::create_directories(directory))
    return makeFileError(code, "make the directory '" + directory + "'");
  nextNumber = 0;
  std::error_code code;
  for (fs::directory_iterator file(directory, code), end; file != end && !code;
       file.increment(code))
    if (std::optional<unsigned> number =
            getNumber(path::filename(file->path())))
      nextNumber = std::max(nextNumber, *number + 1);
  if (code)
    return makeFileError(code, "list the directory '" + directory + "'");
  return llvm::Error::success();
}

/// Deletes old files when the first pass is about to run. If the input can't be
/// read, they stay.
llvm::Error DumpIR::begin() {
  if (hasBegun)
    return llvm::Error::success();
  if (options.refresh)
    if (llvm::Error error = removeOldFiles())
      return error;
  if (llvm::Error error = prepare())
    return error;
  hasBegun = true;
  return llvm::Error::success();
}

llvm::Error DumpIR::enterPassContext() {
  if (llvm::Error error = Recording::enterPassContext())
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  hasBegun = false;
  return prepare();
}

llvm::Error DumpIR::runBeforePass(const transform::PassStep &step) {
  std::lock_guard<std::mutex> lock(mutex);
  return begin();
}

llvm::Error DumpIR::dump(const transform::PassStep &step) {
  const transform::PassInfo &info = step.info();
  if (llvm::Error error = begin())
    return error;
  Record record{step.number(), info.name, "", describeMerged(step)};
  do {
    record.file = llvm::formatv("{0,0+3}_{1}.{2}", nextNumber++,
                                toFileName(info.name + record.merged),
                                options.bytecode ? "mlirbc" : "mlir");
  } while (fs::exists(joinPath(options.dumpDir, record.file)));
  // The index comes first: an entry without a file is harmless.
  std::error_code code;
  std::string index = joinPath(options.dumpDir, indexName);
  llvm::raw_fd_ostream os(index, code, fs::CD_OpenAlways, fs::FA_Write,
                          fs::OF_Append);
  if (code)
    return makeFileError(code, "open '" + index + "' to write to");
  llvm::json::Object line{{"file", record.file},
                          {"step", record.step},
                          {"pass", toJSONString(record.pass)}};
  addMerged(line, record.merged);
  os << std::move(line) << "\n";
  os.flush();
  code = os.error();
  os.clear_error();
  if (code)
    return makeFileError(code, "write to '" + index + "'");
  if (llvm::Error error = writeFile(joinPath(options.dumpDir, record.file),
                                    [&](llvm::raw_ostream &os) -> llvm::Error {
                                      if (options.bytecode)
                                        return printBytecode(step.module(), os);
                                      os << printIR(step.module(),
                                                    /*elide=*/-1);
                                      return llvm::Error::success();
                                    }))
    return error;
  records.push_back(std::move(record));
  return llvm::Error::success();
}

llvm::Error DumpIR::runAfterPass(const transform::PassStep &step) {
  if (step.isSequential() || !filter.matches(step))
    return llvm::Error::success();
  std::lock_guard<std::mutex> lock(mutex);
  return dump(step);
}

void DumpIR::renderRecords(ArrayRef<Record> records,
                           llvm::raw_ostream &os) const {
  for (const Record &record : records)
    os << joinPath(options.dumpDir, record.file) << "\n";
}

llvm::json::Value DumpIR::recordToJSON(const Record &record) const {
  llvm::json::Object object{
      {"step", record.step},
      {"pass", toJSONString(record.pass)},
      {"file", toJSONString(joinPath(options.dumpDir, record.file))}};
  addMerged(object, record.merged);
  return object;
}

PassInstrumentRef instrument::createDumpIR(DumpIROptions options) {
  return std::make_shared<DumpIR>(std::move(options));
}
