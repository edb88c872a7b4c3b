//===- RelaxInterfaces.h - Interfaces of Relax ops --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES_H
#define PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES_H

#include "mlir/IR/OpDefinition.h"

#include "partita/Dialect/Relax/IR/RelaxInterfaces.h.inc"

namespace partita::relax {

/// See Relax_TVMAttrs in RelaxBase.td.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class HasTVMAttrs : public mlir::OpTrait::TraitBase<ConcreteOp, HasTVMAttrs> {};

/// See Relax_TVMTuple in RelaxBase.td.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class HasTVMTuple : public mlir::OpTrait::TraitBase<ConcreteOp, HasTVMTuple> {};

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXINTERFACES_H
