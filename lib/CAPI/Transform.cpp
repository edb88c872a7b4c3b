//===- Transform.cpp - C API of passes and contexts -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita-c/Transform.h"
#include "partita/Instrument/Checkpoint.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/CloneModule.h"
#include "partita/Support/StructuralEquality.h"
#include "partita/Support/ThreadPool.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"

using namespace mlir;
using namespace partita;
using partita::instrument::PassInstrument;
using partita::instrument::PassInstrumentRef;
using transform::PassContext;
using transform::Plan;

using PlanRef = std::shared_ptr<const Plan>;

DEFINE_C_API_PTR_METHODS(PartitaPass, transform::Pass)
DEFINE_C_API_PTR_METHODS(PartitaPassContext, PassContext)
DEFINE_C_API_PTR_METHODS(PartitaPassInstrument, PassInstrumentRef)
DEFINE_C_API_PTR_METHODS(PartitaPlan, const PlanRef)

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static void report(llvm::Error error, MlirStringCallback onError,
                   void *userData) {
  std::string message = llvm::toString(std::move(error));
  onError(wrap(StringRef(message)), userData);
}

/// A handle of the value in `expected`, or null after a call of `onError`.
template <typename HandleT, typename T>
static HandleT wrapExpected(llvm::Expected<T> expected,
                            MlirStringCallback onError, void *userData) {
  if (expected)
    return HandleT{new T(std::move(*expected))};
  report(expected.takeError(), onError, userData);
  return HandleT{nullptr};
}

static MlirLogicalResult wrapError(llvm::Error error,
                                   MlirStringCallback onError, void *userData) {
  if (!error)
    return mlirLogicalResultSuccess();
  report(std::move(error), onError, userData);
  return mlirLogicalResultFailure();
}

static std::vector<std::string> unwrapStrings(intptr_t size,
                                              const MlirStringRef *strings) {
  std::vector<std::string> result;
  for (const MlirStringRef &string : ArrayRef(strings, size))
    result.push_back(unwrap(string).str());
  return result;
}

static SmallVector<MlirStringRef> wrapStrings(ArrayRef<std::string> strings) {
  return llvm::map_to_vector(strings, [](const std::string &string) {
    return wrap(StringRef(string));
  });
}

static transform::PassInfo unwrapInfo(const PartitaPassInfo &info) {
  return {unwrap(info.name).str(), info.optLevel,
          unwrapStrings(info.numRequired, info.required)};
}

/// Calls `callback` with `info` in C.
template <typename Callback>
static auto withInfo(const transform::PassInfo &info, Callback callback) {
  SmallVector<MlirStringRef> required = wrapStrings(info.required);
  return callback(PartitaPassInfo{wrap(StringRef(info.name)), info.optLevel,
                                  static_cast<intptr_t>(required.size()),
                                  required.data()});
}

static transform::PassInstruments
unwrapInstruments(intptr_t size, const PartitaPassInstrument *instruments) {
  transform::PassInstruments result;
  for (PartitaPassInstrument instrument : ArrayRef(instruments, size))
    result.push_back(*unwrap(instrument));
  return result;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

PartitaPass partitaPassGet(MlirStringRef name, MlirStringRef options,
                           MlirStringCallback onError, void *userData) {
  return wrapExpected<PartitaPass>(
      transform::getPass(unwrap(name), unwrap(options)), onError, userData);
}

PartitaPass partitaPassParseSequential(MlirStringRef pipeline,
                                       PartitaPassInfo info,
                                       MlirStringCallback onError,
                                       void *userData) {
  return wrapExpected<PartitaPass>(
      transform::parseSequential(unwrap(pipeline), unwrapInfo(info)), onError,
      userData);
}

PartitaPass partitaPassCreateSequential(intptr_t numPasses,
                                        const PartitaPass *passes,
                                        PartitaPassInfo info) {
  std::vector<transform::Pass> members;
  for (PartitaPass pass : ArrayRef(passes, numPasses))
    members.push_back(*unwrap(pass));
  return wrap(new transform::Pass(
      transform::Sequential(std::move(members), unwrapInfo(info))));
}

PartitaPass partitaPassCreateModulePass(PartitaModulePassFunc run,
                                        PartitaPassVersionFunc getVersion,
                                        void (*destroy)(void *), void *userData,
                                        PartitaPassInfo info) {
  std::shared_ptr<void> owner(userData, destroy);
  auto callback = [run, owner](Operation *module, const PassContext &) {
    bool isPreserved = false;
    MlirLogicalResult result = run(wrap(module), &isPreserved, owner.get());
    return transform::ModulePassResult(unwrap(result), isPreserved);
  };
  transform::PassInfo unwrapped = unwrapInfo(info);
  transform::Pass pass =
      transform::createModulePass(std::move(callback), unwrapped.optLevel,
                                  unwrapped.name, unwrapped.required);
  if (getVersion)
    pass = transform::withVersion(
        pass, [getVersion, owner]() -> llvm::Expected<std::string> {
          std::string text;
          auto append = [](MlirStringRef part, void *userData) {
            *static_cast<std::string *>(userData) += unwrap(part);
          };
          if (failed(unwrap(getVersion(append, &text, owner.get()))))
            return llvm::createStringError(text);
          return text;
        });
  return wrap(new transform::Pass(std::move(pass)));
}

PartitaPass partitaPassCopy(PartitaPass pass) {
  return wrap(new transform::Pass(*unwrap(pass)));
}

void partitaPassDestroy(PartitaPass pass) { delete unwrap(pass); }

bool partitaPassEqual(PartitaPass a, PartitaPass b) {
  return *unwrap(a) == *unwrap(b);
}

void partitaPassGetInfo(PartitaPass pass, PartitaPassInfoCallback callback,
                        void *userData) {
  withInfo(unwrap(pass)->info(),
           [&](PartitaPassInfo info) { callback(info, userData); });
}

bool partitaPassIsSequential(PartitaPass pass) {
  return unwrap(pass)->isSequential();
}

MlirLogicalResult partitaPassPrintPipeline(PartitaPass pass,
                                           MlirStringCallback callback,
                                           void *userData) {
  llvm::Expected<PlanRef> plan =
      Plan::get(*unwrap(pass), transform::PassContext());
  if (!plan)
    return wrapError(plan.takeError(), callback, userData);
  llvm::Expected<std::string> text = (*plan)->getPipeline("builtin.module");
  if (!text)
    return wrapError(text.takeError(), callback, userData);
  callback(wrap(StringRef(*text)), userData);
  return mlirLogicalResultSuccess();
}

intptr_t partitaPassGetNumPasses(PartitaPass pass) {
  return unwrap(pass)->passes().size();
}

PartitaPass partitaPassGetMember(PartitaPass pass, intptr_t index) {
  return wrap(new transform::Pass(unwrap(pass)->passes()[index]));
}

static MlirDiagnosticSeverity wrapSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("unknown severity");
}

static void report(const transform::PassDiagnostic &diagnostic,
                   PartitaPassDiagnosticCallback callback, void *userData) {
  SmallVector<MlirStringRef> notes = wrapStrings(diagnostic.notes);
  callback({wrapSeverity(diagnostic.severity),
            wrap(StringRef(diagnostic.location)),
            wrap(StringRef(diagnostic.message)),
            static_cast<intptr_t>(notes.size()), notes.data()},
           userData);
}

MlirLogicalResult partitaPassRun(PartitaPass pass, MlirOperation module,
                                 PartitaPassContext context,
                                 PartitaPassRunOptions options) {
  transform::RunOptions runOptions;
  runOptions.verify = options.verify;
  if (options.resumeFrom.length != 0)
    runOptions.restore = [&](Operation *op, const transform::Plan &plan) {
      return instrument::restoreCheckpoint(unwrap(options.resumeFrom), op, plan,
                                           *unwrap(context));
    };
  std::vector<transform::PassDiagnostic> diagnostics;
  runOptions.diagnostics = &diagnostics;
  if (options.isInterrupted)
    runOptions.isInterrupted = [&] {
      return options.isInterrupted(options.userData);
    };
  LogicalResult result =
      unwrap(pass)->run(unwrap(module), *unwrap(context), runOptions);
  for (const transform::PassDiagnostic &diagnostic : diagnostics)
    report(diagnostic, options.onDiagnostic, options.userData);
  return wrap(result);
}

void partitaRegisterPass(PartitaPass pass) {
  transform::registerPass(*unwrap(pass));
}

void partitaListPasses(PartitaPassDeclarationCallback callback,
                       void *userData) {
  for (const auto &pass : transform::listPasses())
    withInfo(pass->info, [&](PartitaPassInfo info) {
      callback({info, wrap(StringRef(pass->argument)),
                wrap(StringRef(pass->qualifiedName)),
                wrap(StringRef(pass->summary))},
               userData);
    });
}

void partitaRegisterForkHandlers() { transform::registerForkHandlers(); }

MlirLlvmThreadPool partitaGetForkableThreadPool() {
  return wrap(&getForkableThreadPool());
}

//===----------------------------------------------------------------------===//
// Modules in a run
//===----------------------------------------------------------------------===//

bool partitaFunctionIsSkipped(MlirOperation function) {
  return transform::skipsOptimization(unwrap(function));
}

MlirOperation partitaModuleClone(MlirOperation module) {
  return wrap(cloneModule(unwrap(module)).release());
}

MlirOperation partitaModuleCloneEmpty(MlirOperation module) {
  return wrap(unwrap(module)->cloneWithoutRegions());
}

MlirLogicalResult partitaModuleGive(MlirOperation module, MlirOperation from,
                                    bool clone) {
  Operation *op = unwrap(module), *source = unwrap(from);
  if (op->getName() != source->getName() || op == source)
    return mlirLogicalResultFailure();
  OwningOpRef<Operation *> copy = clone ? cloneModule(source) : nullptr;
  transform::replaceModule(op, clone ? *copy : source);
  return mlirLogicalResultSuccess();
}

bool partitaOperationIsEquivalent(MlirOperation a, MlirOperation b) {
  return isStructurallyEqual(unwrap(a), unwrap(b));
}

uint64_t partitaOperationHash(MlirOperation op) {
  return structuralHash(unwrap(op));
}

MlirStringRef partitaElementsGetResource(MlirAttribute elements) {
  return wrap(getResourceBytes(unwrap(elements)));
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

PartitaPlan partitaPlanGet(PartitaPass pass, PartitaPassContext context,
                           MlirStringCallback onError, void *userData) {
  return wrapExpected<PartitaPlan>(Plan::get(*unwrap(pass), *unwrap(context)),
                                   onError, userData);
}

void partitaPlanDestroy(PartitaPlan plan) { delete unwrap(plan); }

intptr_t partitaPlanGetNumEntries(PartitaPlan plan) {
  return (*unwrap(plan))->entries().size();
}

PartitaPass partitaPlanGetPass(PartitaPlan plan, intptr_t index) {
  return wrap(new transform::Pass((*unwrap(plan))->entries()[index].pass));
}

unsigned partitaPlanGetDepth(PartitaPlan plan, intptr_t index) {
  return (*unwrap(plan))->entries()[index].depth;
}

PartitaPlanReason partitaPlanGetReason(PartitaPlan plan, intptr_t index) {
  static_assert(int(Plan::Reason::SkippedAsDone) ==
                    int(PartitaPlanSkippedAsDone),
                "the two enums have the same cases");
  return PartitaPlanReason((*unwrap(plan))->entries()[index].reason);
}

unsigned partitaPlanGetNumSteps(PartitaPlan plan) {
  return (*unwrap(plan))->getNumSteps();
}

void partitaPlanPrint(PartitaPlan plan, MlirStringCallback callback,
                      void *userData) {
  detail::CallbackOstream os(callback, userData);
  (*unwrap(plan))->print(os);
}

//===----------------------------------------------------------------------===//
// Config options
//===----------------------------------------------------------------------===//

MlirContext partitaGetPassConfigContext() {
  return wrap(transform::getPassConfigContext());
}

void partitaListPassConfigOptions(PartitaPassConfigOptionCallback callback,
                                  void *userData) {
  for (const transform::PassConfigOption &option :
       transform::listPassConfigOptions()) {
    std::string type = option.type.str();
    callback({wrap(StringRef(option.key)), wrap(StringRef(type)),
              wrap(option.defaultValue), wrap(StringRef(option.description))},
             userData);
  }
}

//===----------------------------------------------------------------------===//
// PassContext
//===----------------------------------------------------------------------===//

PartitaPassContext partitaPassContextCreate(PartitaPassContextOptions options,
                                            MlirStringCallback onError,
                                            void *userData) {
  transform::PassContextOptions unwrapped;
  unwrapped.optLevel = options.optLevel;
  unwrapped.requiredPass =
      unwrapStrings(options.numRequiredPasses, options.requiredPasses);
  unwrapped.disabledPass =
      unwrapStrings(options.numDisabledPasses, options.disabledPasses);
  for (const MlirNamedAttribute &config :
       ArrayRef(options.configs, options.numConfigs))
    unwrapped.config.emplace_back(unwrap(config.name).getValue().str(),
                                  unwrap(config.attribute));
  unwrapped.instruments =
      unwrapInstruments(options.numInstruments, options.instruments);
  return wrapExpected<PartitaPassContext>(
      PassContext::create(std::move(unwrapped)), onError, userData);
}

PartitaPassContext partitaPassContextGetCurrent() {
  return wrap(new PassContext(PassContext::current()));
}

void partitaPassContextDestroy(PartitaPassContext context) {
  delete unwrap(context);
}

const void *partitaPassContextGetId(PartitaPassContext context) {
  return unwrap(context)->getAsOpaquePointer();
}

int partitaPassContextGetOptLevel(PartitaPassContext context) {
  return unwrap(context)->optLevel();
}

intptr_t partitaPassContextGetNumRequiredPasses(PartitaPassContext context) {
  return unwrap(context)->requiredPass().size();
}

MlirStringRef partitaPassContextGetRequiredPass(PartitaPassContext context,
                                                intptr_t index) {
  return wrap(StringRef(unwrap(context)->requiredPass()[index]));
}

intptr_t partitaPassContextGetNumDisabledPasses(PartitaPassContext context) {
  return unwrap(context)->disabledPass().size();
}

MlirStringRef partitaPassContextGetDisabledPass(PartitaPassContext context,
                                                intptr_t index) {
  return wrap(StringRef(unwrap(context)->disabledPass()[index]));
}

intptr_t partitaPassContextGetNumConfigs(PartitaPassContext context) {
  return unwrap(context)->configs().size();
}

MlirStringRef partitaPassContextGetConfigKey(PartitaPassContext context,
                                             intptr_t index) {
  return wrap(StringRef(unwrap(context)->configs()[index].first));
}

MlirAttribute partitaPassContextGetConfigValue(PartitaPassContext context,
                                               intptr_t index) {
  return wrap(unwrap(context)->configs()[index].second);
}

bool partitaPassContextPassEnabled(PartitaPassContext context,
                                   PartitaPassInfo info) {
  return unwrap(context)->passEnabled(unwrapInfo(info));
}

MlirLogicalResult partitaPassContextOverrideInstruments(
    PartitaPassContext context, intptr_t numInstruments,
    const PartitaPassInstrument *instruments, MlirStringCallback onError,
    void *userData) {
  return wrapError(unwrap(context)->overrideInstruments(
                       unwrapInstruments(numInstruments, instruments)),
                   onError, userData);
}

MlirLogicalResult partitaPassContextEnter(PartitaPassContext context,
                                          MlirStringCallback onError,
                                          void *userData) {
  return wrapError(unwrap(context)->enterScope(), onError, userData);
}

MlirLogicalResult partitaPassContextExit(PartitaPassContext context,
                                         MlirStringCallback onError,
                                         void *userData) {
  return wrapError(unwrap(context)->exitScope(), onError, userData);
}

void partitaPassContextGetDiagnostics(PartitaPassContext context, bool take,
                                      PartitaPassDiagnosticCallback callback,
                                      void *userData) {
  PassContext &unwrapped = *unwrap(context);
  for (const transform::PassDiagnostic &diagnostic :
       take ? unwrapped.takeDiagnostics() : unwrapped.diagnostics())
    report(diagnostic, callback, userData);
}

//===----------------------------------------------------------------------===//
// PassInstrument
//===----------------------------------------------------------------------===//

namespace {
/// An instrument whose callbacks are C functions.
class CallbackInstrument : public PassInstrument {
public:
  CallbackInstrument(StringRef name,
                     const PartitaPassInstrumentCallbacks &callbacks,
                     void *userData)
      : PassInstrument(name, getWants(callbacks)), callbacks(callbacks),
        userData(userData) {}
  ~CallbackInstrument() override {
    if (callbacks.destroy)
      callbacks.destroy(userData);
  }

  llvm::Error enterPassContext() override {
    return call(callbacks.enterPassContext);
  }
  llvm::Error exitPassContext() override {
    return call(callbacks.exitPassContext);
  }
  llvm::Expected<bool> shouldRun(const transform::PassStep &step) override {
    bool answer = true;
    if (llvm::Error error = callAt(step, callbacks.shouldRun, &answer))
      return std::move(error);
    return answer;
  }
  llvm::Error runBeforePass(const transform::PassStep &step) override {
    return callAt(step, callbacks.runBeforePass);
  }
  llvm::Error runAfterPass(const transform::PassStep &step) override {
    return callAt(step, callbacks.runAfterPass);
  }
  llvm::Error beginRun(const transform::Run &run) override {
    PlanRef plan = run.plan;
    return call(callbacks.beginRun, wrapRun(run, plan));
  }
  llvm::Error
  endRun(const transform::Run &run,
         std::shared_ptr<const instrument::RunRecord> record) override {
    PlanRef plan = run.plan;
    return call(callbacks.endRun, wrapRun(run, plan), record->hasFailed());
  }

private:
  static instrument::Wants
  getWants(const PartitaPassInstrumentCallbacks &callbacks) {
    using instrument::Wants;
    return (callbacks.shouldRun || callbacks.runBeforePass ||
                    callbacks.runAfterPass
                ? Wants::Module
                : Wants::Nothing) |
           (callbacks.beginRun || callbacks.endRun ? Wants::Runs
                                                   : Wants::Nothing);
  }

  /// Calls `callback` unless it is null. Its error has no text, since it has
  /// reported it itself.
  template <typename CallbackT, typename... ArgTs>
  llvm::Error call(CallbackT *callback, ArgTs... args) {
    if (!callback || mlirLogicalResultIsSuccess(callback(args..., userData)))
      return llvm::Error::success();
    return llvm::createStringError("");
  }

  static PartitaRun wrapRun(const transform::Run &run, PlanRef &plan) {
    return {wrap(run.module), wrap(&plan), &run, run.outer.run};
  }

  /// Calls `callback` with `step` in C.
  template <typename CallbackT, typename... ArgTs>
  llvm::Error callAt(const transform::PassStep &step, CallbackT *callback,
                     ArgTs... args) {
    if (!callback)
      return llvm::Error::success();
    PlanRef plan = step.run->plan;
    return withInfo(step.info(), [&](PartitaPassInfo info) {
      return call(callback,
                  PartitaPassStep{wrapRun(*step.run, plan), info,
                                  intptr_t(step.entry), step.number()},
                  args...);
    });
  }

  PartitaPassInstrumentCallbacks callbacks;
  void *userData;
};
} // namespace

PartitaPassInstrument
partitaPassInstrumentCreate(MlirStringRef name,
                            PartitaPassInstrumentCallbacks callbacks,
                            void *userData) {
  return wrap(new PassInstrumentRef(
      std::make_shared<CallbackInstrument>(unwrap(name), callbacks, userData)));
}

PartitaPassInstrument partitaPassInstrumentParse(MlirStringRef text,
                                                 MlirStringCallback onError,
                                                 void *userData) {
  return wrapExpected<PartitaPassInstrument>(
      instrument::createInstrument(unwrap(text)), onError, userData);
}

PartitaPassInstrument
partitaPassInstrumentCopy(PartitaPassInstrument instrument) {
  return wrap(new PassInstrumentRef(*unwrap(instrument)));
}

void partitaPassInstrumentDestroy(PartitaPassInstrument instrument) {
  delete unwrap(instrument);
}

MlirStringRef partitaPassInstrumentGetName(PartitaPassInstrument instrument) {
  return wrap((*unwrap(instrument))->getName());
}

bool partitaPassInstrumentGetsModule(PartitaPassInstrument instrument) {
  using instrument::Wants;
  return (*unwrap(instrument))
      ->wants(Wants::Module | Wants::Runs | Wants::Spans);
}

const void *partitaPassInstrumentGetId(PartitaPassInstrument instrument) {
  return unwrap(instrument)->get();
}

void partitaPassContextGetInstruments(PartitaPassContext context,
                                      void (*callback)(const void *id,
                                                       void *userData),
                                      void *userData) {
  for (const PassInstrumentRef &instrument : *unwrap(context)->instruments())
    callback(instrument.get(), userData);
}

void partitaPassInstrumentRender(PartitaPassInstrument instrument,
                                 MlirStringCallback callback, void *userData) {
  std::string text = (*unwrap(instrument))->render();
  callback(wrap(StringRef(text)), userData);
}

void partitaPassInstrumentToJSON(PartitaPassInstrument instrument,
                                 MlirStringCallback callback, void *userData) {
  std::string text;
  llvm::raw_string_ostream(text) << (*unwrap(instrument))->toJSON();
  callback(wrap(StringRef(text)), userData);
}

void partitaListInstruments(PartitaInstrumentOptionCallback callback,
                            void *userData) {
  for (const instrument::InstrumentDeclaration &declaration :
       instrument::listInstruments()) {
    MlirStringRef name = wrap(StringRef(declaration.name));
    callback(name, wrap(StringRef()), wrap(StringRef(declaration.summary)),
             userData);
    for (const instrument::InstrumentOption &option : declaration.options)
      callback(name, wrap(StringRef(option.name)),
               wrap(StringRef(option.description)), userData);
  }
}
