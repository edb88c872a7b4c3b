//===- Pass.cpp - Passes and Sequentials ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/Pass.h"
#include "PassAccess.h"
#include "PassImpl.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/EscapeText.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace partita::transform {

llvm::Error makePassError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 escapeText(message.str()));
}

const PassInfo &Pass::info() const { return impl->info; }
StringRef Pass::argument() const { return impl->argument; }
StringRef Pass::opName() const { return impl->opName; }
bool Pass::isSequential() const { return !impl->build; }
ArrayRef<Pass> Pass::passes() const { return impl->members; }

llvm::Expected<std::string> Pass::version() const {
  if (impl->getVersion)
    return impl->getVersion();
  if (impl->hostCallback)
    return makePassError("it is a callback without a version; set one with "
                         "transform::withVersion");
  return "";
}

Pass withVersion(const Pass &pass,
                 std::function<llvm::Expected<std::string>()> getVersion) {
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  impl->getVersion = std::move(getVersion);
  return Pass(std::move(impl));
}

Pass withAlwaysRuns(const Pass &pass, bool alwaysRuns) {
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  impl->alwaysRuns = alwaysRuns;
  return Pass(std::move(impl));
}

Pass withInfo(const Pass &pass, PassInfo info) {
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  impl->info = std::move(info);
  return Pass(std::move(impl));
}

Pass Sequential(std::vector<Pass> passes, PassInfo info) {
  auto impl = std::make_shared<Pass::Impl>();
  impl->info = std::move(info);
  impl->members = std::move(passes);
  return Pass(std::move(impl));
}

Pass createPass(StringRef argument,
                std::function<std::unique_ptr<mlir::Pass>()> create) {
  auto impl = std::make_shared<Pass::Impl>();
  std::shared_ptr<const PassDeclaration> declared = lookupPass(argument);
  impl->info = declared ? declared->info : PassInfo{argument.str(), 0, {}};
  impl->readsPassContext = declared && declared->readsPassContext;
  impl->argument = argument.str();
  impl->opName = create()->getOpName().value_or("").str();
  impl->build = [create = std::move(create)](OpPassManager &pm,
                                             PassErrorHandler) {
    pm.addPass(create());
    return success();
  };
  return Pass(std::move(impl));
}

Pass createPass(std::unique_ptr<mlir::Pass> prototype) {
  std::string name = isAdaptor(*prototype) ? printPass(*prototype)
                                           : getPassArgument(*prototype);
  std::shared_ptr<const mlir::Pass> shared = std::move(prototype);
  return createPass(name, [shared] { return clonePass(*shared); });
}

bool skipsOptimization(Operation *func) {
  if (func->getRawDictionaryAttrs().empty())
    return false;
  Attribute attr = func->getDiscardableAttr("SkipOptimization");
  if (auto number = dyn_cast_or_null<IntegerAttr>(attr))
    return !number.getValue().isZero();
  return attr != nullptr;
}

} // namespace partita::transform
