//===- PartitaOps.td - partita.module ----------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITAOPS
#define PARTITA_DIALECT_PARTITA_IR_PARTITAOPS

include "partita/Dialect/Partita/IR/PartitaAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

// Not `ModuleOp`: that is ambiguous wherever `mlir` is used, too.
def Partita_IRModuleOp : Op<Partita_Dialect, "module", [
    IsolatedFromAbove, NoRegionArguments, Symbol, SymbolTable
  ] # GraphRegionNoTerminator.traits> {
  let summary = "A module of functions (TVM's IRModule)";
  let description = [{
    A symbol table of functions: `relax.func`, `tir.prim_func`, and any other
    symbol with a name. It is either the root of a file, or a symbol in a
    `builtin.module`.

    TVM's module attributes are the op's discardable attributes; TVM's global
    infos are the dictionary `global_infos`.

    ```mlir
    partita.module @mlp attributes {global_infos = {vdevice = ["llvm"]}} {
      relax.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
        relax.return %x : tensor<8x64xf32>
      }
    }
    ```

    It is an error when an op in it is not a symbol with a name.
  }];
  let arguments = (ins
    OptionalAttr<SymbolNameAttr>:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictionaryAttr>:$global_infos
  );
  let regions = (region SizedRegion<1>:$bodyRegion);
  let assemblyFormat = "($sym_name^)? attr-dict-with-keyword $bodyRegion";
  let builders = [
    OpBuilder<(ins CArg<"::llvm::StringRef", "{}">:$name)>
  ];
  let skipDefaultBuilders = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// A root module needs no name.
    bool isOptionalSymbol() { return true; }
  }];
}

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITAOPS
