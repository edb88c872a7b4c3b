//===- CLOptions.cpp - A PassContext from a command line ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/CLOptions.h"
#include "IRPrinting.h"
#include "PolicyOptions.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/TextInstruments.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

namespace {
/// The flags in an environment variable.
struct EnvironmentFlags {
  PolicyTexts texts;
  bool hasContext = false, choosesPasses = false, explains = false;

  llvm::Error read(StringRef variable, StringRef prefix);

private:
  llvm::Error set(StringRef variable, StringRef name, StringRef value);
};
} // namespace

static constexpr llvm::StringLiteral kFlags[] = {
    "opt-level",         "O",          "required-pass", "disabled-pass",
    "pass-config",       "instrument", "explain",       "skip-unchanged",
    "nest-in-functions", "verify",     "pass-cache"};
/// The flags without a value.
static constexpr llvm::StringLiteral kSwitches[] = {"explain", "skip-unchanged",
                                                    "nest-in-functions"};

llvm::Error EnvironmentFlags::set(StringRef variable, StringRef name,
                                  StringRef value) {
  auto append = [&](std::vector<std::string> &list) {
    for (StringRef part : llvm::split(value, ','))
      list.push_back(part.str());
  };
  bool isSwitch = llvm::is_contained(kSwitches, name);
  // As flags on the command line.
  std::optional<bool> isOn = llvm::StringSwitch<std::optional<bool>>(value)
                                 .Cases({"", "true", "TRUE", "True", "1"}, true)
                                 .Cases({"false", "FALSE", "False", "0"}, false)
                                 .Default(std::nullopt);
  if (isSwitch && !isOn)
    return llvm::createStringError("expected --" + name + " in " + variable +
                                   " to be true or false, but found '" + value +
                                   "'");
  hasContext |= name != "explain";
  std::string key = "partita." + name.str();
  llvm::replace(key, '-', '_');
  if (name == "required-pass" || name == "disabled-pass") {
    choosesPasses = true;
    append(name == "required-pass" ? texts.requiredPass : texts.disabledPass);
  } else if (name == "pass-config") {
    texts.passConfig.push_back(value.str());
  } else if (name == "instrument") {
    texts.instruments.push_back(value.str());
  } else if (name == "explain") {
    explains = *isOn;
  } else if (isSwitch) {
    texts.passConfig.push_back(key + (*isOn ? "=true" : "=false"));
  } else if (name == "verify" || name == "pass-cache") {
    texts.passConfig.push_back(key + "=" + quote(value));
  } else {
    choosesPasses = true;
    if (value.getAsInteger(10, texts.optLevel))
      return llvm::createStringError("expected --" + name + " in " + variable +
                                     " to be a number, but found '" + value +
                                     "'");
  }
  return llvm::Error::success();
}

llvm::Error EnvironmentFlags::read(StringRef variable, StringRef prefix) {
  std::optional<std::string> text = llvm::sys::Process::GetEnv(variable);
  if (!text)
    return llvm::Error::success();
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  SmallVector<const char *> words;
  cl::TokenizeGNUCommandLine(*text, saver, words);
  for (size_t index = 0; index < words.size(); ++index) {
    StringRef word = words[index];
    StringRef flag = word;
    bool isFlag = flag.consume_front("-");
    flag.consume_front("-");
    if (!prefix.empty())
      flag.consume_front(prefix);
    auto [name, value] = flag.split('=');
    bool hasValue = name.size() != flag.size();
    if (name.size() > 1 && name.front() == 'O' && !hasValue) {
      value = name.drop_front();
      name = name.take_front();
      hasValue = true;
    }
    if (!isFlag || !llvm::is_contained(kFlags, name)) {
      std::vector<std::string> known(std::begin(kFlags), std::end(kFlags));
      return llvm::createStringError(
          "expected flags of Partita in " + variable + ", but found '" + word +
          "'" +
          transform::suggestNames(
              name, known, "; there are --" + llvm::join(known, ", --")));
    }
    if (!hasValue && !llvm::is_contained(kSwitches, name)) {
      if (index + 1 == words.size())
        return llvm::createStringError("expected a value for --" + name +
                                       " in " + variable + ", but found none");
      value = words[++index];
    }
    if (llvm::Error error = set(variable, name, value))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The context
//===----------------------------------------------------------------------===//

namespace {
/// The flags of the process, and the context that its pass managers share.
class CommandLine {
public:
  CommandLine(StringRef prefix, StringRef variable)
      : options(prefix), variable(variable) {}

  bool explains() const { return options.explain || environment.explains; }
  bool hasContext() const {
    return options.hasContext() || environment.hasContext;
  }
  bool choosesPasses() const {
    return options.choosesPasses() || environment.choosesPasses;
  }
  PolicyTexts getTexts() const { return options.getTexts(environment.texts); }

  /// Reads the environment, once.
  llvm::Error read();
  /// The context, for another pass manager.
  llvm::Expected<transform::PassContext> acquire();
  void release();

private:
  ContextOptions options;
  std::string variable;
  EnvironmentFlags environment;
  std::mutex mutex;
  bool isRead = false;
  std::optional<instrument::TextInstruments> instruments;
  std::optional<transform::PassContext> context;
  unsigned numUsers = 0;
};

/// Releases the context when its pass manager is destroyed.
class ContextInstrumentation : public PassInstrumentation {
public:
  explicit ContextInstrumentation(CommandLine &commandLine)
      : commandLine(commandLine) {}
  ~ContextInstrumentation() override { commandLine.release(); }

private:
  CommandLine &commandLine;
};
} // namespace

llvm::Error CommandLine::read() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isRead || variable.empty())
    return llvm::Error::success();
  environment = {};
  if (llvm::Error error = environment.read(variable, options.prefix))
    return error;
  isRead = true;
  return llvm::Error::success();
}

llvm::Expected<transform::PassContext> CommandLine::acquire() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!context) {
    PolicyTexts texts = IRPrinting::saveLess(getTexts(), /*showsHelpers=*/true);
    llvm::Expected<transform::PassContextOptions> made =
        createContextOptions(texts);
    if (!made)
      return made.takeError();
    // Report errors in it before the instruments begin.
    llvm::Expected<transform::PassContext> checked =
        transform::PassContext::create(*made);
    if (!checked)
      return checked;
    if (!instruments)
      instruments.emplace(texts.instruments);
    auto entered = instruments->enter();
    if (!entered)
      return entered.takeError();
    made->instruments = std::move(*entered);
    context = llvm::cantFail(transform::PassContext::create(std::move(*made)));
  }
  ++numUsers;
  return *context;
}

void CommandLine::release() {
  std::unique_lock<std::mutex> lock(mutex);
  if (--numUsers != 0)
    return;
  llvm::Error error = instruments->leave(*context);
  context.reset();
  // Statics that are destroyed at the exit can have pass managers.
  lock.unlock();
  // The driver asks no more whether all went well. LLVM's streams fail so, too.
  if (error)
    llvm::report_fatal_error(std::move(error), /*gen_crash_diag=*/false);
}

/// Never freed: pass managers can outlive statics.
static CommandLine *commandLine = nullptr;

void partita::registerPartitaCLOptions(StringRef prefix, StringRef variable) {
  if (!commandLine)
    commandLine = new CommandLine(prefix, variable);
}

static llvm::Expected<std::shared_ptr<const transform::Plan>>
getPlan(PassManager &pm, const transform::PassContext &context) {
  llvm::Expected<transform::Pass> sequential = transform::createSequential(pm);
  if (!sequential)
    return sequential.takeError();
  return commandLine->choosesPasses()
             ? transform::Plan::get(*sequential, context)
             : transform::getNamedPlan(*sequential, context);
}

/// Prints the plan of the passes in `pm`, and runs nothing.
static llvm::Error explain(PassManager &pm) {
  llvm::Expected<transform::PassContext> context =
      createContext(commandLine->getTexts());
  if (!context)
    return context.takeError();
  auto plan = getPlan(pm, *context);
  if (!plan)
    return plan.takeError();
  for (const std::string &warning : (*plan)->warnings())
    llvm::WithColor::warning(llvm::errs()) << warning << "\n";
  (*plan)->print(llvm::outs(), *context, pm.getOpAnchorName());
  pm.clear();
  return llvm::Error::success();
}

LogicalResult partita::applyPartitaCLOptions(PassManager &pm) {
  if (!commandLine)
    return success();
  auto fail = [&](llvm::Error error) {
    return emitError(UnknownLoc::get(pm.getContext()),
                     llvm::toString(std::move(error)));
  };
  if (llvm::Error error = commandLine->read())
    return fail(std::move(error));
  if (commandLine->explains()) {
    llvm::Error error = explain(pm);
    return error ? fail(std::move(error)) : success();
  }
  if (!commandLine->hasContext())
    return success();
  llvm::Expected<transform::PassContext> context = commandLine->acquire();
  if (!context)
    return fail(context.takeError());
  if (failed(transform::takeOver(pm, *context, {},
                                 !commandLine->choosesPasses()))) {
    commandLine->release();
    return failure();
  }
  pm.addInstrumentation(std::make_unique<ContextInstrumentation>(*commandLine));
  return success();
}
