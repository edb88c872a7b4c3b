//===- ModuleSnapshot.h - What was last seen of a module --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H
#define PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H

#include "LineDiff.h"

#include "mlir/IR/Operation.h"

#include <map>
#include <memory>
#include <optional>

namespace partita::instrument {

/// A module as it was last seen: its hash, ops and text. It is kept by the ops
/// of the module's body, so that of the next one only those that have changed
/// are counted, printed and compared. Aliases and resources are not in the
/// text.
class ModuleSnapshot {
public:
  ModuleSnapshot() = default;
  /// Constants of more elements than `elide` are elided, as in printIR; without
  /// it, there is no text. What `before` has of the same ops is shared.
  ModuleSnapshot(mlir::Operation *module, std::optional<int> elide,
                 const ModuleSnapshot *before = nullptr);

  /// Of all but locations, as hashStructure.
  uint64_t getHash() const { return hash; }
  /// How many ops are in the module, which is not counted itself.
  int64_t getNumOps() const { return numOps; }
  /// By how many ops of each name it has more than `before`, or less.
  std::map<std::string, int64_t>
  countChanges(const ModuleSnapshot &before) const;
  mlir::SmallVector<mlir::StringRef> getLines() const;
  /// The edits from the lines of `before`, as of diffIR.
  std::vector<LineEdit> diff(const ModuleSnapshot &before) const;

private:
  struct Text {
    explicit Text(std::string given);
    Text(const Text &) = delete;
    Text &operator=(const Text &) = delete;

    const std::string text;
    std::vector<mlir::StringRef> lines;
  };
  struct Contents {
    explicit Contents(std::string text) : text(std::move(text)) {}

    mlir::SmallVector<std::pair<mlir::StringRef, int64_t>> opCounts;
    int64_t numOps = 0;
    Text text;
  };
  /// An op of the body, or all of a module that has another form than one block
  /// of ops without values.
  struct Part {
    /// A symbol's, or null.
    mlir::Attribute name;
    uint64_t hash;
    std::shared_ptr<const Contents> contents;
  };
  using Parts = mlir::ArrayRef<Part>;

  bool isDivided() const { return bool(attributes); }
  void addPart(mlir::Operation *op, uint64_t opHash, const Part *before,
               llvm::function_ref<std::string()> print);
  static mlir::SmallVector<mlir::StringRef> getLines(Parts parts);
  static std::vector<LineEdit> diff(Parts before, Parts after);

  uint64_t hash = 0;
  int64_t numOps = 0;
  /// Of the module, if it is divided into the ops of its body, and its lines
  /// around these.
  mlir::Attribute attributes;
  std::shared_ptr<const Text> header, footer;
  std::vector<Part> parts;
};

} // namespace partita::instrument

#endif // PARTITA_LIB_INSTRUMENT_MODULESNAPSHOT_H
