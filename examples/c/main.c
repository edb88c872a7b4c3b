/*===- main.c - Passes under a PassContext, in C ----------------------------===*\
|*                                                                            *|
|* Part of Partita, under the Apache License v2.0 with LLVM Exceptions.       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* partita-in-c LEVEL: makes a Sequential of two passes of MLIR and one in C, *|
|* runs it on a module of func and arith under an opt_level, and prints the   *|
|* plan, what an instrument in C has seen, and the module.                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "partita-c/Transform.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Transforms.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "func.func @f(%x: i32) -> i32 {\n"
    "  %zero = arith.constant 0 : i32\n"
    "  %0 = arith.addi %x, %zero : i32\n"
    "  %1 = arith.addi %x, %zero : i32\n"
    "  %2 = arith.muli %0, %1 : i32\n"
    "  return %2 : i32\n"
    "}\n"
    "func.func @g() {\n"
    "  return\n"
    "}\n";

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static PartitaPassInfo makeInfo(const char *name, int optLevel) {
  PartitaPassInfo info = {text(name), optLevel, 0, NULL, false};
  return info;
}

static void printTo(MlirStringRef string, void *file) {
  fwrite(string.data, 1, string.length, file);
}

static void fail(MlirStringRef message, void *userData) {
  (void)userData;
  fprintf(stderr, "error: %.*s\n", (int)message.length, message.data);
  exit(EXIT_FAILURE);
}

/*===----------------------------------------------------------------------===*\
|* A pass on functions, which runs on several of them at once                 *|
\*===----------------------------------------------------------------------===*/

static MlirLogicalResult countFunction(MlirOperation function,
                                       MlirOperation module, void *count) {
  (void)function;
  (void)module;
  atomic_fetch_add((atomic_int *)count, 1);
  return mlirLogicalResultSuccess();
}

/*===----------------------------------------------------------------------===*\
|* An instrument that keeps no pass from running merged                       *|
\*===----------------------------------------------------------------------===*/

static void printInfo(PartitaPassInfo info, void *file) {
  printTo(info.name, file);
}

static void printRecord(PartitaPassRecord record, int depth) {
  printf("%*s", 2 * depth, "");
  partitaPassRecordGetInfo(record, printInfo, stdout);
  printf(" ran %d times%s\n", (int)partitaPassRecordGetNumRuns(record),
         partitaPassRecordGetTime(record) > 0 ? "" : ", in no time");
  for (intptr_t i = 0; i < partitaPassRecordGetNumChildren(record); ++i)
    printRecord(partitaPassRecordGetChild(record, i), depth + 1);
}

static MlirLogicalResult recordRun(PartitaRun run, PartitaPassRecord record,
                                   void *userData) {
  (void)run;
  (void)userData;
  printRecord(record, 0);
  return mlirLogicalResultSuccess();
}

static void endSpan(PartitaPassSpan span, void *numSpans) {
  if (span.end >= span.begin && !span.hasFailed)
    ++*(int *)numSpans;
}

/*===----------------------------------------------------------------------===*\
|* The program                                                                *|
\*===----------------------------------------------------------------------===*/

/* Passes of MLIR, and the pass in C. */
static PartitaPass createPipeline(atomic_int *count) {
  mlirRegisterTransformsPasses();
  partitaRegisterPassInfo(text("canonicalize"), makeInfo("Canonicalize", 1),
                          /*readsPassContext=*/false);
  partitaRegisterPassInfo(text("cse"), makeInfo("CommonSubexpr", 3),
                          /*readsPassContext=*/false);
  PartitaPass passes[] = {
      partitaPassCreateFromMlirPass(mlirCreateTransformsCanonicalizer()),
      partitaPassCreateFromMlirPass(mlirCreateTransformsCSE()),
      partitaPassCreateFunctionPass(countFunction, NULL, count,
                                    makeInfo("CountFunctions", 0), text(""))};
  PartitaPass pipeline =
      partitaPassCreateSequential(3, passes, makeInfo("Pipeline", 0));
  for (int i = 0; i < 3; ++i)
    partitaPassDestroy(passes[i]);
  return pipeline;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: partita-in-c LEVEL\n");
    return EXIT_FAILURE;
  }
  MlirContext context = mlirContextCreate();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__arith__(), context);
  MlirModule module = mlirModuleCreateParse(context, text(source));
  if (mlirModuleIsNull(module))
    return EXIT_FAILURE;

  int numSpans = 0;
  PartitaPassInstrumentCallbacks callbacks = {0};
  callbacks.recordRun = recordRun;
  callbacks.endSpan = endSpan;
  PartitaPassInstrument instrument =
      partitaPassInstrumentCreate(text("in-c"), callbacks, &numSpans);

  PartitaPassContextOptions options = {0};
  options.optLevel = atoi(argv[1]);
  options.numInstruments = 1;
  options.instruments = &instrument;
  PartitaPassContext passContext =
      partitaPassContextCreate(options, fail, NULL);

  atomic_int count = 0;
  PartitaPass pipeline = createPipeline(&count);
  PartitaPlan plan = partitaPlanGet(pipeline, passContext, fail, NULL);
  partitaPlanPrint(plan, printTo, stdout);
  if (mlirLogicalResultIsFailure(partitaPlanPrintPipeline(
          plan, text("builtin.module"), printTo, stdout)))
    return EXIT_FAILURE;
  printf("\n");

  /* In a pass manager of the program; partitaPassRun makes one itself. */
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(context, text("builtin.module"));
  MlirLogicalResult result = partitaPassContextEnter(passContext, fail, NULL);
  if (mlirLogicalResultIsSuccess(result))
    result = partitaPassManagerAddPlan(manager, plan, passContext,
                                       /*verifies=*/true);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  mlirPassManagerDestroy(manager);
  partitaPassContextExit(passContext, fail, NULL);
  printf("%d spans, %d functions\n", numSpans, (int)count);
  mlirOperationPrint(mlirModuleGetOperation(module), printTo, stdout);

  partitaPlanDestroy(plan);
  partitaPassDestroy(pipeline);
  partitaPassContextDestroy(passContext);
  partitaPassInstrumentDestroy(instrument);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return mlirLogicalResultIsSuccess(result) ? EXIT_SUCCESS : EXIT_FAILURE;
}
