//===- ScalarLowering.h - Numbers with TVM's operators ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_LINALGTOTIR_SCALARLOWERING_H
#define PARTITA_LIB_CONVERSION_LINALGTOTIR_SCALARLOWERING_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita {

/// Replaces ops on numbers and indices that TVM lacks by tir.prim and
/// tir.call_intrin. Maxima and minima of floats treat NaN as TVM's do: they are
/// the second operand if one of the two is NaN.
void lowerScalars(tir::PrimFuncOp func);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_LINALGTOTIR_SCALARLOWERING_H
