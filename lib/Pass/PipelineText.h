//===- PipelineText.h - Textual pipelines -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINETEXT_H
#define PARTITA_LIB_PASS_PIPELINETEXT_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

/// An element of a textual pipeline: a pass, `name` or `name{options}`, or a
/// nested pipeline, `name(elements)`. It points into the text.
struct PipelineElement {
  llvm::StringRef name;
  /// Without the braces.
  llvm::StringRef options;
  bool isNested = false;
  std::vector<PipelineElement> elements;
};

/// Parses a pipeline as MLIR does: options hold any text whose braces match.
/// MLIR's text for a pass without an argument, `unknown<TYPE>`, is an element,
/// too, with that text as its name.
llvm::Expected<std::vector<PipelineElement>>
parsePipelineText(llvm::StringRef text);

/// Prints elements without spaces outside of options.
void printPipelineText(llvm::ArrayRef<PipelineElement> elements,
                       llvm::raw_ostream &os);
std::string printPass(const mlir::Pass &pass);
/// Leaves out options that a fresh pass has, too, which MLIR prints.
std::string printPipeline(mlir::OpPassManager &pm);

/// The pass that `text` describes, in a manager for any op; null unless there
/// is exactly one.
const mlir::Pass *parsePass(const llvm::Twine &text,
                            std::optional<mlir::OpPassManager> &owner);
/// The printed options of a fresh pass called `name`; nullopt if there is no
/// such pass.
std::optional<std::string> printFreshOptions(llvm::StringRef name);
/// Splits options at the spaces outside brackets and quotes.
llvm::SmallVector<llvm::StringRef> splitOptions(llvm::StringRef options);
/// The options of an element, except the ones that are also in `fresh`.
std::string dropOptions(llvm::StringRef options, llvm::StringRef fresh);

/// The pass's name in an element: its argument or, without one, its own name.
llvm::StringRef getPassName(llvm::StringRef elementName);

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

/// The passes of `elements`, to run below `anchors`, the root's first.
llvm::Error getPasses(llvm::ArrayRef<PipelineElement> elements,
                      llvm::ArrayRef<std::string> anchors,
                      std::vector<Pass> &passes);

/// `pass`, to run below `anchors`; for a Sequential, each of its members. A
/// pass's own anchors begin at its new place. A pass on another op than the
/// last of `anchors` is nested there, unless that is `any`.
Pass placeBelow(const Pass &pass, llvm::ArrayRef<std::string> anchors);

/// `sequential{...}`, which makes `pass` again if its passes are registered.
std::string printSequential(const Pass &pass);

/// Whether a Sequential below `anchors` does the same as its members there. In
/// an `any(...)` the Sequential runs on each op by itself, but one member that
/// runs only on some ops would keep all members from the other ops.
bool canExpand(const Pass &sequential, llvm::ArrayRef<std::string> anchors);

/// The members that the option `passes` of `sequential` describes, below
/// `anchors`.
llvm::Expected<std::vector<Pass>>
getSequentialMembers(llvm::ArrayRef<std::string> texts,
                     llvm::ArrayRef<std::string> anchors);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINETEXT_H
