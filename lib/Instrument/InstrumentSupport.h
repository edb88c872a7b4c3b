//===- InstrumentSupport.h - What instruments have in common --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_INSTRUMENTSUPPORT_H
#define PARTITA_LIB_INSTRUMENT_INSTRUMENTSUPPORT_H

#include "partita/Pass/Run.h"
#include "partita/Support/EscapeText.h"
#include "partita/Support/OutputFile.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <vector>

namespace partita::instrument {

/// Passes by any of their names; all, if none is given.
class PassFilter {
public:
  PassFilter() = default;
  explicit PassFilter(llvm::ArrayRef<std::string> passes);
  bool matches(const transform::PassInfo &info) const;

private:
  std::vector<std::string> names;
};

/// What a function in `module` is called: "name", or "inner::name" if it is in
/// a symbol table in it.
std::string getFunctionPath(mlir::Operation *function, mlir::Operation *module);

/// Constants of more elements than `elide` are elided; none if it is negative,
/// whatever MLIR's flags say.
mlir::OpPrintingFlags getPrintingFlags(int elide, bool withLocations);

/// The text of `op`, which ends with a line's end. Constants that are elided
/// have the marks of ElidedElements.
std::string printIR(mlir::Operation *op, int elide, bool withLocations = true);

/// " (merged: 2-4)" if instruments see the module before and after those steps
/// alone, of which this is one; else empty.
std::string describeMerged(const transform::PassStep &step);

/// Adds what it says, "2-4", as "merged" to what JSON has of the step.
void addMerged(llvm::json::Object &object, llvm::StringRef merged);

/// A pass's name as a part of a file's.
std::string toFileName(llvm::StringRef pass);

/// A string of JSON from any bytes.
llvm::json::Value toJSONString(llvm::StringRef text);

/// For writeFile.
llvm::Error printBytecode(mlir::Operation *op, llvm::raw_ostream &os);

/// Writes to stderr at once, as a whole; the status line makes way.
void writeToStderr(llvm::StringRef text);
/// Shows a line on the terminal that stderr is, in the place of the one that is
/// there, until something else is written, or it is erased.
void drawStatusLine(llvm::StringRef text);
void eraseStatusLine();

/// Where an instrument writes: a file, stdout for "-", stderr for "". All
/// members can be called from any thread.
class InstrumentOutput {
public:
  explicit InstrumentOutput(llvm::StringRef path);
  /// Closes a file that was written to.
  ~InstrumentOutput();

  /// Begins a file anew, or fails with its name. The old one stays until this
  /// one is closed.
  llvm::Error open();
  /// Writes at once; opens what is not open.
  llvm::Error write(llvm::StringRef text);
  /// Writes what an instrument has to say as all that a file holds.
  llvm::Error writeReport(const PassInstrument &instrument, bool asJSON);
  /// Puts the file that is open in its place.
  llvm::Error close();
  /// Whether it is a terminal that shows colours.
  bool hasColors();

private:
  llvm::Error openLocked();

  std::string path;
  std::mutex mutex;
  std::unique_ptr<OutputFile> file;
  /// Whether something was written to it.
  bool hasText = false;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_INSTRUMENTSUPPORT_H
