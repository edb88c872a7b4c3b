//===- PartitaDialect.td - The partita dialect -------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT
#define PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT

include "mlir/IR/DialectBase.td"

def Partita_Dialect : Dialect {
  let name = "partita";
  let cppNamespace = "::partita";
  let summary = "Modules, and the pass infrastructure's data as attributes";
  let description = [{
    TVM's IRModule, and the data of TVM's pass infrastructure about a pass
    (PassInfo) and a run (PassContext), as IR that prints, parses, verifies and
    travels in bytecode.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
  }];
}

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITADIALECT
