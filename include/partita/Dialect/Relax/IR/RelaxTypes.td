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
    !relax.shape<*>          // not even the number of dimensions is known
    !relax.shape<[], ?>      // no dimensions, but TVM has no values either
    ```

    It is an error when a name is empty, when a size is negative, or when values
    are missing although there are dimensions.
  }];
  let parameters = (ins
    ArrayRefParameter<"::partita::relax::Dim">:$dims, "bool":$ranked,
    "bool":$lacksValues
  );
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<::partita::relax::Dim>":$dims,
                     CArg<"bool", "true">:$ranked), [{
      return $_get($_ctxt, dims, ranked, false);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The type of shapes about which nothing is known.
    static ShapeType getUnranked(::mlir::MLIRContext *context) {
      return get(context, {}, false);
    }
  }];
  let assemblyFormat = [{
    `<` custom<ShapeDims>($dims, $ranked, $lacksValues) `>`
  }];
  let genVerifyDecl = 1;
}

def Relax_PartialTensorType : Relax_Type<"PartialTensor", "tensor"> {
  let summary = "A tensor with more in TVM than a builtin type can say";
  let description = [{
    An unknown element type is `?`, an unknown number of dimensions `*`. `shape`
    is the name of a variable that holds the tensor's shape, or `?` if there are
    no dimensions, but TVM has no shape either. `vdevice` is the place of the
    tensor's device in the module's global infos of that name, or the device
    itself, as it is there.

    ```mlir
    !relax.tensor<["n", 16], ?>
    !relax.tensor<*, ?>
    !relax.tensor<[?, ?], f32, shape = "s">
    !relax.tensor<[], f32, shape = ?>
    !relax.tensor<[2, 3], f32, vdevice = 0>
    !relax.tensor<[2, 3], f32, vdevice = {memory_scope = "global", target,
                                          vdevice_id = 0 : i64}>
    ```

    It is an error when a builtin tensor can say the same, when a name is empty,
    or when a size is negative.
  }];
  let parameters = (ins
    ArrayRefParameter<"::partita::relax::Dim">:$dims, "bool":$ranked,
    "::mlir::Type":$elementType, "::mlir::StringAttr":$shape,
    "bool":$lacksShape, "::mlir::Attribute":$vdevice
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Relax_ObjectType : Relax_Type<"Object", "object"> {
  let summary = "Any value of the runtime, about which nothing is known";
}

def Relax_CallableType : Relax_Type<"Callable", "callable"> {
  let summary = "A function that is a value (TVM's FuncType)";
  let description = [{
    ```mlir
    !relax.callable<(tensor<8xf32>) -> tensor<8xf32>>
    !relax.callable<(*) -> !relax.object, impure>   // takes any arguments
    !relax.callable<(*) -> !relax.object, derive = "tvm.relax.type.infer_view_ty">
    ```

    `derive` is the function of TVM's that knows the types of calls. Names of
    dimensions belong to the function that the value is in.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::Type">:$inputs, "::mlir::Type":$result,
    "bool":$pure, "bool":$takesAny, "::mlir::StringAttr":$derive
  );
  let hasCustomAssemblyFormat = 1;
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

// Tensors with the element types that TVM's dtypes map to, known or not.
def Relax_Tensor : Type<
    CPred<"::partita::relax::isTensor($_self)">,
    "tensor of integers, floats or an unknown element type">;
def Relax_FloatTensor : Type<
    CPred<"::partita::relax::isFloatTensor($_self)">,
    "tensor of floats or an unknown element type">;

// A constant's, which is always fully known.
def Relax_RankedTensor : RankedTensorOf<[AnyFloat, AnyInteger]>;

// A number; an operand of a binary op broadcasts it.
def Relax_Number : AnyTypeOf<[AnyInteger, AnyFloat, Index], "number">;
def Relax_TensorOrNumber : AnyTypeOf<[Relax_Tensor, Relax_Number]>;

// The type of a value that decides a branch.
def Relax_Condition : Type<
    CPred<"::partita::relax::isCondition($_self)">,
    "boolean, or tensor of booleans or an unknown element type">;

def Relax_TensorOrTuple : AnyTypeOf<[Relax_Tensor, AnyTuple]>;

#endif // PARTITA_DIALECT_RELAX_IR_RELAXTYPES
