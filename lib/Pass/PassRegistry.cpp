//===- PassRegistry.cpp - Passes by name ----------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassRegistry.h"
#include "PassAccess.h"
#include "PassImpl.h"
#include "PassRegistryImpl.h"
#include "Sequential/SequentialPass.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>
#include <map>
#include <shared_mutex>

using namespace mlir;

namespace partita::transform {

/// MLIR's passes that are local. `sccp` and `int-range-optimizations` are not:
/// on a module they look into callees.
static constexpr StringLiteral localPasses[] = {
    "canonicalize",
    "control-flow-sink",
    "cse",
    "loop-invariant-code-motion",
    "lower-affine",
    "loop-invariant-subset-hoisting",
    "mem2reg",
    "sroa",
    "convert-scf-to-cf"};
/// MLIR's passes that print, or that read or write files.
static constexpr StringLiteral speakingPasses[] = {"gpu-module-to-binary",
                                                   "location-snapshot",
                                                   "print-ir",
                                                   "print-op-stats",
                                                   "snapshot-op-locations",
                                                   "transform-interpreter",
                                                   "transform-preload-library",
                                                   "view-op-graph"};

static llvm::StringMap<PassTraits> getTraitsOfMLIR() {
  llvm::StringMap<PassTraits> traits;
  for (StringRef argument : localPasses)
    traits[argument].isLocal = traits[argument].isCacheable = true;
  for (StringRef argument : speakingPasses)
    traits[argument].alwaysRuns = true;
  return traits;
}

namespace {
struct Registry {
  std::shared_mutex mutex;
  /// Every name of every declaration.
  llvm::StringMap<std::shared_ptr<const PassDeclaration>> names;
  std::map<std::string, std::shared_ptr<const PassDeclaration>> declarations;
  /// Passes that are objects: callbacks of the host.
  llvm::StringMap<Pass> objects;
  llvm::StringMap<PassTraits> traits = getTraitsOfMLIR();
  std::vector<std::string> knownArguments;
  std::atomic<uint64_t> generation{0};
};
} // namespace

static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

std::string getOldSpelling(StringRef name) {
  if (!name.consume_front("tirx.") && !name.consume_front("s_tir."))
    return name.str();
  return ("tir." + name).str();
}

/// TVM's PassInfo.name of passes that have another name in `relax.transform`.
static constexpr std::pair<StringLiteral, StringLiteral> tvmNames[] = {
    {"relax.transform.DecomposeOpsForInference", "DecomposeOps"}};

/// The part of `name` after its last dot.
static StringRef shortName(StringRef name) {
  size_t dot = name.rfind('.');
  return dot == StringRef::npos ? name : name.drop_front(dot + 1);
}

void registerPass(PassDeclaration declaration) {
  auto shared = std::make_shared<const PassDeclaration>(std::move(declaration));
  Registry &registry = getRegistry();
  std::unique_lock lock(registry.mutex);
  registry.declarations[shared->info.name] = shared;
  for (StringRef name :
       {StringRef(shared->info.name), StringRef(shared->argument),
        StringRef(shared->qualifiedName)})
    if (!name.empty())
      registry.names[name] = shared;
  // A short name without a dialect belongs to the first dialect that has it.
  StringRef name = shortName(shared->info.name);
  registry.names.try_emplace(name, shared);
  if (StringRef(shared->qualifiedName).starts_with("relax."))
    for (StringRef module : {"relay._transform.", "relax."})
      registry.names.try_emplace((module + name).str(), shared);
  for (const auto &[qualifiedName, tvmName] : tvmNames)
    if (shared->qualifiedName == qualifiedName)
      registry.names.try_emplace(tvmName, shared);
  for (StringRef spelling :
       {StringRef(shared->info.name), StringRef(shared->qualifiedName)})
    if (spelling.consume_front("tir."))
      for (StringRef module : {"tirx.", "s_tir."})
        registry.names.try_emplace((module + spelling).str(), shared);
  ++registry.generation;
  lock.unlock();
  MLIRRegistryLock mlirLock;
  if (shared->members && !shared->argument.empty() &&
      !lookupMLIR(shared->argument))
    registerSequentialWithMLIR(shared);
}

void registerPassInfo(StringRef argument, PassInfo info,
                      bool readsPassContext) {
  PassDeclaration declaration;
  declaration.info = std::move(info);
  declaration.argument = argument.str();
  if (const auto *entry = lookupPassOfMLIR(argument))
    declaration.summary = entry->getPassDescription().str();
  declaration.readsPassContext = readsPassContext;
  registerPass(std::move(declaration));
}

void registerPassInfo(std::function<std::unique_ptr<mlir::Pass>()> create,
                      PassInfo info, bool readsPassContext) {
  std::unique_ptr<mlir::Pass> pass = create();
  PassDeclaration declaration;
  declaration.info = std::move(info);
  declaration.argument = getPassArgument(*pass);
  declaration.summary = pass->getDescription().str();
  declaration.readsPassContext = readsPassContext;
  declaration.create = std::move(create);
  registerPass(std::move(declaration));
}

void registerPassTraits(StringRef argument, PassTraits traits) {
  Registry &registry = getRegistry();
  std::unique_lock lock(registry.mutex);
  registry.traits[argument] = traits;
}

PassTraits getPassTraits(StringRef argument) {
  Registry &registry = getRegistry();
  std::shared_lock lock(registry.mutex);
  return registry.traits.lookup(argument);
}

static std::recursive_mutex &getMLIRRegistryMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

MLIRRegistryLock::MLIRRegistryLock() : lock(getMLIRRegistryMutex()) {}

const mlir::PassInfo *lookupPassOfMLIR(StringRef argument) {
  MLIRRegistryLock lock;
  return mlir::PassInfo::lookup(argument);
}

const PassRegistryEntry *lookupMLIR(StringRef argument) {
  MLIRRegistryLock lock;
  if (const auto *pass = mlir::PassInfo::lookup(argument))
    return pass;
  return PassPipelineInfo::lookup(argument);
}

void registerPass(const Pass &pass) {
  PassDeclaration declaration;
  declaration.info = pass.info();
  if (pass.isSequential())
    declaration.argument = pass.info().name;
  registerPass(PassDeclaration(declaration));
  Registry &registry = getRegistry();
  StringRef name = pass.info().name;
  {
    std::unique_lock lock(registry.mutex);
    registry.objects[name] = pass;
    ++registry.generation;
  }
  // Makes it known to textual pipelines. MLIR's registry ends the process for a
  // pass without a name.
  MLIRRegistryLock mlirLock;
  if (name.empty() || lookupMLIR(name))
    return;
  if (pass.isSequential()) {
    declaration.summary = "A Sequential of the host";
    registerSequentialWithMLIR(
        std::make_shared<const PassDeclaration>(std::move(declaration)));
    return;
  }
  registerPassPipeline(
      name, "A pass of the host",
      [name = name.str()](OpPassManager &pm, StringRef options,
                          PassErrorHandler onError) -> LogicalResult {
        if (!options.empty())
          return onError("expected no options for pass '" + name + "'");
        llvm::Expected<Pass> pass = getPass(name);
        if (!pass)
          return onError(llvm::toString(pass.takeError()));
        // A Sequential may have been registered later under the same name.
        if (pass->isSequential())
          return onError("expected '" + name + "' to be no Sequential");
        return pass->getImpl().build(pm, onError);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

std::shared_ptr<const PassDeclaration> lookupPass(StringRef name) {
  Registry &registry = getRegistry();
  std::shared_lock lock(registry.mutex);
  return registry.names.lookup(name);
}

Pass lookupPassObject(StringRef name) {
  Registry &registry = getRegistry();
  std::shared_lock lock(registry.mutex);
  return registry.objects.lookup(name);
}

bool namesPassWithEffects(StringRef text, const Pass &pass) {
  auto isInName = [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '.';
  };
  const Pass::Impl &impl = pass.getImpl();
  while (!(text = text.drop_until(isInName)).empty()) {
    StringRef name = text.take_while(isInName);
    text = text.drop_front(name.size());
    if (name != impl.argument && name != impl.info.name &&
        (getPassTraits(name).alwaysRuns || lookupPassObject(name)))
      return true;
  }
  return false;
}

bool isRegisteredPass(StringRef name) {
  return lookupPass(name) || lookupMLIR(name);
}

std::string canonicalPassName(StringRef name) {
  std::shared_ptr<const PassDeclaration> declaration = lookupPass(name);
  return declaration ? declaration->info.name : name.str();
}

std::vector<std::shared_ptr<const PassDeclaration>> listPasses() {
  Registry &registry = getRegistry();
  std::shared_lock lock(registry.mutex);
  std::vector<std::shared_ptr<const PassDeclaration>> list;
  for (const auto &[name, declaration] : registry.declarations)
    list.push_back(declaration);
  return list;
}

void addKnownPassArguments(ArrayRef<StringRef> arguments) {
  Registry &registry = getRegistry();
  std::unique_lock lock(registry.mutex);
  for (StringRef argument : arguments)
    registry.knownArguments.push_back(argument.str());
}

std::string suggestNames(StringRef name, ArrayRef<std::string> candidates,
                         StringRef hint) {
  // At most a third of the letters may differ; a difference in case alone
  // counts half a letter.
  unsigned limit = std::max<unsigned>(2, name.size() / 3);
  std::string lower = name.lower();
  std::vector<std::pair<unsigned, StringRef>> near;
  for (StringRef candidate : candidates) {
    unsigned distance = StringRef(lower).edit_distance(
        candidate.lower(), /*AllowReplacements=*/true, limit);
    if (distance <= limit)
      near.emplace_back(2 * distance +
                            (candidate.lower() == lower && candidate != name),
                        candidate);
  }
  llvm::sort(near);
  near.erase(llvm::unique(near), near.end());
  if (near.empty())
    return hint.str();
  std::string text = " (did you mean ";
  for (size_t index = 0, count = std::min<size_t>(3, near.size());
       index < count; ++index) {
    text += index == 0 ? "'" : index + 1 == count ? " or '" : ", '";
    text += near[index].second.str() + "'";
  }
  return text + "?)";
}

std::string suggestPassNames(StringRef name, ArrayRef<std::string> more,
                             StringRef hint) {
  std::vector<std::string> candidates = more;
  {
    Registry &registry = getRegistry();
    std::shared_lock lock(registry.mutex);
    for (const auto &entry : registry.names)
      candidates.push_back(entry.first().str());
    llvm::append_range(candidates, registry.knownArguments);
  }
  return suggestNames(name, candidates, hint);
}

/// Adds the options of a pass to `message`, an error of MLIR's that names the
/// pass and an option that it lacks.
static void addOptionSuggestions(std::string &message) {
  static constexpr StringLiteral text = "no such option ";
  size_t begin = message.find(text);
  StringRef argument =
      StringRef(message).split("failed to add `").second.split('`').first;
  const mlir::PassInfo *entry = lookupPassOfMLIR(argument);
  if (begin == std::string::npos || !entry)
    return;
  OpPassManager made(OpPassManager::getAnyOpAnchorName());
  if (failed(entry->addToPipeline(made, /*options=*/"",
                                  [](const Twine &) { return failure(); })) ||
      made.size() != 1)
    return;
  size_t end = message.find('\n', begin);
  std::vector<std::string> names = getOptionNames(*made.begin());
  StringRef name = StringRef(message).slice(begin + text.size(), end);
  std::string suggestion = suggestNames(
      name, names,
      names.empty() ? "" : "; there are " + llvm::join(names, ", "));
  message.insert(std::min(end, message.size()), suggestion);
}

std::string addPassSuggestions(std::string message) {
  addOptionSuggestions(message);
  static constexpr StringLiteral text =
      "' does not refer to a registered pass or pass pipeline";
  size_t end = message.find(text);
  if (end == std::string::npos)
    return message;
  StringRef name = StringRef(message).take_front(end).rsplit('\'').second;
  // MLIR's parser knows arguments only.
  std::vector<std::string> candidates;
  for (const auto &declaration : listPasses())
    candidates.push_back(declaration->argument);
  {
    std::shared_lock lock(getRegistry().mutex);
    llvm::append_range(candidates, getRegistry().knownArguments);
  }
  llvm::erase_if(candidates, [](const std::string &argument) {
    return argument.empty() || !lookupMLIR(argument);
  });
  message.insert(end + text.size(), suggestNames(name, candidates));
  return message;
}

uint64_t getPassRegistryGeneration() { return getRegistry().generation; }

} // namespace partita::transform
