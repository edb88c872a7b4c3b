//===- PipelineText.h - Textual pipelines -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINE_PIPELINETEXT_H
#define PARTITA_LIB_PASS_PIPELINE_PIPELINETEXT_H

#include "partita/Pass/Pass.h"

namespace partita::transform {

/// MLIR's text for a pass without an argument, before its name and '>'.
inline constexpr llvm::StringLiteral unnamedPassPrefix = "unknown<";

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

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINE_PIPELINETEXT_H
