//===- SequentialPass.cpp - Sequentials in textual pipelines -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/SequentialPass.h"
#include "../PassImpl.h"
#include "../Pipeline/NamedPasses.h"
#include "SequentialPass.h"
#include "SequentialPassBase.h"
#include "SequentialText.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// SequentialPass
//===----------------------------------------------------------------------===//

namespace {
/// `sequential{passes=...}`.
class SequentialPass : public SequentialPassBase {
public:
  SequentialPass() = default;
  SequentialPass(const SequentialPass &other) : SequentialPassBase(other) {}

  StringRef getName() const override { return "Sequential"; }
  StringRef getArgument() const override { return "sequential"; }
  StringRef getDescription() const override {
    return "Run passes under the rules of the current PassContext";
  }

  /// Reports a text that makes no passes now, not in a run.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(readOptions(options, errorHandler)))
      return failure();
    llvm::Expected<transform::Pass> sequential =
        makeSequential(OpPassManager::getAnyOpAnchorName().str());
    if (!sequential)
      return errorHandler(llvm::toString(sequential.takeError()));
    for (const std::string &text : instruments)
      if (auto made = instrument::makeInstrument(text); !made)
        return errorHandler(llvm::toString(made.takeError()));
    return success();
  }

  /// Reads the options without a check, for callers that make the Sequential
  /// next.
  LogicalResult
  readOptions(StringRef options,
              function_ref<LogicalResult(const Twine &)> errorHandler) {
    if (failed(SequentialPassBase::initializeOptions(options, errorHandler)))
      return failure();
    auto check = [&](const Flag &flag) {
      for (const std::string &value : flag)
        if (!read(value))
          return errorHandler("expected option '" + flag.ArgStr +
                              "' of 'sequential' to be true or false, but "
                              "found '" +
                              value + "'");
      return success();
    };
    return success(succeeded(check(reuseRequired)) &&
                   succeeded(check(explain)));
  }

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string> anchors) const override {
    llvm::Expected<std::vector<transform::Pass>> members =
        getSequentialMembers(passes, anchors);
    if (!members)
      return members.takeError();
    auto impl = std::make_shared<transform::Pass::Impl>();
    impl->info = *getInfo();
    impl->members = std::move(*members);
    impl->isTextual = true;
    return transform::Pass(std::move(impl));
  }

  bool hasAnchorsInText() const override { return true; }
  std::optional<transform::PassInfo> getInfo() const override {
    return transform::PassInfo{name,
                               optLevel,
                               {required.begin(), required.end()},
                               isTrue(reuseRequired)};
  }

  bool hasContext() const override {
    return !contextLevel.empty() || !disabledPass.empty() ||
           !requiredPass.empty() || !instruments.empty() || explains();
  }
  std::optional<PassContextOptions> getContextOptions() const override {
    if (!hasContext())
      return std::nullopt;
    PassContextOptions options;
    if (!contextLevel.empty())
      options.optLevel = *contextLevel.begin();
    options.requiredPass.assign(requiredPass.begin(), requiredPass.end());
    options.disabledPass.assign(disabledPass.begin(), disabledPass.end());
    return options;
  }
  std::vector<std::string> getInstrumentTexts() const override {
    return {instruments.begin(), instruments.end()};
  }
  bool explains() const override { return isTrue(explain); }

private:
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<SequentialPass>(*this);
  }

  using Flag = ListOption<std::string>;

  /// The value of a flag, read as LLVM does; nothing if it is neither true nor
  /// false.
  static std::optional<bool> read(StringRef value) {
    return llvm::StringSwitch<std::optional<bool>>(value)
        .Cases({"", "true", "TRUE", "True", "1"}, true)
        .Cases({"false", "FALSE", "False", "0"}, false)
        .Default(std::nullopt);
  }
  static bool isTrue(const Flag &flag) {
    return flag.hasValue() &&
           (flag.empty() || read(*std::prev(flag.end())).value_or(false));
  }

  /// The texts as written, because MLIR prints options that were not set.
  ListOption<std::string> passes{
      *this, "passes",
      llvm::cl::desc("The members, each as anchor(passes); the anchor is "
                     "'any', the op that the Sequential runs on, or an op in "
                     "it; a pass without an anchor means any(pass)")};
  Option<std::string> name{*this, "name", llvm::cl::desc("PassInfo.name"),
                           llvm::cl::init("sequential")};
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("PassInfo.opt_level"),
                       llvm::cl::init(0)};
  ListOption<std::string> required{*this, "required",
                                   llvm::cl::desc("PassInfo.required")};
  // Lists, because MLIR prints other options even if they were not set.
  ListOption<std::string> reuseRequired{
      *this, "reuse-required", llvm::cl::ValueOptional,
      llvm::cl::desc("PassInfo.reuseRequired")};
  ListOption<int> contextLevel{
      *this, "context-level",
      llvm::cl::desc("The opt_level of the Sequential's own PassContext, 2 by "
                     "default; each option below also makes such a context")};
  ListOption<std::string> requiredPass{
      *this, "required-pass",
      llvm::cl::desc("Passes that run whatever their opt_level")};
  ListOption<std::string> disabledPass{
      *this, "disabled-pass",
      llvm::cl::desc("Passes that do not run, unless another requires them")};
  ListOption<std::string> instruments{
      *this, "instruments",
      llvm::cl::desc("Instruments, each as NAME{options}")};
  ListOption<std::string> explain{
      *this, "explain", llvm::cl::ValueOptional,
      llvm::cl::desc("Print the plan to stderr, and run nothing")};
};

/// A registered Sequential, by its argument.
class RegisteredSequentialPass : public SequentialPassBase {
public:
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
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<RegisteredSequentialPass>(*this);
  }

  std::shared_ptr<const PassDeclaration> declaration;
};

/// A Pass in any pass manager.
class GivenSequentialPass : public SequentialPassBase {
public:
  explicit GivenSequentialPass(const transform::Pass &pass)
      : pass(pass), text(printSequential(pass)) {}

  StringRef getName() const override {
    return pass ? StringRef(pass.info().name) : "null";
  }
  StringRef getArgument() const override { return text; }

  std::optional<transform::PassInfo> getInfo() const override {
    return pass ? pass.info() : transform::PassInfo{"null", 0, {}};
  }

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string>) const override {
    return pass;
  }

private:
  std::unique_ptr<mlir::Pass> clonePass() const override {
    return std::make_unique<GivenSequentialPass>(*this);
  }

  transform::Pass pass;
  std::string text;
};
} // namespace

std::unique_ptr<mlir::Pass> createPass(const Pass &pass) {
  return std::make_unique<GivenSequentialPass>(pass);
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

/// `pass`, if it runs a Sequential.
static const SequentialPassBase *getBase(const mlir::Pass &pass) {
  auto *runner = dyn_cast<PlanRunnerPass>(&pass);
  if (!runner || !runner->isSequential())
    return nullptr;
  return static_cast<const SequentialPassBase *>(runner);
}

std::optional<PassInfo> getSequentialInfo(const mlir::Pass &pass) {
  const SequentialPassBase *base = getBase(pass);
  return base ? base->getInfo() : std::nullopt;
}

std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, ArrayRef<std::string> anchors) {
  const SequentialPassBase *base = getBase(pass);
  if (!base || base->hasContext())
    return std::nullopt;
  llvm::Expected<Pass> made = base->makeSequential(anchors);
  if (made && *made && !canExpand(*made, anchors))
    return std::nullopt;
  if (made && anchors.size() > 1 && !base->hasAnchorsInText())
    made = placeBelow(*made, anchors);
  return made;
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
  if (!pass.hasContext())
    return pass.makeSequential(anchors);
  llvm::Expected<Pass> made = getPassOfMLIR(sequentialArgument, options);
  if (!made)
    return made;
  return withInfo(*made, *pass.getInfo());
}

} // namespace partita::transform
