//===- LowerToLLVMIR.h - Lower a module to LLVM IR --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TARGET_LLVMIR_LOWERTOLLVMIR_H
#define PARTITA_TARGET_LLVMIR_LOWERTOLLVMIR_H

#include "partita/Pass/PassContext.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace partita {

/// Registers LowerToLLVM, and the passes of Partita and MLIR that it names.
void registerLoweringPasses();

/// Adds what these passes need of dialects, and the translation to LLVM IR.
void registerLoweringInterfaces(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM dialect to LLVM bitcode, which
/// libPartitaRuntime takes. Constants of 4 KiB or more are declarations, whose
/// bytes are metadata. Fails after a diagnostic.
mlir::FailureOr<std::string> translateToLLVMIR(mlir::Operation *module);

/// Lowers a copy of `module`, a partita.module or a builtin.module with some,
/// by LowerToLLVM under `context`, and translates it.
mlir::FailureOr<std::string>
lowerToLLVMIR(mlir::Operation *module, const transform::PassContext &context);

} // namespace partita

#endif // PARTITA_TARGET_LLVMIR_LOWERTOLLVMIR_H
