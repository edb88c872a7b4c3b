//===- SequentialPass.cpp - Sequentials in textual pipelines -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/SequentialPass.h"
#include "PassImpl.h"
#include "PipelineText.h"
#include "PlanPass.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// SequentialPass
//===----------------------------------------------------------------------===//

namespace {
/// What the copies of a pass for MLIR's threads have in common.
struct SharedSequential {
  std::mutex mutex;
  /// The Sequential by the name of the op that it runs on, which says where
  /// the anchors in it start.
  llvm::StringMap<transform::Pass> sequentials;
  /// What was warned of.
  llvm::StringSet<> warnings;
};

/// Runs a Sequential in a pipeline of MLIR.
class SequentialPassBase : public PlanPassBase {
public:
  void getDependentDialects(DialectRegistry &registry) const override;

  LogicalResult initialize(MLIRContext *) override {
    capture();
    return success();
  }

  void runOnOperation() override;

protected:
  using PlanPassBase::PlanPassBase;
  SequentialPassBase(const SequentialPassBase &other)
      : PlanPassBase(other), shared(other.shared), captured(other.captured) {}

public:
  /// The Sequential, for a place with these anchors.
  virtual llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string> anchors) const = 0;

private:
  /// The context of a run, for the threads that run functions: they do not have
  /// the scope of the caller, but copies of the pass, made in the first run.
  struct Captured {
    const SequentialPassBase *owner;
    PassContext context;
  };

  /// When a run begins, MLIR asks each pass for its dialects on the thread that
  /// runs the pass manager, but not the copies for other threads. So a copy
  /// that is asked is in another pass manager.
  void capture() const {
    if (captured && captured->owner == this)
      captured->context = PassContext::current();
    else
      captured =
          std::make_shared<Captured>(Captured{this, PassContext::current()});
  }

  llvm::Expected<transform::Pass> getSequential(StringRef rootName);
  bool track();

  std::shared_ptr<SharedSequential> shared =
      std::make_shared<SharedSequential>();
  mutable std::shared_ptr<Captured> captured;
  /// The dialects of what can run, once they were asked for.
  mutable std::unique_ptr<DialectRegistry> dialects;
  std::shared_ptr<const Plan> plan;
  std::string planRoot;
  std::unique_ptr<PlanExecutor> executor;
  /// Sees the passes, once somebody measures.
  PassTracker::Slot tracker;
};

/// `sequential{passes=...}`.
class SequentialPass : public PassWrapper<SequentialPass, SequentialPassBase> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SequentialPass)

  SequentialPass() = default;
  SequentialPass(const SequentialPass &other) : PassWrapper(other) {}

  StringRef getName() const override { return "Sequential"; }
  StringRef getArgument() const override { return "sequential"; }
  StringRef getDescription() const override {
    return "Run passes under the rules of the current PassContext";
  }

  /// Text that makes no passes is an error now, and not in a run.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(PassWrapper::initializeOptions(options, errorHandler)))
      return failure();
    llvm::Expected<transform::Pass> sequential =
        makeSequential(OpPassManager::getAnyOpAnchorName().str());
    return sequential ? success()
                      : errorHandler(llvm::toString(sequential.takeError()));
  }

  /// For who makes the Sequential next, and so checks it.
  LogicalResult
  readOptions(StringRef options,
              function_ref<LogicalResult(const Twine &)> errorHandler) {
    return PassWrapper::initializeOptions(options, errorHandler);
  }

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string> anchors) const override {
    llvm::Expected<std::vector<transform::Pass>> members =
        getSequentialMembers(passes, anchors);
    if (!members)
      return members.takeError();
    return Sequential(std::move(*members),
                      {name, optLevel, {required.begin(), required.end()}});
  }

private:
  /// As they were written: MLIR prints options that were not set.
  ListOption<std::string> passes{
      *this, "passes",
      llvm::cl::desc("The members, each as anchor(passes); the anchor is "
                     "'any', the op that the Sequential is on, or one in it")};
  Option<std::string> name{*this, "name", llvm::cl::desc("PassInfo.name"),
                           llvm::cl::init("sequential")};
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("PassInfo.opt_level"),
                       llvm::cl::init(0)};
  ListOption<std::string> required{*this, "required",
                                   llvm::cl::desc("PassInfo.required")};
};

/// A registered Sequential by its argument.
class RegisteredSequentialPass
    : public PassWrapper<RegisteredSequentialPass, SequentialPassBase> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RegisteredSequentialPass)

  explicit RegisteredSequentialPass(
      std::shared_ptr<const PassDeclaration> declaration)
      : declaration(std::move(declaration)) {}

  StringRef getName() const override { return declaration->info.name; }
  StringRef getArgument() const override { return declaration->argument; }
  StringRef getDescription() const override { return declaration->summary; }

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string>) const override {
    return getPass(declaration->info.name);
  }

private:
  std::shared_ptr<const PassDeclaration> declaration;
};
} // namespace

/// Adds the dialects of `pass`, of its members and of what they require; errors
/// are found again, and reported, when the pass runs.
static void collectDialects(const Pass &pass, llvm::StringSet<> &seen,
                            DialectRegistry &registry) {
  if (const auto &build = pass.getImpl().build) {
    OpPassManager pm(OpPassManager::getAnyOpAnchorName(),
                     OpPassManager::Nesting::Implicit);
    if (succeeded(build(pm, [](const Twine &) { return failure(); })))
      pm.getDependentDialects(registry);
  }
  for (const Pass &member : pass.passes())
    collectDialects(member, seen, registry);
  for (const std::string &name : pass.info().required)
    if (seen.insert(name).second) {
      llvm::Expected<Pass> required = getPass(name);
      if (required)
        collectDialects(*required, seen, registry);
      else
        llvm::consumeError(required.takeError());
    }
}

void SequentialPassBase::getDependentDialects(DialectRegistry &registry) const {
  capture();
  if (!dialects) {
    dialects = std::make_unique<DialectRegistry>();
    llvm::Expected<transform::Pass> sequential =
        makeSequential(OpPassManager::getAnyOpAnchorName().str());
    llvm::StringSet<> seen;
    if (sequential)
      collectDialects(*sequential, seen, *dialects);
    else
      llvm::consumeError(sequential.takeError());
  }
  dialects->appendTo(registry);
}

llvm::Expected<transform::Pass>
SequentialPassBase::getSequential(StringRef rootName) {
  std::lock_guard<std::mutex> lock(shared->mutex);
  transform::Pass &sequential = shared->sequentials[rootName];
  if (!sequential) {
    llvm::Expected<transform::Pass> made = makeSequential(rootName.str());
    if (!made)
      return made.takeError();
    sequential = *made;
  }
  return sequential;
}

/// Lets a tracker see the passes of the executor. False if the pass manager
/// around has no instrumentation that it could be added to.
bool SequentialPassBase::track() {
  if (!tracker || !*tracker) {
    PassInstrumentor *instrumentor = getAnalysisManager().getPassInstrumentor();
    if (!instrumentor)
      return false;
    auto added = std::make_unique<PassTracker>();
    tracker = added->getSlot();
    instrumentor->addInstrumentation(std::move(added));
  }
  if (executor->getTracker() != *tracker)
    executor->setTracker(*tracker);
  return true;
}

void SequentialPassBase::runOnOperation() {
  Operation *op = getOperation();
  if (isa<FunctionOpInterface>(op) && skipsOptimization(op))
    return markAllAnalysesPreserved();
  StringRef rootName = op->getName().getStringRef();
  auto fail = [&](llvm::Error error) {
    emitError(op->getLoc(), llvm::toString(std::move(error)));
    signalPassFailure();
  };
  llvm::Expected<transform::Pass> sequential = getSequential(rootName);
  if (!sequential)
    return fail(sequential.takeError());
  PassContext context = PassContext::currentScope().value_or(captured->context);
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(*sequential, context);
  if (!resolved)
    return fail(resolved.takeError());
  if (plan != *resolved || planRoot != rootName) {
    plan = *resolved;
    planRoot = rootName.str();
    executor = std::make_unique<PlanExecutor>(plan, rootName);
    if (tracker && *tracker)
      (*tracker)->clearPasses();
    if (llvm::Error error = executor->prepare()) {
      plan = nullptr;
      return fail(std::move(error));
    }
    for (const std::string &warning : plan->warnings()) {
      std::unique_lock<std::mutex> lock(shared->mutex);
      bool isNew = shared->warnings.insert(warning).second;
      lock.unlock();
      if (isNew)
        emitWarning(op->getLoc(), warning);
    }
  }
  Run run{op, plan, context, getInnermostStep()};
  // What measures must not keep passes from running merged.
  bool isMeasured = Execution::choose(*plan, context, false).needsTracker;
  bool canTrack = !isMeasured || track();
  if (failed(canTrack ? execute(*executor, run) : runInside(run)))
    signalPassFailure();
}

void registerSequentialPass() {
  mlir::registerPass([] { return std::make_unique<SequentialPass>(); });
}

void registerSequentialWithMLIR(
    std::shared_ptr<const PassDeclaration> declaration) {
  mlir::registerPass([declaration = std::move(declaration)] {
    return std::make_unique<RegisteredSequentialPass>(declaration);
  });
}

std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, ArrayRef<std::string> anchors) {
  if (!isa<SequentialPass, RegisteredSequentialPass>(pass))
    return std::nullopt;
  return static_cast<const SequentialPassBase &>(pass).makeSequential(anchors);
}

llvm::Expected<Pass> parseSequentialOptions(StringRef options,
                                            ArrayRef<std::string> anchors) {
  SequentialPass pass;
  std::string message;
  if (failed(pass.readOptions(options, [&](const Twine &error) {
        message = error.str();
        return failure();
      })))
    return makePassError("expected options of 'sequential', but found '" +
                         options + "': " + message);
  return pass.makeSequential(anchors);
}

} // namespace partita::transform
