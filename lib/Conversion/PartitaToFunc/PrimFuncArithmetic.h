//===- PrimFuncArithmetic.h - What a tir.prim_func computes -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCARITHMETIC_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCARITHMETIC_H

#include "LoweredModule.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace partita {

/// Lowers arithmetic on numbers and on vectors. Unsigned numbers become
/// signless ones by casts, which vanish when all types lose their signs. A
/// value is null if the op has no lowering.
class PrimFuncArithmetic {
public:
  PrimFuncArithmetic(mlir::ImplicitLocOpBuilder &builder, LoweredModule &module)
      : builder(builder), module(module) {}

  mlir::Value lower(tir::ConstantOp op);
  mlir::Value lower(tir::PrimOp op);
  mlir::Value lower(tir::CallIntrinOp op);
  mlir::Value lower(tir::ShuffleOp op);

  /// Integers without and with their sign.
  mlir::Value toSignless(mlir::Value value);
  mlir::Value toType(mlir::Value value, mlir::Type type);
  mlir::Value toIndex(mlir::Value value);

  /// An element of a vector, or the number itself.
  mlir::Value getLane(mlir::Value value, int64_t lane);

private:
  mlir::Value makeNumber(mlir::Type type, double number);
  mlir::Value lowerInteger(llvm::StringRef kind, mlir::Value a, mlir::Value b,
                           bool isUnsigned);
  mlir::Value lowerFloat(llvm::StringRef kind, mlir::Value a, mlir::Value b);
  mlir::Value lowerCast(mlir::Value value, mlir::Type from, mlir::Type to);
  mlir::Value lowerRamp(tir::PrimOp op);
  mlir::Value countBits(tir::CallIntrinOp op);
  mlir::Value callLibrary(tir::CallIntrinOp op);
  mlir::Value multiplyShift(tir::CallIntrinOp op);

  mlir::ImplicitLocOpBuilder &builder;
  LoweredModule &module;
};

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_PRIMFUNCARITHMETIC_H
