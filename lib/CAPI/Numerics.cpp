//===- Numerics.cpp - C API of runners for numerics -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformWraps.h"
#include "partita/Instrument/NumericsRunner.h"

#include "mlir/CAPI/IR.h"

using namespace partita;
using namespace partita::capi;
using namespace partita::instrument;

namespace {
struct RunnerOutputs {
  NumericsOutputs outputs;
  std::string refusal;
};
} // namespace

MlirLogicalResult partitaNumericsOutputsAdd(PartitaNumericsOutputs outputs,
                                            MlirStringRef name, uint8_t code,
                                            uint8_t bits, intptr_t rank,
                                            const int64_t *shape,
                                            const void *data) {
  auto &to = *static_cast<RunnerOutputs *>(outputs.ptr);
  llvm::Error error = to.outputs.add(
      unwrap(name), {code, bits}, llvm::ArrayRef<int64_t>(shape, rank), data);
  if (!error)
    return mlirLogicalResultSuccess();
  to.refusal = llvm::toString(std::move(error));
  return mlirLogicalResultFailure();
}

void partitaNumericsOutputsRefuse(PartitaNumericsOutputs outputs,
                                  MlirStringRef why) {
  static_cast<RunnerOutputs *>(outputs.ptr)->refusal = unwrap(why).str();
}

PartitaPassInstrument partitaPassInstrumentParseNumerics(
    MlirStringRef text, PartitaNumericsRunner runner, void *runnerData,
    MlirStringCallback onError, void *userData) {
  std::shared_ptr<void> owned(runnerData,
                              [destroy = runner.destroy](void *data) {
                                if (destroy)
                                  destroy(data);
                              });
  auto run = [run = runner.run, owned](
                 mlir::Operation *module) -> llvm::Expected<NumericsOutputs> {
    RunnerOutputs result;
    if (mlirLogicalResultIsSuccess(run(wrap(module), {&result}, owned.get())))
      return std::move(result.outputs);
    return llvm::createStringError(result.refusal);
  };
  return wrapExpected<PartitaPassInstrument>(
      createNumerics(unwrap(text), std::move(run)), onError, userData);
}
