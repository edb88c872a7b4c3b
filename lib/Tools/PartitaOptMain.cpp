//===- PartitaOptMain.cpp - partita-opt as a function ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/PartitaOptMain.h"
#include "CheckInert.h"
#include "IRPrinting.h"
#include "Instrument/InstrumentSupport.h"
#include "Jobs.h"
#include "Listings.h"
#include "PolicyOptions.h"
#include "ReducePass.h"
#include "Reproducer.h"
#include "Resume.h"
#include "RewriteLimit.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Pass/SequentialPass.h"
#include "partita/Support/OutputFile.h"
#include "partita/Support/Processes.h"
#include "partita/Tools/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/Timing.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// The text of --pass-pipeline; empty if passes are given by flags, or not at
/// all.
static StringRef getPipelineFlag() {
  cl::Option *option = cl::getRegisteredOptions().lookup("pass-pipeline");
  return option ? StringRef(*static_cast<cl::opt<std::string> *>(option)) : "";
}

/// Adds the passes of the command line to `pm`.
static llvm::Error setupPasses(const MlirOptMainConfig &config,
                               PassManager &pm) {
  std::string message;
  ScopedDiagnosticHandler handler(pm.getContext(), [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
  });
  if (succeeded(config.setupPassPipeline(pm)))
    return llvm::Error::success();
  return llvm::createStringError(transform::addPassSuggestions(message));
}

/// The Sequential that the command line describes, for a root called
/// `rootName`.
static llvm::Expected<transform::Pass>
getSequential(const MlirOptMainConfig &config, const PolicyOptions &options,
              MLIRContext *context, StringRef rootName) {
  // In a manager for any op, passes given by flags are not inside MLIR's
  // adaptors, which hide them.
  PassManager pm(context);
  if (llvm::Error error = setupPasses(config, pm))
    return std::move(error);
  if (!pm.empty() && !getPipelineFlag().empty())
    return transform::parseSequential(getPipelineFlag());
  if (!pm.empty())
    return transform::createSequential(pm, {"sequential", 0, {}}, rootName);
  // A reproducer has its own pipeline.
  transform::Pass pipeline;
  if (options.hasLevel() && !config.shouldRunReproducer())
    pipeline = options.getDefaultPipeline(options.getLevel());
  return pipeline ? pipeline : transform::Sequential({});
}

/// The plan of the Sequential that the command line describes.
static llvm::Expected<std::shared_ptr<const transform::Plan>>
getPlan(const MlirOptMainConfig &config, const PolicyOptions &options,
        const transform::PassContext &passContext, MLIRContext *context,
        StringRef rootName) {
  llvm::Expected<transform::Pass> sequential =
      getSequential(config, options, context, rootName);
  if (!sequential)
    return sequential.takeError();
  return options.choosesPasses()
             ? transform::Plan::get(*sequential, passContext)
             : transform::getNamedPlan(*sequential, passContext);
}

static int fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::WithColor::error(llvm::errs()) << info.message() << "\n";
  });
  return EXIT_FAILURE;
}

/// Opens the file given to -o; null after an error, worded as in mlir-opt.
static std::unique_ptr<OutputFile> openOutput(StringRef name) {
  std::error_code code;
  std::unique_ptr<OutputFile> output = OutputFile::open(name, code);
  if (!output)
    llvm::WithColor::error(llvm::errs()) << "cannot open output file '" << name
                                         << "': " << code.message() << "\n";
  return output;
}

/// Moves the output to its place; returns main's exit code.
static int commit(OutputFile &output, StringRef name) {
  if (std::error_code code = output.commit())
    return fail(makeFileError(code, "write to '" + name + "'"));
  return EXIT_SUCCESS;
}

/// Prints the plan of the command line's pipeline.
static int explain(const MlirOptMainConfig &config,
                   const PolicyOptions &options, StringRef outputName) {
  if (config.shouldRunReproducer())
    return fail(llvm::createStringError(
        "expected a pipeline of the command line to explain, but found "
        "--run-reproducer; --instrument=print-passes shows what a reproducer "
        "runs"));
  PolicyTexts texts = options.getTexts();
  llvm::Expected<transform::PassContext> passContext = createContext(texts);
  if (!passContext)
    return fail(passContext.takeError());
  MLIRContext context(MLIRContext::Threading::DISABLED);
  StringRef rootName = "builtin.module";
  auto plan = getPlan(config, options, *passContext, &context, rootName);
  if (!plan)
    return fail(plan.takeError());
  for (const std::string &warning : (*plan)->warnings())
    llvm::WithColor::warning(llvm::errs()) << warning << "\n";
  std::unique_ptr<OutputFile> output = openOutput(outputName);
  if (!output)
    return EXIT_FAILURE;
  if (llvm::Error error = printPlan(options, texts, *passContext, **plan,
                                    rootName, output->os()))
    return fail(std::move(error));
  return commit(*output, outputName);
}

/// Adds the command line's passes to `pm`, as mlir-opt does.
static LogicalResult setupPlain(const MlirOptMainConfig &config,
                                PassManager &pm) {
  PassManager any(pm.getContext());
  if (llvm::Error error = setupPasses(config, any))
    return emitError(UnknownLoc::get(pm.getContext()),
                     llvm::toString(std::move(error)));
  if (getPipelineFlag().empty())
    return transform::nestPasses(any, pm);
  FailureOr<OpPassManager> parsed =
      parsePassPipeline(transform::nestPipeline(getPipelineFlag()));
  if (failed(parsed))
    return failure();
  static_cast<OpPassManager &>(pm) = std::move(*parsed);
  return success();
}

/// Adds a plan to `pm`: `resumed`, or the plan of the command line's passes.
/// For a reproducer, it is the plan of the pipeline in `pm`, under the
/// reproducer's context; this plan was resolved when the reproducer was made.
static LogicalResult
setupPlanned(const MlirOptMainConfig &config, const PolicyOptions &options,
             const transform::PassContext &passContext,
             const std::shared_ptr<const transform::Plan> &resumed,
             bool isReproduced, bool maySkipFunctions, TimingScope *timing,
             PlannedRun &run, PassManager &pm) {
  std::string rootName = pm.getOpAnchorName().str();
  auto makePlan =
      [&]() -> llvm::Expected<std::shared_ptr<const transform::Plan>> {
    if (resumed)
      return resumed;
    if (!isReproduced)
      return getPlan(config, options, passContext, pm.getContext(), rootName);
    llvm::Expected<transform::Pass> sequential =
        transform::createSequential(pm);
    if (!sequential)
      return sequential.takeError();
    pm.clear();
    return transform::Plan::getResolved(*sequential, passContext);
  };
  auto plan = makePlan();
  Location loc = UnknownLoc::get(pm.getContext());
  if (!plan)
    return emitError(loc, llvm::toString(plan.takeError()));
  transform::emitPlanWarnings(**plan, loc);
  run = {*plan, rootName, {}};
  return transform::addPlan(pm, *plan, passContext,
                            {maySkipFunctions, timing, &run.vetoed});
}

namespace {
/// Gives the functions of a module other neighbours: a copy of the first under
/// another name, and the reverse order.
struct MoveFunctions : PassWrapper<MoveFunctions, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MoveFunctions)

  void runOnOperation() override {
    SmallVector<FunctionOpInterface> functions;
    for (Region &region : getOperation()->getRegions())
      llvm::append_range(functions, region.getOps<FunctionOpInterface>());
    if (functions.empty())
      return;
    Block *block = functions.front()->getBlock();
    for (FunctionOpInterface function : functions)
      function->moveBefore(block, block->begin());
    auto copy = cast<FunctionOpInterface>(functions.front()->clone());
    SymbolTable(getOperation()).insert(copy, block->begin());
  }
};
} // namespace

/// Implements --check-inert, --check-nest and --check-cache: runs the passes of
/// the command line in all ways.
static llvm::Error checkInertness(const MlirOptMainConfig &config,
                                  const PolicyOptions &options,
                                  PolicyTexts texts,
                                  const DialectRegistry &registry,
                                  llvm::MemoryBufferRef input) {
  using instrument::PassInstrument;
  using instrument::Wants;
  if (config.shouldRunReproducer() || options.resumeFrom.getNumOccurrences())
    return llvm::createStringError(
        "expected --check-inert, --check-nest and --check-cache with passes of "
        "the command line, but found --run-reproducer or --resume-from");
  bool hasInstruments = !texts.instruments.empty();
  bool isPlain = !options.choosesPasses();
  bool maySkipFunctions = hasString(input.getBuffer(), "SkipOptimization");
  auto makeWay = [&](StringRef name, std::optional<Wants> wants,
                     PolicyTexts texts, bool moves = false) -> WayToRun {
    return {name.str(), [=, &config, &options](auto run) -> llvm::Error {
              llvm::Expected<transform::PassContext> context =
                  createContext(texts);
              if (!context)
                return context.takeError();
              auto scope = transform::PassContextScope::enter(*context);
              if (!scope)
                return scope.takeError();
              if (wants)
                if (llvm::Error error = context->overrideInstruments(
                        {std::make_shared<PassInstrument>(name, *wants)}))
                  return error;
              PlannedRun planned;
              run([&](PassManager &pm) {
                if (moves)
                  pm.addPass(std::make_unique<MoveFunctions>());
                if (isPlain && name == "bare")
                  return setupPlain(config, pm);
                return setupPlanned(config, options, *context,
                                    /*resumed=*/nullptr,
                                    /*isReproduced=*/false, maySkipFunctions,
                                    /*timing=*/nullptr, planned, pm);
              });
              return scope->exit();
            }};
  };
  PolicyTexts bare = texts;
  bare.instruments.clear();
  std::vector<WayToRun> ways = {makeWay("bare", {}, bare),
                                makeWay("measured", Wants::Records, bare),
                                makeWay("observed", Wants::Module, bare)};
  if (hasInstruments)
    ways.push_back(makeWay("with the instruments given", {}, texts));
  if (!options.checkInert)
    ways.resize(1);
  if (options.checkNest)
    for (StringRef key : {"nest_in_functions", "skip_unchanged", "both"}) {
      PolicyTexts saving = bare;
      for (StringRef each : {"nest_in_functions", "skip_unchanged"})
        if (key == each || key == "both")
          saving.passConfig.push_back(("partita." + each + "=true").str());
      if (key == "both")
        saving.passConfig.push_back("partita.verify=\"changed\"");
      ways.push_back(makeWay("with " + key.str(), {}, saving));
    }
  TemporaryDirectory cache;
  std::vector<WayToRun> moved;
  if (options.checkCache) {
    if (llvm::Error error = cache.check())
      return error;
    PolicyTexts caching = bare;
    caching.passConfig.push_back("partita.pass_cache=" +
                                 quote(cache.getPath()));
    WayToRun cold = makeWay("with an empty pass cache", {}, caching);
    cold.run = [&cache, run = std::move(cold.run)](auto callback) {
      cache.clear();
      return run(callback);
    };
    ways.push_back(std::move(cold));
    ways.push_back(makeWay("with a filled pass cache", {}, caching));
    moved = {makeWay("without a pass cache", {}, bare, /*moves=*/true),
             makeWay("with the pass cache of other functions around", {},
                     caching, /*moves=*/true)};
  }
  std::string buffer = input.getBufferIdentifier().str();
  llvm::Error first = llvm::Error::success();
  LogicalResult result = splitAndProcessBuffer(
      llvm::MemoryBuffer::getMemBuffer(input, false),
      [&](std::unique_ptr<llvm::MemoryBuffer> chunk, llvm::raw_ostream &) {
        if (first)
          return failure();
        bool comparesWork = !options.checkNest && !options.checkCache;
        llvm::MemoryBufferRef input(chunk->getBuffer(), buffer);
        first = checkInert(ways, config, registry, input, comparesWork);
        if (!first && !moved.empty())
          first = checkInert(moved, config, registry, input, comparesWork);
        return failure(bool(first));
      },
      llvm::nulls(), config.inputSplitMarker());
  (void)result;
  return first;
}

/// What is between the results of sections, as MLIR prints it.
static std::string getSeparator(const MlirOptMainConfig &config) {
  return (config.outputSplitMarker() + "\n").str();
}

namespace {
/// What the process works on.
struct Work {
  /// One input; null if there are sections for several runs.
  std::unique_ptr<llvm::MemoryBuffer> input;
  /// The memory of the input can be here, too.
  std::optional<Sections> sections;
  /// Whether processes of --jobs run on the sections.
  bool isShared = false;

  bool hasString(StringRef name) const {
    return input ? partita::hasString(input->getBuffer(), name)
                 : sections->hasString(name);
  }
};

/// Gives temporary names to the files that MLIR writes itself, so that they
/// take their places only when they are complete.
class OptConfig : public MlirOptMainConfig {
public:
  OptConfig(const MlirOptMainConfig &base, const Reproducer &reproducer)
      : MlirOptMainConfig(base) {
    generateReproducerFileFlag = reproducer.getGeneratedName();
    if (remarksOutputFileFlag.empty())
      return;
    // Where that fails, MLIR fails without a message.
    remarks = openOutput(remarksOutputFileFlag);
    if (remarks)
      remarksOutputFileFlag = remarks->getName();
  }

  /// Runs on the input, and writes the output to `os`; true if all went well.
  bool run(std::unique_ptr<llvm::MemoryBuffer> input, DialectRegistry &registry,
           llvm::raw_ostream &os) {
    LogicalResult result = MlirOptMain(os, std::move(input), registry, *this);
    std::error_code code = remarks ? remarks->commit() : std::error_code();
    if (code)
      fail(makeFileError(code, "write the remarks"));
    // The pass managers are destroyed by now.
    return succeeded(result) && !code && !transform::takeFailedReport();
  }

  /// Runs on all that there is.
  bool run(Work work, DialectRegistry &registry, llvm::raw_ostream &os) {
    if (work.input)
      return run(std::move(work.input), registry, os);
    auto runSection = [&](std::unique_ptr<llvm::MemoryBuffer> section,
                          std::string marker) {
      splitInputFile(std::move(marker));
      return run(std::move(section), registry, os);
    };
    return work.sections->runEach(runSection, getSeparator(*this), os);
  }

private:
  std::unique_ptr<OutputFile> remarks;
};

/// --mlir-timing for pipelines that run step by step. mlir-opt's timing shows
/// pipelines that a pass runs beside the pass, and counts them twice. This one
/// replaces it; the time for parsing and printing is in its rest.
class StepTiming {
public:
  StepTiming(bool maySkipFunctions, const transform::PassContext &context) {
    bool isStepByStep =
        maySkipFunctions || context.saving().isOn() ||
        llvm::any_of(*context.instruments(), [](const auto &instrument) {
          return instrument->wants(instrument::Wants::Module |
                                   instrument::Wants::Runs);
        });
    if (!isStepByStep)
      return;
    applyDefaultTimingManagerCLOptions(manager);
    if (!manager.isEnabled())
      return;
    clearFlag("mlir-timing");
    root = manager.getRootScope();
  }

  TimingScope *getScope() { return root ? &root : nullptr; }

private:
  DefaultTimingManager manager;
  TimingScope root;
};
} // namespace

/// The default pipeline for tools that set none.
static transform::Pass getRegisteredPipeline(int optLevel) {
  std::string name = "default-O" + std::to_string(std::min(optLevel, 3));
  return transform::isRegisteredPass(name) ? transform::getRegisteredPass(name)
                                           : transform::Pass();
}

/// Does what runs no passes: prints a list or a plan. Returns the exit code, or
/// nothing if passes are to run.
static std::optional<int> runWithoutInput(const MlirOptMainConfig &config,
                                          const PolicyOptions &options,
                                          StringRef outputName,
                                          DialectRegistry &registry) {
  if (llvm::Error error = transform::checkPipelineDepth(getPipelineFlag()))
    return fail(std::move(error));
  std::vector<StringRef> arguments = getMLIRPassArguments();
  transform::addKnownPassArguments(arguments);
  if (config.shouldListPasses() || options.listPassConfigs ||
      options.listInstruments) {
    printLists(options, config.shouldListPasses(), arguments, llvm::outs());
    return EXIT_SUCCESS;
  }
  // MLIR's overload with argc has a main of its own.
  if (config.shouldShowDialects())
    return asMainReturnCode(MlirOptMain(
        llvm::outs(), llvm::MemoryBuffer::getMemBuffer(""), registry, config));
  if (options.printsPlan())
    return explain(config, options, outputName);
  return std::nullopt;
}

/// Runs the passes on `work`, whose result `os` gets. `reproduced` is the
/// context that a reproducer has brought. Returns whether they succeeded.
static llvm::Expected<bool>
runPasses(const MlirOptMainConfig &base, const PolicyOptions &options,
          const std::optional<PolicyTexts> &reproduced, Work work,
          DialectRegistry &registry, llvm::raw_ostream &os) {
  PolicyTexts texts = options.getTexts(reproduced.value_or(PolicyTexts()));
  // openInputs has warned.
  texts.warns = !options.jobs.getNumOccurrences();
  llvm::Expected<transform::PassContext> passContext =
      createContext(IRPrinting::saveLess(texts, /*showsHelpers=*/false));
  if (!passContext)
    return passContext.takeError();
  llvm::Expected<instrument::OutputClaim> claim =
      instrument::claimOutput("-o", options.outputName);
  if (!claim)
    return claim.takeError();
  endInstrumentsAtInterrupt(*passContext);
  if (options.checksWays())
    if (llvm::Error error =
            checkInertness(base, options, texts, registry, *work.input))
      return error;

  std::optional<RewriteLimit> rewriteLimit;
  llvm::scope_exit printRewrites([&] {
    if (rewriteLimit)
      rewriteLimit->printTotal(llvm::errs());
  });
  if (options.rewriteLimit.getNumOccurrences())
    rewriteLimit.emplace(options.rewriteLimit);
  // MLIR dumps the command line's pipeline, not the one that runs.
  bool dumpsPipeline = base.shouldDumpPassPipeline();
  clearFlag("dump-pass-pipeline");

  bool isPlain = !options.hasPolicy() && !reproduced;
  ResumableScope scope;
  if (!isPlain)
    if (llvm::Error error = scope.enter(
            base, options.resumeFrom, *passContext, registry, work.input,
            [&](MLIRContext *context, StringRef rootName) {
              return getPlan(base, options, *passContext, context, rootName);
            }))
      return error;
  // The module is parsed after this decision.
  bool maySkipFunctions = !isPlain && work.hasString("SkipOptimization");
  StepTiming timing(maySkipFunctions, *passContext);
  if (llvm::Error error = IRPrinting::makeDirectory())
    return error;
  std::optional<IRPrinting> printing;
  if (!isPlain)
    printing.emplace();
  auto run = std::make_shared<PlannedRun>();
  Reproducer reproducer(isPlain ? std::nullopt : std::optional(texts), run,
                        base.getReproducerFilename());
  OptConfig config(base, reproducer);
  bool isParsed = false;
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    isParsed = true;
    if ((rewriteLimit && failed(rewriteLimit->attach(*pm.getContext()))) ||
        failed(reproducer.enable(pm)))
      return failure();
    if (printing)
      printing->enable(pm);
    LogicalResult result =
        isPlain ? setupPlain(base, pm)
                : setupPlanned(base, options, *passContext, scope.resumed,
                               reproduced.has_value(), maySkipFunctions,
                               timing.getScope(), *run, pm);
    if (succeeded(result) && dumpsPipeline) {
      pm.dump();
      llvm::errs() << "\n";
    }
    return result;
  });
  bool isGood = config.run(std::move(work), registry, os);
  if (llvm::Error error = scope.leave(/*hasFailed=*/!isGood))
    return error;
  if (scope.resumed && !isParsed)
    return makeCheckpointError(scope.checkpoint);
  if (llvm::Error error = reproducer.complete())
    return error;
  return isGood;
}

//===----------------------------------------------------------------------===//
// The tool
//===----------------------------------------------------------------------===//

/// Takes a flag that loads plugins over from MLIR, which goes on without a
/// plugin that it can't load, or aborts.
template <typename PluginT>
static void takePluginFlag(StringRef name,
                           std::function<void(const PluginT &)> add) {
  auto *flag = static_cast<cl::list<std::string> *>(
      cl::getRegisteredOptions().lookup(name));
  flag->setCallback([=](const std::string &path) {
    llvm::Expected<PluginT> plugin = PluginT::load(path);
    if (plugin)
      return add(*plugin);
    std::string message = llvm::toString(plugin.takeError());
    bool lacksSymbols = StringRef(message).contains("undefined symbol");
    std::exit(fail(llvm::createStringError(
        "expected '" + path +
        "' to be a plugin for this tool, but: " + message +
        (lacksSymbols ? "; a plugin needs a tool that exports MLIR, such as "
                        "mlir-opt with libPartitaPlugin.so"
                      : ""))));
  });
}

/// Opens the inputs. `config` gets the marker to split the input at. In a
/// process of --jobs, `outputName` becomes the file for its result.
static llvm::Expected<Work> openInputs(MlirOptMainConfig &config,
                                       const PolicyOptions &options,
                                       std::string &outputName) {
  std::vector<std::string> inputs(options.inputs.begin(), options.inputs.end());
  if (inputs.empty())
    inputs = {"-"};
  bool isJob = !options.job.empty(), hasJobs = options.jobs.getNumOccurrences();
  if (options.jobs < 1 || options.jobs > maxJobs)
    return llvm::createStringError("expected --jobs to be 1 to " +
                                   llvm::Twine(maxJobs) + ", but found " +
                                   llvm::Twine(options.jobs));
  if (!hasJobs && inputs.size() > 1)
    return llvm::createStringError(
        "expected one input file without --jobs=N, but found '" + inputs[0] +
        "' and '" + inputs[1] + "'");
  Work work;
  if (!hasJobs) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> input =
        openMLIRFile(inputs.front());
    if (!input)
      return input.takeError();
    work.input = std::move(*input);
    return work;
  }
  llvm::Expected<Sections> sections =
      isJob ? Sections::read(options.job, inputs, outputName)
            : Sections::open(inputs);
  if (!sections)
    return sections.takeError();
  if (!isJob) {
    // Each process would report the same errors and warnings.
    if (llvm::Error error = createContext(options.getTexts()).takeError())
      return std::move(error);
    sections->split(config.inputSplitMarker());
  }
  work.sections = std::move(*sections);
  work.isShared = !isJob && work.sections->size() > 1;
  if (work.isShared)
    if (llvm::Error error = checkJobs(options, work.sections->size()))
      return std::move(error);
  if (!isJob && !work.isShared) {
    auto [input, marker] = work.sections->getOnly();
    work.input = std::move(input);
    // MLIR finds no section in an empty input, if it splits it.
    if (work.sections->size() == 1)
      config.splitInputFile(marker);
  }
  return work;
}

int partita::partitaOptMain(int argc, char **argv, StringRef toolName,
                            DialectRegistry &registry,
                            const DefaultPipelineFn &getDefaultPipeline) {
  // If a standard descriptor is closed, the next file opened takes its number
  // and receives our output.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM init(argc, argv);
  OutputFile::removeAtSignals();
  transform::keepFailedReports();
  hideRegisteredOptions();
  PolicyOptions options;
  options.getDefaultPipeline =
      getDefaultPipeline ? getDefaultPipeline : getRegisteredPipeline;
  registerReducePass();
  std::string overview = registerCLIOptions(toolName, registry);
  takePluginFlag<PassPlugin>("load-pass-plugin", [](const PassPlugin &plugin) {
    plugin.registerPassRegistryCallbacks();
  });
  takePluginFlag<DialectPlugin>(
      "load-dialect-plugin", [&registry](const DialectPlugin &plugin) {
        plugin.registerDialectRegistryCallbacks(registry);
      });
  // MLIR's parser of the command line takes one input.
  cl::ParseCommandLineOptions(argc, argv, overview);
  std::string outputName = options.outputName;
  if (llvm::Error error = checkPassFlags({argv, size_t(argc)}))
    return fail(std::move(error));
  MlirOptMainConfig base = MlirOptMainConfig::createFromCLOptions();
  if (auto code = runWithoutInput(base, options, outputName, registry))
    return *code;

  llvm::Expected<Work> work = openInputs(base, options, outputName);
  if (!work)
    return fail(work.takeError());
  std::unique_ptr<OutputFile> output = openOutput(outputName);
  if (!output)
    return EXIT_FAILURE;

  std::optional<PolicyTexts> reproduced;
  if (base.shouldRunReproducer()) {
    llvm::Expected<std::optional<PolicyTexts>> taken = takeContext(
        work->input, registry, base.shouldAllowUnregisteredDialects());
    if (!taken)
      return fail(taken.takeError());
    reproduced = *taken;
  }
  llvm::Expected<bool> isGood =
      work->isShared
          ? runJobs(*work->sections, getToolPath(argv[0]),
                    ArrayRef<const char *>(argv, argc), options.jobs,
                    getSeparator(base), outputName != "-", output->os())
          : runPasses(base, options, reproduced, std::move(*work), registry,
                      output->os());
  if (!isGood)
    return fail(isGood.takeError());
  // A shell reports 130 for a process that SIGINT has ended.
  if (isInterrupted())
    return 130;
  return *isGood ? commit(*output, outputName) : EXIT_FAILURE;
}
