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

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// SequentialPass
//===----------------------------------------------------------------------===//

namespace {
class SequentialPass : public PassWrapper<SequentialPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SequentialPass)

  SequentialPass() = default;
  SequentialPass(const SequentialPass &other)
      : PassWrapper(other), captured(other.captured) {}

  StringRef getName() const override { return "Sequential"; }
  StringRef getArgument() const override { return sequentialArgument; }
  StringRef getDescription() const override {
    return "Run passes under the rules of the current PassContext";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    capture();
    for (const OpPassManager &pm : passes)
      pm.getDependentDialects(registry);
  }

  LogicalResult initialize(MLIRContext *) override {
    capture();
    return success();
  }

  void runOnOperation() override;

  /// The Sequential, for a place with these anchors.
  llvm::Expected<transform::Pass>
  getSequential(ArrayRef<std::string> anchors) const;

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

  /// The context of a run, for the threads that run functions: they do not have
  /// the scope of the caller, but copies of the pass, made in the first run.
  struct Captured {
    const SequentialPass *owner;
    PassContext context;
  };
  mutable std::shared_ptr<Captured> captured;

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

  transform::Pass sequential;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<PlanExecutor> executor;
};
} // namespace

void SequentialPass::runOnOperation() {
  Operation *op = getOperation();
  std::string rootName = op->getName().getStringRef().str();
  auto fail = [&](llvm::Error error) {
    emitError(op->getLoc(), llvm::toString(std::move(error)));
    signalPassFailure();
  };
  PassContext context = PassContext::currentScope().value_or(captured->context);
  if (!sequential) {
    llvm::Expected<transform::Pass> made = getSequential(rootName);
    if (!made)
      return fail(made.takeError());
    sequential = *made;
  }
  llvm::Expected<std::shared_ptr<const Plan>> resolved =
      Plan::get(sequential, context);
  if (!resolved)
    return fail(resolved.takeError());
  if (plan != *resolved) {
    plan = *resolved;
    executor = std::make_unique<PlanExecutor>(plan, rootName);
    if (llvm::Error error = executor->prepare()) {
      plan = nullptr;
      return fail(std::move(error));
    }
    emitPlanWarnings(*plan, op->getLoc());
  }
  if (failed(executor->run(op, context,
                           [&](OpPassManager &pipeline, Operation *root) {
                             return runPipeline(pipeline, root);
                           })))
    signalPassFailure();
  // The inner runs have invalidated and verified what they changed.
  markAllAnalysesPreserved();
}

void registerSequentialPass() {
  mlir::registerPass([] { return std::make_unique<SequentialPass>(); });
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
    llvm::Expected<Pass> sequential = pass.getSequential(anchors);
    if (!sequential)
      return sequential.takeError();
    passes.push_back(*sequential);
    return llvm::Error::success();
  }

  llvm::Expected<Pass> pass = getPass(name, options);
  if (!pass)
    return pass.takeError();
  auto impl = std::make_shared<Pass::Impl>(pass->getImpl());
  // A registered Sequential nests its members itself.
  if (!pass->isSequential())
    impl->anchors = std::vector<std::string>(anchors);
  passes.push_back(Pass(std::move(impl)));
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
SequentialPass::getSequential(ArrayRef<std::string> anchors) const {
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
