//===- RelaxOpaqueOps.td - What the dialect lacks ----------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls and expressions that other ops do not model, kept so that a module
// that has them is read, passes through every pass, and is written again.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXOPAQUEOPS
#define PARTITA_DIALECT_RELAX_IR_RELAXOPAQUEOPS

include "partita/Dialect/Relax/IR/RelaxBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

// An op of whose effects all that is known is whether it has any. No pass
// changes it; one without effects is dropped if nobody uses its results.
class Relax_OpaqueOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
      ] # traits>;

def Relax_CallOpOp : Relax_OpaqueOp<"call_op"> {
  let summary = "Calls an op of TVM that the dialect lacks";
  let description = [{
    `op_name` is TVM's, `attrs` are the fields of TVM's object of attributes,
    whose class is `attrs_type`; they are not checked, nor are the types. The
    call may have side effects unless it says `is_pure = true`.

    ```mlir
    %0 = relax.call_op "relax.nn.conv1d"(%x, %w)
      "relax.attrs.Conv1DAttrs" {strides = array<i64: 1>} {is_pure = true}
      : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
    ```

    It is an error when the name is empty.
  }];
  let arguments = (ins
    StrAttr:$op_name, Variadic<AnyType>:$operands,
    OptionalAttr<StrAttr>:$attrs_type, OptionalAttr<DictionaryAttr>:$attrs,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_pure
  );
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    $op_name `(` $operands `)` ($attrs_type^ $attrs)? attr-dict `:`
    functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

def Relax_OpaqueExprOp : Relax_OpaqueOp<"opaque_expr", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>
  ]> {
  let summary = "An expression of TVM that the dialect lacks";
  let description = [{
    `json` is the expression as TVM writes it (UTF-8), as a table of nodes of its
    own: {"root_index": .., "nodes": [..]}. A node
    {"type": "operand", "data": i} stands for an operand, or, where i is -1, for
    the expression itself, {"type": "symbol",
    "data": i} for a function that `symbols` names, and {"type": "dim", "data":
    name} for a dimension of the function that the op is in. In a type,
    {"type": "shape", "data": [name, rank]} stands for a variable that is a
    shape. `kind` is the type of the root. The expression may have side effects unless the op says
    `is_pure = true`.

    ```mlir
    %0 = relax.opaque_expr "relax.expr.If"(%cond, %x)
      json = dense_resource<e0> : tensor<420xui8>
      : (tensor<i1>, tensor<8xf32>) -> tensor<8xf32>
    ```

    It is an error when `json` is not a list of bytes, or when the module has no
    function of a name in `symbols`.
  }];
  let arguments = (ins
    StrAttr:$kind, Variadic<AnyType>:$operands,
    OptionalAttr<FlatSymbolRefArrayAttr>:$symbols, ElementsAttr:$json,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_pure
  );
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = [{
    $kind `(` $operands `)` (`symbols` `=` $symbols^)? `json` `=` $json
    attr-dict `:` functional-type($operands, results)
  }];
  let hasVerifier = 1;
}

#endif // PARTITA_DIALECT_RELAX_IR_RELAXOPAQUEOPS
