//===- PlanLowering.cpp - From a plan to an OpPassManager -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../Pipeline/TakenPasses.h"
#include "../PlanRunnerPass.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

SavedPass PlanLowering::getOptions(const mlir::Pass &pass,
                                   const Plan::Entry &entry) {
  SavedPass options;
  options.run = savings->facts;
  options.verify = savings->options.verify;
  unsigned position = numWrapped++;
  PassTraits traits = getTraits(pass);
  bool maySkip = !isa<PlanRunnerPass>(pass) && !traits.alwaysRuns;
  byFunction &= maySkip;
  // It is unknown which callback a copy from somebody's pass manager has.
  maySkip &= !isCallback(pass) || entry.pass.getImpl().hostCallback;
  auto first = savings->firstSteps.find(entry.number);
  if (first == savings->firstSteps.end() || !maySkip)
    return options;
  options.facts = savings->facts->get(first->second, position);
  options.sample = savings->facts->getSample(entry.number);
  options.isIdempotent = traits.isIdempotent;
  return options;
}

/// Puts the passes inside an adaptor into passes that save work.
void PlanLowering::wrapNested(mlir::Pass &adaptor, const Plan::Entry &entry) {
  for (OpPassManager &nested : getNestedManagers(adaptor))
    for (std::unique_ptr<mlir::Pass> &slot : getPassSlots(nested)) {
      if (isAdaptor(*slot)) {
        wrapNested(*slot, entry);
        continue;
      }
      SavedPass options = getOptions(*slot, entry);
      slot = makeSavingPass(std::move(slot), std::move(options));
    }
}

/// Adds the passes of `made` to `manager`, so that their work is saved.
void PlanLowering::addSaving(OpPassManager &made, OpPassManager &manager,
                             ArrayRef<std::string> path,
                             const Plan::Entry &entry) {
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
        wrapNested(*pass, entry);
      byFunction &= isInFunction;
    } else {
      SavedPass options = getOptions(*pass, entry);
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
  llvm::Expected<SmallVector<std::string>> path =
      getPath(entry.pass, entry.place, rootName);
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
    addSaving(made, manager, *path, entry);
  else
    for (const mlir::Pass &pass : llvm::drop_begin(manager.getPasses(), size))
      added.push_back(&pass);
  if (PipelineNester::AnyMembers members = nester.getInnermost())
    llvm::append_range(*members, added);
  return llvm::Error::success();
}

} // namespace partita::transform
