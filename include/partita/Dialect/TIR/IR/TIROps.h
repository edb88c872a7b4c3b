//===- TIROps.h - tir.prim_func ---------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIROPS_H
#define PARTITA_DIALECT_TIR_IR_TIROPS_H

#include "partita/Dialect/TIR/IR/TIRDialect.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace partita::tir {
/// The resource that declarations write. They touch no buffer, and must stay in
/// their block or function.
struct DeclarationResource
    : mlir::SideEffects::Resource::Base<DeclarationResource> {
  llvm::StringRef getName() final { return "tir.declaration"; }
};

/// The fields of TVM's node prim.`kind` that are expressions; they are the
/// operands of a `tir.prim` of this kind. Empty if there is no such node.
llvm::ArrayRef<llvm::StringRef> getPrimFields(llvm::StringRef kind);

/// The type of a buffer in an op such as `tir.buffer`. Sizes, strides and
/// offset are kDynamic if they are not constants. The type has a layout unless
/// the buffer is contiguous and starts at offset 0.
mlir::MemRefType getBufferType(mlir::Type element,
                               llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> strides, int64_t offset,
                               llvm::StringRef scope);
} // namespace partita::tir

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/TIR/IR/TIRAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/TIR/IR/TIRTypes.h.inc"

#define GET_OP_CLASSES
#include "partita/Dialect/TIR/IR/TIROps.h.inc"

#endif // PARTITA_DIALECT_TIR_IR_TIROPS_H
