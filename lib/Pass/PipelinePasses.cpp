//===- PipelinePasses.cpp - The passes of pass managers -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassImpl.h"
#include "PipelineText.h"
#include "PlanLowering.h"
#include "partita/Pass/SequentialPass.h"

using namespace mlir;

namespace partita::transform {

/// A pass that is as the one whose text is `element`, or null if text does not
/// make it. MLIR prints options that were not set: those that a fresh pass
/// prints, too, are left out, lest they count as set.
static Pass reparse(const PipelineElement &element) {
  std::optional<OpPassManager> owner;
  std::optional<std::string> fresh = printFreshOptions(element.name);
  std::string options =
      fresh ? dropOptions(element.options, *fresh) : element.options.str();
  const mlir::Pass *made = parsePass(
      element.name + (options.empty() ? "" : "{" + options + "}"), owner);
  if (!made)
    return {};
  // The printer of some passes ends options with a space.
  std::string text = printPass(*made);
  llvm::Expected<std::vector<PipelineElement>> again = parsePipelineText(text);
  if (!again ||
      splitOptions(again->front().options) != splitOptions(element.options)) {
    if (!again)
      llvm::consumeError(again.takeError());
    return {};
  }
  return createPass(clonePass(*made));
}

/// Adds the passes of an adaptor, which MLIR shows by their text alone. Fails
/// where that does not make the same passes.
static LogicalResult addReparsed(ArrayRef<PipelineElement> elements,
                                 ArrayRef<std::string> anchors,
                                 std::vector<Pass> &passes) {
  for (const PipelineElement &element : elements) {
    if (element.isNested) {
      if (failed(addReparsed(element.elements,
                             nestAnchor(anchors, element.name), passes)))
        return failure();
      continue;
    }
    Pass pass = reparse(element);
    if (!pass)
      return failure();
    passes.push_back(placeBelow(pass, anchors));
  }
  return success();
}

/// The passes of `pm`, to be run on a root of that name. If `expand`, a pass
/// that runs a Sequential becomes that Sequential.
static llvm::Expected<std::vector<Pass>>
getPasses(const OpPassManager &pm, StringRef rootName, bool expand) {
  std::string root = rootName.str();
  std::vector<Pass> passes;
  for (const mlir::Pass &pass : const_cast<OpPassManager &>(pm).getPasses()) {
    if (isAdaptor(pass)) {
      std::string text = printPass(pass);
      llvm::Expected<std::vector<PipelineElement>> elements =
          parsePipelineText(text);
      std::vector<Pass> inner;
      if (elements && succeeded(addReparsed(*elements, root, inner))) {
        llvm::append_range(passes, inner);
        continue;
      }
      // An adaptor whose passes can't be made from text stays one step.
      if (!elements)
        llvm::consumeError(elements.takeError());
    } else if (expand) {
      if (auto sequential = getSequentialOf(pass, root)) {
        if (!*sequential)
          return sequential->takeError();
        passes.push_back(**sequential);
        continue;
      }
    }
    passes.push_back(placeBelow(createPass(clonePass(pass)), root));
  }
  return passes;
}

llvm::Expected<Pass> createSequential(const OpPassManager &pm, PassInfo info,
                                      StringRef rootName) {
  llvm::Expected<std::vector<Pass>> members =
      getPasses(pm, rootName.empty() ? pm.getOpAnchorName() : rootName,
                /*expand=*/true);
  if (!members)
    return members.takeError();
  return Sequential(std::move(*members), std::move(info));
}

LogicalResult nestPasses(const OpPassManager &from, OpPassManager &to) {
  PlanLowering lowering(to, to.getOpAnchorName());
  auto passes = getPasses(from, to.getOpAnchorName(), /*expand=*/false);
  llvm::Error error = passes ? llvm::Error::success() : passes.takeError();
  for (size_t index = 0; !error && index < passes->size(); ++index) {
    Plan::Entry entry;
    entry.pass = (*passes)[index];
    error = lowering.add(entry);
  }
  if (!error)
    return success();
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return failure();
}

} // namespace partita::transform
