//===- Adjoints.h - Sum up the gradients of values --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_ADJOINTS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_ADJOINTS_H

#include "Gradients.h"

namespace partita::relax {

/// A gradient: one value, or the results of an op of several, which are a tuple
/// in TVM.
using Adjoint = llvm::SmallVector<mlir::Value>;

/// The gradients of the values of a function so far, each with a variable that
/// is named after the value's.
class Adjoints {
public:
  explicit Adjoints(mlir::OpBuilder &builder) : builder(builder) {}

  /// Null if there is none yet. A result of an op of several stands for all.
  const Adjoint *lookup(mlir::Value value) const;
  /// Adds a gradient, which a value of type `type` has. A value that is made
  /// just before gets the variable, others get another name.
  void add(mlir::Value value, const Adjoint &gradient);
  /// Adds the gradient of field `index` of `tuple`.
  void addField(mlir::Value tuple, int64_t index, const Adjoint &gradient);
  /// Adds the gradient of each field of a tuple that has no variable.
  void addFields(mlir::ValueRange fields, const Adjoint &gradient);
  void addZeros(mlir::Value value) { set(value, {makeZeros(value.getType())}); }

  /// Whether zeros of this type can be made.
  static bool canBeZero(mlir::Type type);
  /// `adjoint` under another name.
  mlir::Value makeAlias(const Adjoint &adjoint, mlir::Location loc);

private:
  mlir::Value makeZeros(mlir::Type type);
  /// Field `index` of a tuple.
  mlir::Value getField(const Adjoint &tuple, int64_t index);
  mlir::Value makeSum(mlir::Value a, mlir::Value b);
  void set(mlir::Value value, const Adjoint &adjoint);
  mlir::Location getLoc(mlir::Value value) const;

  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, Adjoint> adjoints;
  /// The ops that are gradients.
  llvm::DenseSet<mlir::Operation *> variables;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_ADJOINTS_H
