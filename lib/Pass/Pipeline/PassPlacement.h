//===- PassPlacement.h - Where passes run -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINE_PASSPLACEMENT_H
#define PARTITA_LIB_PASS_PIPELINE_PASSPLACEMENT_H

#include "PipelineText.h"

namespace partita::transform {

/// The name of an anchor in a textual pipeline. MLIR runs the passes in an
/// `any(...)` on the ops that all of them can run on. So two of them must not
/// be merged: below the root, each has a number, as in "any#7".
llvm::StringRef getAnchorName(llvm::StringRef anchor);
inline bool isAnyAnchor(llvm::StringRef anchor) {
  return getAnchorName(anchor) == mlir::OpPassManager::getAnyOpAnchorName();
}

/// `anchors`, the anchors that registerPassAnchor puts between, and `anchor`.
llvm::SmallVector<std::string> nestAnchor(llvm::ArrayRef<std::string> anchors,
                                          llvm::StringRef anchor);

/// Calls `visit` for each pass of `elements` with the anchors that it is
/// written below, which begin with `anchors`; up to the first error.
llvm::Error
walkPasses(llvm::ArrayRef<PipelineElement> elements,
           llvm::ArrayRef<std::string> anchors,
           llvm::function_ref<llvm::Error(const PipelineElement &,
                                          llvm::ArrayRef<std::string>)>
               visit);

/// An error if `pass` can't run on the last of `anchors`, which a text has.
/// MLIR refuses such a text, too: the pass would never run.
llvm::Error checkWrittenAnchor(const Pass &pass,
                               llvm::ArrayRef<std::string> anchors);

/// `pass`, to run below `anchors`; for a Sequential, each of its members. A
/// pass's own anchors begin at its new place. A pass on another op than the
/// last of `anchors` is nested there, unless that is `any`.
Pass placeBelow(const Pass &pass, llvm::ArrayRef<std::string> anchors);

/// The anchors of `pass` below `rootName`. A pass on any op without a place of
/// its own runs where `place` does, if that is given, or on the root.
llvm::Expected<llvm::SmallVector<std::string>>
getPath(const Pass &pass, const Pass &place, llvm::StringRef rootName);

/// Whether both passes run in the same place, on any root that they can run on.
/// Each is given with its `place`, as for getPath.
bool isSamePlace(const Pass &lhs, const Pass &lhsPlace, const Pass &rhs,
                 const Pass &rhsPlace);
bool isSamePlace(const Pass &lhs, const Pass &rhs);

/// Nests managers in a root, one path at a time.
class PipelineNester {
public:
  /// The passes that stand directly in an `any(...)`.
  using AnyMembers = std::shared_ptr<std::vector<const mlir::Pass *>>;

  explicit PipelineNester(mlir::OpPassManager &root) : root(root) {}

  /// The manager at `path`. It is the last one if `path` is the same, or if
  /// both are in one `any(...)`, which is never split.
  mlir::OpPassManager &nest(llvm::ArrayRef<std::string> path);

  /// Whether the last path and `path` are in one `any(...)`.
  bool isInSameAny(llvm::ArrayRef<std::string> path) const {
    return countShared(path) != 0;
  }

  /// For each anchor of the last path, the passes in its `any(...)`; null for
  /// other anchors.
  llvm::SmallVector<AnyMembers> getMembers() const;
  /// The passes in the last anchor, if it is an `any`; else null.
  AnyMembers getInnermost() const {
    return levels.empty() ? nullptr : levels.back().members;
  }

private:
  struct Level {
    std::string anchor;
    mlir::OpPassManager *manager;
    AnyMembers members;
  };

  size_t countShared(llvm::ArrayRef<std::string> path) const;

  mlir::OpPassManager &root;
  std::vector<Level> levels;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINE_PASSPLACEMENT_H
