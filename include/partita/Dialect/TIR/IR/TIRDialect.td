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
    vector), so that upstream's passes apply. This dialect adds the ops that
    upstream lacks: blocks, loops that threads run, descriptions of buffers,
    unsigned arithmetic and intrinsics. An imported body is exported without
    loss.
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
  let summary = "An opaque pointer (TVM's handle)";
}

def TIR_PtrType : TypeDef<TIR_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "A pointer to elements in a memory scope (TVM's PointerType)";
  let description = [{
    `!tir.ptr<"shared", f32>`; without a type, the type of the elements is
    unknown.
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

def TIR_TileLayoutAttr : AttrDef<TIR_Dialect, "TileLayout"> {
  let mnemonic = "tile_layout";
  let summary = "Where a buffer has its elements: TVM's TileLayout";
  let description = [{
    Each of the nested iterators has an extent, a stride and an axis, which is
    memory, `m`, if none is named. The numbers have the type `type` in TVM.

    ```mlir
    #tir.tile_layout<i32, [8 : 16, 16 : 1]>
    #tir.tile_layout<i32, [128 : 1 @P, 4 : 1 @F]>
    ```

    It is an error when the lists differ in length.
  }];
  let parameters = (ins
    "::mlir::Type":$type, ArrayRefParameter<"int64_t">:$extents,
    ArrayRefParameter<"int64_t">:$strides,
    ArrayRefParameter<"::mlir::StringAttr">:$axes
  );
  let assemblyFormat = [{
    `<` $type `,` custom<Iterators>($extents, $strides, $axes) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the elements are in row-major order, without gaps.
    bool isRowMajor() const;
  }];
}

def TIR_NodeAttr : AttrDef<TIR_Dialect, "Node"> {
  let mnemonic = "node";
  let summary = "A constant TVM object without an MLIR attribute";
  let description = [{
    The object's JSON, in the form of `tir.opaque_body`: `#tir.node<"{..}">`. It
    mentions no variable of the function around it.
  }];
  let parameters = (ins StringRefParameter<"">:$json);
  let assemblyFormat = "`<` $json `>`";
}

#endif // PARTITA_DIALECT_TIR_IR_TIRDIALECT
