//===- SequentialPass.cpp - Sequentials in textual pipelines -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/SequentialPass.h"
#include "PassImpl.h"
#include "PlanExecutor.h"
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
class SequentialPassBase : public OperationPass<> {
public:
  void getDependentDialects(DialectRegistry &registry) const override;

  LogicalResult initialize(MLIRContext *) override {
    capture();
    return success();
  }

  void runOnOperation() override;

protected:
  using OperationPass::OperationPass;
  SequentialPassBase(const SequentialPassBase &other)
      : OperationPass(other), shared(other.shared), captured(other.captured) {}

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

  /// MLIR asks a pass for its dialects when a run begins, on the thread that
  /// runs the pass manager, and not the copies for other threads. A copy of
  /// which it asks them is one in another pass manager.
  void capture() const {
    if (captured && captured->owner == this)
      captured->context = PassContext::current();
    else
      captured =
          std::make_shared<Captured>(Captured{this, PassContext::current()});
  }

  llvm::Expected<transform::Pass> getSequential(StringRef rootName);

  std::shared_ptr<SharedSequential> shared =
      std::make_shared<SharedSequential>();
  mutable std::shared_ptr<Captured> captured;
  /// The dialects of what can run, once they were asked for.
  mutable std::unique_ptr<DialectRegistry> dialects;
  std::shared_ptr<const Plan> plan;
  std::string planRoot;
  std::unique_ptr<PlanExecutor> executor;
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

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string> anchors) const override;

private:
  ListOption<OpPassManager> passes{
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
  if (failed(executor->run(
          op, context, [&](OpPassManager &pipeline, Operation *root, bool *) {
            return runPipeline(pipeline, root);
          })))
    signalPassFailure();
  // The inner runs have invalidated and verified what they changed.
  markAllAnalysesPreserved();
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

//===----------------------------------------------------------------------===//
// Textual pipelines
//===----------------------------------------------------------------------===//

SmallVector<StringRef> splitPipeline(StringRef text) {
  SmallVector<StringRef> elements;
  unsigned depth = 0;
  size_t start = 0;
  for (size_t index = 0; index < text.size(); ++index) {
    char c = text[index];
    if (text.substr(index).starts_with(unnamedPassPrefix)) {
      // The name of a type, with whatever brackets and commas.
      index += unnamedPassPrefix.size();
      for (unsigned angles = 1; index < text.size(); ++index)
        if (text[index] == '<')
          ++angles;
        else if (text[index] == '>' && --angles == 0)
          break;
    } else if (c == '{') {
      // Options hold anything; MLIR matches the braces in them.
      for (unsigned braces = 0; index < text.size(); ++index)
        if (text[index] == '{')
          ++braces;
        else if (text[index] == '}' && --braces == 0)
          break;
    } else if (c == '\'' || c == '"') {
      size_t close = text.find(c, index + 1);
      index = close == StringRef::npos ? index : close;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if ((c == ')' || c == ']') && depth > 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      elements.push_back(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  elements.push_back(text.drop_front(start).trim());
  llvm::erase_if(elements, [](StringRef element) { return element.empty(); });
  return elements;
}

/// The anchors with those that registered places put between them.
static SmallVector<std::string> nestAnchor(ArrayRef<std::string> anchors,
                                           StringRef anchor) {
  SmallVector<std::string> result(anchors);
  if (anchors.empty()) {
    result.push_back(anchor.str());
    return result;
  }
  FailureOr<SmallVector<std::string>> path =
      getAnchorPath(anchors.back(), anchor);
  if (failed(path) || path->empty())
    result.push_back(anchor.str());
  else
    llvm::append_range(result, *path);
  return result;
}

/// `pass`, to be run below `anchors`; a Sequential's members each.
static Pass placeBelow(const Pass &pass, ArrayRef<std::string> anchors) {
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  for (Pass &member : impl->members)
    member = placeBelow(member, anchors);
  if (!pass.isSequential()) {
    SmallVector<std::string> place(anchors);
    if (!impl->opName.empty() && impl->opName != anchors.back())
      place = nestAnchor(anchors, impl->opName);
    impl->anchors = std::vector<std::string>(place.begin(), place.end());
  }
  return Pass(std::move(impl));
}

static llvm::Error parseElements(StringRef text, ArrayRef<std::string> anchors,
                                 std::vector<Pass> &passes);

/// `anchor(passes)`, `pass` or `pass{options}`.
static llvm::Error parseElement(StringRef text, ArrayRef<std::string> anchors,
                                std::vector<Pass> &passes) {
  size_t bracket = text.find_first_of("({");
  StringRef name = text.take_front(bracket).trim();
  if (bracket != StringRef::npos && text[bracket] == '(') {
    StringRef inner = text.drop_front(bracket + 1).rsplit(')').first;
    return parseElements(inner, nestAnchor(anchors, name), passes);
  }
  StringRef options;
  if (bracket != StringRef::npos)
    options = text.drop_front(bracket + 1).rsplit('}').first;

  if (name == sequentialArgument) {
    SequentialPass pass;
    std::string message;
    if (failed(pass.initializeOptions(options, [&](const Twine &error) {
          message = error.str();
          return failure();
        })))
      return makePassError("expected options of 'sequential', but found '" +
                           options + "': " + message);
    llvm::Expected<Pass> sequential = pass.makeSequential(anchors);
    if (!sequential)
      return sequential.takeError();
    passes.push_back(*sequential);
    return llvm::Error::success();
  }

  llvm::Expected<Pass> pass = getPass(name, options);
  if (!pass)
    return pass.takeError();
  passes.push_back(placeBelow(*pass, anchors));
  return llvm::Error::success();
}

static llvm::Error parseElements(StringRef text, ArrayRef<std::string> anchors,
                                 std::vector<Pass> &passes) {
  for (StringRef element : splitPipeline(text))
    if (llvm::Error error = parseElement(element, anchors, passes))
      return error;
  return llvm::Error::success();
}

llvm::Expected<transform::Pass>
SequentialPass::makeSequential(ArrayRef<std::string> anchors) const {
  std::vector<transform::Pass> members;
  for (const OpPassManager &pm : passes) {
    std::string text;
    llvm::raw_string_ostream os(text);
    // Printing does not change a manager, but is not const in all versions.
    const_cast<OpPassManager &>(pm).printAsTextualPipeline(os);
    StringRef anchor = pm.getOpAnchorName();
    bool isHere = anchor == anchors.back() ||
                  anchor == OpPassManager::getAnyOpAnchorName();
    StringRef inner = StringRef(text).drop_front(anchor.size() + 1).drop_back();
    if (llvm::Error error = isHere ? parseElements(inner, anchors, members)
                                   : parseElements(text, anchors, members))
      return std::move(error);
  }
  return Sequential(std::move(members),
                    {name, optLevel, {required.begin(), required.end()}});
}

llvm::Expected<Pass> parseSequential(StringRef pipeline, PassInfo info) {
  std::string message;
  llvm::raw_string_ostream errors(message);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, errors);
  if (failed(parsed))
    return makePassError("expected a textual pipeline, but found '" + pipeline +
                         "': " + message);
  std::string text;
  llvm::raw_string_ostream os(text);
  parsed->printAsTextualPipeline(os);
  std::vector<Pass> members;
  if (llvm::Error error = parseElements(text, {}, members))
    return std::move(error);
  return Sequential(std::move(members), std::move(info));
}

std::string nestPipeline(StringRef pipeline) {
  std::string result;
  auto print = [&](auto &self, StringRef text,
                   ArrayRef<std::string> anchors) -> void {
    bool isFirst = true;
    for (StringRef element : splitPipeline(text)) {
      result += isFirst ? "" : ",";
      isFirst = false;
      size_t bracket = element.find_first_of("({");
      if (bracket == StringRef::npos || element[bracket] == '{') {
        result += element;
        continue;
      }
      SmallVector<std::string> path =
          nestAnchor(anchors, element.take_front(bracket));
      ArrayRef<std::string> added = ArrayRef(path).drop_front(anchors.size());
      for (const std::string &anchor : added)
        result += anchor + "(";
      self(self, element.drop_front(bracket + 1).rsplit(')').first, path);
      result.append(added.size(), ')');
    }
  };
  print(print, pipeline, {});
  return result;
}

} // namespace partita::transform
