//===- RelaxAttrs.td - Shapes and tensors ------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXATTRS
#define PARTITA_DIALECT_RELAX_IR_RELAXATTRS

include "partita/Dialect/Relax/IR/RelaxDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
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

    It is an error when a name is empty, and, as an encoding, when rank or sizes
    disagree with the tensor's or no dimension has a name. As a value it may
    have numbers that are no sizes, such as a -1 for what is left.
  }];
  let parameters = (ins
    ArrayRefParameter<"::partita::relax::Dim">:$dims
  );
  let extraClassDeclaration = [{
    /// The type of the value, in which a negative number is an unknown size.
    ShapeType getValueType() const;
  }];
  let assemblyFormat = "`<` custom<Dims>($dims) `>`";
  let genVerifyDecl = 1;
}

def Relax_TensorAttr : AttrDef<Relax_Dialect, "Tensor", [
    ElementsAttrInterface, BlobAttrInterface
  ]> {
  let mnemonic = "tensor";
  let summary = "Elements that are freed with the last constant that has them";
  let description = [{
    The elements of a `relax.constant` that was made in this process. It prints
    as a builtin resource, and text and bytecode give a resource back.

    ```mlir
    %w = relax.constant dense_resource<w0> : tensor<128x64xf32>
    ```

    The attribute alone holds no elements: see OwnedElements. An op of another
    dialect, which does not hold them either, takes `getResource`.
  }];
  let parameters = (ins "::mlir::Type":$type, "uint64_t":$id);
  let genAccessors = 0;
  let genStorageClass = 0;
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    static TensorAttr get(::mlir::ShapedType type, TensorDataRef data);

    ::mlir::ShapedType getType() const;
    /// The bytes, which live as long as somebody holds them.
    ::llvm::ArrayRef<char> getData() const;
    TensorDataRef getTensorData() const;
    bool isFreed() const { return !getTensorData(); }
    /// The resource that the elements are printed as. It is another tensor's
    /// when nobody holds them any more.
    ::mlir::DenseResourceElementsHandle getHandle() const;
    /// The elements as an attribute that keeps them as long as the context, or
    /// as long as the TensorHolder with the number `holder`.
    ::mlir::DenseResourceElementsAttr getResource(uint64_t holder = 0) const;

  private:
    friend class OwnedElements;
    void retain() const;
    void release() const;

  public:
  }];
}

def Relax_IndexMapAttr : AttrDef<Relax_Dialect, "IndexMap"> {
  let mnemonic = "index_map";
  let summary = "Where a layout moves elements: TVM's IndexMap";
  let description = [{
    `map` gives the indices of an element in the new layout, from its indices in
    the old one. `type` is the type of TVM's variables for them.

    ```mlir
    #relax.index_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4), i64>
    ```

    It is an error when `map` has symbols, or is more than sums, multiples,
    quotients and remainders by positive numbers.
  }];
  let parameters = (ins "::mlir::AffineMap":$map, "::mlir::IntegerType":$type);
  let assemblyFormat = "`<` $map `,` $type `>`";
  let genVerifyDecl = 1;
}

def Relax_OpaqueAttr : AttrDef<Relax_Dialect, "Opaque"> {
  let mnemonic = "opaque";
  let summary = "A value of TVM that no other attribute can hold";
  let description = [{
    `json` is the value as TVM writes it, in the form of `relax.opaque_expr`, and
    `kind` the type of its root.

    ```mlir
    #relax.opaque<"ffi.Bytes", "{\22root_index\22: 0, ..}">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$kind, StringRefParameter<>:$json);
  let assemblyFormat = "`<` $kind `,` $json `>`";
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXATTRS
