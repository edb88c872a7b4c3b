//===- SavingPass.cpp - Passes that are not run again ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SavingPass.h"
#include "../PassAccess.h"
#include "../RunStack.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

std::optional<bool> PassFacts::find(OpHash hash) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = facts.find(hash);
  return it == facts.end() ? std::nullopt : std::optional(it->second);
}

void PassFacts::add(OpHash hash, bool preservesAll) {
  std::lock_guard<std::mutex> lock(mutex);
  facts.try_emplace(hash, preservesAll);
}

void PassFacts::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  facts.clear();
}

bool VerifiedOps::contains(OpHash hash) {
  std::lock_guard<std::mutex> lock(mutex);
  return hashes.contains(hash);
}

void VerifiedOps::add(OpHash hash) {
  std::lock_guard<std::mutex> lock(mutex);
  hashes.insert(hash);
}

void VerifiedOps::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  hashes.clear();
}

void HiddenFunctions::swapBodies(Operation *root) {
  if (bodies.empty())
    return;
  // Passes may have erased some of the functions.
  for (Operation *function : getAllFunctions(root)) {
    auto it = bodies.find(function);
    if (it == bodies.end())
      continue;
    auto body = std::make_unique<Region>();
    body->takeBody(function->getRegion(0));
    if (it->second)
      function->getRegion(0).takeBody(*it->second);
    it->second = std::move(body);
  }
}

void NoisyOps::add(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  ops.insert(op);
  while ((op = op->getParentOp()))
    around.insert(op);
}

bool NoisyOps::contains(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  if (around.contains(op))
    return true;
  for (; op; op = op->getParentOp())
    if (ops.contains(op))
      return true;
  return false;
}

void NoisyOps::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  ops.clear();
  around.clear();
}

std::shared_ptr<PassFacts> RunFacts::get(unsigned number, unsigned position) {
  std::shared_ptr<PassFacts> &facts = passes[{number, position}];
  if (!facts)
    facts = std::make_shared<PassFacts>();
  return facts;
}

void RunFacts::clear() {
  for (auto &entry : passes)
    entry.second->clear();
  for (auto &[number, sample] : samples)
    sample->clear();
  hashes.clear();
  verified.clear();
  known.clear();
  noisy.clear();
  watch.forget();
  verifierSpeaks = false;
}

std::shared_ptr<StepSample> RunFacts::getSample(unsigned number) {
  std::shared_ptr<StepSample> &sample = samples[number];
  if (!sample)
    sample = std::make_shared<StepSample>();
  return sample;
}

//===----------------------------------------------------------------------===//
// SavingPass
//===----------------------------------------------------------------------===//

namespace {

/// Whether a local pass on the root must see the root itself; set by the pass
/// that comes before it.
using RunsOnRoot = std::shared_ptr<std::atomic<bool>>;

/// A pass that stands for another one.
class SavingPass : public mlir::Pass {
public:
  /// How it runs the other pass.
  enum class How {
    /// On its op, unless the other pass has left the op as it is.
    Plainly,
    /// On a root that has other contents than isolated ops: a pass with
    /// `InRoot` on these ops follows, which runs in the other case.
    OnRoot,
    InRoot,
    /// On the root, but without the bodies of functions that the other pass
    /// would leave as they are. To run once on the others takes less time than
    /// to run on each: canonicalize sorts all patterns each time.
    Hiding
  };

  SavingPass(std::unique_ptr<mlir::Pass> pass, How how, SavedPass options,
             RunsOnRoot runsOnRoot = nullptr)
      : Pass(TypeID::get<SavingPass>(), pass->getOpName()),
        inner(std::move(pass)), how(how), options(std::move(options)),
        runsOnRoot(std::move(runsOnRoot)) {}
  SavingPass(const SavingPass &other)
      : Pass(other), inner(PassAccess::copy(*other.inner)), how(other.how),
        options(other.options), runsOnRoot(other.runsOnRoot) {}

  StringRef getName() const override { return inner->getName(); }
  StringRef getArgument() const override { return inner->getArgument(); }
  StringRef getDescription() const override { return inner->getDescription(); }
  void getDependentDialects(DialectRegistry &registry) const override {
    inner->getDependentDialects(registry);
  }

  static bool classof(const mlir::Pass *pass) {
    return pass->getTypeID() == TypeID::get<SavingPass>();
  }
  mlir::Pass &getInner() { return *inner; }
  bool runsElsewhere(Operation *op, bool hasRun) const;

private:
  bool mustRunOnRoot(Operation *root) const;
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<SavingPass>(*this);
  }
  LogicalResult initialize(MLIRContext *context) override {
    return PassAccess::begin(*inner, context);
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return PassAccess::canRunOn(*inner, name);
  }
  void runOnOperation() override;
  void runOn(Operation *op);
  void runAsChosen(Operation *op);

  void runAndVerify();
  bool runPlainly();
  void runHiding();
  /// Does nothing. `isKnown` says that the pass would leave the op as it is.
  void skip(bool isKnown);
  bool skipIfKnown(OpHash key);
  bool runInner();
  using Preserved = mlir::detail::PreservedAnalyses;
  void addFact(OpHash key, const Preserved &preserved);
  PassFrame *getFrame() const;
  void noteUnchanged(uint64_t numOps);

  struct Function {
    /// The hash of the function, of the function with its parents, and of its
    /// name and attributes.
    OpHash hash, key, head;
  };
  using Functions = llvm::DenseMap<Operation *, Function>;

  void verifyForMLIR() {
    HiddenFunctions none;
    verifyForMLIR(none);
  }
  void verifyForMLIR(HiddenFunctions &hidden);
  LogicalResult verifyChanged(HiddenFunctions &hidden);
  LogicalResult verifyOne(ArrayRef<Operation *> ops);

  std::unique_ptr<mlir::Pass> inner;
  /// Whether the other pass has run, and whether it has not preserved all
  /// analyses: MLIR then verifies.
  bool hasRun = false, hasChanged = false;
  /// The hash of the op's name and attributes before the pass ran.
  OpHash head;
  How how;
  SavedPass options;
  RunsOnRoot runsOnRoot;
};
} // namespace

/// The frame that tells instruments of the pass, if one does.
PassFrame *SavingPass::getFrame() const {
  auto *frame = llvm::dyn_cast_if_present<PassFrame>(getInnermostFrame());
  return frame && frame->pass == this ? frame : nullptr;
}

/// Tells instruments on how many ops the pass was not needed.
void SavingPass::noteUnchanged(uint64_t numOps) {
  if (PassFrame *frame = getFrame())
    frame->numUnchanged = numOps;
}

void SavingPass::skip(bool isKnown) {
  markAllAnalysesPreserved();
  if (PassFrame *frame = getFrame())
    frame->isLeftAlone = true;
  noteUnchanged(isKnown);
}

/// Skips the pass if it has left an op with hash `key` as it was.
bool SavingPass::skipIfKnown(OpHash key) {
  std::optional<bool> preservesAll = options.facts->find(key);
  // The verifier speaks again, unless the pass preserves all analyses.
  if (!preservesAll || (options.run->verifierSpeaks && !*preservesAll))
    return false;
  if (!*preservesAll)
    getAnalysisMap(getAnalysisManager())
        .invalidate(mlir::detail::PreservedAnalyses());
  options.sample->add(/*isUnchanged=*/true);
  skip(/*isKnown=*/true);
  return true;
}

/// Runs the pass. Returns whether it has succeeded without a diagnostic.
bool SavingPass::runInner() {
  std::optional<mlir::detail::PassExecutionState> &state =
      PassAccess::getStateSlot(*inner);
  std::atomic<bool> isQuiet{true};
  hasRun = true;
  if (options.run->watch.isActive())
    head = hashHead(getOperation());
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
  hasChanged = !state->preservedAnalyses.isAll();
  if (state->irAndPassFailed.getInt())
    signalPassFailure();
  if (!isQuiet)
    options.run->noisy.add(getOperation());
  return isQuiet && !state->irAndPassFailed.getInt();
}

/// Runs the pass on its op unless it has left the op as it was. Returns whether
/// it has run.
bool SavingPass::runPlainly() {
  Operation *op = getOperation();
  std::optional<OpHash> before;
  OpHash key;
  if (options.facts) {
    before = options.sample->changesMost() ? options.run->hashes.find(op)
                                           : options.run->hashes.get(op);
    if (before)
      key = options.run->hashes.addSurroundings(*before, op);
    if (before && skipIfKnown(key))
      return false;
  }
  bool isQuiet = runInner();
  // A pass that preserves all analyses may have changed attributes.
  options.run->hashes.forget(op);
  if (!options.facts)
    return true;
  bool isSame = before && !options.sample->changesMost() &&
                options.run->hashes.get(op) == *before;
  options.sample->add(isSame);
  // A pass that says something says it each time.
  if (isSame && isQuiet)
    addFact(key, getPassState().preservedAnalyses);
  else if (options.isIdempotent && isQuiet && !options.sample->changesMost())
    options.facts->add(options.run->hashes.getWithSurroundings(op),
                       /*preservesAll=*/false);
  return true;
}

void SavingPass::runAndVerify() {
  if (!runPlainly())
    return;
  if (getOperation()->hasTrait<OpTrait::SymbolTable>())
    noteUnchanged(options.run->known.size());
  verifyForMLIR();
}

/// Notes that the pass, which has just run, has left an op as it was.
void SavingPass::addFact(OpHash key, const Preserved &preserved) {
  if (preserved.isAll() || preserved.isNone())
    options.facts->add(key, preserved.isAll());
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

/// Whether a local pass on `root` can't run on the ops in it.
bool SavingPass::mustRunOnRoot(Operation *root) const {
  return options.run->verifierSpeaks ||
         !root->hasTrait<OpTrait::SymbolTable>() || !hasOnlyIsolatedOps(root);
}

bool SavingPass::runsElsewhere(Operation *op, bool hasRun) const {
  if (how == How::OnRoot)
    return hasRun ? !*runsOnRoot : !mustRunOnRoot(op);
  return how == How::InRoot && *runsOnRoot;
}

void SavingPass::runOnOperation() {
  ThreadTask task;
  Operation *op = getOperation();
  AdaptorWatch &watch = options.run->watch;
  hasRun = hasChanged = false;
  runOn(op);
  if (watch.isActive())
    watch.note(op, how == How::InRoot ? hasChanged : hasRun,
               !hasRun || hashHead(op) == head, how == How::InRoot);
}

void SavingPass::runOn(Operation *op) {
  HiddenFunctions &known = options.run->known;
  if (known.contains(op))
    return skip(/*isKnown=*/true);
  if (!op->hasTrait<OpTrait::SymbolTable>())
    return runAsChosen(op);
  known.swapBodies(op);
  runAsChosen(op);
  known.swapBodies(op);
}

void SavingPass::runAsChosen(Operation *op) {
  switch (how) {
  case How::Plainly:
    return runAndVerify();
  case How::OnRoot:
    *runsOnRoot = mustRunOnRoot(op);
    return *runsOnRoot ? runAndVerify() : skip(/*isKnown=*/false);
  case How::InRoot:
    return *runsOnRoot ? skip(/*isKnown=*/false) : runAndVerify();
  case How::Hiding:
    return runHiding();
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

void collectOps(Operation *table, SmallVectorImpl<Operation *> &tables,
                SmallVectorImpl<Operation *> &ops) {
  tables.push_back(table);
  for (Region &region : table->getRegions())
    for (Operation &op : region.getOps())
      if (op.hasTrait<OpTrait::SymbolTable>())
        collectOps(&op, tables, ops);
      else
        ops.push_back(&op);
}

/// Calls `check`, which verifies ops in `root`. Where it fails or speaks,
/// verifies all of `root` with the bodies of hidden functions: what it says is
/// what MLIR says, and the verifiers of some ops look into other functions, as
/// llvm.blockaddress does.
static LogicalResult
verifyWithBodies(Operation *root, RunFacts &run,
                 ArrayRef<HiddenFunctions *> hidden,
                 llvm::function_ref<LogicalResult()> check) {
  if (succeeded(checkSilently(root->getContext(), check)))
    return success();
  for (HiddenFunctions *each : hidden)
    each->swapBodies(root);
  LogicalResult result = verifyAloud(root, run);
  for (HiddenFunctions *each : hidden)
    each->swapBodies(root);
  return result;
}

/// Verifies symbol tables but not their contents, and those ops in them that
/// have changed since they were verified and are not hidden.
LogicalResult SavingPass::verifyChanged(HiddenFunctions &hidden) {
  Operation *root = getOperation();
  RunFacts &run = *options.run;
  SmallVector<Operation *> tables, ops;
  bool isWhole = hidden.size() + run.known.size() == 0;
  if (!root->hasTrait<OpTrait::SymbolTable>() ||
      (isWhole && !hasOnlyIsolatedOps(root)))
    ops.push_back(root);
  else
    collectOps(root, tables, ops);
  SmallVector<OpHash> keys;
  llvm::erase_if(ops, [&](Operation *op) {
    if (hidden.contains(op) || run.known.contains(op))
      return true;
    if (options.verify != SavingOptions::Verify::Changed)
      return false;
    OpHash key = run.hashes.getWithSurroundings(op);
    if (run.verified.contains(key))
      return true;
    keys.push_back(key);
    return false;
  });
  auto check = [&] {
    for (Operation *table : tables)
      if (failed(verify(table, /*verifyRecursively=*/false)))
        return failure();
    return failableParallelForEach(&getContext(), ops,
                                   [](Operation *op) { return verify(op); });
  };
  // Without tables, the only op is the root.
  LogicalResult result =
      !tables.empty()
          ? verifyWithBodies(root, run, {&hidden, &run.known}, check)
          : verifyOne(ops);
  if (succeeded(result))
    for (OpHash key : keys)
      run.verified.add(key);
  return result;
}

/// Verifies the op in `ops`, if there is one.
LogicalResult SavingPass::verifyOne(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return success();
  RunFacts &run = *options.run;
  if (how != How::InRoot || !run.watch.isActive())
    return verifyAloud(ops.front(), run);
  bool isValid = false;
  auto check = [&] {
    LogicalResult result = verify(ops.front());
    isValid = succeeded(result);
    return result;
  };
  if (succeeded(checkSilently(&getContext(), check)))
    return success();
  if (!isValid)
    return verify(ops.front());
  // The verifier will speak about all of the root, as in a plain run.
  run.verifierSpeaks = true;
  return success();
}

/// Verifies in place of MLIR if fewer ops need it than MLIR would verify, or if
/// it must be known whether the verifier speaks.
void SavingPass::verifyForMLIR(HiddenFunctions &hidden) {
  mlir::detail::PassExecutionState &state = getPassState();
  if (state.irAndPassFailed.getInt() || state.preservedAnalyses.isAll())
    return;
  RunFacts &run = *options.run;
  // Results that are known were verified when they were made.
  bool hasKnown =
      run.known.size() != 0 && getOperation()->hasTrait<OpTrait::SymbolTable>();
  bool speaks = run.verifierSpeaks && hidden.size() == 0 &&
                !(how == How::InRoot && run.watch.isActive());
  if (!hasKnown && (!run.verifies || speaks))
    return;
  if (run.verifies && options.verify != SavingOptions::Verify::End &&
      failed(verifyChanged(hidden)))
    return signalPassFailure();
  // MLIR does not verify after a pass that preserves all analyses.
  getAnalysisMap(getAnalysisManager()).invalidate(state.preservedAnalyses);
  state.preservedAnalyses.preserveAll();
}

//===----------------------------------------------------------------------===//
// Hiding functions
//===----------------------------------------------------------------------===//

static bool isFunction(Operation &op) {
  return isa<FunctionOpInterface>(op) && op.getNumRegions() == 1 &&
         op.hasTrait<OpTrait::IsIsolatedFromAbove>();
}

SmallVector<Operation *> getAllFunctions(Operation *root) {
  SmallVector<Operation *> tables, ops;
  collectOps(root, tables, ops);
  llvm::erase_if(ops, [](Operation *op) { return !isFunction(*op); });
  return ops;
}

SmallVector<Operation *> getFunctions(Operation *root) {
  SmallVector<Operation *> functions;
  for (Region &region : root->getRegions())
    for (Operation &op : region.getOps())
      if (isFunction(op))
        functions.push_back(&op);
  return functions;
}

void SavingPass::runHiding() {
  Operation *root = getOperation();
  RunFacts &run = *options.run;
  if (!root->hasTrait<OpTrait::SymbolTable>() ||
      options.sample->changesMost() || run.verifierSpeaks)
    return runAndVerify();
  OpHash whole = run.hashes.getWithSurroundings(root);
  if (skipIfKnown(whole))
    return;

  // Functions that the pass would leave as they are lose their bodies for now.
  Functions functions;
  HiddenFunctions hidden;
  SmallVector<Operation *> before = getFunctions(root);
  for (Operation *op : before) {
    if (run.known.contains(op))
      continue;
    Function &function = functions[op];
    function.hash = run.hashes.get(op);
    function.key = run.hashes.addSurroundings(function.hash, op);
    function.head = hashHead(op);
    if (!options.facts->find(function.key))
      continue;
    hidden.add(op);
  }
  hidden.swapBodies(root);
  bool isQuiet = runInner();
  // Verifying changes them.
  Preserved preserved = getPassState().preservedAnalyses;
  run.hashes.forget(root);
  SmallVector<Operation *> after = getFunctions(root);
  bool hasSameSymbols =
      before == after && llvm::all_of(functions, [](const auto &entry) {
        return hashHead(entry.first) == entry.second.head;
      });
  // Symbols that hidden functions use are as they were, so that their bodies
  // need not be verified.
  if (hasSameSymbols)
    verifyForMLIR(hidden);
  hidden.swapBodies(root);
  for (Operation *op : after) {
    auto it = functions.find(op);
    if (it == functions.end())
      continue;
    Function &function = it->second;
    if (hidden.contains(op)) {
      if (hasSameSymbols)
        run.hashes.set(op, function.hash);
      continue;
    }
    bool isSame =
        !options.sample->changesMost() && run.hashes.get(op) == function.hash;
    options.sample->add(isSame);
    if (isSame && isQuiet)
      addFact(function.key, preserved);
  }
  noteUnchanged(hidden.size() + run.known.size());
  if (isQuiet && run.hashes.getWithSurroundings(root) == whole)
    addFact(whole, preserved);
  if (!hasSameSymbols)
    verifyForMLIR();
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

std::unique_ptr<mlir::Pass> makeSavingPass(std::unique_ptr<mlir::Pass> pass,
                                           SavedPass options) {
  return std::make_unique<SavingPass>(std::move(pass), SavingPass::How::Plainly,
                                      std::move(options));
}

std::unique_ptr<mlir::Pass> makeHidingPass(std::unique_ptr<mlir::Pass> pass,
                                           SavedPass options) {
  return std::make_unique<SavingPass>(std::move(pass), SavingPass::How::Hiding,
                                      std::move(options));
}

std::pair<const mlir::Pass *, const mlir::Pass *>
addNestedPass(OpPassManager &pm, std::unique_ptr<mlir::Pass> pass,
              const SavedPass &options) {
  using How = SavingPass::How;
  auto runsOnRoot = std::make_shared<std::atomic<bool>>(false);
  auto onRoot = std::make_unique<SavingPass>(clonePass(*pass), How::OnRoot,
                                             options, runsOnRoot);
  auto inside = std::make_unique<SavingPass>(std::move(pass), How::InRoot,
                                             options, runsOnRoot);
  std::pair<const mlir::Pass *, const mlir::Pass *> added{onRoot.get(),
                                                          inside.get()};
  pm.addPass(std::move(onRoot));
  pm.nestAny().addPass(std::move(inside));
  return added;
}

bool runsElsewhere(const mlir::Pass &pass, Operation *op, bool hasRun) {
  auto *wrapper = dyn_cast<SavingPass>(&pass);
  return wrapper && wrapper->runsElsewhere(op, hasRun);
}

mlir::Pass &getWrappedPass(mlir::Pass &pass) {
  auto *wrapper = dyn_cast<SavingPass>(&pass);
  return wrapper ? wrapper->getInner() : pass;
}

} // namespace partita::transform
