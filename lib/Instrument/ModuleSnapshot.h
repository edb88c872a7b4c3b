//===- ModuleSnapshot.h - Snapshots of modules ------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H
#define PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H

#include "LineDiff.h"
#include "partita/Support/ElidedElements.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <memory>
#include <optional>

namespace partita::instrument {

/// The last seen state of a module: its hash, ops and text. It is divided into
/// the ops of the module's body, and of modules inside. For the next snapshot,
/// only ops that have changed are counted, printed and compared. The text has
/// no aliases and resources; elided constants have marks.
class ModuleSnapshot {
public:
  ModuleSnapshot() = default;
  /// Constants with more elements than `elide` are elided, as in printIR;
  /// without `elide`, there is no text. Parts of `before` for unchanged ops are
  /// shared. Ops for which `isVerified` returns false are verified first:
  /// printers can crash on invalid ops.
  ModuleSnapshot(mlir::Operation *module, std::optional<int> elide,
                 const ModuleSnapshot *before = nullptr,
                 llvm::function_ref<bool(mlir::Operation *)> isVerified = {});

  /// A hash of everything but locations, as hashStructure.
  uint64_t getHash() const { return root.hash; }
  /// The number of ops in the module, without the module itself.
  int64_t getNumOps() const {
    return root.contents ? root.contents->numOps : 0;
  }
  /// The change in the number of ops since `before`, for each op name.
  std::map<std::string, int64_t>
  countChanges(const ModuleSnapshot &before) const;
  mlir::SmallVector<mlir::StringRef> getLines() const;
  /// The numbers of the lines in a table, which all snapshots after the same
  /// first snapshot share.
  std::vector<unsigned> getLineNumbers() const;
  LineTable &getTable() const { return *table; }
  /// The edits from the lines of `before`, an earlier snapshot with the same
  /// table.
  std::vector<LineEdit> diff(const ModuleSnapshot &before) const;

private:
  class Builder;

  /// Lines in the table.
  struct Lines {
    Lines(std::shared_ptr<LineTable> table, std::vector<unsigned> numbers)
        : table(std::move(table)), numbers(std::move(numbers)) {}
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;
    ~Lines() { table->release(numbers); }

    const std::shared_ptr<LineTable> table;
    const std::vector<unsigned> numbers;
  };
  struct Contents;
  /// An op: the module, or an op in the body of a divided op.
  struct Part {
    /// The name of a symbol, or null.
    mlir::Attribute name;
    /// A hash of the op that includes the addresses of its values. It
    /// recognizes an unchanged op faster than `hash`.
    uint64_t identity = 0;
    uint64_t hash = 0;
    std::shared_ptr<const Contents> contents;
  };
  using Parts = mlir::ArrayRef<Part>;
  struct Contents {
    /// Counts of the op itself, unless it is the module, and of its ops outside
    /// `parts`.
    mlir::SmallVector<std::pair<mlir::OperationName, int64_t>, 0> opCounts;
    /// Includes the ops in `parts`.
    int64_t numOps = 0;
    size_t numLines = 0;
    /// All lines, or the lines before and after the parts.
    std::shared_ptr<const Lines> lines, footer;
    /// For a divided op: its attributes, and the ops of its body.
    mlir::Attribute attributes;
    std::vector<Part> parts;

    bool isDivided() const { return bool(attributes); }
  };

  using OpChanges = llvm::SmallMapVector<mlir::OperationName, int64_t, 16>;
  using Numbers = std::vector<unsigned>;
  using Edits = std::vector<LineEdit>;

  static void countOps(const Contents &contents, int sign, OpChanges &changes);
  static void countChanges(const Contents &before, const Contents &after,
                           OpChanges &changes);
  static void addLines(const Contents &contents, Numbers &numbers);
  static Numbers getLineNumbers(Parts parts);
  void diff(const Lines &before, const Lines &after, Edits &edits) const;
  void diff(const Contents &before, const Contents &after, Edits &edits) const;
  void diffLines(Parts before, Parts after, Edits &edits) const;
  bool diffInOrder(Parts before, Parts after, Edits &edits) const;

  std::shared_ptr<LineTable> table;
  std::shared_ptr<ElidedElements> elided;
  Part root;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H
