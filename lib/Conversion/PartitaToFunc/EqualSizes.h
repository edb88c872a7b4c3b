//===- EqualSizes.h - Sizes that linalg takes for equal ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_EQUALSIZES_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_EQUALSIZES_H

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <variant>

namespace partita {

/// Finds the sizes of a prim_func's buffers that have to be equal: they are one
/// variable of TVM's, a loop of a linalg op runs along them, or elements move
/// from one to the other. The code would read or write outside of a buffer with
/// another size.
class EqualSizes {
public:
  explicit EqualSizes(tir::PrimFuncOp func);

  /// The number that a dynamic dimension of a parameter has to be; a name, if
  /// it has to be as another dimension with this name; or nothing.
  std::optional<std::variant<int64_t, std::string>>
  get(mlir::BlockArgument parameter, int64_t dim) const;

private:
  /// Dimension of a value, loop of an op, or number.
  using Size = std::pair<const void *, int64_t>;

  /// Names the sizes that are variables.
  void addDeclared(tir::PrimFuncOp func);
  Size add(mlir::Value value, int64_t dim);
  void join(mlir::Value a, mlir::Value b);
  void visit(mlir::Operation *op);

  llvm::EquivalenceClasses<Size> classes;
  /// Names, and numbers, of classes by their leaders.
  llvm::DenseMap<Size, std::string> names, declared;
  llvm::DenseMap<Size, int64_t> numbers;
};

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_EQUALSIZES_H
