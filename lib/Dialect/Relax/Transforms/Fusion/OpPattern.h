//===- OpPattern.h - How a kernel accesses its buffers ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPPATTERN_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPPATTERN_H

#include "partita/Dialect/TIR/IR/TIROps.h"

namespace partita::relax {

/// TVM's OpPatternKind, with its numbers. A later one is more complex.
enum class OpPattern {
  /// Reads the element that it writes.
  ElemWise = 0,
  /// Reads elements whose indices are some of its own, in their order.
  Broadcast = 1,
  /// Computes what it reads from its own indices alone.
  Injective = 2,
  /// Reduces whole dimensions.
  CommReduce = 3,
  /// Elementwise kernels can follow it: products, convolutions, pooling.
  OutEWiseFusable = 4,
  Tuple = 7,
  Opaque = 8,
};

/// TVM's attribute of a prim_func with the number of its pattern.
constexpr llvm::StringLiteral opPatternAttrName = "op_pattern";

/// The pattern of a body of blocks (TVM's AnalyzeOpPatternKind).
OpPattern analyzeOpPattern(tir::PrimFuncOp func);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPPATTERN_H
