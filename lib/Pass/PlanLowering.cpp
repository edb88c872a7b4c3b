//===- PlanLowering.cpp - From a plan to an OpPassManager -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"
#include "ForeignPlan.h"
#include "PassImpl.h"
#include "PipelineText.h"
#include "TakenPasses.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// PipelineNester
//===----------------------------------------------------------------------===//

/// Whether the anchor is a separate `any(...)`: see getAnchorName.
static bool isNumbered(StringRef anchor) {
  return getAnchorName(anchor).size() != anchor.size();
}

size_t PipelineNester::countShared(ArrayRef<std::string> path) const {
  size_t count = 0;
  while (count < std::min(levels.size(), path.size()) &&
         levels[count].anchor == path[count])
    ++count;
  while (count != 0 && !isNumbered(path[count - 1]))
    --count;
  return count;
}

OpPassManager &PipelineNester::nest(ArrayRef<std::string> path) {
  bool isSame =
      llvm::equal(path, levels, [](StringRef anchor, const Level &level) {
        return anchor == level.anchor;
      });
  if (!isSame) {
    levels.resize(countShared(path));
    for (const std::string &anchor : path.drop_front(levels.size())) {
      OpPassManager &outer = levels.empty() ? root : *levels.back().manager;
      if (isAnyAnchor(anchor))
        levels.push_back({anchor, &outer.nestAny(),
                          std::make_shared<AnyMembers::element_type>()});
      else
        levels.push_back({anchor, &outer.nest(anchor), nullptr});
    }
  }
  return levels.empty() ? root : *levels.back().manager;
}

SmallVector<PipelineNester::AnyMembers> PipelineNester::getMembers() const {
  SmallVector<AnyMembers> members;
  for (const Level &level : levels)
    members.push_back(level.members);
  return members;
}

//===----------------------------------------------------------------------===//
// PlanLowering
//===----------------------------------------------------------------------===//

/// The anchors of `pass` below `rootName`; nothing for a pass on any op without
/// a place.
static llvm::Expected<std::optional<SmallVector<std::string>>>
getOwnPath(const Pass &pass, StringRef rootName) {
  const Pass::Impl &impl = pass.getImpl();
  SmallVector<std::string> path;
  if (impl.anchors) {
    ArrayRef<std::string> anchors = *impl.anchors;
    if (anchors.front() != rootName &&
        anchors.front() != OpPassManager::getAnyOpAnchorName())
      return makePassError("expected pass '" + impl.info.name +
                           "' to be run on '" + anchors.front() +
                           "', but the root is '" + rootName + "'");
    path.append(anchors.begin() + 1, anchors.end());
    return path;
  }
  if (impl.opName.empty())
    return std::nullopt;
  if (rootName == OpPassManager::getAnyOpAnchorName())
    return makePassError("expected a pass manager for ops of one name, in "
                         "which pass '" +
                         impl.info.name + "' finds '" + impl.opName +
                         "', but found one for any op; make it with the name "
                         "of the root");
  FailureOr<SmallVector<std::string>> found =
      getAnchorPath(rootName, impl.opName);
  if (failed(found))
    return makePassError("expected a root that holds '" + impl.opName +
                         "' for pass '" + impl.info.name + "', but it is '" +
                         rootName + "'");
  return *found;
}

llvm::Expected<SmallVector<std::string>>
PlanLowering::getPath(const Plan::Entry &entry, StringRef rootName) {
  for (const Pass &pass : {entry.pass, entry.place}) {
    if (!pass || pass.isSequential())
      continue;
    auto path = getOwnPath(pass, rootName);
    if (!path)
      return path.takeError();
    if (*path)
      return **path;
    // The host's code on the module runs on the root, whichever pass requires
    // it.
    if (pass.getImpl().isHostCallback)
      break;
  }
  return SmallVector<std::string>();
}

SavedPass PlanLowering::getOptions(const mlir::Pass &pass, unsigned step) {
  SavedPass options;
  options.run = savings->facts;
  if (savings->verifies)
    options.verify = savings->options.verify;
  unsigned position = numWrapped++;
  PassTraits traits = getTraits(pass);
  bool maySkip = !isSequentialPass(pass) && !traits.alwaysRuns;
  byFunction &= maySkip;
  auto first = savings->firstSteps.find(step);
  if (first == savings->firstSteps.end() || !maySkip)
    return options;
  options.facts = savings->facts->get(first->second, position);
  options.sample = savings->facts->getSample(step);
  options.isIdempotent = traits.isIdempotent;
  return options;
}

/// Puts the passes inside an adaptor into passes that save work.
void PlanLowering::wrapNested(mlir::Pass &adaptor, unsigned step) {
  for (OpPassManager &nested : getNestedManagers(adaptor))
    for (std::unique_ptr<mlir::Pass> &slot : getPassSlots(nested)) {
      if (isAdaptor(*slot)) {
        wrapNested(*slot, step);
        continue;
      }
      SavedPass options = getOptions(*slot, step);
      slot = makeSavingPass(std::move(slot), std::move(options));
    }
}

/// Adds the passes of `made` to `manager`, so that their work is saved.
void PlanLowering::addSaving(OpPassManager &made, OpPassManager &manager,
                             ArrayRef<std::string> path, unsigned step) {
  bool isRoot = path.empty();
  bool isInFunction = llvm::any_of(path, [&](StringRef anchor) {
    auto name = RegisteredOperationName::lookup(getAnchorName(anchor),
                                                savings->context);
    return name && name->hasInterface<FunctionOpInterface>();
  });
  numWrapped = 0;
  byFunction = true;
  for (std::unique_ptr<mlir::Pass> &slot : getPassSlots(made)) {
    std::unique_ptr<mlir::Pass> pass = std::move(slot);
    if (isAdaptor(*pass)) {
      if (savings->wrapsAll())
        wrapNested(*pass, step);
      byFunction &= isInFunction;
    } else {
      SavedPass options = getOptions(*pass, step);
      bool isLocal = !pass->getOpName() && getTraits(*pass).isLocal;
      byFunction &= isLocal || isInFunction;
      isLocal &= isRoot;
      if (isLocal && savings->options.nestInFunctions) {
        auto [onRoot, inside] =
            addNestedPass(manager, std::move(pass), options);
        added.append({onRoot, inside});
        continue;
      }
      if (isLocal && options.facts)
        pass = makeHidingPass(std::move(pass), std::move(options));
      else if (savings->wrapsAll())
        pass = makeSavingPass(std::move(pass), std::move(options));
    }
    added.push_back(pass.get());
    manager.addPass(std::move(pass));
  }
}

llvm::Error PlanLowering::add(const Plan::Entry &entry) {
  llvm::Expected<SmallVector<std::string>> path = getPath(entry, rootName);
  if (!path)
    return path.takeError();
  OpPassManager &manager = nester.nest(*path);
  const Pass::Impl &impl = entry.pass.getImpl();
  // MLIR would end the process here.
  if (std::optional<StringRef> op = manager.getOpName();
      op && !impl.opName.empty() && impl.opName != *op)
    return makePassError("expected pass '" + impl.info.name +
                         "' to be put on '" + impl.opName +
                         "', which it runs on, but found it on '" + *op +
                         "'; nest it in " + impl.opName + "(...)");
  OpPassManager own(manager.getOpAnchorName(),
                    OpPassManager::Nesting::Explicit);
  OpPassManager &made = savings ? own : manager;
  size_t size = made.size();
  std::string message;
  std::shared_ptr<TakenPasses> taken = runs ? impl.taken.lock() : nullptr;
  if (!(taken && taken->moveTo(impl.original, made)) &&
      failed(impl.build(made, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected pass '" + impl.info.name +
                         "' to be made, but: " + message);
  added.clear();
  if (savings)
    addSaving(made, manager, *path, entry.number);
  else
    for (const mlir::Pass &pass : llvm::drop_begin(manager.getPasses(), size))
      added.push_back(&pass);
  if (PipelineNester::AnyMembers members = nester.getInnermost())
    llvm::append_range(*members, added);
  return llvm::Error::success();
}

} // namespace partita::transform
