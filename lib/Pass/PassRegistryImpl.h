//===- PassRegistryImpl.h - What the registry of passes hides ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSREGISTRYIMPL_H
#define PARTITA_LIB_PASS_PASSREGISTRYIMPL_H

#include "partita/Pass/PassRegistry.h"

#include "mlir/Pass/PassRegistry.h"

#include <mutex>

namespace partita::transform {

/// The old name `tir.X` of TVM's `tirx.X` and `s_tir.X`; other names stay.
std::string getOldSpelling(llvm::StringRef name);

/// The pass that the host has registered as an object; null if there is none.
Pass lookupPassObject(llvm::StringRef name);

/// Whether `text`, the text of `pass`, names another pass that always runs or
/// that the host has registered, as a pipeline in an option can.
bool namesPassWithEffects(llvm::StringRef text, const Pass &pass);

/// A lock on MLIR's registry, which has none. Passes of the host are registered
/// at any time, while other threads look passes up. The pipelines that MLIR's
/// parser builds look passes up, too, so a thread can take the lock again.
class MLIRRegistryLock {
public:
  MLIRRegistryLock();

private:
  std::lock_guard<std::recursive_mutex> lock;
};

/// The pass or pipeline that MLIR knows by `argument`, or null. Entries are
/// never removed.
const mlir::PassInfo *lookupPassOfMLIR(llvm::StringRef argument);
const mlir::PassRegistryEntry *lookupMLIR(llvm::StringRef argument);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSREGISTRYIMPL_H
