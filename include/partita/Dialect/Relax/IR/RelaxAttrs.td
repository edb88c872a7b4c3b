//===- RelaxAttrs.td - Symbolic shapes ---------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXATTRS
#define PARTITA_DIALECT_RELAX_IR_RELAXATTRS

include "partita/Dialect/Relax/IR/RelaxDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

def Relax_ShapeAttr : AttrDef<Relax_Dialect, "Shape", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>
  ]> {
  let mnemonic = "shape";
  let summary = "Dimensions that are numbers, names or unknown";
  let description = [{
    As the encoding of a tensor it names the tensor's dynamic dimensions (in
    TVM, a shape with symbolic variables). A tensor without a named dimension
    has no such encoding, so that equal tensors have equal types.

    ```mlir
    tensor<?x16x?xf32, #relax.shape<["n", 16, ?]>>
    ```

    It is an error when a name is empty, when a size is negative, and, as an
    encoding, when rank or sizes disagree with the tensor's or no dimension has
    a name.
  }];
  let parameters = (ins
    ArrayRefParameter<"::partita::relax::Dim">:$dims
  );
  let assemblyFormat = "`<` custom<Dims>($dims) `>`";
  let genVerifyDecl = 1;
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXATTRS
