//===- Transform.cpp - C API of passes and contexts -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformWraps.h"
#include "partita/Instrument/Checkpoint.h"
#include "partita/Pass/AttachInstruments.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/CloneModule.h"
#include "partita/Support/StructuralEquality.h"
#include "partita/Support/ThreadPool.h"

#include "mlir/CAPI/Diagnostics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"

using namespace mlir;
using namespace partita;
using namespace partita::capi;
using partita::instrument::PassInstrumentRef;
using transform::PassContext;
using transform::Plan;

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

/// Owns the data of a callback until nobody can call it.
static std::shared_ptr<void> own(void *userData, void (*destroy)(void *)) {
  return std::shared_ptr<void>(userData, [destroy](void *userData) {
    if (destroy)
      destroy(userData);
  });
}

PartitaPass partitaPassCreateModulePass(PartitaModulePassFunc run,
                                        PartitaPassVersionFunc getVersion,
                                        void (*destroy)(void *), void *userData,
                                        PartitaPassInfo info) {
  std::shared_ptr<void> owner = own(userData, destroy);
  auto callback = [run, owner](Operation *module, const PassContext &) {
    bool isPreserved = false;
    MlirLogicalResult result = run(wrap(module), &isPreserved, owner.get());
    return transform::ModulePassResult(unwrap(result), isPreserved);
  };
  transform::Pass pass =
      transform::createModulePass(std::move(callback), unwrapInfo(info));
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

PartitaPass partitaPassWithAlwaysRuns(PartitaPass pass, bool alwaysRuns) {
  return wrap(new transform::Pass(
      transform::withAlwaysRuns(*unwrap(pass), alwaysRuns)));
}

bool partitaPassAlwaysRuns(MlirStringRef argument) {
  return transform::getPassTraits(unwrap(argument)).alwaysRuns;
}

PartitaPass partitaPassCreateFunctionPass(PartitaFunctionPassFunc run,
                                          void (*destroy)(void *),
                                          void *userData, PartitaPassInfo info,
                                          MlirStringRef funcOpName) {
  std::shared_ptr<void> owner = own(userData, destroy);
  return wrap(new transform::Pass(transform::createFunctionPass(
      [run, owner](FunctionOpInterface function, Operation *module,
                   const PassContext &) {
        return unwrap(
            run(wrap(function.getOperation()), wrap(module), owner.get()));
      },
      unwrapInfo(info), unwrap(funcOpName))));
}

PartitaPass partitaPassCreateFromMlirPass(MlirPass pass) {
  return wrap(new transform::Pass(
      transform::createPass(std::unique_ptr<mlir::Pass>(unwrap(pass)))));
}

MlirPass partitaPassCreateMlirPass(PartitaPass pass) {
  return wrap(transform::createPass(*unwrap(pass)).release());
}

PartitaPass partitaPassCreateFromMlirOpPassManager(MlirOpPassManager manager,
                                                   PartitaPassInfo info,
                                                   MlirStringCallback onError,
                                                   void *userData) {
  return wrapExpected<PartitaPass>(
      transform::createSequential(*unwrap(manager), unwrapInfo(info)), onError,
      userData);
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
  if (options.onDiagnostic || options.isInterrupted)
    runOptions.diagnostics = &diagnostics;
  if (options.isInterrupted)
    runOptions.isInterrupted = [&] {
      return options.isInterrupted(options.userData);
    };
  LogicalResult result =
      unwrap(pass)->run(unwrap(module), *unwrap(context), runOptions);
  if (options.onDiagnostic)
    for (const transform::PassDiagnostic &diagnostic : diagnostics)
      report(diagnostic, options.onDiagnostic, options.userData);
  return wrap(result);
}

void partitaRegisterPass(PartitaPass pass) {
  transform::registerPass(*unwrap(pass));
}

void partitaRegisterPassInfo(MlirStringRef argument, PartitaPassInfo info,
                             bool readsPassContext) {
  transform::registerPassInfo(unwrap(argument), unwrapInfo(info),
                              readsPassContext);
}

void partitaRegisterPassAnchor(MlirStringRef opName, MlirStringRef parentName) {
  transform::registerPassAnchor(unwrap(opName), unwrap(parentName));
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

bool partitaOperationIsSame(MlirOperation a, MlirOperation b) {
  return OperationEquivalence::isEquivalentTo(
      unwrap(a), unwrap(b), OperationEquivalence::IgnoreLocations);
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
  static_assert(int(Plan::Reason::SkippedAsMet) == int(PartitaPlanSkippedAsMet),
                "the two enums have the same cases");
  return PartitaPlanReason((*unwrap(plan))->entries()[index].reason);
}

unsigned partitaPlanGetNumber(PartitaPlan plan, intptr_t index) {
  return (*unwrap(plan))->entries()[index].number;
}

void partitaPlanDescribe(PartitaPlan plan, intptr_t index,
                         MlirStringCallback callback, void *userData) {
  const Plan &unwrapped = **unwrap(plan);
  std::string text = unwrapped.describe(unwrapped.entries()[index]);
  callback(wrap(StringRef(text)), userData);
}

/// Calls `callback` with a text, or with the error in its place.
static MlirLogicalResult print(llvm::Expected<std::string> text,
                               MlirStringCallback callback, void *userData) {
  if (!text)
    return wrapError(text.takeError(), callback, userData);
  callback(wrap(StringRef(*text)), userData);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult partitaPlanPrintPipeline(PartitaPlan plan,
                                           MlirStringRef rootName,
                                           MlirStringCallback callback,
                                           void *userData) {
  return print((*unwrap(plan))->getPipeline(unwrap(rootName)), callback,
               userData);
}

MlirLogicalResult partitaPlanPrintStep(PartitaPlan plan, intptr_t index,
                                       MlirStringRef rootName,
                                       MlirStringCallback callback,
                                       void *userData) {
  const Plan &unwrapped = **unwrap(plan);
  return print(
      unwrapped.getPipeline(unwrap(rootName), unwrapped.entries()[index]),
      callback, userData);
}

unsigned partitaPlanGetNumSteps(PartitaPlan plan) {
  return (*unwrap(plan))->getNumSteps();
}

void partitaPlanPrint(PartitaPlan plan, MlirStringCallback callback,
                      void *userData) {
  mlir::detail::CallbackOstream os(callback, userData);
  (*unwrap(plan))->print(os);
}

void partitaPlanPrintSavings(PartitaPlan plan, PartitaPassContext context,
                             MlirStringRef rootName,
                             MlirStringCallback callback, void *userData) {
  mlir::detail::CallbackOstream os(callback, userData);
  (*unwrap(plan))->print(os, *unwrap(context), unwrap(rootName));
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

bool partitaPassContextSavesWork(PartitaPassContext context) {
  return unwrap(context)->saving().isOn();
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

MlirLogicalResult partitaPassContextAbandon(PartitaPassContext context,
                                            MlirStringCallback onError,
                                            void *userData) {
  return wrapError(unwrap(context)->exitScope(/*hasFailed=*/true), onError,
                   userData);
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
// Foreign pass managers
//===----------------------------------------------------------------------===//

MlirLogicalResult partitaPassManagerAddPlan(MlirPassManager manager,
                                            PartitaPlan plan,
                                            PartitaPassContext context,
                                            bool verifies) {
  unwrap(manager)->enableVerifier(verifies);
  return wrap(
      transform::addPlan(*unwrap(manager), *unwrap(plan), *unwrap(context)));
}

MlirLogicalResult partitaPassManagerAttachInstruments(
    MlirPassManager manager, PartitaPassContext context, bool applyPolicy) {
  return wrap(transform::attachInstruments(*unwrap(manager), *unwrap(context),
                                           {applyPolicy}));
}

MlirLogicalResult partitaPassManagerTakeOver(MlirPassManager manager,
                                             PartitaPassContext context) {
  return wrap(transform::takeOver(*unwrap(manager), *unwrap(context)));
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

MlirDiagnostic partitaDiagnosticTake(MlirDiagnostic diagnostic) {
  return wrap(*new Diagnostic(std::move(unwrap(diagnostic))));
}

void partitaDiagnosticEmit(MlirDiagnostic taken) {
  std::unique_ptr<Diagnostic> diagnostic(&unwrap(taken));
  MLIRContext *context = diagnostic->getLocation()->getContext();
  context->getDiagEngine().emit(std::move(*diagnostic));
}

void partitaDiagnosticDestroy(MlirDiagnostic taken) { delete &unwrap(taken); }
