//===- PartitaAttrs.td - PassInfo and PassContext ----------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data: these attributes do not know the C++ classes that run passes. A
// tool can read them without linking the pass infrastructure.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS
#define PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS

include "partita/Dialect/Partita/IR/PartitaDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Partita_Attr<string name, string attrMnemonic>
    : AttrDef<Partita_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

// A list of names, printed as `["a", "b"]`; an empty list is not printed.
class Partita_Names<string desc>
    : OptionalArrayRefParameter<"::mlir::StringAttr", desc> {
  let parser = "parseNames($_parser)";
  let printer = "printNames($_printer, $_self)";
}

def Partita_PassInfoAttr : Partita_Attr<"PassInfo", "pass_info"> {
  let summary = "A pass's name, and when it runs (TVM's PassInfo)";
  let description = [{
    A PassContext enables a pass if the context's opt_level is at least the
    pass's. The passes in `required` run before the pass.

    ```mlir
    #partita.pass_info<"FuseOps", opt_level = 1, required = ["FoldConstant"]>
    ```

    It is an error when a name is empty or the level is negative.
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    DefaultValuedParameter<"int64_t", "0", "the lowest level that enables it">
      :$opt_level,
    Partita_Names<"the passes that run before it">:$required
  );
  let assemblyFormat = [{
    `<` $name (`,` struct($opt_level, $required)^)? `>`
  }];
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name, CArg<"int64_t", "0">:$optLevel,
                     CArg<"::llvm::ArrayRef<::llvm::StringRef>", "{}">
                       :$required)>
  ];
}

def Partita_PassContextAttr : Partita_Attr<"PassContext", "pass_context"> {
  let summary = "The policy under which passes run (TVM's PassContext)";
  let description = [{
    Absent fields have TVM's defaults: opt_level 2 and everything else empty. An
    instrument is given by its name, with its options in braces.

    ```mlir
    #partita.pass_context<opt_level = 3, disabled_pass = ["FuseOps"],
      config = {tir.UnrollLoop = {auto_max_step = 16 : i64}},
      instruments = ["print-ir-after{all}"]>
    ```

    It is an error when a name is empty or the level is negative.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "2", "enables passes of this level">
      :$opt_level,
    Partita_Names<"passes that run whatever their level">:$required_pass,
    Partita_Names<"passes that a Sequential leaves out">:$disabled_pass,
    DefaultValuedParameter<"::mlir::DictionaryAttr",
                           "::mlir::DictionaryAttr::get($_ctxt)",
                           "options by key">:$config,
    Partita_Names<"instruments, in the order of their callbacks">:$instruments
  );
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

#endif // PARTITA_DIALECT_PARTITA_IR_PARTITAATTRS
