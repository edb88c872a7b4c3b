//===- StructuralEquality.h - Whether IR is the same ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_STRUCTURALEQUALITY_H
#define PARTITA_SUPPORT_STRUCTURALEQUALITY_H

#include "mlir/IR/Attributes.h"

namespace partita {

/// Whether two ops are the same except for locations and the names of the
/// resources of constants, as `tvm::StructuralEqual`.
bool isStructurallyEqual(mlir::Operation *lhs, mlir::Operation *rhs);
/// A hash that structurally equal ops share, as `tvm::StructuralHash`.
size_t structuralHash(mlir::Operation *op);

/// A hash of `op` and what it holds: equal for equal IR wherever it is in
/// memory, and different for different IR except by chance; valid in this
/// process. For speed, it ignores locations and the contents of resources.
uint64_t hashStructure(mlir::Operation *op);

/// The bytes of elements that are in a resource, which lives as long as their
/// context; empty for other attributes.
mlir::StringRef getResourceBytes(mlir::Attribute elements);

} // namespace partita

#endif // PARTITA_SUPPORT_STRUCTURALEQUALITY_H
