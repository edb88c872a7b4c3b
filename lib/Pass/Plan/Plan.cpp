//===- Plan.cpp - Which passes run, in which order, and why ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/Plan.h"
#include "../PassImpl.h"
#include "../PassRegistryImpl.h"
#include "../Pipeline/NamedPasses.h"
#include "../Pipeline/PipelineText.h"
#include "../Saving/PassCache.h"
#include "PlanLowering.h"
#include "RequiredRuns.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/EscapeText.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/GraphWriter.h"
#include "llvm/Support/SaveAndRestore.h"

#include <atomic>
#include <list>
#include <mutex>

using namespace mlir;

namespace partita::transform {

static uint64_t nextPlanId() {
  static std::atomic<uint64_t> next{0};
  return next++;
}

Plan::Plan() : id(nextPlanId()) {}

//===----------------------------------------------------------------------===//
// PlanBuilder
//===----------------------------------------------------------------------===//

/// Resolves one pass under one context.
class PlanBuilder {
public:
  /// How the passes of a plan that run are chosen.
  enum class Mode {
    Policy,  // the context chooses
    AsNamed, // the requested pass's members run; else the context chooses
    AllRuns, // all run: an earlier plan has chosen them
  };

  PlanBuilder(Plan &plan, const PassContext &context, Mode mode = Mode::Policy)
      : plan(plan), context(context), mode(mode) {}

  /// A plan that is not cached.
  static llvm::Expected<std::shared_ptr<const Plan>>
  make(const Pass &pass, const PassContext &context, Mode mode);

  llvm::Error build(const Pass &pass) {
    plan.optLevel = context.optLevel();
    if (llvm::Error error = add(pass, 0, getRootReason(pass)))
      return error;
    plan.setNumbers();
    if (mode == Mode::AllRuns)
      return llvm::Error::success();
    std::vector<std::string> present;
    collectNames(pass, present);
    plan.warningList = describeUnknownNames(context, present);
    return llvm::Error::success();
  }

private:
  Plan::Reason getRootReason(const Pass &pass) const {
    if (mode == Mode::AllRuns || !pass.getImpl().isTextual)
      return Plan::Reason::Direct;
    if (context.passDisabledByName(pass.info()))
      return Plan::Reason::SkippedByName;
    return context.passEnabled(pass.info()) ? Plan::Reason::Direct
                                            : Plan::Reason::SkippedByLevel;
  }

  /// Adds `pass` and, for a Sequential that runs, its members.
  llvm::Error add(const Pass &pass, unsigned depth, Plan::Reason reason,
                  const Pass &requiredBy = {}, const Pass &place = {}) {
    size_t index = plan.list.size();
    Plan::Entry entry;
    entry.pass = pass;
    entry.depth = depth;
    entry.reason = reason;
    entry.requiredBy = requiredBy;
    entry.place = place;
    entry.disabledByName = context.passDisabledByName(pass.info());
    entry.inRequiredPass = context.passRequiredByName(pass.info());
    entry.leavesFunctionsAlone = mode != Mode::AsNamed || depth > 1;
    plan.leavesAlone |=
        entry.runs() && !pass.isSequential() && entry.leavesFunctionsAlone;
    plan.hostCallback |= entry.runs() && pass.getImpl().hostCallback;
    plan.readsContext |= entry.runs() && pass.getImpl().readsPassContext;
    plan.list.push_back(entry);
    if (entry.runs() && pass.isSequential()) {
      llvm::SaveAndRestore begin(sequentialBegin, plan.list.size());
      for (const Pass &member : pass.passes())
        if (llvm::Error error = addMember(member, depth + 1))
          return error;
    }
    plan.list[index].end = plan.list.size();
    return llvm::Error::success();
  }

  llvm::Error addMember(const Pass &member, unsigned depth) {
    if (!member)
      return makePassError("expected every member of a Sequential to be a "
                           "pass, but found a null one");
    if (mode == Mode::AllRuns)
      return add(member, depth, Plan::Reason::Direct);
    if (mode == Mode::AsNamed && depth == 1)
      return add(member, depth, getRootReason(member));
    const PassInfo &info = member.info();
    if (context.passDisabledByName(info))
      return add(member, depth, Plan::Reason::SkippedByName);
    bool required = context.passRequiredByName(info);
    if (!required && context.optLevel() < info.optLevel)
      return add(member, depth, Plan::Reason::SkippedByLevel);
    if (llvm::Error error = checkDepth(member))
      return error;
    chain.push_back(canonicalPassName(info.name));
    llvm::scope_exit pop([&] { chain.pop_back(); });
    if (llvm::Error error = addRequired(member, member, depth))
      return error;
    return add(member, depth,
               required ? Plan::Reason::RequiredPass : Plan::Reason::OptLevel);
  }

  /// Adds the passes that `owner` requires, and before each pass the ones that
  /// it requires itself. A pass on any op runs where `place` does, its nearest
  /// owner with a place.
  llvm::Error addRequired(const Pass &owner, const Pass &place,
                          unsigned depth) {
    ArrayRef<std::string> required = owner.info().required;
    while (!required.empty()) {
      StringRef name = required.front();
      required = required.drop_front();
      std::string canonical = canonicalPassName(name);
      if (llvm::is_contained(chain, canonical))
        return makePassError("expected no pass to require itself, but found " +
                             describeChain(chain, canonical));
      if (!isRegisteredPass(name))
        return makePassError("expected the passes that '" + owner.info().name +
                             "' requires to be registered, but found '" + name +
                             "'" + suggestPassNames(name));
      llvm::Expected<Pass> pass = getPass(name);
      if (!pass)
        return makePassError(
            "expected the passes that '" + owner.info().name +
            "' requires to be made, but: " + llvm::toString(pass.takeError()));
      if (llvm::Error error = checkDepth(*pass))
        return error;
      if (owner.info().reuseRequired &&
          hasRunBefore(plan.list, sequentialBegin, *pass, place,
                       /*allowedAfter=*/required)) {
        if (llvm::Error error =
                add(*pass, depth, Plan::Reason::SkippedAsMet, owner, place))
          return error;
        continue;
      }
      chain.push_back(canonical);
      llvm::scope_exit pop([&] { chain.pop_back(); });
      const Pass &newPlace = pass->opName().empty() ? place : *pass;
      if (llvm::Error error = addRequired(*pass, newPlace, depth))
        return error;
      if (llvm::Error error =
              add(*pass, depth, Plan::Reason::RequiredBy, owner, place))
        return error;
    }
    return llvm::Error::success();
  }

  /// Plans are built recursively: an error is better than a stack overflow.
  llvm::Error checkDepth(const Pass &pass) {
    constexpr size_t maxDepth = 500;
    if (chain.size() < maxDepth)
      return llvm::Error::success();
    return makePassError("expected passes to require and hold each other at "
                         "most " +
                         llvm::Twine(maxDepth) + " deep, but found '" +
                         pass.info().name + "' deeper");
  }

  static void collectNames(const Pass &pass, std::vector<std::string> &names) {
    names.push_back(pass.info().name);
    for (const Pass &member : pass.passes())
      if (member)
        collectNames(member, names);
  }

  Plan &plan;
  const PassContext &context;
  Mode mode;
  /// Where the entries of the innermost Sequential begin.
  size_t sequentialBegin = 0;
  /// Canonical names of the passes whose requirements are being added.
  std::vector<std::string> chain;
};

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

namespace {
/// The most recently used plans. A plan keeps its pass alive, so that no other
/// pass has its address, which is part of the key.
struct PlanCache {
  struct Item {
    const Pass::Impl *pass = nullptr;
    uint64_t generation = 0;
    std::string policy;
    std::shared_ptr<const Plan> plan;
  };
  static constexpr size_t capacity = 64;

  std::mutex mutex;
  std::list<Item> items;
};
} // namespace

llvm::Expected<std::shared_ptr<const Plan>>
Plan::get(const Pass &pass, const PassContext &context) {
  if (!pass)
    return makePassError("expected a pass to run, but found a null one");
  // Never freed: runs can end after the destructors of statics.
  static auto &cache = *new PlanCache;
  uint64_t generation = getPassRegistryGeneration();
  StringRef policy = context.policyKey();
  {
    std::lock_guard<std::mutex> lock(cache.mutex);
    for (auto it = cache.items.begin(); it != cache.items.end(); ++it)
      if (it->pass == &pass.getImpl() && it->generation == generation &&
          it->policy == policy) {
        cache.items.splice(cache.items.begin(), cache.items, it);
        return cache.items.front().plan;
      }
  }
  std::shared_ptr<Plan> plan(new Plan);
  if (llvm::Error error = PlanBuilder(*plan, context).build(pass))
    return std::move(error);
  // Freed after the lock: passes can be large.
  PlanCache::Item evicted;
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.items.push_front({&pass.getImpl(), generation, policy.str(), plan});
  if (cache.items.size() > PlanCache::capacity) {
    evicted = std::move(cache.items.back());
    cache.items.pop_back();
  }
  return plan;
}

llvm::Expected<std::shared_ptr<const Plan>>
PlanBuilder::make(const Pass &pass, const PassContext &context, Mode mode) {
  if (!pass)
    return makePassError("expected a pass to run, but found a null one");
  std::shared_ptr<Plan> plan(new Plan);
  if (llvm::Error error = PlanBuilder(*plan, context, mode).build(pass))
    return std::move(error);
  return plan;
}

llvm::Expected<std::shared_ptr<const Plan>>
Plan::getResolved(const Pass &pass, const PassContext &context) {
  return PlanBuilder::make(pass, context, PlanBuilder::Mode::AllRuns);
}

void Plan::setNumbers() {
  // The last step of each pass, by the pass's name.
  llvm::StringMap<unsigned> last;
  for (Entry &entry : list) {
    bool isMet = entry.reason == Reason::SkippedAsMet;
    if (!(entry.runs() || isMet) || entry.pass.isSequential())
      continue;
    unsigned &earlier = last[canonicalPassName(entry.pass.info().name)];
    if (isMet) {
      entry.repeats = earlier;
      continue;
    }
    entry.number = ++numSteps;
    if (entry.reason == Reason::RequiredBy)
      entry.repeats = earlier;
    earlier = entry.number;
  }
}

std::shared_ptr<const Plan> Plan::resumeAfter(unsigned last) const {
  std::shared_ptr<Plan> rest(new Plan(*this));
  rest->id = nextPlanId();
  rest->numDone = last;
  for (Entry &entry : rest->list)
    if (entry.number != 0 && entry.number <= last)
      entry.reason = Reason::SkippedAsDone;
  // A Sequential has run if a member has run, and none remains.
  for (Entry &entry : llvm::drop_begin(rest->list)) {
    ArrayRef<Entry> members = ArrayRef(rest->list)
                                  .take_front(entry.end)
                                  .drop_front(&entry - rest->list.data() + 1);
    if (entry.runs() && entry.pass.isSequential() &&
        llvm::any_of(members,
                     [](const Entry &member) {
                       return member.reason == Reason::SkippedAsDone;
                     }) &&
        llvm::none_of(members, [](const Entry &member) {
          return member.number != 0 && member.runs();
        }))
      entry.reason = Reason::SkippedAsDone;
  }
  return rest;
}

std::string Plan::describe(const Entry &entry) const {
  int level = entry.pass.info().optLevel;
  switch (entry.reason) {
  case Plan::Reason::Direct:
    return "runs: requested directly";
  case Plan::Reason::OptLevel:
    return llvm::formatv("runs: opt_level {0} <= {1}", level, optLevel);
  case Plan::Reason::RequiredPass:
    return "runs: named in required_pass";
  case Plan::Reason::RequiredBy:
    return "runs: required by '" + escapeName(entry.requiredBy.info().name) +
           "'" +
           (entry.disabledByName ? ", although named in disabled_pass" : "");
  case Plan::Reason::SkippedByName:
    return "skipped: named in disabled_pass";
  case Plan::Reason::SkippedByLevel:
    return llvm::formatv("skipped: opt_level {0} > {1}", level, optLevel);
  case Plan::Reason::SkippedAsDone:
    return "skipped: it has run before the checkpoint";
  case Plan::Reason::SkippedAsMet:
    return "skipped: required by '" + escapeName(entry.requiredBy.info().name) +
           "', and has just run";
  }
  llvm_unreachable("unknown reason");
}

/// The argument of a pass. Callbacks have none, and are not told apart by their
/// names.
static std::string identify(const Pass &pass) {
  const Pass::Impl &impl = pass.getImpl();
  return impl.hostCallback ? llvm::formatv("callback {0}", impl.hostCallback)
                           : impl.argument;
}

std::vector<unsigned> Plan::findRepeats(StringRef rootName) const {
  std::vector<unsigned> repeats(list.size());
  auto mayRepeat = [](const Entry &entry) {
    return entry.number != 0 && entry.runs() && maySkip(entry.pass.getImpl());
  };
  llvm::StringMap<unsigned> counts;
  for (const Entry &entry : list)
    if (mayRepeat(entry))
      ++counts[identify(entry.pass)];
  // The entries with the first steps.
  llvm::StringMap<size_t> first;
  for (auto [index, entry] : llvm::enumerate(list)) {
    // Options of passes that occur once need no text. MLIR can't print a value
    // that is none of an option's values, as some defaults are.
    if (!mayRepeat(entry) || counts[identify(entry.pass)] == 1)
      continue;
    llvm::Expected<std::string> text = getPipeline(rootName, entry);
    if (!text) {
      llvm::consumeError(text.takeError());
      continue;
    }
    if (namesPassWithEffects(*text, entry.pass))
      continue;
    std::string key = *text + "\n" + identify(entry.pass);
    // Two objects of a class without an argument can do different things.
    if (StringRef(*text).contains(unnamedPassPrefix))
      key += llvm::formatv("\nobject {0}", &entry.pass.getImpl());
    auto [it, isNew] = first.try_emplace(key, index);
    if (!isNew)
      repeats[index] = repeats[it->second] = list[it->second].number;
  }
  return repeats;
}

void Plan::print(llvm::raw_ostream &os) const {
  print(os, std::vector<std::string>(list.size()));
}

void Plan::print(llvm::raw_ostream &os, const PassContext &context,
                 StringRef rootName) const {
  std::vector<std::string> notes(list.size());
  if (context.saving().skipUnchanged)
    for (auto [note, repeat, entry] :
         llvm::zip_equal(notes, findRepeats(rootName), list))
      if (repeat != 0 && repeat != entry.number)
        note =
            llvm::formatv(", skipped where unchanged since step {0}", repeat);
  if (!context.saving().passCache.empty())
    for (auto [index, entry] : llvm::enumerate(list))
      if (entry.number != 0 && entry.runs() &&
          !describeForCache(*this, index, rootName))
        notes[index] += ", not kept in the pass cache";
  print(os, notes);
}

void Plan::print(llvm::raw_ostream &os, ArrayRef<std::string> notes) const {
  size_t width = 0;
  for (const Entry &entry : list)
    width = std::max(width, 2 * entry.depth +
                                escapeName(entry.pass.info().name).size());
  os << "plan at opt_level " << optLevel << ":\n";
  for (auto [index, entry] : llvm::enumerate(list)) {
    if (entry.number != 0)
      os << llvm::formatv("{0,4}  ", entry.number);
    else
      os << (entry.runs() ? "      " : "   -  ");
    std::string name(2 * entry.depth, ' ');
    name += escapeName(entry.pass.info().name);
    os << llvm::left_justify(name, width) << "  " << describe(entry);
    if (entry.repeats != 0)
      os << (entry.runs() ? ", repeats step " : " as step ") << entry.repeats;
    os << notes[index] << "\n";
  }
}

/// Prints a node with its label and, as its tooltip, its reason.
static void printNode(const Plan &plan, size_t index, unsigned indent,
                      llvm::raw_ostream &os) {
  const Plan::Entry &entry = plan.entries()[index];
  std::string label = entry.pass.info().name;
  if (entry.number != 0)
    label = std::to_string(entry.number) + " " + label;
  StringRef style = !entry.runs()               ? "dotted"
                    : entry.pass.isSequential() ? "bold"
                                                : "solid";
  os.indent(indent) << "n" << index << " [label=\""
                    << llvm::DOT::EscapeString(label) << "\", tooltip=\""
                    << llvm::DOT::EscapeString(plan.describe(entry))
                    << "\", style=" << style << "];\n";
}

void Plan::printGraph(llvm::raw_ostream &os) const {
  os << "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n";
  std::vector<size_t> open;
  auto close = [&](size_t index) {
    while (!open.empty() && list[open.back()].end == index) {
      os.indent(2 * open.size()) << "}\n";
      open.pop_back();
    }
  };
  for (auto [index, entry] : llvm::enumerate(list)) {
    close(index);
    if (entry.runs() && entry.pass.isSequential()) {
      open.push_back(index);
      os.indent(2 * open.size()) << "subgraph cluster" << index << " {\n";
    }
    printNode(*this, index, 2 * open.size() + 2, os);
  }
  close(list.size());

  std::optional<size_t> last;
  for (auto [index, entry] : llvm::enumerate(list)) {
    if (entry.number != 0) {
      if (last)
        os << "  n" << *last << " -> n" << index << ";\n";
      last = index;
    }
    if (!entry.requiredBy)
      continue;
    // The owner comes after its required passes, at the same depth.
    for (size_t owner = entry.end; owner < list.size(); owner = list[owner].end)
      if (list[owner].pass.info().name == entry.requiredBy.info().name) {
        os << "  n" << owner << " -> n" << index
           << " [label=\"requires\", style=dashed, constraint=false];\n";
        break;
      }
  }
  os << "}\n";
}

/// The textual pipeline of the steps that `isChosen` accepts.
static llvm::Expected<std::string>
printEntries(ArrayRef<Plan::Entry> entries, StringRef rootName,
             llvm::function_ref<bool(const Plan::Entry &)> isChosen) {
  OpPassManager pm(rootName, OpPassManager::Nesting::Explicit);
  PlanLowering lowering(pm, rootName);
  for (const Plan::Entry &entry : entries)
    if (entry.number != 0 && (!isChosen || isChosen(entry)))
      if (llvm::Error error = lowering.add(entry))
        return std::move(error);
  return printPipeline(pm);
}

llvm::Expected<std::string>
Plan::getPipeline(StringRef rootName,
                  llvm::function_ref<bool(const Entry &)> isChosen) const {
  return printEntries(list, rootName, isChosen);
}

llvm::Expected<std::string> Plan::getPipeline(StringRef rootName,
                                              const Entry &entry) const {
  return printEntries(entry, rootName, nullptr);
}

llvm::Expected<std::shared_ptr<const Plan>>
getNamedPlan(const Pass &pass, const PassContext &context) {
  return PlanBuilder::make(pass, context, PlanBuilder::Mode::AsNamed);
}

void emitPlanWarnings(const Plan &plan, Location loc) {
  for (const std::string &warning : plan.warnings())
    emitWarning(loc, warning);
}

} // namespace partita::transform
