//===- StructuralEquality.h - Structural equality of IR ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_STRUCTURALEQUALITY_H
#define PARTITA_SUPPORT_STRUCTURALEQUALITY_H

#include "mlir/IR/OpDefinition.h"

#include "partita/Support/NameHintOpInterface.h.inc"

namespace partita {

/// A trait for ops that are values, such as constants, and not bindings, unless
/// they have effects: their position does not count in structural equality.
/// ConstantLike ops need not have it. For ODS: `NativeOpTrait<"IsValue">`.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class IsValue : public mlir::OpTrait::TraitBase<ConcreteOp, IsValue> {};

/// A trait for ops of one block whose terminator gives the results, in an order
/// that does not count. For ODS: `NativeOpTrait<"HasUnorderedResults">`.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class HasUnorderedResults
    : public mlir::OpTrait::TraitBase<ConcreteOp, HasUnorderedResults> {};

/// Whether two ops are structurally equal, as `tvm_ffi::StructuralEqual`. They
/// may be in two MLIRContexts. Locations, names of resources and the kind of
/// attribute that holds elements do not count, nor does the attribute of a
/// NameHintOpInterface. Constants, other ops with
/// IsValue and computations of scalars count where they are used, not where
/// they stand, unless nothing uses them, and the symbols of a symbol table by
/// their names.
bool isStructurallyEqual(mlir::Operation *lhs, mlir::Operation *rhs);
/// A hash that structurally equal ops share, also in different processes, as
/// `tvm_ffi::StructuralHash`.
uint64_t structuralHash(mlir::Operation *op);

/// A hash of `op` and its contents that is valid in this process. Equal IR has
/// equal hashes wherever it is in memory; different IR has equal hashes only by
/// chance. For speed, it ignores locations and the contents of resources.
uint64_t hashStructure(mlir::Operation *op);

/// The bytes of elements that are kept in a blob; they live as long as the
/// blob. Empty, with a null pointer, for other attributes.
mlir::StringRef getResourceBytes(mlir::Attribute elements);

} // namespace partita

#endif // PARTITA_SUPPORT_STRUCTURALEQUALITY_H
