//===- PartitaOptMain.cpp - partita-opt as a function ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Tools/PartitaOptMain.h"
#include "ReducePass.h"
#include "Reproducer.h"
#include "RewriteLimit.h"
#include "partita/Instrument/Checkpoint.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/ParseUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct PolicyOptions {
  cl::OptionCategory category{
      "Pass context options",
      "With any of the first seven, the pipeline is a Sequential under a "
      "PassContext"};
  cl::opt<int> optLevel{
      "opt-level",
      cl::desc("The context's opt_level (2 if there is a context); without a "
               "pipeline, the default one of that level runs"),
      cl::value_desc("N"), cl::init(2), cl::cat(category)};
  cl::opt<int> optLevelShort{"O", cl::Prefix, cl::desc("--opt-level"),
                             cl::value_desc("N"), cl::cat(category)};
  cl::list<std::string> requiredPass{
      "required-pass", cl::CommaSeparated,
      cl::desc("Passes that run whatever their opt_level"),
      cl::value_desc("a,b"), cl::cat(category)};
  cl::list<std::string> disabledPass{
      "disabled-pass", cl::CommaSeparated,
      cl::desc("Passes that do not run, unless another requires them"),
      cl::value_desc("a,b"), cl::cat(category)};
  cl::list<std::string> passConfig{
      "pass-config", cl::desc("A config option, as an MLIR attribute"),
      cl::value_desc("KEY=ATTR"), cl::cat(category)};
  cl::list<std::string> instrument{
      "instrument", cl::desc("An instrument; repeat for more, in order"),
      cl::value_desc("NAME{options}"), cl::cat(category)};
  cl::opt<std::string> resumeFrom{
      "resume-from",
      cl::desc("Go on after the last checkpoint in the directory, which "
               "--instrument=checkpoint{dir=DIR} wrote for the same passes and "
               "input; from the beginning if there is none"),
      cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<bool> explain{"explain",
                        cl::desc("Print the plan, with a reason for each "
                                 "line, and run nothing"),
                        cl::cat(category)};
  cl::opt<bool> printPlanGraph{
      "print-plan-graph",
      cl::desc("Print the plan as a graph for Graphviz, and run nothing"),
      cl::cat(category)};
  cl::opt<bool> printPlanJSON{
      "print-plan-json",
      cl::desc("Print the plan's steps as JSON, and run nothing"),
      cl::cat(category)};
  cl::opt<uint64_t> rewriteLimit{
      "rewrite-limit",
      cl::desc("Let MLIR's drivers try patterns N times at most, on one "
               "thread, and print the last of them"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> listPassConfigs{
      "list-pass-configs",
      cl::desc("List the config options: type, default, description"),
      cl::cat(category)};
  cl::opt<bool> listInstruments{
      "list-instruments", cl::desc("List the instruments"), cl::cat(category)};

  bool hasLevel() const {
    return optLevel.getNumOccurrences() || optLevelShort.getNumOccurrences();
  }
  int getLevel() const {
    return optLevelShort.getPosition() > optLevel.getPosition() ? optLevelShort
                                                                : optLevel;
  }
  bool hasPolicy() const {
    return hasLevel() || requiredPass.getNumOccurrences() ||
           disabledPass.getNumOccurrences() || passConfig.getNumOccurrences() ||
           instrument.getNumOccurrences() || resumeFrom.getNumOccurrences();
  }

  bool printsPlan() const { return explain || printPlanGraph || printPlanJSON; }

  /// The context, `base` with what the command line says.
  PolicyTexts getTexts(PolicyTexts base = {}) const;
};
} // namespace

PolicyTexts PolicyOptions::getTexts(PolicyTexts base) const {
  if (hasLevel())
    base.optLevel = getLevel();
  if (requiredPass.getNumOccurrences())
    base.requiredPass.assign(requiredPass.begin(), requiredPass.end());
  if (disabledPass.getNumOccurrences())
    base.disabledPass.assign(disabledPass.begin(), disabledPass.end());
  if (passConfig.getNumOccurrences())
    base.passConfig.assign(passConfig.begin(), passConfig.end());
  llvm::append_range(base.instruments, instrument);
  return base;
}

static llvm::Expected<transform::PassContext>
createContext(const PolicyTexts &texts) {
  transform::PassContextOptions options;
  options.optLevel = texts.optLevel;
  options.requiredPass = texts.requiredPass;
  options.disabledPass = texts.disabledPass;
  for (StringRef text : texts.passConfig) {
    auto [key, value] = text.split('=');
    if (key.size() == text.size())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "expected --pass-config=KEY=ATTR, but found '" + text + "'");
    llvm::Expected<Attribute> attribute =
        transform::parsePassConfigValue(key.trim(), value.trim());
    if (!attribute)
      return attribute.takeError();
    options.config.emplace_back(key.trim().str(), *attribute);
  }
  for (const std::string &text : texts.instruments) {
    llvm::Expected<instrument::PassInstrumentRef> made =
        instrument::createInstrument(text);
    if (!made)
      return made.takeError();
    options.instruments.push_back(std::move(*made));
  }
  return transform::PassContext::create(std::move(options));
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

/// The arguments of every pass and pipeline that MLIR knows. Its registry can't
/// be enumerated, but its command line parser makes an option of each.
static std::vector<StringRef> getMLIRPassArguments() {
  std::vector<StringRef> arguments;
  for (auto &entry : cl::getRegisteredOptions())
    if (mlir::PassInfo::lookup(entry.first) ||
        PassPipelineInfo::lookup(entry.first))
      arguments.push_back(entry.first);
  llvm::sort(arguments);
  return arguments;
}

/// Name, argument, level, required passes and granularity of every pass.
static void listPasses(ArrayRef<StringRef> arguments, llvm::raw_ostream &os) {
  struct Row {
    std::string name, argument, level, granularity, required;
  };
  std::vector<Row> rows = {
      {"name", "argument", "level", "runs on", "required"}};
  auto addRow = [&](const transform::Pass &pass) {
    StringRef granularity = pass.isSequential()     ? "Sequential"
                            : pass.opName().empty() ? "any op"
                                                    : pass.opName();
    rows.push_back({pass.info().name, pass.argument().str(),
                    std::to_string(pass.info().optLevel), granularity.str(),
                    llvm::join(pass.info().required, ",")});
  };
  for (const auto &declaration : transform::listPasses()) {
    llvm::Expected<transform::Pass> pass =
        transform::getPass(declaration->info.name);
    if (pass) {
      addRow(*pass);
      continue;
    }
    // A Sequential of passes that are not linked in, for example.
    llvm::WithColor::warning(llvm::errs())
        << llvm::toString(pass.takeError()) << "\n";
  }
  for (StringRef argument : arguments)
    if (!transform::lookupPass(argument)) {
      if (llvm::Expected<transform::Pass> pass = transform::getPass(argument))
        addRow(*pass);
      else
        llvm::consumeError(pass.takeError());
    }
  size_t name = 0, argument = 0, granularity = 0;
  for (const Row &row : rows) {
    name = std::max(name, row.name.size());
    argument = std::max(argument, row.argument.size());
    granularity = std::max(granularity, row.granularity.size());
  }
  for (const Row &row : rows) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::left_justify(row.name, name + 2)
        << llvm::left_justify(row.argument, argument + 2)
        << llvm::left_justify(row.level, 7)
        << llvm::left_justify(row.granularity, granularity + 2) << row.required;
    os << StringRef(line).rtrim() << "\n";
  }
}

static void listPassConfigs(llvm::raw_ostream &os) {
  for (const transform::PassConfigOption &option :
       transform::listPassConfigOptions()) {
    os << option.key << ": " << option.type.str() << " = "
       << option.defaultValue << "\n    " << option.description << "\n";
    for (const transform::ConfigField &field : option.type.getFields())
      os << "    " << field.name << ": " << field.type.str() << " = "
         << field.defaultValue << "\n        " << field.description << "\n";
  }
}

static void listInstruments(llvm::raw_ostream &os) {
  for (const instrument::InstrumentDeclaration &declaration :
       instrument::listInstruments()) {
    os << declaration.name << "\n    " << declaration.summary << "\n";
    declaration.printOptions(4);
  }
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

static std::string printPipeline(const OpPassManager &pm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

/// What the command line's passes are on a root called `rootName`, nested to
/// where their ops are.
static FailureOr<std::string> getPipelineText(const MlirOptMainConfig &config,
                                              MLIRContext *context,
                                              StringRef rootName) {
  PassManager pm(context, rootName, OpPassManager::Nesting::Implicit);
  if (failed(config.setupPassPipeline(pm)))
    return failure();
  return printPipeline(pm);
}

/// The Sequential that the command line asks for on a root called `rootName`.
static llvm::Expected<transform::Pass>
getSequential(const MlirOptMainConfig &config, const PolicyOptions &options,
              StringRef pipeline, StringRef rootName) {
  if (pipeline != (rootName + "()").str())
    return transform::parseSequential(pipeline);
  // A reproducer brings its own.
  if (!options.hasLevel() || config.shouldRunReproducer())
    return transform::Sequential({});
  return transform::getPass(
      ("default-O" + Twine(std::min(options.getLevel(), 3))).str());
}

static int fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::WithColor::error(llvm::errs()) << info.message() << "\n";
  });
  return EXIT_FAILURE;
}

/// The steps of a plan, with the pipeline of each, for partita-bisect.
static llvm::Error printJSON(const transform::Plan &plan, StringRef rootName,
                             const PolicyTexts &texts, llvm::raw_ostream &os) {
  PolicyTexts withoutInstruments = texts;
  withoutInstruments.instruments.clear();
  llvm::json::Array steps;
  for (const transform::Plan::Entry &entry : plan.entries()) {
    if (entry.number == 0)
      continue;
    llvm::Expected<std::string> pipeline =
        plan.getPipeline(rootName, entry.number);
    if (!pipeline)
      return pipeline.takeError();
    steps.push_back(llvm::json::Object{
        {"number", entry.number},
        {"name", entry.pass.info().name},
        {"pipeline", *pipeline},
        {"in_required_pass", entry.inRequiredPass},
    });
  }
  os << llvm::formatv("{0:2}\n",
                      llvm::json::Value(llvm::json::Object{
                          {"pass_context", withoutInstruments.print()},
                          {"steps", std::move(steps)},
                      }));
  return llvm::Error::success();
}

/// Prints the plan of the command line's pipeline.
static int explain(const MlirOptMainConfig &config,
                   const PolicyOptions &options, const PolicyTexts &texts,
                   const transform::PassContext &passContext,
                   StringRef outputName) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  StringRef rootName = "builtin.module";
  FailureOr<std::string> text = getPipelineText(config, &context, rootName);
  if (failed(text))
    return EXIT_FAILURE;
  llvm::Expected<transform::Pass> sequential =
      getSequential(config, options, *text, rootName);
  if (!sequential)
    return fail(sequential.takeError());
  auto plan = transform::Plan::get(*sequential, passContext);
  if (!plan)
    return fail(plan.takeError());
  for (const std::string &warning : (*plan)->warnings())
    llvm::WithColor::warning(llvm::errs()) << warning << "\n";
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &message);
  if (!output)
    return fail(llvm::createStringError(message));
  llvm::raw_ostream &os = output->os();
  if (options.printPlanGraph) {
    (*plan)->printGraph(os);
  } else if (options.printPlanJSON) {
    if (llvm::Error error = printJSON(**plan, rootName, texts, os))
      return fail(std::move(error));
  } else {
    (*plan)->print(os);
    llvm::Expected<std::string> pipeline = (*plan)->getPipeline(rootName);
    if (!pipeline)
      return fail(pipeline.takeError());
    os << "pipeline: " << *pipeline << "\n";
  }
  output->keep();
  return EXIT_SUCCESS;
}

/// Fills `pm` with the command line's passes, as mlir-opt does.
static LogicalResult setupPlain(const MlirOptMainConfig &config,
                                PassManager &pm) {
  if (failed(config.setupPassPipeline(pm)))
    return failure();
  std::string text = printPipeline(pm);
  std::string nested = transform::nestPipeline(text);
  if (nested == text)
    return success();
  FailureOr<OpPassManager> parsed = parsePassPipeline(nested);
  if (failed(parsed))
    return failure();
  static_cast<OpPassManager &>(pm) = std::move(*parsed);
  return success();
}

namespace {
/// Where a run that was killed goes on.
struct Resumption {
  instrument::CheckpointFile checkpoint;
  /// Of the input that the command line names.
  std::string inputHash;
};
} // namespace

/// Finds the checkpoint to go on from, if there is one, and puts it in the
/// place of the input.
static llvm::Expected<std::optional<Resumption>>
resume(const MlirOptMainConfig &config, StringRef dir,
       const DialectRegistry &registry,
       std::unique_ptr<llvm::MemoryBuffer> &input) {
  if (dir.empty())
    return std::nullopt;
  if (!config.inputSplitMarker().empty() || config.shouldRunReproducer())
    return llvm::createStringError(
        "expected one module to resume, but found --split-input-file or "
        "--run-reproducer");
  auto checkpoint = instrument::findCheckpoint(dir);
  if (!checkpoint)
    return checkpoint.takeError();
  if (!*checkpoint)
    return std::nullopt;

  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(input->getMemBufferRef()),
      llvm::SMLoc());
  OwningOpRef<Operation *> module = parseSourceFileForTool(
      sources, ParserConfig(&context, config.shouldVerifyOnParsing()),
      !config.shouldUseExplicitModule());
  if (!module)
    return llvm::createStringError(
        "expected an input that can be parsed, to compare it with that of the "
        "checkpoints in '" +
        dir + "'");
  std::string message;
  input = openInputFile((*checkpoint)->path, &message);
  if (!input)
    return llvm::createStringError(message);
  return Resumption{**checkpoint, instrument::hashInput(*module)};
}

/// What is left of `plan`, if it is that of the run that is resumed.
static llvm::Expected<std::shared_ptr<const transform::Plan>>
getRest(const std::shared_ptr<const transform::Plan> &plan,
        const std::optional<Resumption> &resumption, StringRef dir,
        const transform::PassContext &passContext, StringRef rootName) {
  if (!resumption)
    return plan;
  auto run = instrument::CheckpointedRun::get(*plan, passContext, rootName,
                                              resumption->inputHash);
  if (!run)
    return run.takeError();
  if (llvm::Error error = instrument::checkCheckpointedRun(dir, *run))
    return std::move(error);
  return plan->resumeAfter(resumption->checkpoint.step);
}

/// Fills `pm` with the plan of the command line's passes.
static LogicalResult setupPlanned(const MlirOptMainConfig &config,
                                  const PolicyOptions &options,
                                  const transform::PassContext &passContext,
                                  const std::optional<Resumption> &resumption,
                                  bool maySkipFunctions, TimingScope *timing,
                                  PlannedRun &run, PassManager &pm) {
  Location loc = UnknownLoc::get(pm.getContext());
  FailureOr<std::string> text =
      getPipelineText(config, pm.getContext(), pm.getOpAnchorName());
  if (failed(text))
    return failure();
  llvm::Expected<transform::Pass> sequential =
      getSequential(config, options, *text, pm.getOpAnchorName());
  if (!sequential)
    return emitError(loc, llvm::toString(sequential.takeError()));
  auto plan = transform::Plan::get(*sequential, passContext);
  if (!plan)
    return emitError(loc, llvm::toString(plan.takeError()));
  plan = getRest(*plan, resumption, options.resumeFrom, passContext,
                 pm.getOpAnchorName());
  if (!plan)
    return emitError(loc, llvm::toString(plan.takeError()));
  transform::emitPlanWarnings(**plan, loc);
  run = {*plan, pm.getOpAnchorName().str(), {}};
  return transform::addPlan(
      pm, *plan, passContext,
      {maySkipFunctions, timing, config.shouldVerifyPasses(), &run.vetoed});
}

/// Makes of the pipeline that a reproducer has brought, and `pm` holds, a plan
/// under the context of the reproducer: what runs was decided when it was made.
static LogicalResult setupReproduced(const MlirOptMainConfig &config,
                                     const transform::PassContext &passContext,
                                     bool maySkipFunctions, TimingScope *timing,
                                     PlannedRun &run, PassManager &pm) {
  Location loc = UnknownLoc::get(pm.getContext());
  llvm::Expected<transform::Pass> sequential =
      transform::parseSequential(printPipeline(pm));
  if (!sequential)
    return emitError(loc, llvm::toString(sequential.takeError()));
  auto plan = transform::Plan::getResolved(*sequential, passContext);
  if (!plan)
    return emitError(loc, llvm::toString(plan.takeError()));
  run = {*plan, pm.getOpAnchorName().str(), {}};
  pm.clear();
  return transform::addPlan(
      pm, *plan, passContext,
      {maySkipFunctions, timing, config.shouldVerifyPasses(), &run.vetoed});
}

/// Keeps MLIR from doing what a flag of its own says, which is done here.
static void clearFlag(StringRef name) {
  if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
    option->reset();
}

/// The value of a flag of MLIR's own, of that type.
template <typename T>
static T getFlag(StringRef name) {
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  return option ? T(*static_cast<cl::opt<T> *>(option)) : T();
}

namespace {
/// --mlir-pass-pipeline-crash-reproducer and --mlir-generate-reproducer with
/// the PassContext in the file.
struct Reproducer {
  Reproducer(PolicyTexts texts, std::shared_ptr<const PlannedRun> run)
      : run(std::move(run)),
        fileName(getFlag<std::string>("mlir-pass-pipeline-crash-reproducer")),
        isLocal(getFlag<bool>("mlir-pass-pipeline-local-reproducer")) {
    clearFlag("mlir-pass-pipeline-crash-reproducer");
    texts.instruments = getReplayedInstruments(texts.instruments);
    // A local one is of what failed alone.
    if (isLocal)
      texts.instruments.clear();
    tail = makeReproducerTail(texts.print());
  }

  void enable(PassManager &pm) const {
    if (!fileName.empty())
      pm.enableCrashReproducerGeneration(
          makeReproducerFactory(fileName, tail,
                                isLocal ? std::make_shared<PlannedRun>() : run),
          isLocal);
  }

  /// Completes the file that MLIR has written by itself.
  llvm::Error complete(StringRef generated) const {
    if (generated.empty())
      return llvm::Error::success();
    auto buffer = llvm::MemoryBuffer::getFile(generated);
    if (!buffer)
      return instrument::makeFileError(buffer.getError(),
                                       "read '" + generated + "'");
    std::string text =
        completeReproducer((*buffer)->getBuffer().str(), tail, *run);
    std::error_code code;
    llvm::raw_fd_ostream os(generated, code);
    if (!code) {
      os << text;
      os.flush();
      code = os.error();
      os.clear_error();
    }
    return code
               ? instrument::makeFileError(code, "write to '" + generated + "'")
               : llvm::Error::success();
  }

private:
  std::shared_ptr<const PlannedRun> run;
  std::string fileName, tail;
  bool isLocal;
};

/// --mlir-timing for pipelines that run step by step: mlir-opt's own shows what
/// a pass runs beside that pass, and counts it twice. This one takes its place;
/// parsing and printing are in its rest.
class StepTiming {
public:
  StepTiming(bool maySkipFunctions, const transform::PassContext &context) {
    bool isStepByStep =
        maySkipFunctions ||
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

int partita::partitaOptMain(int argc, char **argv, StringRef toolName,
                            DialectRegistry &registry) {
  // A closed one would be the next file that is opened, and get what is said.
  [[maybe_unused]] std::error_code fixed =
      llvm::sys::Process::FixupStandardFileDescriptors();
  llvm::InitLLVM init(argc, argv);
  PolicyOptions options;
  registerReducePass();
  auto [inputName, outputName] =
      registerAndParseCLIOptions(argc, argv, toolName, registry);
  const MlirOptMainConfig base = MlirOptMainConfig::createFromCLOptions();

  std::vector<StringRef> arguments = getMLIRPassArguments();
  transform::addKnownPassArguments(arguments);
  if (base.shouldListPasses() || options.listPassConfigs ||
      options.listInstruments) {
    if (base.shouldListPasses())
      listPasses(arguments, llvm::outs());
    if (options.listPassConfigs)
      listPassConfigs(llvm::outs());
    if (options.listInstruments)
      listInstruments(llvm::outs());
    return EXIT_SUCCESS;
  }
  if (base.shouldShowDialects())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputName, outputName, registry));

  if (options.printsPlan()) {
    PolicyTexts texts = options.getTexts();
    llvm::Expected<transform::PassContext> passContext = createContext(texts);
    if (!passContext)
      return fail(passContext.takeError());
    return explain(base, options, texts, *passContext, outputName);
  }

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::WithColor::error(llvm::errs()) << message << "\n";
    return EXIT_FAILURE;
  }

  std::optional<PolicyTexts> reproduced;
  if (base.shouldRunReproducer()) {
    llvm::Expected<std::optional<PolicyTexts>> read = readReproducer(
        input->getBuffer(), registry, base.shouldAllowUnregisteredDialects());
    if (!read)
      return fail(read.takeError());
    reproduced = *read;
  }
  PolicyTexts texts = options.getTexts(reproduced.value_or(PolicyTexts()));
  llvm::Expected<transform::PassContext> passContext = createContext(texts);
  if (!passContext)
    return fail(passContext.takeError());

  std::optional<RewriteLimit> rewriteLimit;
  llvm::scope_exit printRewrites([&] {
    if (rewriteLimit)
      rewriteLimit->printTotal(llvm::errs());
  });
  if (options.rewriteLimit.getNumOccurrences())
    rewriteLimit.emplace(options.rewriteLimit);
  auto limitRewrites = [&](MLIRContext &context) -> LogicalResult {
    if (!rewriteLimit)
      return success();
    context.disableMultithreading();
    return rewriteLimit->attach(context);
  };

  // MLIR dumps what the command line says, and not what comes of it.
  bool dumpsPipeline = base.shouldDumpPassPipeline();
  clearFlag("dump-pass-pipeline");
  auto dump = [&](PassManager &pm) {
    if (!dumpsPipeline)
      return;
    pm.dump();
    llvm::errs() << "\n";
  };

  MlirOptMainConfig config = base;
  if (!options.hasPolicy() && !reproduced) {
    config.setPassPipelineSetupFn([&](PassManager &pm) {
      LogicalResult result = succeeded(limitRewrites(*pm.getContext()))
                                 ? setupPlain(base, pm)
                                 : failure();
      if (succeeded(result))
        dump(pm);
      return result;
    });
    if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
      return EXIT_FAILURE;
    output->keep();
    return EXIT_SUCCESS;
  }

  llvm::Expected<std::optional<Resumption>> resumption =
      resume(base, options.resumeFrom, registry, input);
  if (!resumption)
    return fail(resumption.takeError());

  // The module is parsed after this decision; in text and in bytecode, the
  // name of the attribute stands as it is.
  bool maySkipFunctions = input->getBuffer().contains("SkipOptimization");
  StepTiming timing(maySkipFunctions, *passContext);
  auto run = std::make_shared<PlannedRun>();
  Reproducer reproducer(texts, run);
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    if (failed(limitRewrites(*pm.getContext())))
      return failure();
    reproducer.enable(pm);
    LogicalResult result =
        reproduced
            ? setupReproduced(base, *passContext, maySkipFunctions,
                              timing.getScope(), *run, pm)
            : setupPlanned(base, options, *passContext, *resumption,
                           maySkipFunctions, timing.getScope(), *run, pm);
    if (succeeded(result))
      dump(pm);
    return result;
  });
  auto scope = transform::PassContextScope::enter(*passContext);
  if (!scope)
    return fail(scope.takeError());
  LogicalResult result =
      MlirOptMain(output->os(), std::move(input), registry, config);
  if (llvm::Error error = scope->exit())
    return fail(std::move(error));
  if (failed(result))
    return EXIT_FAILURE;
  if (llvm::Error error = reproducer.complete(base.getReproducerFilename()))
    return fail(std::move(error));
  output->keep();
  return EXIT_SUCCESS;
}
