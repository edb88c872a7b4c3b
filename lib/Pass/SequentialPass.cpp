//===- SequentialPass.cpp - Sequentials in textual pipelines -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/SequentialPass.h"
#include "PipelineText.h"
#include "SequentialPassBase.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// SequentialPass
//===----------------------------------------------------------------------===//

namespace {
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
    if (!sequential)
      return errorHandler(llvm::toString(sequential.takeError()));
    llvm::Expected<PassContextOptions> context = getContextOptions();
    return context ? success()
                   : errorHandler(llvm::toString(context.takeError()));
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
    return Sequential(std::move(*members), {name,
                                            optLevel,
                                            {required.begin(), required.end()},
                                            isTrue(reuseRequired)});
  }

  /// Whether it runs under a context of its own, so that it is no member of
  /// another Sequential but a pass.
  bool hasContext() const {
    return !contextLevel.empty() || !disabledPass.empty() ||
           !requiredPass.empty() || !instruments.empty() || explains();
  }
  llvm::Expected<std::optional<PassContext>> makeContext() const override {
    if (!hasContext())
      return std::nullopt;
    llvm::Expected<PassContextOptions> options = getContextOptions();
    if (!options)
      return options.takeError();
    PassInstruments list = std::exchange(options->instruments, {});
    llvm::Expected<PassContext> context = PassContext::create(*options);
    if (!context)
      return context.takeError();
    // Runs on any thread share it, so that none is in its scope.
    if (llvm::Error error = context->overrideInstruments(std::move(list)))
      return std::move(error);
    return std::optional<PassContext>(std::move(*context));
  }
  bool explains() const override { return isTrue(explain); }

private:
  static bool isTrue(const ListOption<std::string> &flag) {
    return flag.hasValue() && (flag.empty() || *flag.begin() != "false");
  }

  llvm::Expected<PassContextOptions> getContextOptions() const {
    PassContextOptions options;
    if (!contextLevel.empty())
      options.optLevel = *contextLevel.begin();
    options.requiredPass.assign(requiredPass.begin(), requiredPass.end());
    options.disabledPass.assign(disabledPass.begin(), disabledPass.end());
    for (const std::string &text : instruments) {
      auto instrument = instrument::makeInstrument(text);
      if (!instrument)
        return instrument.takeError();
      options.instruments.push_back(std::move(*instrument));
    }
    return options;
  }

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
  // Lists, because MLIR prints other options when nobody has set them.
  ListOption<std::string> reuseRequired{
      *this, "reuse-required", llvm::cl::ValueOptional,
      llvm::cl::desc("PassInfo.reuseRequired")};
  ListOption<int> contextLevel{
      *this, "context-level",
      llvm::cl::desc("The opt_level of a PassContext of its own, 2 if nothing "
                     "is said; any of the options below makes one")};
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

/// A Pass in anybody's pass manager.
class GivenSequentialPass
    : public PassWrapper<GivenSequentialPass, SequentialPassBase> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GivenSequentialPass)

  explicit GivenSequentialPass(const transform::Pass &pass)
      : pass(pass), text(printSequential(pass)) {}

  StringRef getName() const override {
    return pass ? StringRef(pass.info().name) : "null";
  }
  StringRef getArgument() const override { return text; }

  llvm::Expected<transform::Pass>
  makeSequential(ArrayRef<std::string>) const override {
    return pass;
  }

private:
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

bool isSequentialPass(const mlir::Pass &pass) {
  return isa<SequentialPass, RegisteredSequentialPass, GivenSequentialPass>(
      pass);
}

/// `pass`, whose own anchors begin where it is, to be run below `anchors`.
static Pass placeWithin(const Pass &pass, ArrayRef<std::string> anchors) {
  if (!pass)
    return pass;
  if (!pass.isSequential() && !pass.getImpl().anchors)
    return placeBelow(pass, anchors);
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  for (Pass &member : impl->members)
    member = placeWithin(member, anchors);
  if (impl->anchors) {
    std::vector<std::string> place = anchors;
    llvm::append_range(place, llvm::drop_begin(*impl->anchors));
    impl->anchors = std::move(place);
  }
  return Pass(std::move(impl));
}

std::optional<llvm::Expected<Pass>>
getSequentialOf(const mlir::Pass &pass, ArrayRef<std::string> anchors) {
  if (!isSequentialPass(pass))
    return std::nullopt;
  if (auto *sequential = dyn_cast<SequentialPass>(&pass);
      sequential && sequential->hasContext())
    return std::nullopt;
  llvm::Expected<Pass> made =
      static_cast<const SequentialPassBase &>(pass).makeSequential(anchors);
  // The text of `sequential{...}` was read below the anchors.
  if (made && anchors.size() > 1 && !isa<SequentialPass>(pass))
    made = placeWithin(*made, anchors);
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
  if (pass.hasContext())
    return getPass(sequentialArgument, options);
  return pass.makeSequential(anchors);
}

} // namespace partita::transform
