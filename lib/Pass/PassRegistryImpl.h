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

namespace partita::transform {

/// The old name `tir.X` of TVM's `tirx.X` and `s_tir.X`; other names stay.
std::string getOldSpelling(llvm::StringRef name);

/// The pass that the host has registered as an object; null if there is none.
Pass lookupPassObject(llvm::StringRef name);

/// Looks up a pipeline under a lock: passes of the host are registered at any
/// time, and MLIR's registry has no lock.
const mlir::PassPipelineInfo *lookupPassPipeline(llvm::StringRef argument);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSREGISTRYIMPL_H
