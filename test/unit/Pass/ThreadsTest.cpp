//===- ThreadsTest.cpp - One Sequential on many threads -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads and MLIRContexts share a Pass and a PassContext. Each test starts
// eight threads at once on eight modules, and compares with the result of one
// thread. Meant for ThreadSanitizer, too: PARTITA_TEST_ROUNDS is the number of
// repetitions.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ThreadPool.h"
#include "gmock/gmock.h"

#include <map>
#include <thread>

using namespace mlir;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;
using partita::instrument::PassRecord;
using partita::instrument::PassTimingInstrumentOptions;
using partita::instrument::RunRecord;
using partita::instrument::Wants;

namespace partita::transform {
namespace {

constexpr unsigned numThreads = 8;

unsigned getNumRounds() {
  const char *text = std::getenv("PARTITA_TEST_ROUNDS");
  return text ? std::atoi(text) : 5;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void addToLog(Operation *op, const Twine &entry) {
  SmallVector<Attribute> log;
  if (auto before = op->getAttrOfType<ArrayAttr>("test.log"))
    llvm::append_range(log, before);
  Builder builder(op->getContext());
  log.push_back(builder.getStringAttr(entry));
  op->setAttr("test.log", builder.getArrayAttr(log));
}

std::string describeCurrent() {
  PassContext context = PassContext::current();
  return "at " + std::to_string(context.optLevel());
}

using OnFunction = LambdaPass<func::FuncOp>;

/// Returns the square of the argument and a number, in a dialect that has to be
/// loaded.
void materialize(OnFunction &pass) {
  func::FuncOp func = pass.getOperation();
  Operation *end = func.front().getTerminator();
  OpBuilder builder(end);
  Location loc = func.getLoc();
  Value factors[2];
  for (Value &factor : factors) {
    Value number = arith::ConstantIntOp::create(builder, loc,
                                                func.getName().size() + 2, 32);
    factor = arith::AddIOp::create(builder, loc, end->getOperand(0), number);
  }
  end->setOperand(0,
                  arith::MulIOp::create(builder, loc, factors[0], factors[1]));
  addToLog(func, "materialize " + describeCurrent());
}

/// Fails on a module with the attribute test.fail.
LogicalResult failWhereTold(Operation *module, const PassContext &) {
  return success(!module->hasAttr("test.fail"));
}

void registerPasses() {
  static const bool once = [] {
    registerCanonicalizerPass();
    registerCSEPass();
    mlir::registerPass([] {
      return std::make_unique<OnFunction>("threads-materialize", materialize,
                                          /*needsArith=*/true);
    });
    registerPassInfo("threads-materialize",
                     {"ThreadsMaterialize", 1, {"ThreadsNeeded"}},
                     /*readsPassContext=*/true);
    registerPass(modulePass("ThreadsNeeded",
                            [](Operation *module, const PassContext &context) {
                              addToLog(module, "needed " + describeCurrent());
                              return success(context == PassContext::current());
                            }));
    return true;
  }();
  (void)once;
}

/// A Sequential with every kind of pass.
Pass makeSequential() {
  registerPasses();
  auto markFunction = functionPass(
      "MarkFunction",
      [](FunctionOpInterface func, Operation *, const PassContext &context) {
        addToLog(func, "function " + describeCurrent());
        return success(context == PassContext::current());
      },
      1);
  auto never = modulePass("Never", [](Operation *) { return failure(); }, 4);
  auto disabled = modulePass("Disabled", [](Operation *) { return failure(); });
  auto inner =
      Sequential({getRegisteredPass("cse"), markFunction}, {"inner", 1, {}});
  auto nested = modulePass(
      "Nested",
      [inner](Operation *module, const PassContext &context) {
        addToLog(module, "nested " + describeCurrent());
        return inner.run(module, context);
      },
      2);
  return Sequential({getRegisteredPass("canonicalize"), never,
                     getRegisteredPass("threads-materialize"), inner,
                     createModulePass(failWhereTold, 0, "FailWhereTold"),
                     disabled, nested, getRegisteredPass("canonicalize"),
                     getRegisteredPass("cse")});
}

//===----------------------------------------------------------------------===//
// Instruments
//===----------------------------------------------------------------------===//

/// Counts callbacks, by name and pass.
class Counter : public PassInstrument {
public:
  explicit Counter(bool observes)
      : PassInstrument("counter",
                       Wants::Records |
                           (observes ? Wants::Module : Wants::Nothing)) {}

  llvm::Error enterPassContext() override { return count("enter"); }
  llvm::Error exitPassContext() override { return count("exit"); }
  llvm::Expected<bool> shouldRun(const PassStep &step) override {
    if (llvm::Error error = count("should " + step.info().name))
      return std::move(error);
    return true;
  }
  llvm::Error runBeforePass(const PassStep &step) override {
    return count("before " + step.info().name);
  }
  llvm::Error runAfterPass(const PassStep &step) override {
    return count("after " + step.info().name);
  }
  llvm::Error endRun(const Run &,
                     std::shared_ptr<const RunRecord> record) override {
    addRecord(record->getRoot());
    return llvm::Error::success();
  }

  std::map<std::string, unsigned> takeCounts() {
    std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(counts, {});
  }

private:
  llvm::Error count(const std::string &what) {
    std::lock_guard<std::mutex> lock(mutex);
    ++counts[what];
    return llvm::Error::success();
  }
  void addRecord(const PassRecord &record) {
    std::lock_guard<std::mutex> lock(mutex);
    counts["record " + record.getInfo().name] += record.numRuns;
    for (const PassRecord &child : record.children)
      counts["record " + child.getInfo().name] += child.numRuns;
  }

  std::mutex mutex;
  std::map<std::string, unsigned> counts;
};

//===----------------------------------------------------------------------===//
// ThreadsTest
//===----------------------------------------------------------------------===//

std::string makeText(unsigned index) {
  std::string text;
  for (unsigned number = 0; number < 2 + index % 4; ++number)
    text += "func.func @" + std::string(number + 1, 'f') +
            "(%a: i32) -> i32 { return %a : i32 }\n";
  return text;
}

std::unique_ptr<MLIRContext> makeMLIRContext(bool hasThreads) {
  auto context = std::make_unique<MLIRContext>(
      hasThreads ? MLIRContext::Threading::ENABLED
                 : MLIRContext::Threading::DISABLED);
  // Not arith: the first runs load it.
  context->loadDialect<func::FuncDialect>();
  context->printOpOnDiagnostic(false);
  return context;
}

PassContext makePassContext(std::vector<PassInstrumentRef> instruments = {}) {
  PassContextOptions options;
  options.optLevel = 3;
  options.disabledPass = {"Disabled"};
  options.instruments = std::move(instruments);
  return llvm::cantFail(PassContext::create(options));
}

/// The setup of a round, from the bits of a number.
struct Variant {
  explicit Variant(int bits)
      : isShared(bits & 1), hasThreads(bits & 2), observes(bits & 4),
        measures(bits & 8) {}

  /// Whether all modules share an MLIRContext, and whether it has threads.
  bool isShared, hasThreads;
  /// Whether one instrument looks at the module, and whether one measures.
  bool observes, measures;
};

class ThreadsTest : public testing::TestWithParam<int> {
protected:
  using Modules = std::vector<OwningOpRef<ModuleOp>>;

  ThreadsTest() {
    std::vector<PassInstrumentRef> instruments;
    if (variant.observes)
      instruments.push_back(observer);
    if (variant.measures) {
      instruments.push_back(measurer);
      instruments.push_back(timing);
    }
    context = std::make_unique<PassContext>(makePassContext(instruments));
  }

  /// Eight modules in fresh MLIRContexts.
  Modules makeModules() {
    Modules modules;
    for (unsigned index = 0; index < numThreads; ++index) {
      if (index == 0 || !variant.isShared) {
        // A pool for each context would be too many threads.
        mlirContexts.push_back(
            makeMLIRContext(variant.hasThreads && variant.isShared));
        if (variant.hasThreads && !variant.isShared)
          mlirContexts.back()->setThreadPool(pool);
      }
      modules.push_back(parseSourceString<ModuleOp>(makeText(index),
                                                    mlirContexts.back().get()));
    }
    return modules;
  }

  /// The result of one thread on them.
  std::vector<std::string> getExpected() {
    std::vector<std::string> texts;
    Modules modules = makeModules();
    for (OwningOpRef<ModuleOp> &module : modules) {
      EXPECT_TRUE(succeeded(sequential.run(*module, *context)));
      texts.push_back(print(*module));
    }
    return texts;
  }

  void expectSame(const Modules &modules,
                  const std::vector<std::string> &expected) {
    for (auto [module, text] : llvm::zip(modules, expected))
      EXPECT_EQ(print(module.get()), text);
    EXPECT_THAT(context->diagnostics(), testing::IsEmpty());
  }

  Variant variant{GetParam()};
  llvm::DefaultThreadPool pool{llvm::hardware_concurrency(4)};
  std::vector<std::unique_ptr<MLIRContext>> mlirContexts;
  std::shared_ptr<Counter> observer = std::make_shared<Counter>(true);
  std::shared_ptr<Counter> measurer = std::make_shared<Counter>(false);
  static PassInstrumentRef createTiming() {
    PassTimingInstrumentOptions options;
    options.print = false;
    return partita::instrument::createPassTimingInstrument(options);
  }

  PassInstrumentRef timing = createTiming();
  Pass sequential = makeSequential();
  std::unique_ptr<PassContext> context;
};

TEST_P(ThreadsTest, SameAsOneAfterTheOther) {
  std::vector<std::string> expected = getExpected();
  EXPECT_THAT(expected[2], testing::HasSubstr("arith.muli"));
  auto seen = observer->takeCounts(), measured = measurer->takeCounts();
  EXPECT_EQ(seen.empty(), !variant.observes);
  EXPECT_EQ(measured.empty(), !variant.measures);
  for (unsigned round = 0; round < getNumRounds(); ++round) {
    Modules modules = makeModules();
    runOnThreads(numThreads, [&](unsigned index) {
      EXPECT_TRUE(succeeded(sequential.run(*modules[index], *context)));
    });
    expectSame(modules, expected);
    EXPECT_EQ(observer->takeCounts(), seen);
    EXPECT_EQ(measurer->takeCounts(), measured);
  }
}

TEST_P(ThreadsTest, CachedPipelines) {
  std::vector<std::string> expected = getExpected();
  Modules modules = makeModules();
  std::vector<OwningOpRef<ModuleOp>> copies(numThreads);
  runOnThreads(numThreads, [&](unsigned index) {
    for (unsigned round = 0; round < getNumRounds(); ++round) {
      auto copy = sequential(*modules[index], *context);
      ASSERT_TRUE(succeeded(copy));
      copies[index] = OwningOpRef<ModuleOp>(cast<ModuleOp>(copy->release()));
    }
  });
  expectSame(copies, expected);
}

TEST_P(ThreadsTest, EachThreadInItsScope) {
  std::vector<std::string> expected = getExpected();
  observer->takeCounts();
  for (unsigned round = 0; round < getNumRounds(); ++round) {
    Modules modules = makeModules();
    runOnThreads(numThreads, [&](unsigned index) {
      PassContext before = PassContext::current();
      {
        auto scope = llvm::cantFail(PassContextScope::enter(*context));
        EXPECT_TRUE(succeeded(sequential.run(*modules[index])));
        EXPECT_EQ(PassContext::current(), *context);
        llvm::cantFail(scope.exit());
      }
      EXPECT_EQ(PassContext::current(), before);
    });
    expectSame(modules, expected);
    auto seen = observer->takeCounts();
    EXPECT_EQ(seen["enter"], variant.observes ? numThreads : 0);
    EXPECT_EQ(seen["exit"], seen["enter"]);
  }
}

TEST_P(ThreadsTest, FailuresStayOnTheirThread) {
  std::vector<std::string> expected = getExpected();
  for (unsigned round = 0; round < getNumRounds(); ++round) {
    Modules modules = makeModules();
    for (unsigned index = 0; index < numThreads; index += 2)
      (*modules[index])
          ->setAttr("test.fail", UnitAttr::get(modules[index]->getContext()));
    runOnThreads(numThreads, [&](unsigned index) {
      PassContext before = PassContext::current();
      bool isSound = index % 2;
      for (unsigned repeat = 0; repeat < 2; ++repeat) {
        OwningOpRef<ModuleOp> copy(modules[index]->clone());
        EXPECT_EQ(succeeded(sequential.run(*copy, *context)), isSound);
        EXPECT_EQ(PassContext::current(), before);
        if (isSound) {
          EXPECT_EQ(print(*copy), expected[index]);
        }
      }
    });
    context->takeDiagnostics();
  }
}

TEST_P(ThreadsTest, InstrumentsChangeMeanwhile) {
  std::vector<std::string> expected = getExpected();
  for (unsigned round = 0; round < getNumRounds(); ++round) {
    Modules modules = makeModules();
    runOnThreads(numThreads, [&](unsigned index) {
      if (index != 0) {
        EXPECT_TRUE(succeeded(sequential.run(*modules[index], *context)));
        return;
      }
      for (unsigned repeat = 0; repeat < 20; ++repeat) {
        PassInstrumentRef other = std::make_shared<Counter>(repeat % 2);
        llvm::cantFail(context->overrideInstruments({other}));
      }
    });
    for (unsigned index = 1; index < numThreads; ++index)
      EXPECT_EQ(print(*modules[index]), expected[index]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ThreadsTest, testing::Range(0, 16),
                         [](const testing::TestParamInfo<int> &info) {
                           Variant variant(info.param);
                           return std::string(variant.isShared ? "Shared"
                                                               : "Own") +
                                  (variant.hasThreads ? "Threads"
                                                      : "NoThreads") +
                                  (variant.observes ? "Observed" : "Bare") +
                                  (variant.measures ? "Measured" : "");
                         });

TEST(ThreadsRegistryTest, PassesAreRegisteredMeanwhile) {
  Pass sequential = makeSequential();
  auto mlirContext = makeMLIRContext(true);
  auto module = parseSourceString<ModuleOp>(makeText(3), mlirContext.get());
  for (unsigned round = 0; round < getNumRounds(); ++round)
    runOnThreads(numThreads, [&](unsigned index) {
      std::string name = "Threads" + std::to_string(round * 100 + index);
      registerPass(modulePass(name, [](Operation *) {}));
      EXPECT_TRUE(isRegisteredPass(name));
      PassContextOptions options;
      options.requiredPass = {name, "cse"};
      options.disabledPass = {"Disabled"};
      PassContext context = llvm::cantFail(PassContext::create(options));
      EXPECT_TRUE(succeeded(sequential(*module, context)));
      // `run` works in place, so each thread needs a module of its own.
      OwningOpRef<ModuleOp> copy(module->clone());
      EXPECT_TRUE(succeeded(getRegisteredPass(name).run(*copy, context)));
      EXPECT_TRUE(llvm::cantFail(parseSequential("builtin.module(cse)")));
    });
}

// While a run looks up results in the cache, it has no use for diagnostics of
// the reader; diagnostics of other threads are none of these.
TEST(ThreadsOnOneContextTest, DiagnosticsOfOtherThreadsStay) {
  registerPasses();
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("partita", directory));
  PassContextOptions options;
  options.config.emplace_back(
      "partita.pass_cache",
      llvm::cantFail(parsePassConfigValue(
          "partita.pass_cache", ("\"" + llvm::Twine(directory) + "\"").str())));
  PassContext passContext = llvm::cantFail(PassContext::create(options));
  Pass pass = llvm::cantFail(parseSequential("builtin.module(func.func(cse))"));

  auto context = makeMLIRContext(/*hasThreads=*/true);
  std::atomic<unsigned> numSeen = 0;
  context->getDiagEngine().registerHandler([&](Diagnostic &) { ++numSeen; });
  auto module = parseSourceString<ModuleOp>(makeText(3), context.get());
  std::atomic<bool> isDone = false;
  unsigned numEmitted = 0;
  std::thread other([&] {
    for (; !isDone; ++numEmitted)
      emitWarning(UnknownLoc::get(context.get()), "of another thread");
  });
  for (unsigned round = 0; round < 20 * getNumRounds(); ++round) {
    OwningOpRef<ModuleOp> copy(module->clone());
    EXPECT_TRUE(succeeded(pass.run(*copy, passContext)));
  }
  isDone = true;
  other.join();
  EXPECT_EQ(numSeen, numEmitted);
  llvm::sys::fs::remove_directories(directory);
}

} // namespace
} // namespace partita::transform
