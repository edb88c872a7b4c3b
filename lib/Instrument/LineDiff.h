//===- LineDiff.h - Line diffs of printed IR --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_LINEDIFF_H
#define PARTITA_LIB_INSTRUMENT_LINEDIFF_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace partita::instrument {

enum class LineEdit {
  Same,
  /// A line of both texts, with other names of values or other indentation.
  Renamed,
  Removed,
  Added,
};

/// Numbers lines of printed IR. Each line is stored once, as long as it is
/// used, and its names are searched once. Most states of a module share most
/// lines. Use it on one thread at a time.
class LineTable {
public:
  LineTable() = default;
  LineTable(const LineTable &) = delete;
  LineTable &operator=(const LineTable &) = delete;

  /// Adds a use of a line, and returns its number.
  unsigned add(mlir::StringRef text);
  /// Ends a use of each line. Lines without uses are dropped.
  void release(mlir::ArrayRef<unsigned> numbers);

  mlir::StringRef getText(unsigned number) const {
    return lines[number].entry->getKey();
  }
  /// A number for the table's user to set on a line; 0 at first.
  unsigned &mark(unsigned number) { return lines[number].mark; }

  /// The edits from one printed IR to another, line by line. If an op goes, all
  /// later values get other numbers, and an op around others indents them; such
  /// lines count as unchanged. Lines are aligned without the names of values
  /// and blocks by Myers' algorithm ("An O(ND) difference algorithm", 1986).
  /// Aligned lines differ if no renaming that fits the lines above makes them
  /// equal.
  std::vector<LineEdit> diff(mlir::ArrayRef<unsigned> before,
                             mlir::ArrayRef<unsigned> after);

private:
  class Renaming;

  /// The name of a value or a block in a line.
  struct Name {
    unsigned number;
    /// Whether the name is defined here.
    bool isDefinition;
  };
  /// The parts of a line.
  struct Parts {
    /// A hash of the line without its names and indentation.
    uint64_t skeleton;
    mlir::SmallVector<Name, 4> names;
  };
  struct Line {
    const llvm::StringMapEntry<unsigned> *entry = nullptr;
    std::unique_ptr<Parts> parts;
    unsigned numUses = 0, mark = 0;
  };
  /// The counterpart of a name in the other text, valid in its round.
  struct Binding {
    unsigned round = 0, name = 0;
  };

  const Parts &getParts(unsigned number);

  std::vector<Line> lines;
  mlir::SmallVector<unsigned, 0> unused;
  llvm::StringMap<unsigned> numbers, names;
  /// The renaming of the current diff, indexed by name.
  std::vector<Binding> toNew, toOld;
  unsigned round = 0;
};

/// A unified diff, without a header, of two texts that differ by `edits`, with
/// `context` lines of the second text around the differences; empty for equal
/// texts. A line does not differ if only its values have other names, because
/// earlier values are gone.
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
