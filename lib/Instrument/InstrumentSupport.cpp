//===- InstrumentSupport.cpp - Helpers for instruments -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstrumentSupport.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/ElidedElements.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

PassFilter::PassFilter(ArrayRef<std::string> passes)
    : passes(passes.begin(), passes.end()) {
  for (const std::string &pass : passes)
    names.push_back(transform::canonicalPassName(pass));
}

/// Warns of names that are near to the name of a pass, and name none.
static void warnOfMisspelt(ArrayRef<std::string> names,
                           const transform::Plan &plan) {
  std::vector<std::string> present;
  for (const transform::Plan::Entry &entry : plan.entries())
    present.push_back(entry.pass.info().name);
  for (const std::string &name : names) {
    if (transform::isRegisteredPass(name) || llvm::is_contained(present, name))
      continue;
    std::string near = transform::suggestPassNames(name, present);
    if (!near.empty())
      writeToStderr(("warning: expected the passes of an instrument to be "
                     "passes, but found '" +
                     llvm::Twine(name) + "'" + near + "\n")
                        .str());
  }
}

bool PassFilter::matches(const transform::PassStep &step) const {
  std::call_once(isChecked, [&] { warnOfMisspelt(passes, *step.run->plan); });
  return names.empty() ||
         llvm::is_contained(names,
                            transform::canonicalPassName(step.info().name));
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

std::string instrument::getFunctionPath(Operation *function,
                                        Operation *module) {
  std::string path;
  for (Operation *op = function; op && op != module; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>("sym_name")) {
      if (!path.empty())
        path.insert(0, "::");
      path.insert(0, name.str());
    }
  return path;
}

OpPrintingFlags instrument::getPrintingFlags(int elide, bool withLocations) {
  int64_t limit = elide < 0 ? INT64_MAX : elide;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(limit).elideLargeResourceString(limit);
  if (!withLocations)
    flags.enableDebugInfo(false);
  return flags;
}

std::string instrument::printIR(Operation *op, int elide, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags = getPrintingFlags(elide, withLocations);
  // Otherwise MLIR numbers all values of the module again for each function.
  if (op->getParentOp())
    flags.useLocalScope();
  op->print(os, flags);
  ElidedElements().mark(text, op, flags);
  // MLIR ends the line after some ops only, and keeps the brackets of elided
  // resources.
  StringRef kept = StringRef(text).rtrim('\n');
  if (kept.consume_back("#-}")) {
    StringRef before = kept.rtrim('\n');
    kept = before.consume_back("\n{-#") ? before.rtrim('\n')
                                        : StringRef(text).rtrim('\n');
  }
  text.resize(kept.size());
  text += '\n';
  return text;
}

std::string instrument::describeMerged(const transform::PassStep &step) {
  if (step.mergedBegin == step.mergedEnd)
    return "";
  ArrayRef<transform::Plan::Entry> entries = step.run->plan->entries();
  return " (merged: " + std::to_string(entries[step.mergedBegin].number) + "-" +
         std::to_string(entries[step.mergedEnd - 1].number) + ")";
}

void instrument::addMerged(llvm::json::Object &object, StringRef merged) {
  if (merged.consume_front(" (merged: "))
    object["merged"] = merged.drop_back();
}

std::string instrument::toFileName(StringRef pass) {
  std::string result = pass.take_front(100).str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '.' && c != '-')
      c = '_';
  return result;
}

llvm::json::Value instrument::toJSONString(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

llvm::json::Value
instrument::toJSONOrNull(const std::optional<std::string> &text) {
  return text ? toJSONString(*text) : llvm::json::Value(nullptr);
}

llvm::Error instrument::printBytecode(Operation *op, llvm::raw_ostream &os) {
  if (succeeded(writeBytecodeToFile(op, os)))
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a module that can be written as bytecode");
}

//===----------------------------------------------------------------------===//
// stderr
//===----------------------------------------------------------------------===//

/// The width of the status line, and its mutex.
static size_t statusWidth = 0;
static std::mutex &getStatusMutex() {
  // Never freed: instruments can outlive the destructors of statics.
  static auto &mutex = *new std::mutex;
  return mutex;
}

static void eraseStatus() {
  if (statusWidth != 0)
    llvm::errs() << "\r" + std::string(statusWidth, ' ') + "\r";
  statusWidth = 0;
}

void instrument::writeToStderr(StringRef text) {
  std::lock_guard<std::mutex> lock(getStatusMutex());
  eraseStatus();
  llvm::errs() << text;
}

void instrument::drawStatusLine(StringRef text) {
  std::lock_guard<std::mutex> lock(getStatusMutex());
  std::string line = ("\r" + text).str();
  // Overwrite the rest of the old line.
  line.resize(std::max(line.size(), statusWidth + 1), ' ');
  llvm::errs() << line;
  statusWidth = text.size();
}

void instrument::eraseStatusLine() {
  std::lock_guard<std::mutex> lock(getStatusMutex());
  eraseStatus();
}

//===----------------------------------------------------------------------===//
// InstrumentOutput
//===----------------------------------------------------------------------===//

namespace {
struct OutputClaims {
  std::mutex mutex;
  /// The owners, by file.
  llvm::StringMap<std::string> owners;
};
} // namespace

static OutputClaims &getOutputClaims() {
  // Never freed: instruments can outlive the destructors of statics.
  static auto &claims = *new OutputClaims;
  return claims;
}

llvm::Expected<OutputClaim> instrument::claimOutput(StringRef owner,
                                                    StringRef path) {
  std::string target = OutputFile::getTarget(path);
  if (target.empty())
    return nullptr;
  OutputClaims &claims = getOutputClaims();
  std::lock_guard<std::mutex> lock(claims.mutex);
  auto [it, isNew] = claims.owners.try_emplace(target, owner);
  if (!isNew)
    return llvm::createStringError(
        "expected outputs with files of their own, but found '" + it->second +
        "' and '" + owner + "', which both write '" + path + "'");
  return OutputClaim(static_cast<void *>(nullptr), [target](void *) {
    OutputClaims &claims = getOutputClaims();
    std::lock_guard<std::mutex> lock(claims.mutex);
    claims.owners.erase(target);
  });
}

InstrumentOutput::InstrumentOutput(StringRef owner, StringRef path)
    : owner(owner), path(path) {}
InstrumentOutput::~InstrumentOutput() {
  if (hasText)
    llvm::consumeError(close());
}

llvm::Error InstrumentOutput::open() {
  std::lock_guard<std::mutex> lock(mutex);
  // The reader of a pipe would take another file for the end.
  if (std::exchange(hasText, false))
    file = nullptr;
  return openLocked();
}

llvm::Error InstrumentOutput::openLocked() {
  if (path.empty() || file)
    return llvm::Error::success();
  if (!claim) {
    llvm::Expected<OutputClaim> claimed = claimOutput(owner, path);
    if (!claimed)
      return claimed.takeError();
    claim = *claimed;
  }
  // Text was written before the file was closed.
  bool hasBefore = std::exchange(hasText, false) && path != "-";
  std::error_code code;
  file = OutputFile::open(path, code);
  if (!file) {
    claim = nullptr;
    return makeFileError(code, "open '" + path + "' to write to");
  }
  if (!hasBefore)
    return llvm::Error::success();
  auto before = llvm::MemoryBuffer::getFile(path);
  if (before)
    file->os() << (*before)->getBuffer();
  return llvm::Error::success();
}

llvm::Error InstrumentOutput::write(StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (llvm::Error error = openLocked())
    return error;
  if (!file) {
    writeToStderr(text);
    return llvm::Error::success();
  }
  hasText = true;
  std::error_code code = file->write(text);
  if (!code)
    return llvm::Error::success();
  file = nullptr;
  claim = nullptr;
  return makeFileError(code, "write to '" + path + "'");
}

llvm::Error InstrumentOutput::writeReport(const PassInstrument &instrument,
                                          bool asJSON) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (asJSON)
    os << escapeJSON(llvm::formatv("{0:2}\n", instrument.toJSON()).str());
  else
    instrument.render(os);
  if (llvm::Error error = open())
    return error;
  if (llvm::Error error = write(text))
    return error;
  return close();
}

llvm::Error InstrumentOutput::close() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!file)
    return llvm::Error::success();
  std::error_code code = file->commit();
  file = nullptr;
  claim = nullptr;
  return code ? makeFileError(code, "write to '" + path + "'")
              : llvm::Error::success();
}

void InstrumentOutput::abandon() {
  std::lock_guard<std::mutex> lock(mutex);
  file = nullptr;
  claim = nullptr;
  hasText = false;
}

bool InstrumentOutput::hasColors() {
  std::lock_guard<std::mutex> lock(mutex);
  if (file)
    return file->hasColors();
  return path.empty() && llvm::errs().is_displayed() &&
         llvm::errs().has_colors();
}
