//===- RelaxMarks.h - What TVM says beside its values -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes with facts that a module from TVM states beside its
// values, and comparisons of types that passes need to keep these facts true.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H
#define PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

namespace partita::relax {

/// Of a terminator: the type of its SeqExpr in TVM, if it does not follow from
/// the value.
constexpr llvm::StringLiteral seqTypeAttrName = "relax.seq_type";
/// Of an op with several results: the type of its variable in TVM, if it is not
/// the type of the value.
constexpr llvm::StringLiteral varTypeAttrName = "relax.var_type";
/// Of a relax.match_cast to a type that TVM has not compared with the value's:
/// the type of the function's result, or of a variable.
constexpr llvm::StringLiteral assumedAttrName = "relax.assumed";
/// Of a field of a tuple that has no variable in TVM, but is a part of the
/// expression that uses it.
constexpr llvm::StringLiteral inlineAttrName = "relax.inline";
/// Of a function whose result has sizes in TVM that are no parameter's.
constexpr llvm::StringLiteral unboundAttrName = "relax.unbound";

/// Whether the function of Relax that `op` is, or is in, has
/// `relax.force_pure`. Its callers take it for pure, but its body can have side
/// effects.
bool isInForcedCode(mlir::Operation *op);

/// Whether `a` and `b` disagree on something that both know: also on a
/// dimension with two names that could be one size.
bool contradict(mlir::Type a, mlir::Type b);

/// The most specific type of all values that have type `a` or `b`.
mlir::Type getCommonType(mlir::Type a, mlir::Type b);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H
