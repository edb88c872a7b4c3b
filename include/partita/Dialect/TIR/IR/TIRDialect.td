//===- TIRDialect.td - The tir dialect ---------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIRDIALECT
#define PARTITA_DIALECT_TIR_IR_TIRDIALECT

include "mlir/IR/DialectBase.td"

def TIR_Dialect : Dialect {
  let name = "tir";
  let cppNamespace = "::partita::tir";
  let useDefaultTypePrinterParser = 1;
  let summary = "TVM's tensor programs: functions on buffers";
  let description = [{
    Only the function is of this dialect: a body is upstream MLIR (linalg on
    memref, scf, affine, arith, math, vector), so that its passes apply.
  }];
}

include "mlir/IR/AttrTypeBase.td"

def TIR_HandleType : TypeDef<TIR_Dialect, "Handle"> {
  let mnemonic = "handle";
  let summary = "A pointer about which nothing is known (TVM's handle)";
}

#endif // PARTITA_DIALECT_TIR_IR_TIRDIALECT
