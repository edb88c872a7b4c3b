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
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let description = [{
    A body is upstream MLIR (linalg on memref, scf, affine, arith, math,
    vector), so that its passes apply, with ops of this dialect for what upstream
    lacks: blocks, loops that threads run, buffers with all that TVM says of
    them, unsigned arithmetic and intrinsics. Nothing of TVM's is lost: a body
    goes out as it came in.
  }];
  let extraClassDeclaration = [{
    /// Prints values by the names in their locations.
    void *getRegisteredInterfaceForOp(::mlir::TypeID interfaceID,
                                      ::mlir::OperationName op) override;
  }];
}

include "mlir/IR/AttrTypeBase.td"

def TIR_HandleType : TypeDef<TIR_Dialect, "Handle"> {
  let mnemonic = "handle";
  let summary = "A pointer about which nothing is known (TVM's handle)";
}

def TIR_PtrType : TypeDef<TIR_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "A pointer to elements in memory of a scope (TVM's PointerType)";
  let description = [{
    `!tir.ptr<"shared", f32>`; without a type, the elements are of none that is
    known.
  }];
  let parameters = (ins
    StringRefParameter<"">:$scope, OptionalParameter<"::mlir::Type">:$element
  );
  let assemblyFormat = "`<` $scope (`,` $element^)? `>`";
}

def TIR_StringType : TypeDef<TIR_Dialect, "String"> {
  let mnemonic = "string";
  let summary = "A string, as an operand of a call";
}

def TIR_NodeAttr : AttrDef<TIR_Dialect, "Node"> {
  let mnemonic = "node";
  let summary = "A constant object of TVM's that has no attribute of MLIR";
  let description = [{
    Its JSON, as `tir.opaque_body` has it: `#tir.node<"{..}">`. It mentions no
    variable of the function that it is in.
  }];
  let parameters = (ins StringRefParameter<"">:$json);
  let assemblyFormat = "`<` $json `>`";
}

#endif // PARTITA_DIALECT_TIR_IR_TIRDIALECT
