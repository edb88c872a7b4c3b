//===- RelaxVariables.h - The variables of TVM ------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM binds an expression to a variable, or writes it where it is used. Here, a
// value has a variable if its location is a NameLoc, which holds the variable's
// name. A rewrite that keeps locations keeps variables. Only this file reads
// NameLocs of Relax ops.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXVARIABLES_H
#define PARTITA_DIALECT_RELAX_IR_RELAXVARIABLES_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// The name of the variable at `loc`; null if there is none.
inline mlir::StringAttr getVarName(mlir::Location loc) {
  auto name = llvm::dyn_cast<mlir::NameLoc>(loc);
  return name ? name.getName() : mlir::StringAttr();
}
inline mlir::StringAttr getVarName(mlir::Value value) {
  return getVarName(value.getLoc());
}

/// Whether TVM binds what `op` computes to a variable.
inline bool isVar(mlir::Operation *op) {
  return llvm::isa<mlir::NameLoc>(op->getLoc());
}

/// The place of an op in the program, less the name of its variable.
inline mlir::Location withoutName(mlir::Location loc) {
  while (auto variable = llvm::dyn_cast<mlir::NameLoc>(loc))
    loc = variable.getChildLoc();
  return loc;
}

/// The place of an op in the program, with `name` as its variable's.
inline mlir::Location withName(mlir::Location loc, const llvm::Twine &name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name),
                            withoutName(loc));
}

/// The location of a variable `name` that has no place in the program.
inline mlir::Location getNamedLoc(mlir::MLIRContext *context,
                                  const llvm::Twine &name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(context, name));
}

/// The location of a result: importers, the parser and passes keep the names of
/// several in a fused one.
inline mlir::Location getResultLoc(mlir::OpResult result) {
  mlir::Operation *op = result.getOwner();
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(op->getLoc());
      fused && fused.getLocations().size() == op->getNumResults())
    return fused.getLocations()[result.getResultNumber()];
  return op->getNumResults() == 1 ? op->getLoc()
                                  : mlir::UnknownLoc::get(op->getContext());
}

/// The tuple that makes `value`, if TVM writes it where it is used. Null if
/// `value` is no tuple, or has a variable.
inline TupleOp getUnnamedTuple(mlir::Value value) {
  auto tuple = value.getDefiningOp<TupleOp>();
  return tuple && !isVar(tuple) ? tuple : TupleOp();
}

/// `value` without casts that have no variable in TVM.
inline mlir::Value getUncast(mlir::Value value) {
  for (auto cast = value.getDefiningOp<MatchCastOp>(); cast && !isVar(cast);
       cast = value.getDefiningOp<MatchCastOp>())
    value = cast.getValue();
  return value;
}

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXVARIABLES_H
