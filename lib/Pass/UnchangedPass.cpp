//===- UnchangedPass.cpp - Passes that are not run again ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnchangedPass.h"
#include "AnalysisKeeper.h"
#include "PassAccess.h"
#include "PassImpl.h"
#include "RunStack.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

std::optional<PassFacts::Fact> PassFacts::find(OpHash hash) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = facts.find(hash);
  return it == facts.end() ? std::nullopt : std::optional(it->second);
}

void PassFacts::add(OpHash hash, Fact fact) {
  std::lock_guard<std::mutex> lock(mutex);
  facts.try_emplace(hash, fact);
}

void PassFacts::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  facts.clear();
}

std::shared_ptr<PassFacts> RunFacts::get(StringRef key) {
  std::shared_ptr<PassFacts> &facts = passes[key];
  if (!facts)
    facts = std::make_shared<PassFacts>();
  return facts;
}

bool RunFacts::hasRepeats() const {
  return llvm::any_of(passes, [](const auto &entry) {
    return entry.second->numOccurrences > 1;
  });
}

void RunFacts::clear() {
  for (auto &entry : passes)
    entry.second->clear();
  for (auto &[number, sample] : samples)
    sample->clear();
  forgetHashes();
}

std::shared_ptr<StepSample> RunFacts::getSample(unsigned number) {
  std::shared_ptr<StepSample> &sample = samples[number];
  if (!sample)
    sample = std::make_shared<StepSample>();
  return sample;
}

void RunFacts::forgetHashes() {
  std::lock_guard<std::mutex> lock(mutex);
  hashes.clear();
}

std::optional<OpHash> RunFacts::findHash(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = hashes.find(op);
  return it == hashes.end() ? std::nullopt : std::optional(it->second);
}

OpHash RunFacts::getHash(Operation *op) {
  if (std::optional<OpHash> known = findHash(op))
    return *known;
  OpHash hash =
      hashOp(op, [&](Operation *isolated) { return getHash(isolated); });
  std::lock_guard<std::mutex> lock(mutex);
  return hashes[op] = hash;
}

void RunFacts::forget(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  // Other ops can have the addresses of ops that are gone.
  if (!op->getParentOp() || op->hasTrait<OpTrait::SymbolTable>())
    return hashes.clear();
  for (; op; op = op->getParentOp())
    hashes.erase(op);
}

//===----------------------------------------------------------------------===//
// UnchangedPass
//===----------------------------------------------------------------------===//

namespace {
/// Names a private member of a class: access does not count for the arguments
/// of an explicit instantiation. MLIR lets only its adaptors set the state of a
/// pass.
template <typename Tag, typename Tag::Member member>
struct Expose {
  friend typename Tag::Member getMember(Tag) { return member; }
};
struct PassStateTag {
  using Member = std::optional<mlir::detail::PassExecutionState> mlir::Pass::*;
  friend Member getMember(PassStateTag);
};
template struct Expose<PassStateTag, &mlir::Pass::passState>;

/// Whether a local pass on the root must see the root itself; set by the pass
/// that comes before it.
using RunsOnRoot = std::shared_ptr<std::atomic<bool>>;

/// A pass that stands for another one.
class WrapperPass : public mlir::Pass {
public:
  StringRef getName() const override { return inner->getName(); }
  StringRef getArgument() const override { return inner->getArgument(); }
  StringRef getDescription() const override { return inner->getDescription(); }
  void getDependentDialects(DialectRegistry &registry) const override {
    inner->getDependentDialects(registry);
  }

  static bool classof(const mlir::Pass *pass) {
    return pass->getTypeID() == TypeID::get<WrapperPass>();
  }
  mlir::Pass &getInner() { return *inner; }

protected:
  WrapperPass(std::unique_ptr<mlir::Pass> pass, UnchangedOptions options)
      : Pass(TypeID::get<WrapperPass>(), pass->getOpName()),
        options(std::move(options)), inner(std::move(pass)) {}
  WrapperPass(const WrapperPass &other)
      : Pass(other), options(other.options),
        inner(PassAccess::copy(*other.inner)) {}

  LogicalResult initialize(MLIRContext *context) override {
    return PassAccess::begin(*inner, context);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return PassAccess::canRunOn(*inner, name);
  }

  void runUnlessUnchanged();
  /// Does nothing. `isKnown` says that the pass would leave the op as it is.
  void skip(bool isKnown);
  bool runInner();
  void addFact(OpHash key);

  UnchangedOptions options;

private:
  std::unique_ptr<mlir::Pass> inner;
};

class UnchangedPass : public WrapperPass {
public:
  UnchangedPass(std::unique_ptr<mlir::Pass> pass, UnchangedOptions options,
                RunsOnRoot runsOnRoot)
      : WrapperPass(std::move(pass), std::move(options)),
        runsOnRoot(std::move(runsOnRoot)) {}

private:
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<UnchangedPass>(*this);
  }
  void runOnOperation() override {
    if (runsOnRoot && *runsOnRoot)
      return skip(/*isKnown=*/false);
    runUnlessUnchanged();
  }

  RunsOnRoot runsOnRoot;
};

/// A local pass on the root, which runs where it can't run on the ops inside
/// alone.
class RootPass : public WrapperPass {
public:
  RootPass(std::unique_ptr<mlir::Pass> pass, UnchangedOptions options,
           RunsOnRoot runsOnRoot)
      : WrapperPass(std::move(pass), std::move(options)),
        runsOnRoot(std::move(runsOnRoot)) {}

private:
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<RootPass>(*this);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return true;
  }
  void runOnOperation() override;
  bool knowsMost(Operation *root);
  void runOnAll(Operation *root);

  RunsOnRoot runsOnRoot;
};
} // namespace

void WrapperPass::skip(bool isKnown) {
  markAllAnalysesPreserved();
  if (RunFrame *frame = getInnermostFrame(); frame && frame->pass == this)
    frame->left = isKnown ? RunFrame::Left::Unchanged : RunFrame::Left::Alone;
}

/// Runs the pass. Returns whether it has succeeded without a diagnostic.
bool WrapperPass::runInner() {
  std::optional<mlir::detail::PassExecutionState> &state =
      (*inner).*getMember(PassStateTag());
  std::atomic<bool> isQuiet{true};
  {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &) {
      isQuiet = false;
      return failure();
    });
    state.emplace(getOperation(), getAnalysisManager(),
                  getPassState().pipelineExecutor);
    PassAccess::run(*inner);
  }
  getPassState().preservedAnalyses = state->preservedAnalyses;
  if (state->irAndPassFailed.getInt())
    signalPassFailure();
  return isQuiet && !state->irAndPassFailed.getInt();
}

void WrapperPass::runUnlessUnchanged() {
  Operation *op = getOperation();
  std::optional<OpHash> before;
  OpHash key;
  if (options.facts) {
    before = options.sample->changesMost() ? options.run->findHash(op)
                                           : options.run->getHash(op);
    if (before)
      key = hashWithParents(*before, op);
    if (std::optional<PassFacts::Fact> fact =
            before ? options.facts->find(key) : std::nullopt) {
      if (!fact->preservesAll)
        AnalysisKeeper::getMap(getAnalysisManager())
            .invalidate(mlir::detail::PreservedAnalyses());
      options.sample->add(/*isUnchanged=*/true);
      return skip(/*isKnown=*/true);
    }
  }
  bool isQuiet = runInner();
  // A pass that preserves all analyses may have changed attributes.
  if (options.run)
    options.run->forget(op);
  if (!options.facts)
    return;
  bool isSame = before && !options.sample->changesMost() &&
                options.run->getHash(op) == *before;
  options.sample->add(isSame);
  // A pass that says something says it each time.
  if (isSame && isQuiet)
    addFact(key);
}

/// Notes that the pass, which has just run, has left an op as it was.
void WrapperPass::addFact(OpHash key) {
  const mlir::detail::PreservedAnalyses &preserved =
      getPassState().preservedAnalyses;
  if (preserved.isAll() || preserved.isNone())
    options.facts->add(key, {options.step, preserved.isAll()});
}

/// Whether the ops in `root` are isolated, or symbols without contents that no
/// local pass changes.
static bool hasOnlyIsolatedOps(Operation *root) {
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps()) {
      bool isPlainSymbol =
          op.getNumRegions() == 0 && op.getNumOperands() == 0 &&
          op.getNumResults() == 0 && isa<SymbolOpInterface>(op);
      if (!isPlainSymbol && !op.hasTrait<OpTrait::IsIsolatedFromAbove>())
        return false;
    }
  return true;
}

/// Whether the pass is known to leave most of the ops in `root` as they are.
bool RootPass::knowsMost(Operation *root) {
  size_t numOps = 0, numKnown = 0;
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps()) {
      ++numOps;
      numKnown +=
          options.facts->find(hashWithParents(options.run->getHash(&op), &op))
              .has_value();
    }
  return 2 * numKnown > numOps;
}

/// Runs the pass on `root`, and notes which of the ops in it have stayed.
void RootPass::runOnAll(Operation *root) {
  llvm::DenseMap<Operation *, OpHash> before;
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps())
      before[&op] = options.run->getHash(&op);
  bool isQuiet = runInner();
  options.run->forget(root);
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps()) {
      if (options.sample->changesMost())
        return;
      auto it = before.find(&op);
      bool isSame =
          it != before.end() && options.run->getHash(&op) == it->second;
      options.sample->add(isSame);
      if (isSame && isQuiet)
        addFact(hashWithParents(it->second, &op));
    }
}

void RootPass::runOnOperation() {
  Operation *root = getOperation();
  bool isSplit =
      root->hasTrait<OpTrait::SymbolTable>() && hasOnlyIsolatedOps(root);
  *runsOnRoot = !isSplit || !(options.nests || knowsMost(root));
  if (!*runsOnRoot)
    return skip(/*isKnown=*/false);
  if (isSplit)
    runOnAll(root);
  else
    runUnlessUnchanged();
}

std::unique_ptr<mlir::Pass> makeUnchangedPass(std::unique_ptr<mlir::Pass> pass,
                                              UnchangedOptions options) {
  return std::make_unique<UnchangedPass>(std::move(pass), std::move(options),
                                         /*runsOnRoot=*/nullptr);
}

std::pair<const mlir::Pass *, const mlir::Pass *>
addNestedPass(OpPassManager &pm, std::unique_ptr<mlir::Pass> pass,
              const UnchangedOptions &options) {
  auto runsOnRoot = std::make_shared<std::atomic<bool>>(false);
  auto onRoot =
      std::make_unique<RootPass>(clonePass(*pass), options, runsOnRoot);
  auto inside =
      std::make_unique<UnchangedPass>(std::move(pass), options, runsOnRoot);
  std::pair<const mlir::Pass *, const mlir::Pass *> added{onRoot.get(),
                                                          inside.get()};
  pm.addPass(std::move(onRoot));
  pm.nestAny().addPass(std::move(inside));
  return added;
}

mlir::Pass &getWrappedPass(mlir::Pass &pass) {
  auto *wrapper = dyn_cast<WrapperPass>(&pass);
  return wrapper ? wrapper->getInner() : pass;
}

} // namespace partita::transform
