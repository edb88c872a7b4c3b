//===- TransformWraps.h - Handles of passes and contexts --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CAPI_TRANSFORMWRAPS_H
#define PARTITA_LIB_CAPI_TRANSFORMWRAPS_H

#include "partita-c/Transform.h"
#include "partita/Pass/Plan.h"
#include "partita/Pass/Run.h"

#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"

namespace partita::capi {
using PlanRef = std::shared_ptr<const transform::Plan>;
} // namespace partita::capi

DEFINE_C_API_PTR_METHODS(PartitaPass, partita::transform::Pass)
DEFINE_C_API_PTR_METHODS(PartitaPassContext, partita::transform::PassContext)
DEFINE_C_API_PTR_METHODS(PartitaPassInstrument,
                         partita::instrument::PassInstrumentRef)
DEFINE_C_API_PTR_METHODS(PartitaPlan, const partita::capi::PlanRef)
DEFINE_C_API_PTR_METHODS(PartitaPassRecord,
                         const partita::instrument::PassRecord)

namespace partita::capi {

inline void report(llvm::Error error, MlirStringCallback onError,
                   void *userData) {
  std::string message = llvm::toString(std::move(error));
  if (onError)
    onError(wrap(llvm::StringRef(message)), userData);
}

/// A handle for the value in `expected`, or null after a call to `onError`.
template <typename HandleT, typename T>
HandleT wrapExpected(llvm::Expected<T> expected, MlirStringCallback onError,
                     void *userData) {
  if (expected)
    return HandleT{new T(std::move(*expected))};
  report(expected.takeError(), onError, userData);
  return HandleT{nullptr};
}

inline MlirLogicalResult wrapError(llvm::Error error,
                                   MlirStringCallback onError, void *userData) {
  if (!error)
    return mlirLogicalResultSuccess();
  report(std::move(error), onError, userData);
  return mlirLogicalResultFailure();
}

inline std::vector<std::string> unwrapStrings(intptr_t size,
                                              const MlirStringRef *strings) {
  std::vector<std::string> result;
  for (const MlirStringRef &string : llvm::ArrayRef(strings, size))
    result.push_back(unwrap(string).str());
  return result;
}

inline llvm::SmallVector<MlirStringRef>
wrapStrings(llvm::ArrayRef<std::string> strings) {
  return llvm::map_to_vector(strings, [](const std::string &string) {
    return wrap(llvm::StringRef(string));
  });
}

inline transform::PassInfo unwrapInfo(const PartitaPassInfo &info) {
  return {unwrap(info.name).str(), info.optLevel,
          unwrapStrings(info.numRequired, info.required), info.reuseRequired};
}

/// Calls `callback` with the C form of `info`.
template <typename Callback>
auto withInfo(const transform::PassInfo &info, Callback callback) {
  llvm::SmallVector<MlirStringRef> required = wrapStrings(info.required);
  return callback(PartitaPassInfo{wrap(llvm::StringRef(info.name)),
                                  info.optLevel,
                                  static_cast<intptr_t>(required.size()),
                                  required.data(), info.reuseRequired});
}

inline transform::PassInstruments
unwrapInstruments(intptr_t size, const PartitaPassInstrument *instruments) {
  transform::PassInstruments result;
  for (PartitaPassInstrument instrument : llvm::ArrayRef(instruments, size))
    result.push_back(*unwrap(instrument));
  return result;
}

} // namespace partita::capi

#endif // PARTITA_LIB_CAPI_TRANSFORMWRAPS_H
