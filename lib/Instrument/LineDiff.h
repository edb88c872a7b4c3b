//===- LineDiff.h - Which lines of IR differ --------------------*- C++ -*-===//
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
  /// A line of both, but for the names of values and blocks, or indentation.
  Renamed,
  Removed,
  Added,
};

/// Lines of printed IR by number: each is there once, as long as it is used,
/// and its names are looked for once. States of a module have most lines in
/// common. To be used by one thread at a time.
class LineTable {
public:
  LineTable() = default;
  LineTable(const LineTable &) = delete;
  LineTable &operator=(const LineTable &) = delete;

  /// The number of a line, which has one use more.
  unsigned add(mlir::StringRef text);
  /// Ends a use of each line. One without uses is forgotten.
  void release(mlir::ArrayRef<unsigned> numbers);

  mlir::StringRef getText(unsigned number) const {
    return lines[number].entry->getKey();
  }
  /// For the user of the table to note something about a line; 0 at first.
  unsigned &mark(unsigned number) { return lines[number].mark; }

  /// The edits from one printed IR to another, line by line. An op that goes
  /// renumbers all values after it, and one around others indents them; such
  /// lines are no change. Lines are aligned without the names of values and
  /// blocks by Myers' algorithm ("An O(ND) difference algorithm", 1986), and
  /// those that are aligned differ if no renaming that fits the lines above
  /// makes them equal.
  std::vector<LineEdit> diff(mlir::ArrayRef<unsigned> before,
                             mlir::ArrayRef<unsigned> after);

private:
  class Renaming;

  /// The name of a value or a block in a line.
  struct Name {
    unsigned number;
    /// Whether this is where it is defined.
    bool isDefinition;
  };
  /// What a line consists of.
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
  /// What a name is in the other text, if it was said in this round.
  struct Binding {
    unsigned round = 0, name = 0;
  };

  const Parts &getParts(unsigned number);

  std::vector<Line> lines;
  mlir::SmallVector<unsigned, 0> unused;
  llvm::StringMap<unsigned> numbers, names;
  /// The renaming of the diff that is made, by number of the name.
  std::vector<Binding> toNew, toOld;
  unsigned round = 0;
};

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
