//===- partita-c/Transform.h - C API of passes and contexts -------*- C -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// partita/Pass in C. The caller destroys each object that it creates, once, by
// the object's destroy function. Strings that a function returns live as long
// as the object that was asked for them. A function that fails calls its
// `onError`, if it has one, once with a message, and returns null or a failure.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_C_TRANSFORM_H
#define PARTITA_C_TRANSFORM_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEFINE_C_API_STRUCT(name, storage)                                     \
  struct name {                                                                \
    storage *ptr;                                                              \
  };                                                                           \
  typedef struct name name

DEFINE_C_API_STRUCT(PartitaPass, void);
DEFINE_C_API_STRUCT(PartitaPassContext, void);
DEFINE_C_API_STRUCT(PartitaPassInstrument, void);
DEFINE_C_API_STRUCT(PartitaPlan, const void);
DEFINE_C_API_STRUCT(PartitaPassRecord, const void);

#undef DEFINE_C_API_STRUCT

/// partita::transform::PassInfo.
typedef struct PartitaPassInfo {
  MlirStringRef name;
  int optLevel;
  intptr_t numRequired;
  const MlirStringRef *required;
  bool reuseRequired;
} PartitaPassInfo;

typedef void (*PartitaPassInfoCallback)(PartitaPassInfo info, void *userData);

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// transform::getPass.
MLIR_CAPI_EXPORTED PartitaPass partitaPassGet(MlirStringRef name,
                                              MlirStringRef options,
                                              MlirStringCallback onError,
                                              void *userData);
/// transform::parseSequential.
MLIR_CAPI_EXPORTED PartitaPass
partitaPassParseSequential(MlirStringRef pipeline, PartitaPassInfo info,
                           MlirStringCallback onError, void *userData);
/// transform::Sequential.
MLIR_CAPI_EXPORTED PartitaPass partitaPassCreateSequential(
    intptr_t numPasses, const PartitaPass *passes, PartitaPassInfo info);

/// A pass that calls `run`, which changes `module` in place on the thread that
/// runs the pass; if it sets `isPreserved`, the verifier need not run.
/// `destroy` is called when the last pass that uses `userData` is gone.
typedef MlirLogicalResult (*PartitaModulePassFunc)(MlirOperation module,
                                                   bool *isPreserved,
                                                   void *userData);
/// `getVersion` implements transform::withVersion, and can be null. It calls
/// `callback` once, with the version or, before it fails, with the reason.
typedef MlirLogicalResult (*PartitaPassVersionFunc)(MlirStringCallback callback,
                                                    void *callbackData,
                                                    void *userData);
MLIR_CAPI_EXPORTED PartitaPass partitaPassCreateModulePass(
    PartitaModulePassFunc run, PartitaPassVersionFunc getVersion,
    void (*destroy)(void *), void *userData, PartitaPassInfo info);
/// transform::withAlwaysRuns: a pass beside `pass`, which is not changed.
MLIR_CAPI_EXPORTED PartitaPass partitaPassWithAlwaysRuns(PartitaPass pass,
                                                         bool alwaysRuns);
/// transform::PassTraits::alwaysRuns of the pass that MLIR knows by `argument`.
MLIR_CAPI_EXPORTED bool partitaPassAlwaysRuns(MlirStringRef argument);

/// A pass that calls `run` with each function of the module, on several threads
/// at once: transform::createFunctionPass. `funcOpName` can be empty.
typedef MlirLogicalResult (*PartitaFunctionPassFunc)(MlirOperation function,
                                                     MlirOperation module,
                                                     void *userData);
MLIR_CAPI_EXPORTED PartitaPass partitaPassCreateFunctionPass(
    PartitaFunctionPassFunc run, void (*destroy)(void *), void *userData,
    PartitaPassInfo info, MlirStringRef funcOpName);

/// A pass that runs copies of `pass`, which it takes over:
/// transform::createPass.
MLIR_CAPI_EXPORTED PartitaPass partitaPassCreateFromMlirPass(MlirPass pass);
/// A pass that runs `pass` in any pass manager: transform::createPass.
MLIR_CAPI_EXPORTED MlirPass partitaPassCreateMlirPass(PartitaPass pass);
/// A Sequential of copies of the passes in `manager`:
/// transform::createSequential.
MLIR_CAPI_EXPORTED PartitaPass partitaPassCreateFromMlirOpPassManager(
    MlirOpPassManager manager, PartitaPassInfo info, MlirStringCallback onError,
    void *userData);

/// Another handle of the same pass.
MLIR_CAPI_EXPORTED PartitaPass partitaPassCopy(PartitaPass pass);
MLIR_CAPI_EXPORTED void partitaPassDestroy(PartitaPass pass);
MLIR_CAPI_EXPORTED bool partitaPassEqual(PartitaPass a, PartitaPass b);
MLIR_CAPI_EXPORTED void partitaPassGetInfo(PartitaPass pass,
                                           PartitaPassInfoCallback callback,
                                           void *userData);
MLIR_CAPI_EXPORTED bool partitaPassIsSequential(PartitaPass pass);
/// The pass in a textual pipeline, with its options. Calls `callback` with an
/// error before it fails.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassPrintPipeline(
    PartitaPass pass, MlirStringCallback callback, void *userData);
MLIR_CAPI_EXPORTED intptr_t partitaPassGetNumPasses(PartitaPass pass);
/// A new handle of a member of a Sequential.
MLIR_CAPI_EXPORTED PartitaPass partitaPassGetMember(PartitaPass pass,
                                                    intptr_t index);

/// A diagnostic of a run; see transform::PassDiagnostic.
typedef struct PartitaPassDiagnostic {
  MlirDiagnosticSeverity severity;
  MlirStringRef location;
  MlirStringRef message;
  intptr_t numNotes;
  const MlirStringRef *notes;
} PartitaPassDiagnostic;
typedef void (*PartitaPassDiagnosticCallback)(PartitaPassDiagnostic diagnostic,
                                              void *userData);
/// transform::RunOptions.
typedef struct PartitaPassRunOptions {
  bool verify;
  /// Go on after the last checkpoint in this directory, unless it is empty; see
  /// instrument::restoreCheckpoint.
  MlirStringRef resumeFrom;
  /// Receives the diagnostics of the run at its end, but not of runs inside it;
  /// only `context` gets them, too. Errors have a note that names their
  /// function, if their location tells it. If this is null, MLIR's handlers get
  /// the diagnostics, unless isInterrupted is set.
  PartitaPassDiagnosticCallback onDiagnostic;
  /// Called now and then during the run, which ends if it returns true; can be
  /// null.
  bool (*isInterrupted)(void *userData);
  void *userData;
} PartitaPassRunOptions;
/// Runs `pass` on `module` in place.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaPassRun(PartitaPass pass, MlirOperation module,
               PartitaPassContext context, PartitaPassRunOptions options);

/// transform::registerPass: getPass and `required` find the pass by its name.
MLIR_CAPI_EXPORTED void partitaRegisterPass(PartitaPass pass);

/// transform::registerPassInfo, for a pass that MLIR knows by `argument`.
MLIR_CAPI_EXPORTED void partitaRegisterPassInfo(MlirStringRef argument,
                                                PartitaPassInfo info,
                                                bool readsPassContext);
/// transform::registerPassAnchor.
MLIR_CAPI_EXPORTED void partitaRegisterPassAnchor(MlirStringRef opName,
                                                  MlirStringRef parentName);
/// Registers Partita's instruments, and `sequential{...}` for textual
/// pipelines. Later calls do nothing.
MLIR_CAPI_EXPORTED void partitaRegisterInstruments(void);

/// The declaration of a pass; see transform::PassDeclaration.
typedef struct PartitaPassDeclaration {
  PartitaPassInfo info;
  MlirStringRef argument;
  MlirStringRef qualifiedName;
  MlirStringRef summary;
} PartitaPassDeclaration;
typedef void (*PartitaPassDeclarationCallback)(PartitaPassDeclaration pass,
                                               void *userData);
/// Calls `callback` for each declared pass, by name.
MLIR_CAPI_EXPORTED void
partitaListPasses(PartitaPassDeclarationCallback callback, void *userData);

/// transform::registerForkHandlers.
MLIR_CAPI_EXPORTED void partitaRegisterForkHandlers(void);
/// A thread pool for MLIRContexts in a process that may fork, to give to
/// mlirContextSetThreadPool: getForkableThreadPool.
MLIR_CAPI_EXPORTED MlirLlvmThreadPool partitaGetForkableThreadPool(void);

//===----------------------------------------------------------------------===//
// Modules in a run
//===----------------------------------------------------------------------===//

/// Whether function passes leave `function` alone:
/// transform::skipsOptimization.
MLIR_CAPI_EXPORTED bool partitaFunctionIsSkipped(MlirOperation function);

/// The same as mlirOperationClone, but faster for a module of many functions.
MLIR_CAPI_EXPORTED MlirOperation partitaModuleClone(MlirOperation module);
/// A copy of `module` with empty regions. With partitaModuleGive, the host can
/// own the module that its users see, while MLIR runs passes on `module`.
MLIR_CAPI_EXPORTED MlirOperation partitaModuleCloneEmpty(MlirOperation module);
/// Gives `module` the attributes and the regions of `from`. The regions are
/// moved or, with `clone`, copied. Fails, and changes nothing, if the names of
/// the two ops differ.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaModuleGive(MlirOperation module,
                                                       MlirOperation from,
                                                       bool clone);
/// Whether the two ops are structurally equal: isStructurallyEqual. They may be
/// in two contexts.
MLIR_CAPI_EXPORTED bool partitaOperationIsEquivalent(MlirOperation a,
                                                     MlirOperation b);
/// Whether two ops of a context differ in nothing but locations.
MLIR_CAPI_EXPORTED bool partitaOperationIsSame(MlirOperation a,
                                               MlirOperation b);
/// A hash that equivalent ops share, in all processes.
MLIR_CAPI_EXPORTED uint64_t partitaOperationHash(MlirOperation op);
/// The bytes of elements in a resource, which live as long as their context;
/// empty for other attributes.
MLIR_CAPI_EXPORTED MlirStringRef
partitaElementsGetResource(MlirAttribute elements);

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// transform::Plan::Reason.
typedef enum PartitaPlanReason {
  PartitaPlanDirect,
  PartitaPlanOptLevel,
  PartitaPlanRequiredPass,
  PartitaPlanRequiredBy,
  PartitaPlanSkippedByName,
  PartitaPlanSkippedByLevel,
  PartitaPlanSkippedAsDone,
  PartitaPlanSkippedAsMet,
} PartitaPlanReason;

MLIR_CAPI_EXPORTED PartitaPlan partitaPlanGet(PartitaPass pass,
                                              PartitaPassContext context,
                                              MlirStringCallback onError,
                                              void *userData);
MLIR_CAPI_EXPORTED void partitaPlanDestroy(PartitaPlan plan);
MLIR_CAPI_EXPORTED intptr_t partitaPlanGetNumEntries(PartitaPlan plan);
/// A new handle of the pass of an entry.
MLIR_CAPI_EXPORTED PartitaPass partitaPlanGetPass(PartitaPlan plan,
                                                  intptr_t index);
MLIR_CAPI_EXPORTED unsigned partitaPlanGetDepth(PartitaPlan plan,
                                                intptr_t index);
MLIR_CAPI_EXPORTED PartitaPlanReason partitaPlanGetReason(PartitaPlan plan,
                                                          intptr_t index);
/// The number of a step; 0 for an entry that is not run.
MLIR_CAPI_EXPORTED unsigned partitaPlanGetNumber(PartitaPlan plan,
                                                 intptr_t index);
/// Calls `callback` with the reason why an entry runs or does not:
/// Plan::describe.
MLIR_CAPI_EXPORTED void partitaPlanDescribe(PartitaPlan plan, intptr_t index,
                                            MlirStringCallback callback,
                                            void *userData);
/// The textual pipeline of the steps on a root called `rootName`, and the
/// pipeline of one step. They call `callback` with an error before they fail.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaPlanPrintPipeline(PartitaPlan plan, MlirStringRef rootName,
                         MlirStringCallback callback, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaPlanPrintStep(PartitaPlan plan, intptr_t index, MlirStringRef rootName,
                     MlirStringCallback callback, void *userData);
/// The highest number of a step.
MLIR_CAPI_EXPORTED unsigned partitaPlanGetNumSteps(PartitaPlan plan);
MLIR_CAPI_EXPORTED void
partitaPlanPrint(PartitaPlan plan, MlirStringCallback callback, void *userData);
/// The same, with what `context` saves on a root called `rootName`.
MLIR_CAPI_EXPORTED void partitaPlanPrintSavings(PartitaPlan plan,
                                                PartitaPassContext context,
                                                MlirStringRef rootName,
                                                MlirStringCallback callback,
                                                void *userData);

//===----------------------------------------------------------------------===//
// Config options
//===----------------------------------------------------------------------===//

/// The context of all config values. It is never destroyed.
MLIR_CAPI_EXPORTED MlirContext partitaGetPassConfigContext(void);

typedef struct PartitaPassConfigOption {
  MlirStringRef key;
  MlirStringRef type;
  MlirAttribute defaultValue;
  MlirStringRef description;
} PartitaPassConfigOption;
typedef void (*PartitaPassConfigOptionCallback)(PartitaPassConfigOption option,
                                                void *userData);
MLIR_CAPI_EXPORTED void
partitaListPassConfigOptions(PartitaPassConfigOptionCallback callback,
                             void *userData);

//===----------------------------------------------------------------------===//
// PassContext
//===----------------------------------------------------------------------===//

/// transform::PassContextOptions.
typedef struct PartitaPassContextOptions {
  int optLevel;
  intptr_t numRequiredPasses;
  const MlirStringRef *requiredPasses;
  intptr_t numDisabledPasses;
  const MlirStringRef *disabledPasses;
  intptr_t numConfigs;
  const MlirNamedAttribute *configs;
  intptr_t numInstruments;
  const PartitaPassInstrument *instruments;
} PartitaPassContextOptions;

MLIR_CAPI_EXPORTED PartitaPassContext
partitaPassContextCreate(PartitaPassContextOptions options,
                         MlirStringCallback onError, void *userData);
/// A new handle of the calling thread's current context.
MLIR_CAPI_EXPORTED PartitaPassContext partitaPassContextGetCurrent(void);
MLIR_CAPI_EXPORTED void partitaPassContextDestroy(PartitaPassContext context);
/// Identifies a context: its handles share the id, and no other context has it.
MLIR_CAPI_EXPORTED const void *
partitaPassContextGetId(PartitaPassContext context);

MLIR_CAPI_EXPORTED int
partitaPassContextGetOptLevel(PartitaPassContext context);
MLIR_CAPI_EXPORTED intptr_t
partitaPassContextGetNumRequiredPasses(PartitaPassContext context);
MLIR_CAPI_EXPORTED MlirStringRef
partitaPassContextGetRequiredPass(PartitaPassContext context, intptr_t index);
MLIR_CAPI_EXPORTED intptr_t
partitaPassContextGetNumDisabledPasses(PartitaPassContext context);
MLIR_CAPI_EXPORTED MlirStringRef
partitaPassContextGetDisabledPass(PartitaPassContext context, intptr_t index);
MLIR_CAPI_EXPORTED intptr_t
partitaPassContextGetNumConfigs(PartitaPassContext context);
MLIR_CAPI_EXPORTED MlirStringRef
partitaPassContextGetConfigKey(PartitaPassContext context, intptr_t index);
MLIR_CAPI_EXPORTED MlirAttribute
partitaPassContextGetConfigValue(PartitaPassContext context, intptr_t index);
/// Whether runs save work, for which they look at modules: one of the config
/// keys `partita.skip_unchanged`, `partita.pass_cache` and so on is set.
MLIR_CAPI_EXPORTED bool partitaPassContextSavesWork(PartitaPassContext context);
MLIR_CAPI_EXPORTED bool
partitaPassContextPassEnabled(PartitaPassContext context, PartitaPassInfo info);

/// Calls `callback` with the id of each present instrument.
MLIR_CAPI_EXPORTED void partitaPassContextGetInstruments(
    PartitaPassContext context,
    void (*callback)(const void *id, void *userData), void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassContextOverrideInstruments(
    PartitaPassContext context, intptr_t numInstruments,
    const PartitaPassInstrument *instruments, MlirStringCallback onError,
    void *userData);

/// Enters and leaves the scope of a context on the calling thread.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassContextEnter(
    PartitaPassContext context, MlirStringCallback onError, void *userData);
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassContextExit(
    PartitaPassContext context, MlirStringCallback onError, void *userData);
/// Leaves the scope because of an error: if nothing has run in it, instruments
/// leave the files of earlier runs as they are.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassContextAbandon(
    PartitaPassContext context, MlirStringCallback onError, void *userData);

/// Calls `callback` for each diagnostic that the context keeps, and with `take`
/// empties the list.
MLIR_CAPI_EXPORTED void
partitaPassContextGetDiagnostics(PartitaPassContext context, bool take,
                                 PartitaPassDiagnosticCallback callback,
                                 void *userData);

//===----------------------------------------------------------------------===//
// Foreign pass managers
//===----------------------------------------------------------------------===//

/// transform::addPlan. `verifies` says whether `manager` verifies from now on.
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaPassManagerAddPlan(MlirPassManager manager, PartitaPlan plan,
                          PartitaPassContext context, bool verifies);
/// transform::attachInstruments and transform::takeOver. They fail after a
/// diagnostic. The caller enters and leaves the scope of `context`.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaPassManagerAttachInstruments(
    MlirPassManager manager, PartitaPassContext context, bool applyPolicy);
MLIR_CAPI_EXPORTED MlirLogicalResult
partitaPassManagerTakeOver(MlirPassManager manager, PartitaPassContext context);

//===----------------------------------------------------------------------===//
// PassInstrument
//===----------------------------------------------------------------------===//

/// transform::Run, during a callback. Concurrent runs have different ids. The
/// outermost run has a null `outerId`.
typedef struct PartitaRun {
  MlirOperation module;
  PartitaPlan plan;
  const void *id;
  const void *outerId;
} PartitaRun;

/// transform::PassStep, during a callback. The number is 0 for a Sequential.
typedef struct PartitaPassStep {
  PartitaRun run;
  PartitaPassInfo info;
  intptr_t entry;
  unsigned number;
} PartitaPassStep;

/// instrument::PassSpan, during a callback. Times are nanoseconds of a
/// monotonic clock; `end` is 0 when a span begins.
typedef struct PartitaPassSpan {
  PartitaPassStep step;
  MlirOperation op;
  uint64_t thread;
  int64_t begin;
  int64_t end;
  bool hasFailed;
} PartitaPassSpan;

/// Callbacks of an instrument; null for a callback that it does not define.
/// They are called with `userData` on the thread that runs passes or enters a
/// scope.
typedef struct PartitaPassInstrumentCallbacks {
  void (*destroy)(void *userData);
  MlirLogicalResult (*enterPassContext)(void *userData);
  MlirLogicalResult (*exitPassContext)(void *userData);
  MlirLogicalResult (*shouldRun)(PartitaPassStep step, bool *answer,
                                 void *userData);
  MlirLogicalResult (*runBeforePass)(PartitaPassStep step, void *userData);
  MlirLogicalResult (*runAfterPass)(PartitaPassStep step, void *userData);
  MlirLogicalResult (*beginRun)(PartitaRun run, void *userData);
  MlirLogicalResult (*endRun)(PartitaRun run, bool hasFailed, void *userData);
  /// Receives the record of a run at its end. Without a beginRun or endRun, it
  /// is called only for the outermost of nested runs; its record contains the
  /// inner ones. The record lives as long as the call.
  MlirLogicalResult (*recordRun)(PartitaRun run, PartitaPassRecord record,
                                 void *userData);
  void (*beginSpan)(PartitaPassSpan span, void *userData);
  void (*endSpan)(PartitaPassSpan span, void *userData);
  /// Whether records have processor time.
  bool wantsCPUTime;
} PartitaPassInstrumentCallbacks;

/// instrument::PassRecord. Times are nanoseconds.
MLIR_CAPI_EXPORTED void
partitaPassRecordGetInfo(PartitaPassRecord record,
                         PartitaPassInfoCallback callback, void *userData);
/// Why the pass was to run: Plan::describe.
MLIR_CAPI_EXPORTED void partitaPassRecordGetReason(PartitaPassRecord record,
                                                   MlirStringCallback callback,
                                                   void *userData);
MLIR_CAPI_EXPORTED uint64_t
partitaPassRecordGetNumRuns(PartitaPassRecord record);
/// The number of operations that it did not run on, because it has left them as
/// they are before (`partita.skip_unchanged`).
MLIR_CAPI_EXPORTED uint64_t
partitaPassRecordGetNumUnchanged(PartitaPassRecord record);
MLIR_CAPI_EXPORTED bool partitaPassRecordHasFailed(PartitaPassRecord record);
MLIR_CAPI_EXPORTED int64_t partitaPassRecordGetTime(PartitaPassRecord record);
MLIR_CAPI_EXPORTED int64_t
partitaPassRecordGetWallTime(PartitaPassRecord record);
/// -1 if no instrument asks for it, or the platform does not measure it.
MLIR_CAPI_EXPORTED int64_t
partitaPassRecordGetCPUTime(PartitaPassRecord record);
/// The instruments whose should_run vetoed the pass.
MLIR_CAPI_EXPORTED intptr_t
partitaPassRecordGetNumVetoes(PartitaPassRecord record);
MLIR_CAPI_EXPORTED MlirStringRef
partitaPassRecordGetVeto(PartitaPassRecord record, intptr_t index);
/// The records of the passes inside.
MLIR_CAPI_EXPORTED intptr_t
partitaPassRecordGetNumChildren(PartitaPassRecord record);
MLIR_CAPI_EXPORTED PartitaPassRecord
partitaPassRecordGetChild(PartitaPassRecord record, intptr_t index);

/// An instrument. It observes the module if it defines shouldRun, runBeforePass
/// or runAfterPass. It wants runs if it defines beginRun or endRun, records if
/// it defines recordRun, and spans if it defines beginSpan or endSpan.
MLIR_CAPI_EXPORTED PartitaPassInstrument partitaPassInstrumentCreate(
    MlirStringRef name, PartitaPassInstrumentCallbacks callbacks,
    void *userData);
/// A registered instrument, from "NAME" or "NAME{options}".
MLIR_CAPI_EXPORTED PartitaPassInstrument partitaPassInstrumentParse(
    MlirStringRef text, MlirStringCallback onError, void *userData);

/// The outputs of a module, which a runner adds during its call.
typedef struct PartitaNumericsOutputs {
  void *ptr;
} PartitaNumericsOutputs;

/// instrument::NumericsRunner. Its `run` gets a copy of a module, which it may
/// change. If it fails without partitaNumericsOutputsRefuse, it has reported an
/// error itself, and the run of the passes ends.
typedef struct PartitaNumericsRunner {
  void (*destroy)(void *userData);
  MlirLogicalResult (*run)(MlirOperation module, PartitaNumericsOutputs outputs,
                           void *userData);
} PartitaNumericsRunner;

/// Adds a copy of an array in C's order, whose dtype has DLPack's `code`. Fails
/// if it is not of integers, floats or bools.
MLIR_CAPI_EXPORTED MlirLogicalResult partitaNumericsOutputsAdd(
    PartitaNumericsOutputs outputs, MlirStringRef name, uint8_t code,
    uint8_t bits, intptr_t rank, const int64_t *shape, const void *data);
/// Says why the module cannot be run.
MLIR_CAPI_EXPORTED void
partitaNumericsOutputsRefuse(PartitaNumericsOutputs outputs, MlirStringRef why);

/// The registered instrument "numerics" or "numerics{options}" that runs
/// modules by `runner`. Its `destroy` is also called if this fails.
MLIR_CAPI_EXPORTED PartitaPassInstrument partitaPassInstrumentParseNumerics(
    MlirStringRef text, PartitaNumericsRunner runner, void *runnerData,
    MlirStringCallback onError, void *userData);

MLIR_CAPI_EXPORTED PartitaPassInstrument
partitaPassInstrumentCopy(PartitaPassInstrument instrument);
MLIR_CAPI_EXPORTED void
partitaPassInstrumentDestroy(PartitaPassInstrument instrument);
MLIR_CAPI_EXPORTED MlirStringRef
partitaPassInstrumentGetName(PartitaPassInstrument instrument);
/// Whether its callbacks get the module: it wants more than records and scopes.
MLIR_CAPI_EXPORTED bool
partitaPassInstrumentGetsModule(PartitaPassInstrument instrument);
/// Identifies an instrument: its handles share the id, and no other instrument
/// has it.
MLIR_CAPI_EXPORTED const void *
partitaPassInstrumentGetId(PartitaPassInstrument instrument);

/// The results of the instrument so far, as text and as JSON. The JSON is
/// "null" if it collects nothing.
MLIR_CAPI_EXPORTED void
partitaPassInstrumentRender(PartitaPassInstrument instrument,
                            MlirStringCallback callback, void *userData);
MLIR_CAPI_EXPORTED void
partitaPassInstrumentToJSON(PartitaPassInstrument instrument,
                            MlirStringCallback callback, void *userData);

/// A registered instrument or, if `option` is not empty, one of its options.
typedef void (*PartitaInstrumentOptionCallback)(MlirStringRef instrument,
                                                MlirStringRef option,
                                                MlirStringRef description,
                                                void *userData);
/// Calls `callback` for each registered instrument, by name, each followed by
/// its options.
MLIR_CAPI_EXPORTED void
partitaListInstruments(PartitaInstrumentOptionCallback callback,
                       void *userData);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Moves the contents out of a diagnostic, for a handler that then treats it as
/// handled. Emit or destroy the result; emitting destroys it.
MLIR_CAPI_EXPORTED MlirDiagnostic
partitaDiagnosticTake(MlirDiagnostic diagnostic);
MLIR_CAPI_EXPORTED void partitaDiagnosticEmit(MlirDiagnostic taken);
MLIR_CAPI_EXPORTED void partitaDiagnosticDestroy(MlirDiagnostic taken);

#ifdef __cplusplus
}
#endif

#endif // PARTITA_C_TRANSFORM_H
