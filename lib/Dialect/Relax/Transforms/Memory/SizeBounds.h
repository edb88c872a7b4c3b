//===- SizeBounds.h - Bounds of symbolic sizes ------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_SIZEBOUNDS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_SIZEBOUNDS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "llvm/ADT/StringMap.h"

namespace partita::relax {

/// What the attributes of a function say about names of dimensions in its
/// signature.
class SizeBounds {
public:
  /// Emits an error if an attribute has values of another kind.
  static mlir::FailureOr<SizeBounds> get(FuncOp func);

  struct Limits {
    std::optional<int64_t> low, high;
  };
  /// The least and the greatest value of `name`, if they are known.
  Limits lookup(llvm::StringRef name) const { return limits.lookup(name); }

  /// The largest size that `dim` can have: a number, or, where a name is not
  /// bounded, an expression in which the other names have their greatest
  /// values. It is `dim` if no bound follows.
  Dim getUpperBound(Dim dim) const;

private:
  llvm::StringMap<Limits> limits;
};

/// `a` and `b` in an expression of `op`, which is "+", "-", "*" or "//". As in
/// TVM, only numbers are computed, and 0 and 1 are left out.
Dim writeOut(llvm::StringRef op, Dim a, Dim b, mlir::MLIRContext *context);

/// The product of a number of bytes and dimensions, as TVM writes it, or an
/// unknown dimension if it does not fit in 64 bits.
Dim writeOutProduct(Dim first, llvm::ArrayRef<Dim> dims,
                    mlir::MLIRContext *context);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_MEMORY_SIZEBOUNDS_H
