//===- RuntimeCAPI.cpp - C API of compiled modules ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita-c/Runtime.h"

#include "Compile.h"
#include "Executable.h"
#include "PackedCaller.h"
#include "Results.h"
#include "RuntimeError.h"
#include "Threads.h"

using namespace partita::runtime;

static Executable *unwrap(PartitaRuntimeExecutable *executable) {
  return reinterpret_cast<Executable *>(executable);
}
static const Executable *unwrap(const PartitaRuntimeExecutable *executable) {
  return reinterpret_cast<const Executable *>(executable);
}

/// The status of an error, whose text goes to `text`.
static PartitaRuntimeStatus report(llvm::Error error, char **text) {
  if (!error)
    return PartitaRuntimeSuccess;
  PartitaRuntimeStatus status = PartitaRuntimeFailure;
  if (error.isA<ArgumentError>())
    llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
      status = static_cast<const ArgumentError &>(info).getStatus();
    });
  *text = strdup(llvm::toString(std::move(error)).c_str());
  return status;
}

static PartitaRuntimeStatus
give(llvm::Expected<std::unique_ptr<Executable>> loaded,
     PartitaRuntimeExecutable **executable, char **error) {
  if (!loaded)
    return report(loaded.takeError(), error);
  *executable = reinterpret_cast<PartitaRuntimeExecutable *>(loaded->release());
  return PartitaRuntimeSuccess;
}

PartitaRuntimeStatus
partitaRuntimeCompile(const char *code, size_t size, int optLevel,
                      PartitaRuntimeExecutable **executable, char **error) {
  if (optLevel < 0 || optLevel > 3)
    return report(
        makeValueError("expected an opt_level from 0 to 3, but found " +
                       llvm::Twine(optLevel)),
        error);
  auto object = compile(llvm::StringRef(code, size), optLevel);
  if (!object)
    return report(object.takeError(), error);
  return give(Executable::load(std::move(*object)), executable, error);
}

PartitaRuntimeStatus partitaRuntimeLoad(const char *object, size_t size,
                                        PartitaRuntimeExecutable **executable,
                                        char **error) {
  auto copy = allocateSealed(size);
  std::copy_n(object, size, copy->getBufferStart());
  return give(Executable::load(std::move(copy)), executable, error);
}

void partitaRuntimeDestroy(PartitaRuntimeExecutable *executable) {
  delete unwrap(executable);
}

void partitaRuntimeErrorFree(char *error) { free(error); }

const char *partitaRuntimeGetObject(const PartitaRuntimeExecutable *executable,
                                    size_t *size) {
  llvm::StringRef object = unwrap(executable)->getObject();
  *size = object.size();
  return object.data();
}

const char *
partitaRuntimeGetMetadata(const PartitaRuntimeExecutable *executable) {
  return unwrap(executable)->getMetadata();
}

intptr_t
partitaRuntimeGetNumFunctions(const PartitaRuntimeExecutable *executable) {
  return unwrap(executable)->getFunctions().size();
}

const char *
partitaRuntimeGetFunctionName(const PartitaRuntimeExecutable *executable,
                              intptr_t index) {
  return unwrap(executable)->getFunctions()[index].name.c_str();
}

const char *
partitaRuntimeGetFunctionDescription(const PartitaRuntimeExecutable *executable,
                                     intptr_t index) {
  return unwrap(executable)->getFunctions()[index].description.c_str();
}

PartitaRuntimeStatus partitaRuntimeCall(PartitaRuntimeExecutable *executable,
                                        const char *function, intptr_t numArgs,
                                        const PartitaRuntimeValue *args,
                                        PartitaRuntimeValue *result,
                                        char **error) {
  return partitaRuntimeCallWithPackedFuncs(executable, /*packedFuncs=*/nullptr,
                                           function, numArgs, args, result,
                                           error);
}

PartitaRuntimeStatus
partitaRuntimeCallWithPackedFuncs(PartitaRuntimeExecutable *executable,
                                  const PartitaRuntimePackedFuncs *packedFuncs,
                                  const char *function, intptr_t numArgs,
                                  const PartitaRuntimeValue *args,
                                  PartitaRuntimeValue *result, char **error) {
  return report(
      unwrap(executable)
          ->call(function, llvm::ArrayRef(args, numArgs), packedFuncs, *result),
      error);
}

int partitaRuntimeReturnKeepsObjects(const PartitaRuntimeReturn *to) {
  return reinterpret_cast<const PackedReturn *>(to)->keepsObjects();
}

PartitaRuntimeStatus partitaRuntimeReturn(PartitaRuntimeReturn *to,
                                          const PartitaRuntimeValue *result,
                                          char **error) {
  return report(reinterpret_cast<PackedReturn *>(to)->set(*result), error);
}

int partitaRuntimeGetNumThreads(void) { return getNumThreads(); }

void partitaRuntimeSetNumThreads(int count) {
  setNumThreads(std::max(count, 1));
}

void partitaRuntimeValueRelease(PartitaRuntimeValue *value) { release(*value); }

void partitaRuntimeTensorRelease(void *owner) { releaseTensor(owner); }
