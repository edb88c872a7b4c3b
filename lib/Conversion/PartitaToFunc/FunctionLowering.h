//===- FunctionLowering.h - Lower one relax.func ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H

#include "LoweredModule.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita {

/// Builds a func.func that does what `func` does, on memrefs and numbers. Fails
/// with an error on what it can't lower.
llvm::LogicalResult lowerFunction(relax::FuncOp func, LoweredModule &module);

/// Copies a prim_func, with a func.func around its body, and replaces ops of
/// tir. Fails with an error on what it can't lower.
llvm::LogicalResult lowerPrimFunc(tir::PrimFuncOp primFunc,
                                  LoweredModule &module);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H
