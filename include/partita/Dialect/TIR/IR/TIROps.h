//===- TIROps.h - tir.prim_func ---------------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIROPS_H
#define PARTITA_DIALECT_TIR_IR_TIROPS_H

#include "partita/Dialect/TIR/IR/TIRDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/TIR/IR/TIRTypes.h.inc"

#define GET_OP_CLASSES
#include "partita/Dialect/TIR/IR/TIROps.h.inc"

#endif // PARTITA_DIALECT_TIR_IR_TIROPS_H
