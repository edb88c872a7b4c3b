//===- StructuralEquality.h - Whether IR is the same ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_STRUCTURALEQUALITY_H
#define PARTITA_SUPPORT_STRUCTURALEQUALITY_H

#include "mlir/IR/OpDefinition.h"

namespace partita {

/// An op that is a value and not a binding of one, as constants are: where it
/// stands is no difference to structural equality. Ops that are ConstantLike
/// need not say so. A trait for ODS: `NativeOpTrait<"IsValue">`.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class IsValue : public mlir::OpTrait::TraitBase<ConcreteOp, IsValue> {};

/// Whether two ops, which may be of two MLIRContexts, say the same, as
/// `tvm_ffi::StructuralEqual`. Locations, the names of resources and in which
/// attribute elements are kept do not count. Constants and other ops that
/// are an IsValue count where they are used, not where they stand.
bool isStructurallyEqual(mlir::Operation *lhs, mlir::Operation *rhs);
/// A hash that structurally equal ops share, in all processes, as
/// `tvm_ffi::StructuralHash`.
uint64_t structuralHash(mlir::Operation *op);

/// A hash of `op` and what it holds: equal for equal IR wherever it is in
/// memory, and different for different IR except by chance; valid in this
/// process. For speed, it ignores locations and the contents of resources.
uint64_t hashStructure(mlir::Operation *op);

/// The bytes of elements that are kept in a blob, which live as long as it;
/// empty, with a null pointer, for other attributes.
mlir::StringRef getResourceBytes(mlir::Attribute elements);

} // namespace partita

#endif // PARTITA_SUPPORT_STRUCTURALEQUALITY_H
