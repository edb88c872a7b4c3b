//===- RelaxOps.h - Ops of the relax dialect --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXOPS_H
#define PARTITA_DIALECT_RELAX_IR_RELAXOPS_H

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/IR/RelaxInterfaces.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace partita::relax {

/// An op whose operands are the arguments of TVM's call, one by one.
template <typename ConcreteOp>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): mlir::Op makes it.
class CallsValue : public mlir::OpTrait::TraitBase<ConcreteOp, CallsValue> {};

/// Whether TVM calls `op` pure: its only effects are new memory or objects.
bool isPureExpr(mlir::Operation *op);

/// The value that leaves dataflow blocks as `value`, or `value`.
mlir::Value getInside(mlir::Value value);

/// Whether the operands of `op` are the fields of one tuple in TVM.
bool takesTuple(mlir::Operation *op);

} // namespace partita::relax

#define GET_OP_CLASSES
#include "partita/Dialect/Relax/IR/RelaxOps.h.inc"

#endif // PARTITA_DIALECT_RELAX_IR_RELAXOPS_H
