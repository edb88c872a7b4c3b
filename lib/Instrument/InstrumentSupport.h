//===- InstrumentSupport.h - Helpers for instruments ----------*- C++ -*-===//
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

#include <memory>
#include <mutex>
#include <vector>

namespace partita::instrument {

/// A set of passes, given by any of their names; all passes if none is given.
class PassFilter {
public:
  PassFilter() = default;
  explicit PassFilter(llvm::ArrayRef<std::string> passes);
  /// Warns of names that are misspelt, at the first step.
  bool matches(const transform::PassStep &step) const;

private:
  std::vector<std::string> passes, names;
  mutable std::once_flag isChecked;
};

/// The displayed name of a function in `module`: "name", or "inner::name"
/// inside a nested symbol table.
std::string getFunctionPath(mlir::Operation *function, mlir::Operation *module);

/// Flags that elide constants with more elements than `elide`, or none if it is
/// negative. They override MLIR's flags.
mlir::OpPrintingFlags getPrintingFlags(int elide, bool withLocations);

/// The text of `op`, which ends with a line end. Elided constants have the
/// marks of ElidedElements.
std::string printIR(mlir::Operation *op, int elide, bool withLocations = true);

/// " (merged: 2-4)" if instruments see the module only before and after these
/// steps, and `step` is one of them; else empty.
std::string describeMerged(const transform::PassStep &step);

/// Adds `merged`, the range "2-4", to the JSON of a step as "merged".
void addMerged(llvm::json::Object &object, llvm::StringRef merged);

/// A pass's name as a part of a file name.
std::string toFileName(llvm::StringRef pass);

/// A JSON string from any bytes.
llvm::json::Value toJSONString(llvm::StringRef text);
/// The same, or null.
llvm::json::Value toJSONOrNull(const std::optional<std::string> &text);

/// Prints bytecode, as writeFile expects.
llvm::Error printBytecode(mlir::Operation *op, llvm::raw_ostream &os);

/// Writes `text` to stderr at once and as a whole. Erases the status line
/// first.
void writeToStderr(llvm::StringRef text);
/// Shows a status line on stderr, which must be a terminal, in place of the old
/// one. It stays until other text is written, or it is erased.
void drawStatusLine(llvm::StringRef text);
void eraseStatusLine();

/// The right to write a file, which one output of the process has at a time:
/// another would replace its text. Null for what outputs can share.
using OutputClaim = std::shared_ptr<void>;
/// Fails, with the names of both owners, if another output has the right.
llvm::Expected<OutputClaim> claimOutput(llvm::StringRef owner,
                                        llvm::StringRef path);

/// The output of an instrument: a file, stdout for "-", stderr for "". All
/// members can be called from any thread.
class InstrumentOutput {
public:
  /// `owner` is the instrument's name.
  InstrumentOutput(llvm::StringRef owner, llvm::StringRef path);
  /// Closes the file if it was written to.
  ~InstrumentOutput();

  /// Begins the file anew if it has text, or fails with its name. The old file
  /// stays until the new one is closed.
  llvm::Error open();
  /// Writes at once; opens the file first if needed.
  llvm::Error write(llvm::StringRef text);
  /// Writes the report of an instrument as the whole content of the file.
  llvm::Error writeReport(const PassInstrument &instrument, bool asJSON);
  /// Replaces the old file by the open one.
  llvm::Error close();
  /// Drops the open file; the old one stays.
  void abandon();
  /// Whether the output is a terminal that shows colours.
  bool hasColors();

private:
  llvm::Error openLocked();

  std::string owner, path;
  std::mutex mutex;
  OutputClaim claim;
  std::unique_ptr<OutputFile> file;
  /// Whether text was written to the file.
  bool hasText = false;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_INSTRUMENTSUPPORT_H
