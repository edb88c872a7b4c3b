//===- PipelinePasses.cpp - The passes of pass managers -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinePasses.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../Plan/PlanLowering.h"
#include "SequentialPass.h"
#include "partita/Pass/SequentialPass.h"

using namespace mlir;

namespace partita::transform {

/// Makes a pass equal to the one that printed `element`; null if text can't
/// make it. MLIR prints options that were not set. Options that a fresh pass
/// prints, too, are left out, because they would count as set.
static Pass reparse(const PipelineElement &element) {
  std::optional<OpPassManager> owner;
  std::optional<std::string> fresh = printFreshOptions(element.name);
  std::string options =
      fresh ? dropOptions(element.options, *fresh) : element.options.str();
  const mlir::Pass *made = parsePass(
      element.name + (options.empty() ? "" : "{" + options + "}"), owner);
  if (!made)
    return {};
  // Some passes print a space after their options.
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

/// Adds the passes of an adaptor, which MLIR shows as text only. Fails if the
/// text does not make the same passes.
static llvm::Error addReparsed(ArrayRef<PipelineElement> elements,
                               ArrayRef<std::string> anchors,
                               std::vector<Pass> &passes) {
  auto add = [&](const PipelineElement &element,
                 ArrayRef<std::string> anchors) -> llvm::Error {
    Pass pass = reparse(element);
    if (!pass)
      return makePassError("expected text that makes the pass again");
    passes.push_back(placeBelow(pass, anchors));
    return llvm::Error::success();
  };
  return walkPasses(elements, anchors, add);
}

namespace {
/// Whether a pass that runs a Sequential is replaced by the Sequential.
enum class Expand { No, IfPossible, Yes };
} // namespace

/// Adds the passes of `pm`, to run below `anchors`. If `taken` is given, it
/// owns the passes later.
static llvm::Error addPasses(const OpPassManager &pm,
                             ArrayRef<std::string> anchors, Expand expand,
                             const std::shared_ptr<TakenPasses> &taken,
                             std::vector<Pass> &passes) {
  for (mlir::Pass &pass : const_cast<OpPassManager &>(pm).getPasses()) {
    if (isAdaptor(pass) && isAdaptorKnown()) {
      for (const OpPassManager &nested : getNestedManagers(pass))
        if (llvm::Error error =
                addPasses(nested, nestAnchor(anchors, nested.getOpAnchorName()),
                          expand, taken, passes))
          return error;
      continue;
    }
    if (isAdaptor(pass)) {
      std::string text = printPass(pass);
      llvm::Expected<std::vector<PipelineElement>> elements =
          parsePipelineText(text);
      std::vector<Pass> inner;
      llvm::Error error = elements ? addReparsed(*elements, anchors, inner)
                                   : elements.takeError();
      if (!error) {
        llvm::append_range(passes, inner);
        continue;
      }
      // Text can't make its passes, so the adaptor stays one step.
      llvm::consumeError(std::move(error));
    } else if (expand != Expand::No) {
      if (auto sequential = getSequentialOf(pass, anchors)) {
        if (*sequential) {
          passes.push_back(**sequential);
          continue;
        }
        if (expand == Expand::Yes)
          return sequential->takeError();
        llvm::consumeError(sequential->takeError());
      }
    }
    Pass made = createPass(clonePass(pass));
    if (std::optional<PassInfo> info = getSequentialInfo(pass))
      made = withInfo(made, std::move(*info));
    auto impl = std::make_shared<Pass::Impl>(made.getImpl());
    impl->original = taken ? &pass : nullptr;
    impl->taken = taken;
    passes.push_back(placeBelow(Pass(std::move(impl)), anchors));
  }
  return llvm::Error::success();
}

/// The passes of `pm`, to run on a root called `rootName`.
static llvm::Expected<std::vector<Pass>>
getPasses(const OpPassManager &pm, StringRef rootName, Expand expand,
          const std::shared_ptr<TakenPasses> &taken = nullptr) {
  std::vector<Pass> passes;
  if (llvm::Error error = addPasses(pm, rootName.str(), expand, taken, passes))
    return std::move(error);
  return passes;
}

llvm::Expected<Pass> createSequential(const OpPassManager &pm, PassInfo info,
                                      StringRef rootName) {
  llvm::Expected<std::vector<Pass>> members = getPasses(
      pm, rootName.empty() ? pm.getOpAnchorName() : rootName, Expand::Yes);
  if (!members)
    return members.takeError();
  return Sequential(std::move(*members), std::move(info));
}

llvm::Expected<Pass> createSequential(const OpPassManager &pm,
                                      std::shared_ptr<TakenPasses> taken) {
  llvm::Expected<std::vector<Pass>> members =
      getPasses(pm, pm.getOpAnchorName(), Expand::Yes, taken);
  if (!members)
    return members.takeError();
  return Sequential(std::move(*members));
}

Pass Sequential(OpPassManager &pm, PassInfo info, StringRef rootName) {
  return Sequential(llvm::cantFail(getPasses(
                        pm, rootName.empty() ? pm.getOpAnchorName() : rootName,
                        Expand::IfPossible)),
                    std::move(info));
}

LogicalResult nestPasses(const OpPassManager &from, OpPassManager &to) {
  auto nest = [&](const mlir::Pass &pass) -> llvm::Error {
    OpPassManager single(from.getOpAnchorName(),
                         OpPassManager::Nesting::Explicit);
    single.addPass(clonePass(pass));
    auto passes = getPasses(single, to.getOpAnchorName(), Expand::No);
    if (!passes)
      return passes.takeError();
    // Passes of `from` share no nested manager: MLIR merges them when they run.
    PlanLowering lowering(to, to.getOpAnchorName());
    for (Pass &nested : *passes) {
      Plan::Entry entry;
      entry.pass = nested;
      if (llvm::Error error = lowering.add(entry))
        return error;
    }
    return llvm::Error::success();
  };
  for (const mlir::Pass &pass : const_cast<OpPassManager &>(from).getPasses())
    if (llvm::Error error = nest(pass)) {
      llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
      return failure();
    }
  return success();
}

} // namespace partita::transform
