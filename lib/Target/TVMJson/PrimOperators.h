//===- PrimOperators.h - TVM's operators on numbers -------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a node prim.`kind` becomes in dimensions and in prim_funcs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_PRIMOPERATORS_H
#define PARTITA_LIB_TARGET_TVMJSON_PRIMOPERATORS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace partita::tvmjson {

struct PrimOperator {
  struct Comparison {
    mlir::arith::CmpIPredicate integers;
    mlir::arith::CmpFPredicate floats;
  };

  llvm::StringLiteral kind;
  /// How a dimension has it: the higher its precedence, the closer it binds;
  /// without one it is a function. Empty if no dimension has it.
  llvm::StringLiteral text = "";
  unsigned precedence = 0;
  /// The ops on signless integers, floats, booleans and unsigned integers.
  llvm::StringLiteral integerOp = "", floatOp = "", booleanOp = "",
                      unsignedOp = "";
  std::optional<Comparison> comparison = std::nullopt;

  /// Whether the result is a boolean, whatever the operands are.
  bool isBoolean() const { return comparison || !booleanOp.empty(); }
};

/// Longer texts come before their prefixes.
llvm::ArrayRef<PrimOperator> getPrimOperators();

/// The operator of this kind, or null.
const PrimOperator *findPrimOperator(llvm::StringRef kind);

/// The op that the operator is on values of type `element`; empty for none.
llvm::StringRef getArithOp(const PrimOperator &prim, mlir::Type element);

/// The kinds that the ops of arith are; empty for an op that is none, or needs
/// unsigned operands. `isBoolean` says whether the op gives booleans.
llvm::StringRef getArithKind(llvm::StringRef op, bool isBoolean);
llvm::StringRef getUnsignedKind(llvm::StringRef op);
llvm::StringRef getCmpKind(mlir::arith::CmpIPredicate predicate);
llvm::StringRef getCmpKind(mlir::arith::CmpFPredicate predicate);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_PRIMOPERATORS_H
