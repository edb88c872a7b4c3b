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

/// Parses a pipeline as MLIR does: options hold anything whose braces match.
/// What MLIR prints for a pass without an argument, `unknown<TYPE>`, is an
/// element, too, whose name is that text.
llvm::Expected<std::vector<PipelineElement>>
parsePipelineText(llvm::StringRef text);

/// Prints elements without spaces outside of options.
void printPipelineText(llvm::ArrayRef<PipelineElement> elements,
                       llvm::raw_ostream &os);
std::string printPass(const mlir::Pass &pass);
/// Without the options that are as in a fresh pass, which MLIR prints, too.
std::string printPipeline(mlir::OpPassManager &pm);

/// The only pass that `text` describes, in a manager for any op; null if there
/// is none, or not one.
const mlir::Pass *parsePass(const llvm::Twine &text,
                            std::optional<mlir::OpPassManager> &owner);
/// What a fresh pass called `name` prints for its options; nullopt if there is
/// no such pass.
std::optional<std::string> printFreshOptions(llvm::StringRef name);
/// Splits options at the spaces that are outside of brackets and quotes.
llvm::SmallVector<llvm::StringRef> splitOptions(llvm::StringRef options);
/// The options of an element without those in `fresh`.
std::string dropOptions(llvm::StringRef options, llvm::StringRef fresh);

/// What such an element calls the pass: its argument or, without one, its own
/// name.
llvm::StringRef getPassName(llvm::StringRef elementName);

/// The name of an anchor in a textual pipeline. MLIR runs what stands in an
/// `any(...)` on the ops that all of it can run on, so two of them are never
/// merged: below the root, each has a number, as in "any#7".
llvm::StringRef getAnchorName(llvm::StringRef anchor);
inline bool isAnyAnchor(llvm::StringRef anchor) {
  return getAnchorName(anchor) == mlir::OpPassManager::getAnyOpAnchorName();
}

/// The anchors, and below them `anchor`, with those that registerPassAnchor
/// says are between them.
llvm::SmallVector<std::string> nestAnchor(llvm::ArrayRef<std::string> anchors,
                                          llvm::StringRef anchor);

/// The passes of `elements`, to be run below `anchors`, the root's first.
llvm::Error getPasses(llvm::ArrayRef<PipelineElement> elements,
                      llvm::ArrayRef<std::string> anchors,
                      std::vector<Pass> &passes);

/// `pass`, to be run below `anchors`; a Sequential's members each. Anchors that
/// a pass has begin where it is put. One for another op than the last of
/// `anchors` goes to its ops in there, unless that is `any`.
Pass placeBelow(const Pass &pass, llvm::ArrayRef<std::string> anchors);

/// `sequential{...}`, which makes `pass` again where its passes are registered.
std::string printSequential(const Pass &pass);

/// Whether a Sequential that is put below `anchors` does what its members do
/// there. In an `any(...)` it runs on each op by itself, and a member on some
/// of them would keep the others from running on the rest.
bool canExpand(const Pass &sequential, llvm::ArrayRef<std::string> anchors);

/// The members that the option `passes` of `sequential` describes, below
/// `anchors`.
llvm::Expected<std::vector<Pass>>
getSequentialMembers(llvm::ArrayRef<std::string> texts,
                     llvm::ArrayRef<std::string> anchors);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINETEXT_H
