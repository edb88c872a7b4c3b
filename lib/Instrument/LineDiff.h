//===- LineDiff.h - Which lines of IR differ --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_LINEDIFF_H
#define PARTITA_LIB_INSTRUMENT_LINEDIFF_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace partita::instrument {

enum class LineEdit {
  Same,
  /// A line of both, but for the names of values and blocks, or indentation.
  Renamed,
  Removed,
  Added,
};

/// The edits from one printed IR to another, line by line. An op that goes
/// renumbers all values after it, and one around others indents them; such
/// lines are no change. Lines are aligned without the names of values and
/// blocks by Myers' algorithm ("An O(ND) difference algorithm", 1986), and
/// those that are aligned differ if no renaming that fits the lines above makes
/// them equal.
std::vector<LineEdit> diffIR(llvm::ArrayRef<llvm::StringRef> before,
                             llvm::ArrayRef<llvm::StringRef> after);

/// The lines of two texts that differ by `edits` as a unified diff without a
/// header, with `context` lines of the second around them; empty for equal
/// texts. A line in which only values have other names, because others before
/// them are gone, does not differ.
struct UnifiedDiff {
  UnifiedDiff(llvm::StringRef before, llvm::StringRef after, unsigned context);
  UnifiedDiff(llvm::ArrayRef<llvm::StringRef> before,
              llvm::ArrayRef<llvm::StringRef> after,
              llvm::ArrayRef<LineEdit> edits, unsigned context);

  std::string text;
  unsigned numAdded = 0, numRemoved = 0;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_LINEDIFF_H
