//===- ModuleSnapshot.h - What was last seen of a module --------*- C++ -*-===//
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

/// A module as it was last seen: its hash, ops and text. It is kept by the ops
/// of the module's body, and of modules in it, so that of the next one only
/// those that have changed are counted, printed and compared. Aliases and
/// resources are not in the text; constants without their elements have marks.
class ModuleSnapshot {
public:
  ModuleSnapshot() = default;
  /// Constants of more elements than `elide` are elided, as in printIR; without
  /// it, there is no text. What `before` has of the same ops is shared. An op
  /// of which `isVerified` does not know that it is valid is verified before it
  /// is printed: the printers of invalid ops can crash.
  ModuleSnapshot(mlir::Operation *module, std::optional<int> elide,
                 const ModuleSnapshot *before = nullptr,
                 llvm::function_ref<bool(mlir::Operation *)> isVerified = {});

  /// Of all but locations, as hashStructure.
  uint64_t getHash() const { return root.hash; }
  /// How many ops are in the module, which is not counted itself.
  int64_t getNumOps() const {
    return root.contents ? root.contents->numOps : 0;
  }
  /// By how many ops of each name it has more than `before`, or less.
  std::map<std::string, int64_t>
  countChanges(const ModuleSnapshot &before) const;
  mlir::SmallVector<mlir::StringRef> getLines() const;
  /// The same by their numbers in a table, which all that came after the same
  /// snapshot share.
  std::vector<unsigned> getLineNumbers() const;
  LineTable &getTable() const { return *table; }
  /// The edits from the lines of `before`, which this one came after.
  std::vector<LineEdit> diff(const ModuleSnapshot &before) const;

private:
  class Builder;

  /// Lines of the table.
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
  /// An op: the module, or one in the body of one that is divided.
  struct Part {
    /// A symbol's, or null.
    mlir::Attribute name;
    /// A hash of the op that also says where in memory its values are: with it,
    /// an op that nobody has touched is known for less than with its `hash`.
    uint64_t identity = 0;
    uint64_t hash = 0;
    std::shared_ptr<const Contents> contents;
  };
  using Parts = mlir::ArrayRef<Part>;
  struct Contents {
    /// Of the op itself, unless it is the module, and of those in it that are
    /// not in `parts`.
    mlir::SmallVector<std::pair<mlir::OperationName, int64_t>, 0> opCounts;
    /// With those in `parts`.
    int64_t numOps = 0;
    size_t numLines = 0;
    /// All lines, or those before and after the parts.
    std::shared_ptr<const Lines> lines, footer;
    /// If the op is divided: its attributes, and the ops of its body.
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
