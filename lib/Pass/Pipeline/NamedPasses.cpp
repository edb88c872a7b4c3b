//===- NamedPasses.cpp - Passes by name -----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedPasses.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../PassRegistryImpl.h"
#include "PassPlacement.h"
#include "partita/Pass/PassContext.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace partita::transform {

static Pass markFromText(const Pass &pass) {
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  impl->isFromText = true;
  return Pass(std::move(impl));
}

/// Makes a pass from a declaration that has a `create` function.
static llvm::Expected<Pass> createWithOptions(const PassDeclaration &declared,
                                              StringRef options) {
  std::shared_ptr<mlir::Pass> prototype = declared.create();
  std::string message;
  if (failed(prototype->initializeOptions(options, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected options that pass '" + declared.argument +
                         "' has, but found '" + options + "'" +
                         (message.empty() ? "" : ": ") +
                         StringRef(message).trim());
  return markFromText(createPass(
      declared.argument, [prototype] { return clonePass(*prototype); }));
}

/// A pass by its argument in MLIR's registry.
static llvm::Expected<Pass> getPassByArgument(StringRef argument,
                                              StringRef options,
                                              const PassDeclaration *declared) {
  const PassRegistryEntry *entry = lookupMLIR(argument);
  if (!entry && declared->create)
    return createWithOptions(*declared, options);
  // A PassInfo can be registered before its pass, or without it.
  if (!entry)
    return makePassError("expected a pass '" + argument +
                         "' to be registered with MLIR, but found only the "
                         "PassInfo of '" +
                         declared->info.name + "', but not the pass");
  auto impl = std::make_shared<Pass::Impl>();
  impl->info = declared ? declared->info : PassInfo{argument.str(), 0, {}};
  impl->argument = argument.str();
  impl->isFromText = true;
  impl->readsPassContext = declared && declared->readsPassContext;

  // Make it once to find errors in the options, and the op that it runs on.
  OpPassManager trial;
  std::string message;
  if (failed(entry->addToPipeline(trial, options, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected options that pass '" + argument +
                         "' has, but found '" + options + "'" +
                         (message.empty() ? "" : ": ") +
                         StringRef(message).trim());
  if (lookupPassOfMLIR(argument) && !trial.empty())
    impl->opName = trial.begin()->getOpName().value_or("").str();
  impl->build = [entry, options = options.str()](OpPassManager &pm,
                                                 PassErrorHandler onError) {
    return entry->addToPipeline(pm, options, onError);
  };
  return Pass(std::move(impl));
}

llvm::Expected<Pass> getPassOfMLIR(StringRef name, StringRef options) {
  std::shared_ptr<const PassDeclaration> declared = lookupPass(name);
  StringRef argument =
      declared && !declared->argument.empty() ? declared->argument : name;
  if (!declared && !lookupMLIR(argument))
    return makePassError("expected a registered pass, but found '" + name +
                         "'" + suggestPassNames(name));
  return getPassByArgument(argument, options, declared.get());
}

/// getPass, from within the Sequentials named in `within`.
static llvm::Expected<Pass> getPassWithin(StringRef name, StringRef options,
                                          std::vector<std::string> &within) {
  std::shared_ptr<const PassDeclaration> declared = lookupPass(name);
  if (declared)
    if (Pass object = lookupPassObject(declared->info.name))
      return object;
  if (declared && declared->members) {
    if (!options.empty())
      return makePassError("expected no options for Sequential '" + name +
                           "', but found '" + options + "'");
    if (llvm::is_contained(within, declared->info.name))
      return makePassError("expected no Sequential to hold itself, but found " +
                           describeChain(within, declared->info.name));
    within.push_back(declared->info.name);
    llvm::scope_exit leave([&] { within.pop_back(); });
    std::vector<Pass> members;
    for (const std::string &member : *declared->members) {
      llvm::Expected<std::vector<PipelineElement>> elements =
          parsePipelineText(member);
      if (!elements)
        return elements.takeError();
      auto add = [&](const PipelineElement &element,
                     ArrayRef<std::string> anchors) -> llvm::Error {
        llvm::Expected<Pass> pass =
            getPassWithin(element.name, element.options, within);
        if (!pass)
          return pass.takeError();
        // Members without anchors decide themselves where they run.
        if (anchors.size() == 1) {
          members.push_back(std::move(*pass));
          return llvm::Error::success();
        }
        if (llvm::Error error = checkWrittenAnchor(*pass, anchors))
          return error;
        members.push_back(placeBelow(*pass, anchors));
        return llvm::Error::success();
      };
      if (llvm::Error error = walkPasses(*elements, std::string("any"), add))
        return std::move(error);
    }
    auto impl = std::make_shared<Pass::Impl>(
        Sequential(members, declared->info).getImpl());
    impl->argument = declared->argument;
    return Pass(std::move(impl));
  }
  return getPassOfMLIR(name, options);
}

llvm::Expected<Pass> getPass(StringRef name, StringRef options) {
  std::vector<std::string> within;
  return getPassWithin(name, options, within);
}

std::string describeChain(ArrayRef<std::string> chain, StringRef name) {
  std::string text = "'";
  for (const std::string &link :
       llvm::make_range(llvm::find(chain, name), chain.end()))
    text += link + "' -> '";
  return text + name.str() + "'";
}

Pass getRegisteredPass(StringRef name) { return llvm::cantFail(getPass(name)); }

std::vector<std::string> describeUnknownNames(const PassContext &context,
                                              ArrayRef<std::string> present) {
  std::vector<std::string> warnings;
  auto check = [&](ArrayRef<std::string> names, StringRef field) {
    for (const std::string &name : names)
      if (!isRegisteredPass(name) && !llvm::is_contained(present, name))
        warnings.push_back(("expected the names in " + field +
                            " to be passes, but found '" + name + "'" +
                            suggestPassNames(name, present))
                               .str());
  };
  check(context.requiredPass(), "required_pass");
  check(context.disabledPass(), "disabled_pass");
  return warnings;
}

} // namespace partita::transform
