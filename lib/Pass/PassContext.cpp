//===- PassContext.cpp - The policy that passes run under -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassContext.h"
#include "CurrentPassContext.h"
#include "PassInstrumentImpl.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <atomic>
#include <limits>

using namespace mlir;

namespace partita::transform {

using instrument::PassInstrumentRef;

struct PassContext::Impl {
  /// required_pass and disabled_pass as canonical names, for one registry
  /// generation.
  struct NameSets {
    uint64_t generation;
    llvm::StringSet<> required, disabled;
  };

  int optLevel = 2;
  std::vector<std::string> requiredPass, disabledPass;
  std::vector<std::pair<std::string, Attribute>> config;
  std::string policyKey = "2";
  SavingOptions saving;

  std::mutex mutex;
  std::shared_ptr<const PassInstruments> instruments =
      std::make_shared<const PassInstruments>();
  std::atomic<uint64_t> instrumentsVersion{0};
  std::atomic<bool> hasRun{false};
  std::shared_ptr<const NameSets> names;
  std::vector<PassDiagnostic> diagnostics;

  void setInstruments(PassInstruments list) {
    auto shared = std::make_shared<const PassInstruments>(std::move(list));
    // The old ones are freed after the lock.
    std::lock_guard<std::mutex> lock(mutex);
    instruments.swap(shared);
    ++instrumentsVersion;
  }

  std::shared_ptr<const NameSets> getNames() {
    uint64_t generation = getPassRegistryGeneration();
    std::lock_guard<std::mutex> lock(mutex);
    if (names && names->generation == generation)
      return names;
    auto sets = std::make_shared<NameSets>();
    sets->generation = generation;
    for (const std::string &name : requiredPass)
      sets->required.insert(canonicalPassName(name));
    for (const std::string &name : disabledPass)
      sets->disabled.insert(canonicalPassName(name));
    return names = sets;
  }
};

//===----------------------------------------------------------------------===//
// Construction and access
//===----------------------------------------------------------------------===//

PassContext::PassContext() : impl(std::make_shared<Impl>()) {}

/// Sets the option that the config `key` stands for, if there is one.
static llvm::Error readSaving(StringRef key, Attribute value,
                              SavingOptions &saving) {
  using Verify = SavingOptions::Verify;
  if (key == skipUnchangedKey)
    readConfig(value, saving.skipUnchanged);
  if (key == nestInFunctionsKey)
    readConfig(value, saving.nestInFunctions);
  if (key == passCacheKey)
    readConfig(value, saving.passCache);
  if (key == passCacheSizeKey) {
    int64_t size = 0;
    readConfig(value, size);
    if (size < 0)
      return llvm::createStringError("expected config '" + passCacheSizeKey +
                                     "' to be 0 or more MiB, but found " +
                                     Twine(size));
    saving.passCacheSize =
        std::min<uint64_t>(size, std::numeric_limits<uint64_t>::max() >> 20)
        << 20;
  }
  if (key != verifyKey)
    return llvm::Error::success();
  std::string name;
  readConfig(value, name);
  auto mode = llvm::StringSwitch<std::optional<Verify>>(name)
                  .Case("each", Verify::Each)
                  .Case("changed", Verify::Changed)
                  .Case("end", Verify::End)
                  .Default(std::nullopt);
  if (!mode)
    return llvm::createStringError("expected config '" + verifyKey +
                                   "' to be \"each\", \"changed\" or \"end\", "
                                   "but found \"" +
                                   name + "\"");
  saving.verify = *mode;
  return llvm::Error::success();
}

llvm::Expected<PassContext> PassContext::create(PassContextOptions options) {
  if (options.optLevel < 0)
    return llvm::createStringError(
        "expected opt_level to be 0 or more, but found " +
        Twine(options.optLevel));
  auto impl = std::make_shared<Impl>();
  for (auto &[key, value] : options.config) {
    llvm::Expected<PassConfigOption> option = lookupPassConfigOption(key);
    if (!option)
      return option.takeError();
    llvm::Expected<Attribute> converted = option->type.convert(key, value);
    if (!converted)
      return converted.takeError();
    // A key has several spellings.
    auto given = llvm::find_if(impl->config, [&](const auto &entry) {
      return entry.first == option->key;
    });
    if (given == impl->config.end())
      impl->config.emplace_back(option->key, *converted);
    else
      given->second = *converted;
    if (llvm::Error error = readSaving(option->key, *converted, impl->saving))
      return std::move(error);
  }
  // What has not changed need not be verified again, either.
  if (impl->saving.skipUnchanged &&
      llvm::none_of(impl->config, [](const auto &entry) {
        return entry.first == verifyKey;
      })) {
    impl->saving.verify = SavingOptions::Verify::Changed;
    impl->saving.isVerifyImplied = true;
  }
  for (const PassInstrumentRef &instrument : options.instruments)
    if (!instrument)
      return llvm::createStringError(
          "expected instruments, but found a null one");
  impl->optLevel = options.optLevel;
  impl->requiredPass = std::move(options.requiredPass);
  impl->disabledPass = std::move(options.disabledPass);
  impl->policyKey = std::to_string(impl->optLevel);
  for (const std::string &name : impl->requiredPass)
    impl->policyKey += " +" + name;
  for (const std::string &name : impl->disabledPass)
    impl->policyKey += " -" + name;
  impl->setInstruments(std::move(options.instruments));
  return PassContext(std::move(impl));
}

int PassContext::optLevel() const { return impl->optLevel; }
ArrayRef<std::string> PassContext::requiredPass() const {
  return impl->requiredPass;
}
ArrayRef<std::string> PassContext::disabledPass() const {
  return impl->disabledPass;
}
StringRef PassContext::policyKey() const { return impl->policyKey; }
const SavingOptions &PassContext::saving() const { return impl->saving; }

std::string PassContext::describeForPasses() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "opt_level=" << optLevel()
     << " required_pass=" << llvm::join(requiredPass(), ",")
     << " disabled_pass=" << llvm::join(disabledPass(), ",");
  // Keys of Partita's own are for runs.
  for (const auto &[key, value] : configs())
    if (!StringRef(key).starts_with("partita."))
      os << ' ' << key << '=' << value;
  return text;
}

bool PassContext::passDisabledByName(const PassInfo &info) const {
  return !impl->disabledPass.empty() &&
         impl->getNames()->disabled.contains(canonicalPassName(info.name));
}

bool PassContext::passRequiredByName(const PassInfo &info) const {
  return !impl->requiredPass.empty() &&
         impl->getNames()->required.contains(canonicalPassName(info.name));
}

bool PassContext::passEnabled(const PassInfo &info) const {
  if (passDisabledByName(info))
    return false;
  return passRequiredByName(info) || impl->optLevel >= info.optLevel;
}

Attribute PassContext::config(StringRef key) const {
  auto find = [&](StringRef spelling) -> Attribute {
    for (const auto &[name, value] : impl->config)
      if (name == spelling)
        return value;
    return nullptr;
  };
  if (Attribute value = find(key))
    return value;
  llvm::Expected<PassConfigOption> option = lookupPassConfigOption(key);
  if (!option) {
    llvm::consumeError(option.takeError());
    return nullptr;
  }
  Attribute value = find(option->key);
  return value ? value : option->defaultValue;
}

ArrayRef<std::pair<std::string, Attribute>> PassContext::configs() const {
  return impl->config;
}

std::shared_ptr<const PassInstruments> PassContext::instruments() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->instruments;
}

uint64_t PassContext::instrumentsVersion() const {
  return impl->instrumentsVersion;
}

bool PassContext::hasRun() const { return impl->hasRun; }

void PassContext::noteRun() const { impl->hasRun = true; }

std::vector<PassDiagnostic> PassContext::diagnostics() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->diagnostics;
}

std::vector<PassDiagnostic> PassContext::takeDiagnostics() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return std::exchange(impl->diagnostics, {});
}

void PassContext::addDiagnostic(PassDiagnostic diagnostic) const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  impl->diagnostics.push_back(std::move(diagnostic));
}

//===----------------------------------------------------------------------===//
// Instruments
//===----------------------------------------------------------------------===//

llvm::Error PassContext::enterInstruments() {
  impl->hasRun = false;
  std::shared_ptr<const PassInstruments> list = instruments();
  for (size_t index = 0; index < list->size(); ++index) {
    llvm::Error error = (*list)[index]->enterPassContext();
    if (!error)
      continue;
    error = llvm::createStringError(describeFailure(
        *(*list)[index], "to enter the pass context", std::move(error)));
    while (index-- > 0)
      if (llvm::Error second = (*list)[index]->abandonPassContext())
        error = llvm::joinErrors(
            std::move(error),
            llvm::createStringError(describeFailure(
                *(*list)[index], "to exit the pass context after that",
                std::move(second))));
    impl->setInstruments({});
    return error;
  }
  return llvm::Error::success();
}

llvm::Error PassContext::exitInstruments(bool abandons) {
  std::shared_ptr<const PassInstruments> list = instruments();
  for (const PassInstrumentRef &instrument : *list) {
    llvm::Error error = abandons ? instrument->abandonPassContext()
                                 : instrument->exitPassContext();
    if (!error)
      continue;
    impl->setInstruments({});
    return llvm::createStringError(describeFailure(
        *instrument, "to exit the pass context", std::move(error)));
  }
  return llvm::Error::success();
}

llvm::Error PassContext::overrideInstruments(PassInstruments instruments) {
  for (const PassInstrumentRef &instrument : instruments)
    if (!instrument)
      return llvm::createStringError(
          "expected instruments, but found a null one");
  if (llvm::Error error = exitInstruments())
    return error;
  impl->setInstruments(std::move(instruments));
  return enterInstruments();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

namespace {
/// A context that is current on a thread.
struct ThreadEntry {
  PassContext context;
  /// Whether a run made it current; then it is no scope that can be left.
  bool isSnapshot;
  /// The MLIRContext whose passes run under it.
  MLIRContext *running;
};

/// TVM's PassContextThreadLocalStore.
struct ThreadStore {
  PassContext defaultContext;
  std::vector<ThreadEntry> stack;
};
} // namespace

static ThreadStore &getThreadStore() {
  static thread_local ThreadStore store;
  return store;
}

PassContext PassContext::current() {
  ThreadStore &store = getThreadStore();
  return store.stack.empty() ? store.defaultContext
                             : store.stack.back().context;
}

std::optional<PassContext> PassContext::currentScope() {
  ThreadStore &store = getThreadStore();
  if (store.stack.empty())
    return std::nullopt;
  return store.stack.back().context;
}

llvm::Error PassContext::enterScope() {
  if (llvm::Error error = enterInstruments())
    return error;
  getThreadStore().stack.push_back(
      {*this, /*isSnapshot=*/false, /*running=*/nullptr});
  return llvm::Error::success();
}

llvm::Error PassContext::exitScope(bool hasFailed) {
  std::vector<ThreadEntry> &stack = getThreadStore().stack;
  auto fail = [](StringRef found) {
    return llvm::createStringError(
        "expected to leave the innermost pass context of this thread, but " +
        found);
  };
  if (stack.empty())
    return fail("this thread is in none");
  if (stack.back().isSnapshot)
    return fail("this thread is inside a pass, which can leave only contexts "
                "that it has entered itself");
  if (stack.back().context != *this)
    return fail(llvm::any_of(stack,
                             [&](const ThreadEntry &entry) {
                               return !entry.isSnapshot &&
                                      entry.context == *this;
                             })
                    ? "another was entered after this one and not left"
                    : "this one was not entered on this thread");
  // The handle that this is called on may be the one in the stack.
  PassContext self = *this;
  stack.pop_back();
  return self.exitInstruments(/*abandons=*/hasFailed && !self.hasRun());
}

llvm::Expected<PassContextScope> PassContextScope::enter(PassContext context) {
  if (llvm::Error error = context.enterScope())
    return error;
  return PassContextScope(std::move(context));
}

llvm::Error PassContextScope::exit(bool hasFailed) {
  if (!active)
    return llvm::createStringError(
        "expected a pass context scope that was not left before");
  active = false;
  return context.exitScope(hasFailed);
}

PassContextScope::~PassContextScope() {
  if (!active)
    return;
  if (llvm::Error error = exit())
    context.addDiagnostic(
        {DiagnosticSeverity::Error, "", llvm::toString(std::move(error)), {}});
}

size_t countContexts() { return getThreadStore().stack.size(); }

void leaveContexts(size_t number) {
  std::vector<ThreadEntry> &stack = getThreadStore().stack;
  if (number < stack.size())
    stack.erase(stack.begin() + number, stack.end());
}

CurrentPassContext::CurrentPassContext(const PassContext &context,
                                       MLIRContext *running)
    : depth(countContexts()) {
  getThreadStore().stack.push_back({context, /*isSnapshot=*/true, running});
}

CurrentPassContext::~CurrentPassContext() {
  // Scopes that a pass has entered and not left end with the pass.
  leaveContexts(depth);
}

bool isRunningIn(MLIRContext *context, const PassContext *passContext) {
  return llvm::any_of(getThreadStore().stack, [&](const ThreadEntry &entry) {
    return entry.running == context &&
           (!passContext || entry.context == *passContext);
  });
}

} // namespace partita::transform
