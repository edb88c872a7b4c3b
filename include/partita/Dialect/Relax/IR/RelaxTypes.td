//===- RelaxTypes.td - Types beside builtin tensors --------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXTYPES
#define PARTITA_DIALECT_RELAX_IR_RELAXTYPES

include "partita/Dialect/Relax/IR/RelaxAttrs.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/CommonTypeConstraints.td"

class Relax_Type<string name, string typeMnemonic>
    : TypeDef<Relax_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Relax_ShapeType : Relax_Type<"Shape", "shape"> {
  let summary = "A shape value whose dimensions are numbers, names or unknown";
  let description = [{
    ```mlir
    !relax.shape<["n", 16]>
    ```

    It is an error when a name is empty or a size is negative.
  }];
  let parameters = (ins
    ArrayRefParameter<"::partita::relax::Dim">:$dims
  );
  let assemblyFormat = "`<` custom<Dims>($dims) `>`";
  let genVerifyDecl = 1;
}

def Relax_ObjectType : Relax_Type<"Object", "object"> {
  let summary = "Any value of the runtime, about which nothing is known";
}

def Relax_OpaqueType : Relax_Type<"Opaque", "opaque"> {
  let summary = "A type of TVM that the dialect lacks";
  let description = [{
    `json` is the type as TVM writes it, in the form of `relax.opaque_expr`, and
    `kind` the type of its root.

    ```mlir
    !relax.opaque<"relax.FuncType", "{\22root_index\22: 0, ..}">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$kind, StringRefParameter<>:$json);
  let assemblyFormat = "`<` $kind `,` $json `>`";
}

// Operands of compute ops, with the element types that TVM's dtypes map to.
def Relax_Tensor : RankedTensorOf<[AnyFloat, AnyInteger]>;
def Relax_FloatTensor : RankedTensorOf<[AnyFloat]>;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTYPES
