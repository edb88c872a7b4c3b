//===- RelaxMarks.h - What TVM says beside its values -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes of what a module from TVM says beside its values, and
// comparisons of types that passes need to keep it true.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H
#define PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

namespace partita::relax {

/// Of a terminator: the type of its SeqExpr in TVM, where that is not what
/// follows from the value.
constexpr llvm::StringLiteral seqTypeAttrName = "relax.seq_type";
/// Of an op of several results: the type of its variable in TVM, where that is
/// not the type of the value.
constexpr llvm::StringLiteral varTypeAttrName = "relax.var_type";
/// Of a relax.match_cast to a type that TVM has not compared with the value's:
/// the type of the function's result, or of a variable.
constexpr llvm::StringLiteral assumedAttrName = "relax.assumed";
/// Of a field of a tuple that has no variable in TVM, but is a part of the
/// expression that uses it.
constexpr llvm::StringLiteral inlineAttrName = "relax.inline";
/// Of a function whose result has sizes in TVM that are no parameter's.
constexpr llvm::StringLiteral unboundAttrName = "relax.unbound";

/// Whether something is known of both `a` and `b`, but not the same: a
/// dimension of two names, also if both could be one size.
bool contradict(mlir::Type a, mlir::Type b);

/// What is known of all values of `a` and of `b`.
mlir::Type getCommonType(mlir::Type a, mlir::Type b);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXMARKS_H
