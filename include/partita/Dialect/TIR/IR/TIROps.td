//===- TIROps.td - tir.prim_func ---------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_IR_TIROPS
#define PARTITA_DIALECT_TIR_IR_TIROPS

include "partita/Dialect/TIR/IR/TIRDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<TIR_Dialect, mnemonic, traits>;

def TIR_PrimFuncOp : TIR_Op<"prim_func", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface,
    IsolatedFromAbove
  ]> {
  let summary = "A function on buffers (TVM's PrimFunc)";
  let description = [{
    Reads and writes its parameters, which are memrefs (buffers) and scalars,
    and returns nothing. If TVM's function returns a value, the value is an
    operand of `tir.ret`, and its type is the attribute `tir.ret_type`.
    `relax.call_tir` calls the function with its inputs first and its outputs
    last. Without a body it declares a kernel that is linked in.

    ```mlir
    tir.prim_func private @add(%a: memref<8xf32>, %b: memref<8xf32>,
                               %out: memref<8xf32>) {
      linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>)
                 outs(%out : memref<8xf32>)
      tir.return
    }
    ```

    It is an error when it has results, or when a parameter is neither a memref
    nor an integer, an index, a float or a `!tir.handle`.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region AnyRegion:$body);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }

    /// FunctionOpInterface: verifies the types of the parameters.
    ::llvm::LogicalResult verifyType();
  }];
}

def TIR_ReturnOp : TIR_Op<"return", [
    HasParent<"PrimFuncOp">, Pure, ReturnLike, Terminator
  ]> {
  let summary = "Ends a tir.prim_func";
  let assemblyFormat = "attr-dict";
}

def TIR_OpaqueBodyOp : TIR_Op<"opaque_body", [
    HasParent<"PrimFuncOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "The body of a TVM PrimFunc that the dialects can't express";
  let description = [{
    `json` is TVM's JSON of the function (UTF-8), as a table of nodes of its
    own: {"root_index": .., "nodes": [..]}. In the table, a node {"type":
    "symbol", "data": i} stands for the function that `symbols` names. The op
    may have any effect.

    ```mlir
    tir.prim_func @f(%a: memref<8xf32>) {
      tir.opaque_body json = dense_resource<f> : tensor<2000xui8>
      tir.return
    }
    ```

    It is an error when `json` is not a list of bytes, or when the module lacks
    a function that `symbols` names.
  }];
  let arguments = (ins
    OptionalAttr<FlatSymbolRefArrayAttr>:$symbols, ElementsAttr:$json
  );
  let assemblyFormat = [{
    (`symbols` `=` $symbols^)? `json` `=` $json attr-dict
  }];
  let hasVerifier = 1;
}

include "partita/Dialect/TIR/IR/TIRBodyOps.td"

#endif // PARTITA_DIALECT_TIR_IR_TIROPS
