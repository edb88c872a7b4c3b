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
    mlir::arith::CmpIPredicate integers, unsignedIntegers;
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
  /// The op on values of type `element`; empty for none.
  llvm::StringRef getArithOp(mlir::Type element) const;
};

/// Longer texts come before their prefixes.
llvm::ArrayRef<PrimOperator> getPrimOperators();

/// The operator of this kind, or null.
const PrimOperator *findPrimOperator(llvm::StringRef kind);

/// The kind that `op` of arith is; empty for an op that is none, or that needs
/// unsigned operands, whose kind is the second.
llvm::StringRef getPrimKind(mlir::Operation *op);
llvm::StringRef getUnsignedPrimKind(mlir::Operation *op);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_PRIMOPERATORS_H
